// SPDX-License-Identifier: GPL-2.0-only
//
// The server keeps some values unique by itself: of keys by hash, and periods without overlaps. It
// looks for a conflicting row before each write, and two connections that look at the same time
// would both find nothing. So the look-up locks its value first: the hash, or what precedes the
// period.
#include "server/handler.h"

namespace basalt::server {
namespace {

constexpr uint kPeriodParts = 2;  // end and start, the last two of a key
constexpr key_part_map kNoLookUp = ~key_part_map{0};

}  // namespace

// The parts in which rows must agree to be in conflict; kNoLookUp when it is an ordinary search.
key_part_map Handler::UniqueLookUpParts(key_part_map parts, enum ha_rkey_function find) const {
  const KEY& declared = table->key_info[active_index];
  if (declared.algorithm == HA_KEY_ALG_LONG_HASH) return make_prev_keypart_map(1);
  if (!declared.without_overlaps || find != HA_READ_AFTER_KEY) return kNoLookUp;
  const uint before_period = declared.user_defined_key_parts - kPeriodParts;
  // The server gives the period's beginning as that of its end.
  if (parts != make_prev_keypart_map(before_period + 1)) return kNoLookUp;
  return make_prev_keypart_map(before_period);
}

int Handler::BeginUniqueLookUp(const uchar* key, key_part_map parts, enum ha_rkey_function find) {
  read_.unique_value.clear();
  const engine::ReadIntent& intent = rows_->intent();
  if (!intent.lock || intent.mode != txn::LockMode::kExclusive) return 0;
  const key_part_map unique = UniqueLookUpParts(parts, find);
  if (unique == kNoLookUp) return 0;
  const codec::KeyCodec& codec = *table_data()->index(active_index).codec;
  EncodeSearchKey(codec, key, unique, &read_.unique_value);
  std::string locked = read_.unique_value;
  // Equal values must lock the same bytes: those of the whole index, where theirs may differ.
  if (!codec.SearchIsWhole()) locked.resize(kIndexNumberBytes);
  Status status = rows_->unique().LockValue(active_index, locked);
  return status.ok() ? 0 : Fail(std::move(status));
}

const std::string* Handler::UniqueLookUpPrefix() const {
  return read_.unique_value.empty() ? nullptr : &read_.unique_value;
}

}  // namespace basalt::server
