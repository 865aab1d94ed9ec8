// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "codec/key_codec.h"
#include "codec/row_codec.h"
#include "codec/table_descriptor.h"

namespace basalt::test {

// Gives a prepared collation by name; null when there is none.
using CollationByName = std::function<const codec::Collation*(const std::string&)>;

// A table from a few lines of text, with its codecs. Lines:
//
//   column NAME TYPE [COLLATION] [unsigned] [null]
//   primary NUMBER PART...         parts are NAME or NAME(CHARACTERS), a - in front for descending;
//   hidden NUMBER                  NUMBER is hexadecimal
//   index NUMBER PART...           after the parts: ttl, version=N, unique, spatial, full_text
//
// Without a version an index has 13; `version=new` in any of them gives all what they need.
//
// TYPE: tinyint smallint mediumint int bigint float double date year uuid inet6 inet4 olddatetime
// oldtimestamp oldtime, or with bytes: decimal(5) temporal(3) oldhires(7) oldtimehires(4) bit(2)
// enum(1) set(2), or with characters: char(4) binary(4) varchar(10) varbinary(10), or with length
// bytes: text(2) blob(2).
class TestTable {
 public:
  // Throws std::runtime_error with what is wrong. `layout`: of its rows; null for none.
  TestTable(const std::vector<std::string>& lines, const CollationByName& collations,
            std::shared_ptr<const codec::RowLayout> layout = nullptr);

  const codec::TableDescriptor& descriptor() const { return descriptor_; }
  const codec::KeyCodec& key(size_t index) const { return *keys_[index]; }
  const codec::KeyCodec& primary() const { return *keys_[descriptor_.primary]; }
  const codec::RowCodec& rows() const { return rows_; }
  size_t indexes() const { return keys_.size(); }
  const std::string& column_name(size_t column) const { return names_[column]; }

  // A record image from literals separated by commas: NULL, numbers, 'text' (with \\ \t \xHH) or
  // x'hex'; x'' gives the bytes of the image for columns of fixed size. CHAR and BINARY are padded.
  // What TEXT and BLOB columns point to lives as long as the table.
  std::vector<uint8_t> Record(const std::string& literals);

  // Sets one column of a record image to these data bytes (fixed size: the image).
  void SetColumn(std::vector<uint8_t>* record, size_t column, const std::string& data);
  void SetNull(std::vector<uint8_t>* record, size_t column) const;

  // The bytes of a column as SetColumn takes them, or "NULL".
  std::string Show(const uint8_t* record, size_t column) const;

 private:
  void AddColumn(const std::vector<std::string>& words, const CollationByName& collations);
  void AddIndex(const std::vector<std::string>& words);
  void LayOut();
  void SetLiteral(std::vector<uint8_t>* record, size_t column, const std::string& literal);

  bool choose_versions_ = false;
  codec::TableDescriptor descriptor_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<codec::KeyCodec>> keys_;
  codec::RowCodec rows_;
  std::deque<std::string> blobs_;
};

// One encoded row, all indexes.
struct EncodedEntry {
  std::string key;
  std::string value;
};
std::vector<EncodedEntry> EncodeRow(const TestTable& table, const uint8_t* record,
                                    uint64_t hidden_id, uint64_t ttl);

std::string Hex(const std::string& bytes);
std::string Unhex(const std::string& hex);

}  // namespace basalt::test
