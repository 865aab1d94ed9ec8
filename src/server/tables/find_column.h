// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/server_headers.h"

namespace basalt::server {

// The position of the column with this name, as SQL compares names; none when there is no such
// column.
std::optional<uint32_t> FindColumn(const TABLE& table, const std::string& name);

}  // namespace basalt::server
