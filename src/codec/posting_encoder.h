// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/document_words.h"
#include "codec/key_codec.h"
#include "codec/table_descriptor.h"

namespace basalt::codec {

// Fills in the words of a row, from Begin to Finish. `columns` are those of the index, in its
// order. An error is the parser's.
Status FindRowWords(const std::vector<Column>& columns, const uint8_t* record,
                    DocumentWords* words);

// Makes all entries that a row has in a FULLTEXT index without blocks: its own, and one a word.
// Reused from row to row it allocates only for rows that are larger than those before. One thread.
class PostingEncoder {
 public:
  // Copies what it needs of the table, but for the index's WordSource, which is borrowed and must
  // be there; so is `codec`, that of the index.
  PostingEncoder(const TableDescriptor& table, size_t index, const KeyCodec* codec);

  // Takes a row apart and makes its entries. `hidden_id` as for KeyCodec::EncodeKey; `stamp` is
  // written only where values begin with a timestamp. An error is the parser's; there are no
  // entries then.
  Status Encode(const uint8_t* record, uint64_t hidden_id, uint64_t stamp);
  // The two steps of Encode: takes the row apart, then makes its entries.
  Status Take(const uint8_t* record, uint64_t hidden_id);
  void MakeEntries(uint64_t stamp);

  // The row that was taken apart. Valid until the next one.
  Bytes document() const { return document_; }
  const DocumentWords& words() const { return words_; }

  // After MakeEntries: the entries, in ascending order of their keys; the row's own is the first.
  // What is given is valid until the next row.
  size_t size() const { return entries_.size(); }
  Bytes key(size_t i) const {
    return Bytes(bytes_).substr(entries_[i].begin, entries_[i].key_bytes);
  }
  Bytes value(size_t i) const {
    return Bytes(bytes_).substr(entries_[i].begin + entries_[i].key_bytes, entries_[i].value_bytes);
  }

 private:
  struct Entry {
    size_t begin = 0;  // in bytes_: the key, then the value
    size_t key_bytes = 0;
    size_t value_bytes = 0;
  };

  void AddOwnEntry(uint64_t stamp);
  void AddWord(size_t word, uint64_t stamp);
  void BeginEntry(PostingKind kind);
  void BeginValue(uint64_t stamp);
  void EndEntry();

  const KeyCodec* codec_;
  DocumentWords words_;
  std::vector<Column> columns_;  // of the index, in its order
  std::vector<uint8_t> key_buffer_;
  Bytes document_;  // in key_buffer_
  std::string bytes_;
  std::vector<Entry> entries_;
};

}  // namespace basalt::codec
