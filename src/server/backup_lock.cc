// SPDX-License-Identifier: GPL-2.0-only
#include "server/backup_lock.h"

namespace basalt::server {

Status CommitBetweenBackups(THD* thd, const std::function<Status()>& commit) {
  MDL_request request;
  MDL_REQUEST_INIT(&request, MDL_key::BACKUP, "", "", MDL_BACKUP_COMMIT, MDL_EXPLICIT);
  if (thd->mdl_context.acquire_lock(&request,
                                    static_cast<double>(thd->variables.lock_wait_timeout))) {
    return thd->killed ? Status(Code::kInterrupted)
                       : Status(Code::kLockTimeout, "a backup or a global read lock holds commits");
  }
  Status status = commit();
  thd->mdl_context.release_lock(request.ticket);
  return status;
}

}  // namespace basalt::server
