// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codec/column_set.h"
#include "engine/table.h"
#include "engine/virtual_columns.h"
#include "server/server_headers.h"

namespace basalt::server {

// The virtual generated columns that are parts of the indexes of one open table. Rows do not store
// them. The server computes what a statement asks for; this is for where it does not: rows that the
// engine compares with entries of an index, and old rows that a statement did not read in full.
//
// One for each handler, used by its thread. A table without such columns costs a look at a flag.
class VirtualParts final : public engine::VirtualColumns {
 public:
  // `owner` knows the server's table, which it may exchange. Borrowed.
  explicit VirtualParts(::handler* owner) : owner_(owner) {}
  // For a definition that no handler has open. Borrowed.
  explicit VirtualParts(TABLE* definition) : definition_(definition) {}

  // Before any other function: which indexes have virtual parts.
  void Open(const engine::Table& table);
  // For some indexes of a table only, whose entries are not read.
  void Open(const codec::TableDescriptor& table, const std::vector<size_t>& indexes);
  bool any() const { return any_; }
  bool IndexHas(size_t index) const { return any_ && !indexes_[index].parts.empty(); }
  // Do entries of the index give all its virtual parts back? Older formats do for fewer.
  bool EntriesGive(size_t index) const { return !any_ || indexes_[index].in_entries; }

  // Adds the columns that the virtual parts of the index are computed from, directly or through
  // other virtual columns.
  void AddSources(size_t index, codec::ColumnSet* columns);
  // Adds the sources of all indexes of which `read` has a virtual part; ComputeUnread() is for
  // these.
  void AddSourcesOf(const MY_BITMAP& read, codec::ColumnSet* columns);
  // Computes what the server computes such parts from and has not in its read set: virtual columns
  // too, which it then takes from the record as they are.
  void ComputeUnread(uint8_t* record);

  // See engine::VirtualColumns. `record` may be any record image of the table. What was computed
  // into the server's two images is not disturbed by work on the other one or on a third.
  void Compute(size_t index, uint8_t* record) override;
  void ComputeAll(uint8_t* record) override;
  // Makes the virtual parts of all indexes in `record` right. The server has computed those that
  // its read set has. When it lacks one, all are computed; and where TEXT and BLOB columns of one
  // row may point to the other's, as the server leaves them with system versioning.
  void Complete(const uint8_t* record);

 private:
  struct Parts {
    bool in_entries = true;          // see EntriesGive
    std::vector<uint32_t> parts;     // virtual columns that are parts
    std::vector<uint32_t> computed;  // those and what they need, in the order to compute them
    std::vector<uint32_t> sources;   // stored columns that they need
  };

  TABLE* table() const { return owner_ != nullptr ? owner_->get_table() : definition_; }
  void Begin(size_t indexes);
  void AddPart(size_t index, uint32_t column);
  void Learn();
  void LearnIndex(Parts* index) const;
  void ComputeColumns(const std::vector<uint32_t>& columns, uint8_t* record);
  // Whether the server computes columns once more, where those of the other row still are.
  bool OverwritesBlobs() const {
    return table()->versioned() && table()->s->virtual_not_stored_blob_fields != 0;
  }
  void KeepBlobs(const std::vector<uint32_t>& columns, std::vector<std::string>* kept);

  ::handler* const owner_ = nullptr;   // or
  TABLE* const definition_ = nullptr;  // the other
  bool any_ = false;
  bool learned_ = false;  // `computed` and `sources` are known: expressions are usable by then only
  std::vector<Parts> indexes_;
  Parts all_;                     // of all indexes together
  std::vector<uint32_t> unread_;  // see ComputeUnread
  std::vector<char> blobs_;       // the server's buffers of such columns, set aside meanwhile
  // What computed TEXT and BLOB columns point to: in record[0], in record[1], in others.
  std::vector<std::string> kept_[3];
};

}  // namespace basalt::server
