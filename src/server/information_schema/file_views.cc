// SPDX-License-Identifier: GPL-2.0-only
//
// Tables about table files and compactions.
#include "server/information_schema/view.h"
#include "store/reports/store_reports.h"

namespace basalt::server {

namespace {

constexpr uint kFilesLength = 4096;  // names of many files

ST_FIELD_INFO property_fields[] = {
    Show::Column("SST_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("COLUMN_FAMILY", Show::SLong(), NOT_NULL),
    Show::Column("DATA_BLOCKS", Show::SLonglong(), NOT_NULL),
    Show::Column("ENTRIES", Show::SLonglong(), NOT_NULL),
    Show::Column("RAW_KEY_SIZE", Show::SLonglong(), NOT_NULL),
    Show::Column("RAW_VALUE_SIZE", Show::SLonglong(), NOT_NULL),
    Show::Column("DATA_BLOCK_SIZE", Show::SLonglong(), NOT_NULL),
    Show::Column("INDEX_BLOCK_SIZE", Show::SLonglong(), NOT_NULL),
    Show::Column("INDEX_PARTITIONS", Show::SLong(), NOT_NULL),
    Show::Column("TOP_LEVEL_INDEX_SIZE", Show::SLonglong(), NOT_NULL),
    Show::Column("FILTER_BLOCK_SIZE", Show::SLonglong(), NOT_NULL),
    Show::Column("COMPRESSION_ALGO", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("CREATION_TIME", Show::SLonglong(), NOT_NULL),
    Show::Column("FILE_CREATION_TIME", Show::SLonglong(), NOT_NULL),
    Show::Column("OLDEST_KEY_TIME", Show::SLonglong(), NOT_NULL),
    Show::Column("FILTER_POLICY", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("COMPRESSION_OPTIONS", Show::Varchar(kNameLength), NOT_NULL),
    Show::CEnd(),
};

ST_FIELD_INFO live_fields[] = {
    Show::Column("CF_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("LEVEL", Show::SLong(), NOT_NULL),
    Show::Column("FILE_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("DIRECTORY", Show::Varchar(kTextLength), NOT_NULL),
    Show::Column("FILE_SIZE", Show::SLonglong(), NOT_NULL),
    Show::Column("NUM_ENTRIES", Show::SLonglong(), NOT_NULL),
    Show::Column("NUM_DELETIONS", Show::SLonglong(), NOT_NULL),
    Show::Column("SMALLEST_KEY", Show::Varchar(kTextLength), NOT_NULL),
    Show::Column("LARGEST_KEY", Show::Varchar(kTextLength), NOT_NULL),
    Show::Column("SMALLEST_SEQNO", Show::ULonglong(), NOT_NULL),
    Show::Column("LARGEST_SEQNO", Show::ULonglong(), NOT_NULL),
    Show::Column("BEING_COMPACTED", Show::SLong(), NOT_NULL),
    Show::Column("FILE_CREATION_TIME", Show::SLonglong(), NOT_NULL),
    Show::Column("OLDEST_KEY_TIME", Show::SLonglong(), NOT_NULL),
    Show::CEnd(),
};

ST_FIELD_INFO active_fields[] = {
    Show::Column("JOB_ID", Show::SLong(), NOT_NULL),
    Show::Column("THREAD_ID", Show::ULonglong(), NOT_NULL),
    Show::Column("CF_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("INPUT_LEVEL", Show::SLong(), NOT_NULL),
    Show::Column("OUTPUT_LEVEL", Show::SLong(), NOT_NULL),
    Show::Column("COMPACTION_REASON", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("INPUT_FILES", Show::Varchar(kFilesLength), NOT_NULL),
    Show::Column("START_TIMESTAMP", Show::SLonglong(), NOT_NULL),
    Show::CEnd(),
};

ST_FIELD_INFO history_fields[] = {
    Show::Column("JOB_ID", Show::SLong(), NOT_NULL),
    Show::Column("THREAD_ID", Show::ULonglong(), NOT_NULL),
    Show::Column("CF_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("INPUT_LEVEL", Show::SLong(), NOT_NULL),
    Show::Column("OUTPUT_LEVEL", Show::SLong(), NOT_NULL),
    Show::Column("COMPACTION_REASON", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("INPUT_FILES", Show::Varchar(kFilesLength), NOT_NULL),
    Show::Column("OUTPUT_FILES", Show::Varchar(kFilesLength), NOT_NULL),
    Show::Column("INPUT_BYTES", Show::SLonglong(), NOT_NULL),
    Show::Column("OUTPUT_BYTES", Show::SLonglong(), NOT_NULL),
    Show::Column("INPUT_ENTRIES", Show::SLonglong(), NOT_NULL),
    Show::Column("OUTPUT_ENTRIES", Show::SLonglong(), NOT_NULL),
    Show::Column("START_TIMESTAMP", Show::SLonglong(), NOT_NULL),
    Show::Column("END_TIMESTAMP", Show::SLonglong(), NOT_NULL),
    Show::Column("ELAPSED_MICROS", Show::SLonglong(), NOT_NULL),
    Show::Column("STATUS", Show::Varchar(kTextLength), NOT_NULL),
    Show::CEnd(),
};

int FillProperties(const engine::Database& database, THD* thd, TABLE_LIST* tables) {
  std::vector<store::TableFile> files;
  // A file that cannot be read has no row here; statements that need it fail.
  (void)store::ReadTableFiles(*database.store(), &files);
  for (const store::TableFile& file : files) {
    const rocksdb::TableProperties& properties = *file.properties;
    RowFiller row(tables->table);
    row.Text(file.name)
        .Number(file.column_family)
        .Number(properties.num_data_blocks)
        .Number(properties.num_entries)
        .Number(properties.raw_key_size)
        .Number(properties.raw_value_size)
        .Number(properties.data_size)
        .Number(properties.index_size)
        .Number(properties.index_partitions)
        .Number(properties.top_level_index_size)
        .Number(properties.filter_size)
        .Text(properties.compression_name)
        .Number(properties.creation_time)
        .Number(properties.file_creation_time)
        .Number(properties.oldest_key_time)
        .Text(properties.filter_policy_name)
        .Text(properties.compression_options);
    if (row.Store(thd)) return 1;
  }
  return 0;
}

int FillLive(const engine::Database& database, THD* thd, TABLE_LIST* tables) {
  if (!MaySeeAll(thd)) return 0;
  for (const rocksdb::LiveFileMetaData& file : store::TableFiles(*database.store())) {
    RowFiller row(tables->table);
    row.Text(file.column_family_name)
        .Signed(file.level)
        .Text(file.relative_filename)
        .Text(file.directory)
        .Number(file.size)
        .Number(file.num_entries)
        .Number(file.num_deletions)
        .Text(HexOf(file.smallestkey, kTextLength))
        .Text(HexOf(file.largestkey, kTextLength))
        .Number(file.smallest_seqno)
        .Number(file.largest_seqno)
        .Number(file.being_compacted)
        .Number(file.file_creation_time)
        .Number(file.oldest_ancester_time);
    if (row.Store(thd)) return 1;
  }
  return 0;
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ",").append(name);
  return text;
}

// The columns that both tables of compactions begin with.
void Describe(const store::CompactionReport& report, RowFiller* row) {
  row->Signed(report.job)
      .Number(report.thread)
      .Text(report.column_family)
      .Signed(report.input_level)
      .Signed(report.output_level)
      .Text(report.reason)
      .Text(Joined(report.input_files));
}

int FillActive(const engine::Database& database, THD* thd, TABLE_LIST* tables) {
  for (const store::CompactionReport& report : database.store()->compaction_journal().Active()) {
    RowFiller row(tables->table);
    Describe(report, &row);
    if (row.Signed(report.start_seconds).Store(thd)) return 1;
  }
  return 0;
}

int FillHistory(const engine::Database& database, THD* thd, TABLE_LIST* tables) {
  for (const store::CompactionReport& report : database.store()->compaction_journal().History()) {
    RowFiller row(tables->table);
    Describe(report, &row);
    row.Text(Joined(report.output_files))
        .Number(report.input_bytes)
        .Number(report.output_bytes)
        .Number(report.input_entries)
        .Number(report.output_entries)
        .Signed(report.start_seconds)
        .Signed(report.end_seconds)
        .Number(report.elapsed_microseconds)
        .Text(report.status);
    if (row.Store(thd)) return 1;
  }
  return 0;
}

}  // namespace

int InitTableFiles(void* table) noexcept {
  return InitView(table, property_fields, FillProperties);
}

int InitLiveFiles(void* table) noexcept { return InitView(table, live_fields, FillLive); }

int InitActiveCompactions(void* table) noexcept {
  return InitView(table, active_fields, FillActive);
}

int InitCompactionHistory(void* table) noexcept {
  return InitView(table, history_fields, FillHistory);
}

}  // namespace basalt::server
