// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "base/status.h"
#include "codec/key_step.h"
#include "codec/table_descriptor.h"

namespace basalt::codec {

// Works out how one part of a key is encoded: the only place that knows which kind of column and
// collation has which layout. kNotSupported when keys cannot hold the column.
Status CompileKeyStep(const TableDescriptor& table, const IndexDescriptor& index,
                      const KeyPart& part, KeyStep* step);

// The step of the 8-byte hidden id.
KeyStep HiddenIdStep();

}  // namespace basalt::codec
