// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "base/status.h"

namespace basalt::server {

// Removes a table (or partition) from the dictionary and forgets what is in memory about it. Its
// space is reclaimed in the background. kNotFound when there is none. Nobody has it open.
Status DropTableByName(const std::string& name);

}  // namespace basalt::server
