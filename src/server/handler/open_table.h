// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "engine/rows/row_access.h"
#include "engine/table.h"
#include "server/connections/session.h"
#include "server/handler/like_bounds.h"
#include "server/measures/row_counters.h"
#include "server/server_headers.h"
#include "server/tables/table_share.h"
#include "server/tables/virtual_parts.h"

namespace basalt::server {

// What the parts of a Handler have in common: the table as the server and as the engine know it,
// the session of the running statement, and how failures and rows are noted.
//
// One for each handler, used by its thread. Between Handler::open and close there are a share and
// the rows; between external_lock and unlock there is a session.
class OpenTable {
 public:
  // Borrows the handler whose part it is.
  explicit OpenTable(::handler* handler) : handler_(handler), virtual_parts_(handler) {}

  void Open(std::shared_ptr<TableShare> share, bool is_system_table);
  void Close();
  bool is_open() const { return rows_ != nullptr; }
  // Makes `rows` anew for the share's engine table, when that has become another one.
  void RefreshRows();
  // TRUNCATE and REPAIR: the handler goes on with the table's other indexes.
  void Exchange(std::shared_ptr<engine::Table> renewed);

  ::handler* handler() const { return handler_; }
  TABLE* server_table() const { return handler_->get_table(); }
  const std::shared_ptr<engine::Table>& engine_table() const { return share_->engine_table; }
  engine::Table* data() const { return share_->engine_table.get(); }
  engine::RowAccess* rows() const { return rows_.get(); }  // buffers, cursors, decoders
  VirtualParts* virtual_parts() { return &virtual_parts_; }
  LikeBounds* like_bounds() { return &like_bounds_; }

  // A statement uses the table with this lock. `notes_no_change`: its writes are no change of rows.
  void BeginStatement(Session* session, thr_lock_type lock_type, bool notes_no_change);
  Session* session() const { return session_; }
  void ForgetSession() { session_ = nullptr; }
  thr_lock_type lock_type() const { return lock_type_; }

  // The handler error for a status (error_map.cc); keeps its text and tells the session.
  int Fail(Status status);
  // The text of the last failure; empty: the default one of its error.
  const std::string& error_text() const { return error_text_; }
  void ClearError() { error_text_.clear(); }
  void set_error_text(std::string text) { error_text_ = std::move(text); }

  // Counts what has become of rows.
  void Note(RowEvent event, uint64_t times = 1);
  void NoteChange(RowEvent event);
  // Counts a search in the handler's active index.
  void NoteSearch(key_part_map parts, bool equal);
  // Counts for the server, where its own walk over rows would have.
  void CountForServer(ulong SSV::*counter) const;

  // Has a search all declared parts of the index?
  bool HasAllParts(uint index, key_part_map parts) const;

 private:
  ::handler* const handler_;
  std::shared_ptr<TableShare> share_;
  std::unique_ptr<engine::RowAccess> rows_;
  Session* session_ = nullptr;
  VirtualParts virtual_parts_;
  LikeBounds like_bounds_;
  thr_lock_type lock_type_ = TL_IGNORE;
  bool is_system_table_ = false;
  bool change_noted_ = false;  // of this statement, with the session
  std::string error_text_;
};

}  // namespace basalt::server
