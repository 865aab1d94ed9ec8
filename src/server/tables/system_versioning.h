// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <optional>

#include "engine/row_end.h"
#include "server/server_headers.h"

namespace basalt::server {

// How rows of today are told from history; none for a table without system versioning.
std::optional<engine::RowEnd> RowEndOf(const TABLE& table);

// Is a record of the table, in any of its images, history? Never without system versioning.
bool IsHistory(const TABLE& table, const uchar* record);

}  // namespace basalt::server
