// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>
#include <vector>

#include "engine/row_conversion.h"
#include "server/server_headers.h"

namespace basalt::server {

// Rows of a table as those of the table that an ALTER makes of it, column by column, by the code
// that the server copies tables with. New columns have the default of the altered table. What a
// value loses by its new type is a warning, or in strict mode an error, as in a copy.
//
// Uses the record images of both, which the statement does not need meanwhile. The connection's
// thread only.
class RowConverter final : public engine::RowConversion {
 public:
  // Both are borrowed, as is the list of columns in the statement.
  RowConverter(TABLE* before, TABLE* altered, const Alter_inplace_info& info);

  // From now on rows are those that others have changed: no warnings more.
  void BeginChanges() { of_changes_ = true; }
  // When it fails the client has been told.
  Status Convert(const uint8_t* from, uint8_t* to) override;

 private:
  TABLE* const before_;
  TABLE* const altered_;
  std::unique_ptr<Copy_field[]> copies_;
  size_t count_ = 0;
  bool of_changes_ = false;
};

}  // namespace basalt::server
