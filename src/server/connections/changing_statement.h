// SPDX-License-Identifier: GPL-2.0-only
#pragma once

namespace basalt::server {

// Does a statement with this command (enum_sql_command) change rows by what it reads of tables?
bool ChangesByReading(int command);

}  // namespace basalt::server
