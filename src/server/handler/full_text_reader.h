// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/full_text/text_search.h"
#include "engine/task_progress.h"
#include "server/handler/index_reader.h"
#include "server/handler/open_table.h"
#include "server/server_headers.h"

namespace basalt::server {

class FullTextReader;

// A MATCH of a statement, as the server keeps it: from ft_init_ext until the statement is cleaned
// up. That may be after the handler is gone; it is empty then.
struct FullTextMatch final : st_ft_info {
  FullTextReader* reader = nullptr;  // null: the handler is gone
  uint index = 0;
  std::unique_ptr<engine::TextSearch> search;
  engine::SearchHit hit;  // that the last row came from; empty: none did
};

// Finds the rows of one handler by its FULLTEXT indexes, and tells how well a row matches that was
// found in another way. A statement may have several matches, of one index, too.
//
// Functions with an int result return 0 or a handler error. One thread. Borrows its arguments.
class FullTextReader {
 public:
  FullTextReader(OpenTable* table, IndexReader* rows) : table_(table), rows_(rows) {}
  ~FullTextReader();

  // `flags` are the server's FT_*. Null after the client has been told of an error.
  FT_INFO* NewMatch(uint flags, uint index, const String& query);
  // To before the first row. Searches, if that has not been done in this statement.
  int Begin(FT_INFO* match);
  int Next(FT_INFO* match, uchar* record);
  // The statement is over: matches let go of what they have read.
  void EndStatement();

  // --- For the server's matches ---
  // The rank of the row in `record`, which was read last; 0: it does not match. An error is told to
  // the client.
  float RankOf(FullTextMatch* match, const uchar* record);
  // Of the row that Next has read, or of another one that was read since.
  float RankOfLast(FullTextMatch* match);
  void Close(FullTextMatch* match);

 private:
  // Asked by long searches.
  class KillWatch final : public engine::TaskProgress {
   public:
    explicit KillWatch(OpenTable* table) : table_(table) {}
    void NextStage() override {}
    bool Report(uint64_t, uint64_t) override {
      return thd_kill_level(table_->server_table()->in_use) == THD_IS_NOT_KILLED;
    }

   private:
    OpenTable* const table_;
  };

  Status Run(FullTextMatch* match);
  Status Rank(FullTextMatch* match, const uchar* record, float* rank);
  Status ReadHit(FullTextMatch* match, uchar* record, bool* found);
  Status EntryWithoutRow(uint index, Bytes row_key) const;
  std::string RowKeyOf(const engine::SearchHit& hit) const;
  int Fail(Status status);
  void Report(Status status);

  OpenTable* const table_;
  IndexReader* const rows_;
  KillWatch kill_watch_{table_};
  std::vector<FullTextMatch*> matches_;  // the server's
};

}  // namespace basalt::server
