// SPDX-License-Identifier: GPL-2.0-only
#include "store/compaction/ttl_compaction_filter.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace basalt::store {
namespace {

// A snapshot reads the clock a moment before it is listed, so one that is taken right now may be
// this much older than a compaction that does not see it.
constexpr uint64_t kSnapshotSlack = 1;

// Used by one compaction, in one thread.
class ExpiryFilter final : public rocksdb::CompactionFilter {
 public:
  ExpiryFilter(std::shared_ptr<TimeToLive> time_to_live, uint32_t column_family)
      : time_to_live_(std::move(time_to_live)), column_family_(column_family) {}
  ~ExpiryFilter() override { time_to_live_->CountDropped(dropped_); }

  const char* Name() const override { return "basalt.Expiry"; }

  Decision FilterV2(int /*level*/, const rocksdb::Slice& key, ValueType type,
                    const rocksdb::Slice& value, std::string* /*new_value*/,
                    std::string* /*skip_until*/) const override {
    if (type != ValueType::kValue || key.size() < kIndexNumberBytes) return Decision::kKeep;
    const uint32_t number = LoadBigEndian32(key.data());
    if (number != number_) BeginIndex(number);
    if (life_.seconds == 0) [[likely]]
      return Decision::kKeep;
    if (!ValueHasExpired(value.ToStringView(), life_.seconds, now_)) {
      return Decision::kKeep;
    }
    ++dropped_;
    // What replaces the entry must be of the kind that later removals of the same key are of.
    return life_.single_deletes ? Decision::kPurge : Decision::kRemove;
  }

 private:
  // Entries of another index begin. The clock is asked at the first one whose entries expire.
  void BeginIndex(uint32_t number) const {
    number_ = number;
    life_ = time_to_live_->Find({column_family_, number}).value_or(EntryLife());
    if (life_.seconds == 0) return;
    if (!asked_) {
      asked_ = true;
      const std::optional<uint64_t> now = time_to_live_->CompactionTime();
      may_drop_ = now.has_value();
      now_ = now.value_or(0);
    }
    if (!may_drop_ || (life_.rows && time_to_live_->settings().spare_rows)) life_ = EntryLife();
  }

  const std::shared_ptr<TimeToLive> time_to_live_;
  const uint32_t column_family_;
  // RocksDB calls a const function; nobody shares the object.
  mutable uint32_t number_ = 0;  // that of no index
  mutable EntryLife life_;       // of entries with this number
  mutable bool asked_ = false;
  mutable bool may_drop_ = false;
  mutable uint64_t now_ = 0;
  mutable uint64_t dropped_ = 0;
};

class ExpiryFilterFactory final : public rocksdb::CompactionFilterFactory {
 public:
  explicit ExpiryFilterFactory(std::shared_ptr<TimeToLive> time_to_live)
      : time_to_live_(std::move(time_to_live)) {}

  const char* Name() const override { return "basalt.ExpiryFactory"; }

  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context& context) override {
    if (!time_to_live_->settings().drop_expired) return nullptr;
    if (!time_to_live_->Knows(context.column_family_id)) return nullptr;
    return std::make_unique<ExpiryFilter>(time_to_live_, context.column_family_id);
  }

 private:
  const std::shared_ptr<TimeToLive> time_to_live_;
};

}  // namespace

TimeToLive::TimeToLive(std::shared_ptr<TimeToLiveSettings> settings)
    : settings_(settings != nullptr ? std::move(settings)
                                    : std::make_shared<TimeToLiveSettings>()) {}

void TimeToLive::Register(IndexId index, const EntryLife& life) {
  WriterLock lock(mutex_);
  lives_[index] = life;
}

void TimeToLive::Unregister(IndexId index) {
  WriterLock lock(mutex_);
  lives_.erase(index);
}

std::optional<EntryLife> TimeToLive::Find(IndexId index) const {
  ReaderLock lock(mutex_);
  const auto found = lives_.find(index);
  if (found == lives_.end()) return std::nullopt;
  return found->second;
}

bool TimeToLive::Knows(uint32_t column_family) const {
  ReaderLock lock(mutex_);
  return std::any_of(lives_.begin(), lives_.end(), [column_family](const auto& life) {
    return life.first.column_family == column_family;
  });
}

std::optional<uint64_t> TimeToLive::CompactionTime() {
  // The clock first: a snapshot that comes after the second look is no older than this.
  const int64_t now = std::time(nullptr);
  const int offset = settings_->compaction_offset;
  if (offset != 0) {
    entries_have_rows_.store(false, std::memory_order_relaxed);
    return static_cast<uint64_t>(std::max<int64_t>(now + offset, 0));
  }
  rocksdb::DB* db = db_.load(std::memory_order_acquire);
  uint64_t oldest = 0;  // none
  if (db == nullptr || now <= 0 ||
      !db->GetIntProperty(rocksdb::DB::Properties::kOldestSnapshotTime, &oldest)) {
    return std::nullopt;
  }
  uint64_t time = static_cast<uint64_t>(now) - kSnapshotSlack;
  if (oldest != 0) time = std::min(time, oldest);
  uint64_t latest = latest_compaction_time();
  while (latest < time && !latest_compaction_time_.compare_exchange_weak(latest, time)) {
  }
  return time;
}

std::shared_ptr<rocksdb::CompactionFilterFactory> NewExpiryFilterFactory(
    std::shared_ptr<TimeToLive> time_to_live) {
  return std::make_shared<ExpiryFilterFactory>(std::move(time_to_live));
}

}  // namespace basalt::store
