// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <set>
#include <string>

namespace basalt::server {

// What happens around the server's recovery of DDL statements at start and RepairDefinitions
// has to know afterwards. Tables by catalog::WholeOf. One thread.
struct DdlRecoveryNotes {
  // Partitioned tables whose files were lost before it, .frm and .par, and which WriteLostParFiles
  // has written anew.
  std::set<std::string> rewritten;
  // Partitioned tables that it has dropped by name, which is possible only with their files.
  std::set<std::string> dropped;
  // Tables that it has renamed, or tried to, by their old and new names.
  std::set<std::string> renamed;
};

}  // namespace basalt::server
