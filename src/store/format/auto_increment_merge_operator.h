// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>

#include <rocksdb/merge_operator.h>

namespace basalt::store {

// Name of the merge operator of the column family `__system__`; part of the format.
inline constexpr const char* kAutoIncrementMergeOperatorName = "Rdb_system_merge_op";

// Merges auto-increment records (dictionary record type 9): the value with the larger counter wins.
// Operands come in the batches of row writes, so several may meet in any order. An operand that is
// no valid record is passed over, so that one bad record cannot make the dictionary unreadable; the
// catalog reports it when it loads a value that is not valid.
std::shared_ptr<rocksdb::MergeOperator> NewAutoIncrementMergeOperator();

}  // namespace basalt::store
