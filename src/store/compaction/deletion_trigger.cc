// SPDX-License-Identifier: GPL-2.0-only
#include "store/compaction/deletion_trigger.h"

#include <utility>
#include <vector>

namespace basalt::store {
namespace {

class DeletionCollector final : public rocksdb::TablePropertiesCollector {
 public:
  explicit DeletionCollector(const DeletionTriggerSettings& settings)
      : limit_(settings.deletions),
        file_bytes_(settings.file_bytes),
        count_single_(settings.count_single_deletions),
        window_(static_cast<size_t>(settings.window)) {}

  const char* Name() const override { return "basalt.deletion_trigger"; }

  rocksdb::Status AddUserKey(const rocksdb::Slice& /*key*/, const rocksdb::Slice& /*value*/,
                             rocksdb::EntryType type, rocksdb::SequenceNumber /*sequence*/,
                             uint64_t file_size) override {
    const bool deletion =
        type == rocksdb::kEntryDelete || (count_single_ && type == rocksdb::kEntrySingleDelete);
    inside_ += static_cast<int64_t>(deletion) - static_cast<int64_t>(window_[next_]);
    window_[next_] = deletion;
    if (++next_ == window_.size()) next_ = 0;
    if (inside_ > limit_) reached_ = true;
    file_size_ = static_cast<int64_t>(file_size);
    return rocksdb::Status::OK();
  }

  rocksdb::Status Finish(rocksdb::UserCollectedProperties* /*properties*/) override {
    return rocksdb::Status::OK();
  }
  rocksdb::UserCollectedProperties GetReadableProperties() const override { return {}; }
  bool NeedCompact() const override { return reached_ && file_size_ >= file_bytes_; }

 private:
  const int64_t limit_;
  const int64_t file_bytes_;
  const bool count_single_;
  std::vector<bool> window_;  // the last entries, as a ring: was it a deletion?
  size_t next_ = 0;
  int64_t inside_ = 0;  // deletions in it
  int64_t file_size_ = 0;
  bool reached_ = false;
};

class Factory final : public rocksdb::TablePropertiesCollectorFactory {
 public:
  explicit Factory(std::shared_ptr<const DeletionTriggerSettings> settings)
      : settings_(std::move(settings)) {}

  const char* Name() const override { return "basalt.deletion_trigger"; }

  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(Context /*file*/) override {
    // Null: no collector for this file.
    if (settings_->deletions <= 0 || settings_->window <= 0) return nullptr;
    return new DeletionCollector(*settings_);
  }

 private:
  const std::shared_ptr<const DeletionTriggerSettings> settings_;
};

}  // namespace

std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> NewDeletionTriggerFactory(
    std::shared_ptr<const DeletionTriggerSettings> settings) {
  return std::make_shared<Factory>(std::move(settings));
}

}  // namespace basalt::store
