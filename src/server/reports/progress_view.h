// SPDX-License-Identifier: GPL-2.0-only
#pragma once

namespace basalt::server {

// INFORMATION_SCHEMA.ROCKSDB_PROGRESS: the statements that run now and have used the engine, and
// how far they are. A picture of a moment ago that disturbs nobody.

// The init function that plugin.cc gives to the server.
int InitProgressView(void* table) noexcept;

}  // namespace basalt::server
