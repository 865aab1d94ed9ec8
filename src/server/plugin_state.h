// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>

#include "base/status.h"
#include "catalog/version_ids.h"
#include "engine/database.h"
#include "server/ddl_recovery_notes.h"
#include "server/server_headers.h"
#include "txn/wait_observer.h"

namespace basalt::server {

class CheckpointNotifier;

// What exists once in the process while the plugin is loaded. Set up by the plugin's init function,
// taken down by its deinit, constant in between.
struct PluginState {
  handlerton* hton = nullptr;
  std::unique_ptr<txn::WaitObserver> wait_reports;  // used by the database until it is closed
  std::unique_ptr<engine::Database> database;
  std::unique_ptr<catalog::VersionIds> version_ids;  // of the database
  std::unique_ptr<CheckpointNotifier> checkpoint_notifier;
  DdlRecoveryNotes ddl_recovery;  // empty once that is over
  bool recovered = false;         // the server's recovery of DDL statements is over
};

PluginState& State();

inline handlerton* Handlerton() { return State().hton; }
// Null before init and after deinit. For functions that the server calls and that have no other way
// to the database: they ask once and hand a reference to all that they use. tools/rules/database.py
// lists their files.
inline engine::Database* RunningDatabase() { return State().database.get(); }

}  // namespace basalt::server
