// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>

#include "base/status.h"
#include "engine/loads/explicit_load.h"
#include "server/server_headers.h"

namespace basalt::server {

// Does the running statement add rows in a way that can be a load?
bool LoadsRows(THD* thd);

// The bulk load of a connection (rocksdb_bulk_load): rows of many statements, beside the
// connection's transaction. Brings it to its end, and tells the client of errors in the words of
// MyRocks. Errors are handler errors here.
//
// Of one connection, used by its thread.
class SessionLoad {
 public:
  // Both must outlive this object.
  SessionLoad(THD* thd, engine::Database* database);
  ~SessionLoad();  // without Finish nothing is loaded
  SessionLoad(const SessionLoad&) = delete;
  SessionLoad& operator=(const SessionLoad&) = delete;

  // Made at need; owned by this object. For its Insert; whose errors Report tells the client.
  engine::ExplicitLoad* explicit_load();
  // True when there are no rows that Finish would make visible.
  bool empty() const;
  // Makes the rows visible and tells the client of an error. Nothing to do, and 0, when empty.
  int Finish();
  // Tells the client why Insert or Finish has failed; 0 when it has not.
  int Report(const Status& status) const;
  // The connection ends: as Finish, but only the error log can be told.
  void FinishDisconnected();

 private:
  THD* const thd_;
  engine::Database* const database_;
  std::unique_ptr<engine::ExplicitLoad> explicit_load_;
};

}  // namespace basalt::server
