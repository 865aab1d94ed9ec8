// SPDX-License-Identifier: GPL-2.0-only
#include "store/wal/wal_repair.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <memory>

#include <rocksdb/file_system.h>

#include "store/errors/status_map.h"

namespace basalt::store {
namespace {

constexpr size_t kBlock = 32768;
constexpr size_t kHeader = 7;                          // checksum, length, kind
constexpr uint8_t kFirst = 2, kMiddle = 3, kLast = 4;  // 1: a whole record
// Kinds that say something of the log itself and hold no data.
constexpr uint8_t kCompression = 9, kTimestampSizes = 10;
constexpr uint8_t kHighestKind = 15;  // of RocksDB 11, but for two that hold no data

// CRC-32C, one byte after the other: only a log that is known to be torn is measured.
constexpr std::array<uint32_t, 256> kChecksumTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t sum = i;
    for (int bit = 0; bit < 8; ++bit) sum = (sum & 1) != 0 ? (sum >> 1) ^ 0x82f63b78u : sum >> 1;
    table[i] = sum;
  }
  return table;
}();

uint32_t MaskedChecksum(std::string_view data) {
  uint32_t sum = 0xffffffff;
  for (const char c : data)
    sum = kChecksumTable[(sum ^ static_cast<uint8_t>(c)) & 0xff] ^ (sum >> 8);
  sum = ~sum;
  return ((sum >> 15) | (sum << 17)) + 0xa282ead8u;
}

// A piece of a record at `at`; false when there is none that is whole.
bool ReadPiece(std::string_view content, size_t at, uint8_t* kind, size_t* size) {
  if (at + kHeader > content.size()) return false;
  const char* header = content.data() + at;
  uint32_t checksum;
  uint16_t length;
  std::memcpy(&checksum, header, sizeof(checksum));
  std::memcpy(&length, header + 4, sizeof(length));
  *kind = static_cast<uint8_t>(header[6]);
  *size = kHeader + length;
  if (at % kBlock + *size > kBlock || at + *size > content.size()) return false;
  if (*kind == 0) return false;  // space that was made ready and never written
  return MaskedChecksum({header + 6, length + 1u}) == checksum;
}

// Is there a whole piece of a record behind the bad one at `from`? In the rest of its block it may
// begin anywhere, for the damage may be in a length. Later blocks begin with one.
bool FindsWhole(std::string_view content, size_t from) {
  const size_t next_block = (from / kBlock + 1) * kBlock;
  for (size_t at = from + 1; at + kHeader <= content.size(); at += at < next_block ? 1 : kBlock) {
    if (static_cast<uint8_t>(content[at + 6]) > kHighestKind) continue;  // spares most checksums
    uint8_t kind;
    size_t size;
    if (ReadPiece(content, at, &kind, &size)) return true;
  }
  return false;
}

struct LogFile {
  uint64_t number;
  std::string path;
};

Status ListLogs(rocksdb::Env* env, const std::string& directory, std::vector<LogFile>* logs) {
  std::vector<std::string> names;
  BASALT_RETURN_IF_ERROR(MapStatus(env->GetChildren(directory, &names), "listing " + directory));
  for (const std::string& name : names) {
    if (!name.ends_with(".log")) continue;
    uint64_t number = 0;
    const char* const end = name.data() + name.size() - 4;
    if (const auto [stop, error] = std::from_chars(name.data(), end, number);
        error == std::errc() && stop == end) {
      logs->push_back({number, directory + "/" + name});
    }
  }
  std::sort(logs->begin(), logs->end(),
            [](const LogFile& a, const LogFile& b) { return a.number < b.number; });
  return {};
}

// Durable on return.
rocksdb::IOStatus Truncate(rocksdb::FileSystem* files, const TornWalFiles::Cut& cut) {
  const rocksdb::IOOptions options;
  std::unique_ptr<rocksdb::FSWritableFile> file;
  auto done = files->ReopenWritableFile(cut.path, rocksdb::FileOptions(), &file, nullptr);
  if (done.ok()) done = file->Truncate(cut.whole, options, nullptr);
  if (done.ok()) done = file->Fsync(options, nullptr);
  if (done.ok()) done = file->Close(options, nullptr);
  return done;
}

rocksdb::Env* EnvOf(const StoreOptions& options) {
  return options.env != nullptr ? options.env : rocksdb::Env::Default();
}

}  // namespace

