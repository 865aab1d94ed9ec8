// SPDX-License-Identifier: GPL-2.0-only
#pragma once

namespace basalt::server {

// Variables of MyRocks that mean nothing here: their names are known so that option files and
// scripts go on working. SET warns each time, and the value is kept; docs/variables.md says why
// there is nothing to set.

// Writes a line to the error log for each that the option file or the command line has changed.
// When the plugin starts.
void LogInertSettings();

}  // namespace basalt::server
