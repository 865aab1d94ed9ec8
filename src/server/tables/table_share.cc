// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/table_share.h"

#include <string>
#include <utility>

#include "engine/database.h"
#include "server/tables/discovery.h"
#include "server/tables/engine_table.h"
#include "server/tables/index_names.h"
#include "server/tables/table_name.h"

namespace basalt::server {

namespace {

// What the server owns.
class ShareHolder final : public Handler_share {
 public:
  explicit ShareHolder(std::shared_ptr<TableShare> share) : share_(std::move(share)) {}
  const std::shared_ptr<TableShare>& share() const { return share_; }

 private:
  const std::shared_ptr<TableShare> share_;
};

}  // namespace

Status ShareOf(engine::Database& database, const char* name, const TABLE& table,
               Handler_share* known, std::shared_ptr<TableShare>* share, Handler_share** made) {
  *made = nullptr;
  if (known != nullptr) {
    *share = static_cast<ShareHolder*>(known)->share();
    return Status::Ok();
  }
  std::string table_name;
  BASALT_RETURN_IF_ERROR(TableNameOf(name, &table_name));
  auto opened = std::make_shared<TableShare>();
  BASALT_RETURN_IF_ERROR(OpenEngineTable(&database, table, table_name, &opened->engine_table));
  if (!IsTemporaryTable(name)) StoreDefinition(*database.catalog(), *table.s, table_name);
  NoteIndexNames(*opened->engine_table);
  *made = new ShareHolder(opened);
  *share = std::move(opened);
  return Status::Ok();
}

}  // namespace basalt::server
