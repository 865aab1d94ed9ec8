// SPDX-License-Identifier: GPL-2.0-only
#include "server/table_dropper.h"

#include "server/plugin_state.h"

namespace basalt::server {

Status DropTableByName(const std::string& name) {
  engine::Database* database = Database();
  const auto record = database->catalog()->FindTable(name);
  if (record == nullptr) return Status(Code::kNotFound, "no table " + name);
  const catalog::IndexRecord* primary = record->Primary();
  BASALT_RETURN_IF_ERROR(database->catalog()->DropTable(name));
  if (primary != nullptr) database->ForgetCounters(primary->id);
  return Status::Ok();
}

}  // namespace basalt::server
