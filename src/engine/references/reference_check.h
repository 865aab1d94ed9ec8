// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/reference_copy.h"
#include "codec/table_descriptor.h"
#include "engine/references/reference_search.h"
#include "engine/table.h"
#include "txn/transaction.h"

namespace basalt::engine {

// The position of the first index whose leading parts are these columns, whole and in this order;
// none when there is no such index. The parts of the primary key that end the keys of another index
// count. A foreign key needs one on each side.
std::optional<size_t> FindReferenceIndex(const codec::TableDescriptor& table,
                                         const std::vector<uint32_t>& columns);
// All such indexes.
std::vector<size_t> FindReferenceIndexes(const codec::TableDescriptor& table,
                                         const std::vector<uint32_t>& columns);
// The first one whose keys tell the values of the columns apart.
std::optional<size_t> FindReferenceIndex(const Table& table, const std::vector<uint32_t>& columns);

// One side of a foreign key: whether the row of one table has a match in the other. From a child to
// its parents when it is written, from a parent to its children when it goes or changes. See
// ReferenceSearch for what is locked.
//
// One thread at a time. Between Begin and End there is an active transaction, which is borrowed.
class ReferenceCheck {
 public:
  enum class Match : uint8_t {
    kNull,    // a column is NULL: the row refers to nothing
    kAbsent,  // no row of the other table has the values
    kFound,
  };

  // `index` of `to` begins with the columns of the pairs, in their order (FindReferenceIndex),
  // whose types match (codec::TypesMatch).
  ReferenceCheck(const codec::TableDescriptor& from, const std::shared_ptr<Table>& to, size_t index,
                 const std::vector<codec::ReferenceCopy::Pair>& pairs);

  void Begin(txn::Transaction* transaction) { search_.Begin(transaction); }
  void End() { search_.End(); }

  // `record` is one of the first table. The row of the other with the primary key `except` does not
  // count; empty: all do.
  Status Check(const uint8_t* record, Bytes except, Match* match);
  // For ReferenceBatch. The values to look for as bytes (ReferenceSearch::Encode), and kFound: they
  // may be there. Else as Check.
  Match Encode(const uint8_t* record, Bytes* values);
  Status FindEncoded(Bytes values, bool* found) {
    return search_.FindEncoded(values, Bytes(), found);
  }
  // Has the other table's record `candidate` the values of `record`? Both are not in a table yet,
  // or are the same row: a row may refer to itself.
  bool Matches(const uint8_t* record, const uint8_t* candidate);

  // For those who change what refers to a row. The values of `record` go into an image of the other
  // table's records; false: a column is NULL, or no row can have them.
  [[nodiscard]] bool Translate(const uint8_t* record, std::vector<uint8_t>* image) const;
  // As Translate, for values that may be NULL: those of such columns are undefined.
  [[nodiscard]] bool TranslateWithNulls(const uint8_t* record, std::vector<uint8_t>* image) const;
  // Has a record of the other table the values of such an image?
  bool AreEqual(const std::vector<uint8_t>& image, Bytes record) {
    return search_.AreEqual(image.data(), reinterpret_cast<const uint8_t*>(record.data()));
  }
  // *found: is there a row with the values of such an image, other than the one with this primary
  // key (empty: any)? Locks it shared.
  Status Find(const std::vector<uint8_t>& image, Bytes except, bool* found) {
    return search_.Find(image.data(), except, found);
  }
  // The primary keys of all rows with its values, locked exclusively.
  Status Collect(const std::vector<uint8_t>& image, std::vector<std::string>* row_keys) {
    return search_.Collect(image.data(), row_keys);
  }

 private:
  const codec::ReferenceCopy copy_;
  ReferenceSearch search_;
  std::vector<uint8_t> wanted_;  // a record of the other table, with the values to look for
};

}  // namespace basalt::engine
