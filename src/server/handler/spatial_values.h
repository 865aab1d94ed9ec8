// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "base/status.h"
#include "engine/rows/write_guard.h"
#include "server/server_headers.h"

namespace basalt::server {

// Can the SPATIAL indexes of the table hold the row `record`, one of its record buffers? 0, or
// HA_ERR_NULL_IN_SPATIAL (error 1416 for the client) when a column is no geometry, or has a
// coordinate that is infinite or not a number; a warning, in strict mode the error, names it.
int CheckSpatialValues(const TABLE& table, const uchar* record);

// CheckSpatialValues of an INSERT, in the order of InnoDB: index by index. A duplicate in an
// earlier index is told first. For one row, whose buffer it borrows. `next`, asked before it, may
// be null.
class SpatialGuard final : public engine::WriteGuard {
 public:
  SpatialGuard(const TABLE& table, const uchar* record, engine::WriteGuard* next)
      : table_(table), record_(record), next_(next) {}

  // kInvalidArgument: error() says why, as CheckSpatialValues does. Else what the next one says.
  Status Check(size_t index) override;
  int error() const { return error_; }

 private:
  const TABLE& table_;
  const uchar* const record_;
  engine::WriteGuard* const next_;
  int error_ = 0;
};

}  // namespace basalt::server
