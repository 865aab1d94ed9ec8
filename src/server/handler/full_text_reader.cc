// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/full_text_reader.h"

#include <algorithm>
#include <utility>

#include "engine/entry_name.h"
#include "server/error_map.h"
#include "server/tables/collation_adapter.h"
#include "server/variables/full_text_variables.h"

namespace basalt::server {

namespace {

// Bytes of memory for the rows of a search in the order of their ranks, and for those of each
// beginning of words.
constexpr size_t kHitBytes = size_t{256} << 20;
// For the postings of a search's words. Where it is not enough they are read twice.
constexpr size_t kWordBytes = size_t{32} << 20;

using Mode = engine::TextSearch::Mode;

FullTextMatch* MatchOf(FT_INFO* info) { return static_cast<FullTextMatch*>(info); }

int ReadNext(FT_INFO* info, char* record) {
  FullTextMatch* match = MatchOf(info);
  if (match->reader == nullptr) return HA_ERR_END_OF_FILE;
  return match->reader->Next(info, reinterpret_cast<uchar*>(record));
}

float FindRelevance(FT_INFO* info, uchar* record, uint) {
  FullTextMatch* match = MatchOf(info);
  return match->reader == nullptr ? 0 : match->reader->RankOf(match, record);
}

float GetRelevance(FT_INFO* info) {
  FullTextMatch* match = MatchOf(info);
  return match->reader == nullptr ? 0 : match->reader->RankOfLast(match);
}

void CloseSearch(FT_INFO* info) {
  FullTextMatch* match = MatchOf(info);
  if (match->reader != nullptr) match->reader->Close(match);
  delete match;
}

void ReinitSearch(FT_INFO* info) {
  FullTextMatch* match = MatchOf(info);
  if (match->reader != nullptr) (void)match->reader->Begin(info);
}

_ft_vft functions = {ReadNext, FindRelevance, CloseSearch, GetRelevance, ReinitSearch};

Mode ModeOf(uint flags) {
  if (flags & FT_BOOL) return Mode::kBoolean;
  return flags & FT_EXPAND ? Mode::kExpanded : Mode::kNatural;
}

engine::TextSearch::Index IndexOf(const engine::Table& data, uint position, CHARSET_INFO* charset) {
  engine::TextSearch::Index index;
  const codec::IndexDescriptor& described = data.descriptor().indexes[position];
  index.words = described.words;
  index.characters = CharacterTypesOf(charset);
  for (const codec::KeyPart& part : described.parts) {
    index.columns.push_back(data.descriptor().columns[part.column]);
  }
  return index;
}

// The query in the character set of the index. What that cannot express is in no row.
std::string TextOf(const String& query, CHARSET_INFO* charset) {
  if (my_charset_same(query.charset(), charset)) return {query.ptr(), query.length()};
  String converted;
  uint errors = 0;
  converted.copy(query.ptr(), query.length(), query.charset(), charset, &errors);
  return {converted.ptr(), converted.length()};
}

}  // namespace

FullTextReader::~FullTextReader() {
  for (FullTextMatch* match : matches_) {
    match->search.reset();
    match->reader = nullptr;
  }
}

FT_INFO* FullTextReader::NewMatch(uint flags, uint index, const String& query) {
  if (int error = rows_->CheckReadable(index)) {
    table_->handler()->print_error(error, MYF(0));
    return nullptr;
  }
  CHARSET_INFO* charset = table_->server_table()->key_info[index].key_part[0].field->charset();
  engine::TextSearch::Options options;
  options.mode = ModeOf(flags);
  options.formula = RankFormulaOf(table_->server_table()->in_use);
  options.by_rank = (flags & FT_SORTED) != 0;
  options.hit_bytes = kHitBytes;
  options.memory = {kHitBytes, kWordBytes};
  auto match = std::make_unique<FullTextMatch>();
  match->please = &functions;
  match->index = index;
  match->search =
      std::make_unique<engine::TextSearch>(IndexOf(*table_->data(), index, charset), options);
  Status parsed = match->search->Parse(TextOf(query, charset));
  if (!parsed.ok()) {
    Report(std::move(parsed));
    return nullptr;
  }
  match->reader = this;
  matches_.push_back(match.get());
  return match.release();
}

int FullTextReader::Begin(FT_INFO* info) {
  if (info == nullptr) return HA_ERR_WRONG_COMMAND;
  FullTextMatch* match = MatchOf(info);
  match->hit = {};
  if (match->search->running()) {
    match->search->Rewind();
    return 0;
  }
  table_->session()->row_counters()->Note(RowEvent::kRangeQuery);
  return Fail(Run(match));
}

Status FullTextReader::Run(FullTextMatch* match) {
  return match->search->Begin(table_->rows()->NewPostings(match->index, &kill_watch_));
}

int FullTextReader::Next(FT_INFO* info, uchar* record) {
  if (info == nullptr) return HA_ERR_WRONG_COMMAND;
  FullTextMatch* match = MatchOf(info);
  // The server does not look at what ft_init has returned.
  if (!match->search->running()) {
    if (int error = Begin(info)) return error;
  }
  rows_->LearnWantedColumns();
  bool found = false;
  while (!found) {
    Status next = match->search->Next(&match->hit);
    if (next.ok()) next = ReadHit(match, record, &found);
    if (!next.ok()) {
      match->hit = {};
      return Fail(std::move(next));
    }
  }
  table_->Note(RowEvent::kRead);
  return 0;
}

// A row that is locked may have changed since the search looked at it: it is matched again.
Status FullTextReader::ReadHit(FullTextMatch* match, uchar* record, bool* found) {
  engine::RowAccess& rows = *table_->rows();
  const engine::ReadIntent& intent = rows.intent();
  const std::string row_key = RowKeyOf(match->hit);
  Status read = rows.reader().Read(row_key, record);
  if (read.code() == Code::kNotFound && !intent.lock && !table_->data()->lockless()) {
    return EntryWithoutRow(match->index, row_key);
  }
  if (read.code() == Code::kNotFound) return Status::Ok();
  if (read.code() == Code::kLockBusy && intent.skip_locked) return Status::Ok();
  BASALT_RETURN_IF_ERROR(std::move(read));
  table_->virtual_parts()->ComputeUnread(record);
  *found = true;
  if (!intent.lock) return Status::Ok();
  BASALT_RETURN_IF_ERROR(match->search->RankOfRow(record, &match->hit.rank));
  *found = match->hit.rank != 0;
  if (!*found) rows.reader().Unlock();
  return Status::Ok();
}

Status FullTextReader::EntryWithoutRow(uint index, Bytes row_key) const {
  const engine::Table& data = *table_->data();
  return Status(Code::kCorruption, NameOfEntry(data, data.primary_position(), row_key) +
                                       ": there is no such row, but an entry of index " +
                                       data.descriptor().indexes[index].name);
}

void FullTextReader::EndStatement() {
  for (FullTextMatch* match : matches_) {
    match->search->End();
    match->hit = {};
  }
}

float FullTextReader::RankOf(FullTextMatch* match, const uchar* record) {
  float rank = 0;
  Status ranked = Rank(match, record, &rank);
  if (ranked.ok()) return rank;
  Report(std::move(ranked));
  return 0;
}

// Of a row that is locked, what the row says counts, and not the index in its view.
Status FullTextReader::Rank(FullTextMatch* match, const uchar* record, float* rank) {
  if (!table_->rows()->bound()) return Status::Ok();
  if (!match->search->running()) BASALT_RETURN_IF_ERROR(Run(match));
  if (table_->rows()->intent().lock) return match->search->RankOfRow(record, rank);
  return match->search->RankOf(engine::TablePostings::DocumentOf(rows_->RowKeyOf(record)), rank);
}

float FullTextReader::RankOfLast(FullTextMatch* match) {
  const bool is_last =
      !match->hit.document.empty() &&
      engine::TablePostings::DocumentOf(table_->rows()->reader().key()) == match->hit.document;
  return is_last ? match->hit.rank : RankOf(match, table_->server_table()->record[0]);
}

void FullTextReader::Close(FullTextMatch* match) {
  matches_.erase(std::remove(matches_.begin(), matches_.end(), match), matches_.end());
}

std::string FullTextReader::RowKeyOf(const engine::SearchHit& hit) const {
  std::string key;
  AppendBigEndian32(&key, table_->data()->primary().id.number);
  return key.append(hit.document);
}

// The server's error for too little memory has no room for the reason, which a user can do
// something about.
int FullTextReader::Fail(Status status) {
  if (status.ok()) return 0;
  if (status.code() != Code::kOutOfMemory) return table_->Fail(std::move(status));
  return table_->Fail(Status(Code::kNotSupported, std::string(status.message())));
}

void FullTextReader::Report(Status status) {
  if (status.code() == Code::kInvalidArgument) {
    my_printf_error(ER_PARSE_ERROR, "ROCKSDB: %s", MYF(0), std::string(status.message()).c_str());
    return;
  }
  table_->handler()->print_error(Fail(std::move(status)), MYF(0));
}

}  // namespace basalt::server
