// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/unique_look_up.h"

#include "server/handler/search_key.h"

namespace basalt::server {
namespace {

constexpr uint kPeriodParts = 2;  // end and start, the last two of a key
constexpr key_part_map kNoLookUp = ~key_part_map{0};

}  // namespace

// The parts in which rows must agree to be in conflict; kNoLookUp when it is an ordinary search.
key_part_map UniqueLookUp::PartsInConflict(key_part_map parts, enum ha_rkey_function find) const {
  const KEY& declared = table_->server_table()->key_info[table_->handler()->active_index];
  if (declared.algorithm == HA_KEY_ALG_LONG_HASH) return make_prev_keypart_map(1);
  if (!declared.without_overlaps || find != HA_READ_AFTER_KEY) return kNoLookUp;
  const uint before_period = declared.user_defined_key_parts - kPeriodParts;
  // The server gives the period's beginning as that of its end.
  if (parts != make_prev_keypart_map(before_period + 1)) return kNoLookUp;
  return make_prev_keypart_map(before_period);
}

int UniqueLookUp::Begin(const uchar* key, key_part_map parts, enum ha_rkey_function find) {
  value_.clear();
  const engine::ReadIntent& intent = table_->rows()->intent();
  if (!intent.lock || intent.mode != txn::LockMode::kExclusive) return 0;
  const key_part_map unique = PartsInConflict(parts, find);
  if (unique == kNoLookUp) return 0;
  const uint index = table_->handler()->active_index;
  const codec::KeyCodec& codec = *table_->data()->index(index).codec;
  EncodeSearchKey(codec, key, unique, &value_);
  std::string locked = value_;
  // Equal values must lock the same bytes: those of the whole index, where theirs may differ.
  if (!codec.SearchIsWhole()) locked.resize(kIndexNumberBytes);
  Status status = table_->rows()->unique().LockValue(index, locked);
  return status.ok() ? 0 : table_->Fail(std::move(status));
}

}  // namespace basalt::server