WalExtent MeasureWal(std::string_view content) {
  WalExtent extent;
  bool inside = false;
  size_t at = 0;
  while (at < content.size()) {
    const size_t left = kBlock - at % kBlock;
    if (left < kHeader) {  // too short for a record: filled up
      at += left;
      if (!inside) extent.whole = std::min(at, content.size());
      continue;
    }
    uint8_t kind;
    size_t size;
    if (!ReadPiece(content, at, &kind, &size)) break;
    const bool data = kind <= kLast;
    if (!data && kind != kCompression && kind != kTimestampSizes) {
      extent = {content.size(), true};  // of a later version: not for us to judge
      return extent;
    }
    if (data && inside != (kind == kMiddle || kind == kLast)) break;
    at += size;
    if (data) inside = kind == kFirst || kind == kMiddle;
    if (!inside) extent.whole = at;
  }
  if (!inside && content.find_first_not_of('\0', extent.whole) == std::string_view::npos) {
    extent.whole = content.size();
  }
  extent.more_behind = extent.whole < content.size() && FindsWhole(content, at);
  return extent;
}

Status FindTornWalFiles(const StoreOptions& options, const std::vector<uint64_t>& first_logs,
                        TornWalFiles* torn) {
  *torn = {};
  if (first_logs.empty()) return {};
  rocksdb::Env* env = EnvOf(options);
  std::vector<LogFile> logs;
  BASALT_RETURN_IF_ERROR(ListLogs(
      env, options.wal_directory.empty() ? options.directory : options.wal_directory, &logs));
  const auto [least, most] = std::minmax_element(first_logs.begin(), first_logs.end());
  TornWalFiles found;
  bool behind = false;
  for (const LogFile& log : logs) {
    std::string content;
    BASALT_RETURN_IF_ERROR(
        MapStatus(rocksdb::ReadFileToString(env, log.path, &content), "reading " + log.path));
    const WalExtent extent = MeasureWal(content);
    if (content.empty() || (!behind && extent.whole == content.size())) continue;
    const bool of_this_crash = *most <= log.number;
    if (!behind && !of_this_crash && (extent.more_behind || *least <= log.number)) return {};
    const bool cuts_data = behind ? extent.whole > 0 : extent.more_behind;
    found.ends_only = found.ends_only && !cuts_data;
    const size_t written = content.find_last_not_of('\0') + 1;
    found.cuts.push_back({log.path, std::max<uint64_t>(written, extent.whole),
                          behind ? 0 : extent.whole, cuts_data});
    behind = behind || of_this_crash;
  }
  *torn = std::move(found);
  return {};
}

namespace {

// Durable on return.
Status Copy(rocksdb::Env* env, const std::string& from, const std::string& to) {
  std::string content;
  rocksdb::Status done = rocksdb::ReadFileToString(env, from, &content);
  if (done.ok()) done = rocksdb::WriteStringToFile(env, content, to, /*should_sync=*/true);
  return MapStatus(done, "copying the damaged log " + from + " to " + to);
}

std::string TextOf(const TornWalFiles::Cut& cut) {
  const std::string bytes = std::to_string(cut.size - cut.whole) + " bytes";
  if (!cut.keeps_copy) {
    return "cut " + bytes + " off the torn end of " + cut.path +
           ", which a crash has left behind; they were never acknowledged as durable";
  }
  return "the log " + cut.path + " is damaged at byte " + std::to_string(cut.whole) + ": " + bytes +
         " from there on are not replayed, transactions may be lost; the file is kept as " +
         cut.path + std::string(kDamagedSuffix);
}

}  // namespace

Status CutTornWalFiles(const StoreOptions& options, const TornWalFiles& torn) {
  auto files = EnvOf(options)->GetFileSystem();
  for (const TornWalFiles::Cut& cut : torn.cuts) {
    if (!cut.keeps_copy) continue;
    BASALT_RETURN_IF_ERROR(Copy(EnvOf(options), cut.path, cut.path + std::string(kDamagedSuffix)));
  }
  // The last one first: a log that is whole must not have one behind it that belongs to its end.
  for (auto cut = torn.cuts.rbegin(); cut != torn.cuts.rend(); ++cut) {
    BASALT_RETURN_IF_ERROR(
        MapStatus(Truncate(files.get(), *cut), "cutting off the torn end of " + cut->path));
    if (!options.log) continue;
    options.log(cut->keeps_copy ? LogLevel::kError : LogLevel::kWarning, TextOf(*cut));
  }
  return {};
}

}  // namespace basalt::store
