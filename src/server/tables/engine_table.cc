// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/engine_table.h"

#include <utility>

#include "server/tables/index_words.h"
#include "server/tables/system_versioning.h"
#include "server/tables/table_descriptor_builder.h"
#include "server/tables/table_name.h"
#include "server/tables/time_to_live.h"

namespace basalt::server {

Status OpenEngineTable(engine::Database* database, const TABLE& table, const std::string& name,
                       std::shared_ptr<engine::Table>* opened) {
  codec::TableDescriptor descriptor;
  BASALT_RETURN_IF_ERROR(BuildTableDescriptor(table, name, &descriptor));
  engine::TableTraits traits;
  traits.temporary = IsTemporaryTable(name);
  catalog::Catalog* catalog = database->catalog();
  const auto record =
      traits.temporary ? catalog->temporary_tables()->Find(name) : catalog->FindTable(name);
  if (record != nullptr) {
    BASALT_RETURN_IF_ERROR(FindWordSources(*record, table, &descriptor));
  }
  traits.ttl_column = TimeStampColumn(table, name);
  traits.sequence = table.s->table_type == TABLE_TYPE_SEQUENCE;
  traits.row_end = RowEndOf(table);
  return engine::Table::Open(database, std::move(descriptor), std::move(traits), opened);
}

}  // namespace basalt::server
