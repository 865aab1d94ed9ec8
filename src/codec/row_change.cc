// SPDX-License-Identifier: GPL-2.0-only
#include "codec/row_change.h"

namespace basalt::codec {
namespace {

constexpr char kHasBefore = 1;
constexpr char kHasAfter = 2;
constexpr size_t kLengthBytes = 4;

void AppendBytes(Bytes bytes, std::string* to) {
  AppendBigEndian32(to, static_cast<uint32_t>(bytes.size()));
  to->append(bytes);
}

bool TakeBytes(Bytes* from, Bytes* taken) {
  if (from->size() < kLengthBytes) return false;
  const uint32_t length = LoadBigEndian32(from->data());
  from->remove_prefix(kLengthBytes);
  if (from->size() < length) return false;
  *taken = from->substr(0, length);
  from->remove_prefix(length);
  return true;
}

bool TakeRow(bool exists, Bytes* from, RowChange::Row* row) {
  *row = RowChange::Row();
  row->exists = exists;
  return !exists || (TakeBytes(from, &row->key) && TakeBytes(from, &row->value));
}

Status Malformed(const char* what) {
  return Status(Code::kCorruption, std::string("a change of a row: ") + what);
}

}  // namespace

void EncodeRowChange(const RowChange& change, std::string* bytes) {
  bytes->assign(1, static_cast<char>((change.before.exists ? kHasBefore : 0) |
                                     (change.after.exists ? kHasAfter : 0)));
  for (const RowChange::Row* row : {&change.before, &change.after}) {
    if (!row->exists) continue;
    AppendBytes(row->key, bytes);
    AppendBytes(row->value, bytes);
  }
}

Status DecodeRowChange(Bytes bytes, RowChange* change) {
  if (bytes.empty()) return Malformed("it is empty");
  const char kind = bytes.front();
  if (kind < kHasBefore || kind > (kHasBefore | kHasAfter)) return Malformed("an unknown kind");
  bytes.remove_prefix(1);
  if (!TakeRow((kind & kHasBefore) != 0, &bytes, &change->before) ||
      !TakeRow((kind & kHasAfter) != 0, &bytes, &change->after)) {
    return Malformed("it is cut off");
  }
  return bytes.empty() ? Status::Ok() : Malformed("bytes behind its end");
}

}  // namespace basalt::codec
