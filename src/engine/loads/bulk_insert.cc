// SPDX-License-Identifier: GPL-2.0-only
#include "engine/loads/bulk_insert.h"

#include <algorithm>
#include <utility>

#include "codec/column_set.h"
#include "engine/database.h"
#include "engine/entry_name.h"
#include "store/reports/empty_index.h"

namespace basalt::engine {

bool BulkInsert::IsPossible(const Table& table) {
  if (table.lockless() || table.counters().change_log().is_open()) return false;
  for (size_t i = 0; i < table.index_count(); ++i) {
    const Index& index = table.index(i);
    if (index.codec->has_ttl() || index.ttl_seconds != 0) return false;
    const bool unique = index.unique || i == table.primary_position();
    if (unique && !index.codec->UniqueIsExact()) return false;
  }
  return true;
}

BulkInsert::BulkInsert(std::shared_ptr<Table> table) : table_(std::move(table)), encoder_(*table_) {
  positions_.push_back(table_->primary_position());
  for (size_t i = 0; i < table_->index_count(); ++i) {
    if (i != table_->primary_position()) positions_.push_back(i);
  }
}

Status BulkInsert::Begin(std::shared_ptr<Table> table, txn::Transaction* transaction,
                         txn::LoadOptions options, std::unique_ptr<BulkInsert>* begun) {
  std::unique_ptr<BulkInsert> insert(new BulkInsert(std::move(table)));
  BASALT_RETURN_IF_ERROR(transaction->BeginLoad(insert->Indexes(), options, &insert->load_));
  for (size_t i = 0; i < insert->positions_.size(); ++i) insert->AddPostings(i);
  insert->table_->counters().BeginLoad();
  *begun = std::move(insert);
  return Status::Ok();
}

std::vector<txn::LoadIndex> BulkInsert::Indexes() const {
  std::vector<txn::LoadIndex> indexes;
  for (const size_t position : positions_) {
    const Index& index = table_->index(position);
    txn::LoadIndex described{index.id, index.family, {}};
    if (position == table_->primary_position()) {
      described.unique_bytes = [](Bytes key) { return key.size(); };
    } else if (index.unique) {
      described.unique_bytes = [codec = index.codec](Bytes key) -> size_t {
        if (codec->UserPartsHaveNull(key)) return 0;
        return codec->PrefixBytes(key, codec->user_parts());
      };
    }
    indexes.push_back(std::move(described));
  }
  return indexes;
}

// Of rows that are gone, entries may have stayed in the index.
void BulkInsert::AddPostings(size_t index) {
  const size_t position = positions_[index];
  const Index& added = table_->index(position);
  words_.emplace_back();
  if (!IsFullText(*added.codec)) return;
  const auto count =
      static_cast<size_t>(std::count_if(positions_.begin(), positions_.end(), [this](size_t each) {
        return IsFullText(*table_->index(each).codec);
      }));
  const PostingLoad::Target target{
      .load = load_,
      .index = index,
      .index_number = added.id.number,
      .full_text_indexes = count,
      .in_blocks = store::IsEmpty(table_->database()->store()->base(), added.family,
                                  store::IndexBounds(added.id, added.reverse))};
  words_.back().encoder =
      std::make_unique<codec::PostingEncoder>(table_->descriptor(), position, added.codec.get());
  words_.back().load = std::make_unique<PostingLoad>(target);
}

Status BulkInsert::Add(size_t index, const uint8_t* record, uint64_t hidden_id) {
  if (words_[index].load != nullptr) return AddWords(index, record, hidden_id);
  const size_t position = positions_[index];
  const codec::KeyCodec& codec = *table_->index(position).codec;
  encoder_.Encode(codec, record, hidden_id);
  if (position == table_->primary_position()) {
    table_->row_codec().EncodeValue(record, encoder_.unpack(), 0, &value_);
  } else {
    codec::EncodeSecondaryValue(codec, encoder_.unpack(), 0, &value_);
  }
  return load_->Add(index, encoder_.key(), value_);
}

Status BulkInsert::AddWords(size_t index, const uint8_t* record, uint64_t hidden_id) {
  const Words& words = words_[index];
  BASALT_RETURN_IF_ERROR(words.encoder->Take(record, hidden_id));
  return words.load->Add(words.encoder.get());
}

Status BulkInsert::Insert(const uint8_t* record) {
  const uint64_t hidden_id = table_->hidden_primary() ? table_->counters().NextHiddenId() : 0;
  for (size_t i = 0; i < positions_.size(); ++i) {
    BASALT_RETURN_IF_ERROR(Add(i, record, hidden_id));
  }
  table_->statistics().NoteInsert();
  return Status::Ok();
}

Status BulkInsert::AddChecked(const std::vector<IndexEntry>& entries) {
  for (size_t i = 0; i < positions_.size(); ++i) {
    const IndexEntry& entry = entries[positions_[i]];
    BASALT_RETURN_IF_ERROR(load_->Add(i, entry.key, entry.value));
  }
  return Status::Ok();
}

Bytes BulkInsert::PrimaryKeyOf(const uint8_t* record) {
  encoder_.Encode(*table_->primary().codec, record, 0);
  return encoder_.key();
}

std::string BulkInsert::NameOfDuplicate() const {
  return NameOfEntry(*table_, duplicate_index(), load_->duplicate().key);
}

// Where others use the table, a commit of theirs has passed for the load's meanwhile.
Status BulkInsert::Finish(const txn::BulkLoad::Progress& progress) {
  for (const Words& words : words_) {
    if (words.load != nullptr) BASALT_RETURN_IF_ERROR(words.load->Finish());
  }
  BASALT_RETURN_IF_ERROR(load_->Finish(progress));
  if (load_->has_checked_rows()) table_->counters().BeginLoad();
  return Status::Ok();
}

Status BulkInsert::ReadDuplicate(uint8_t* record) {
  const txn::BulkLoad::Duplicate& duplicate = load_->duplicate();
  std::string row_key = duplicate.key;
  row_ = duplicate.value;
  if (duplicate.index != 0) {
    const codec::KeyCodec& codec = *table_->index(duplicate_index()).codec;
    std::vector<uint8_t> primary(table_->max_key_bytes());
    const size_t bytes = codec.ExtractPrimaryKey(duplicate.key, primary.data());
    row_key.assign(MakeBytes(primary.data(), bytes));
    BASALT_RETURN_IF_ERROR(load_->FindLoaded(0, row_key, &row_));
  }
  codec::RowDecoder decoder;
  decoder.Compile(table_->descriptor(), *table_->primary().codec, table_->row_codec(),
                  codec::ColumnSet::All(table_->descriptor().columns.size()));
  if (decoder.Decode(row_key, row_, record)) return Status::Ok();
  return Status(Code::kInternal, "a row of a bulk load cannot be decoded");
}

}  // namespace basalt::engine
