// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

#include <rocksdb/env.h>

#include "store/options/store_options.h"

namespace basalt::store {

// The time, for what depends on it; tests have their own.
using InformationLogClock = std::chrono::steady_clock::time_point (*)();

// RocksDB writes this when it replays the log at start and leaves a part of it out. After a crash
// that is the torn tail of what nobody has been told is durable; after a clean shutdown it deserves
// a look at the disk.
inline constexpr std::string_view kReplayStopped = ".log: dropping ";

// A logger for RocksDB that writes everything to `file` (its own LOG) and passes errors, and the
// one warning that an operator must see (where the replay of a damaged log has stopped), on to
// `log`. The same error goes on once in ten minutes: RocksDB repeats some with each look-up of a
// row. `file` may be null, `log` empty. The logger may be called from any thread; it lives as
// long as RocksDB holds it, so what `log` uses must outlive the store.
std::shared_ptr<rocksdb::Logger> NewInformationLog(
    std::shared_ptr<rocksdb::Logger> file, std::function<void(LogLevel, std::string_view)> log,
    InformationLogClock now = std::chrono::steady_clock::now);

}  // namespace basalt::store
