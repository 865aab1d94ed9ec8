// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/stored_table.h"

#include "server/tables/definition_files.h"
#include "server/tables/file_names.h"

namespace basalt::server {

namespace {

const uchar* BytesOf(const std::string& text) {
  return reinterpret_cast<const uchar*>(text.data());
}

Status FindDefinition(const catalog::Catalog& catalog, Bytes name,
                      catalog::TableDefinition* definition) {
  if (catalog.definitions().Read(name, definition).ok()) return Status::Ok();
  return ReadDefinitionFiles(catalog::VersionPathOfTable(name), definition, nullptr);
}

}  // namespace

StoredTable::~StoredTable() {
  if (has_table_) closefrm(&table_);
  if (has_share_) free_table_share(&share_);
}

Status StoredTable::Open(const catalog::Catalog& catalog, Bytes name) {
  name_ = name;
  if (catalog.FindTable(name) == nullptr) return Status(Code::kNotFound);
  catalog::TableDefinition definition;
  BASALT_RETURN_IF_ERROR(FindDefinition(catalog, name, &definition));
  // What is wrong with the definition is said in our words, by who asks for it.
  Dummy_error_handler silence;
  thd_->push_internal_handler(&silence);
  Status read = ReadShare(definition);
  thd_->pop_internal_handler();
  return read;
}

Status StoredTable::ReadShare(const catalog::TableDefinition& definition) {
  const DisplayNames names = DisplayNamesOf(name_);
  const std::string path = catalog::VersionPathOfTable(name_);
  init_tmp_table_share(thd_, &share_, names.database.c_str(), 0, names.table.c_str(), path.c_str());
  has_share_ = true;
  const auto unreadable = [this] {
    return Status(Code::kCorruption, "the definition of table " + name_ + " cannot be read");
  };
  if (share_.init_from_binary_frm_image(thd_, /*write=*/false, BytesOf(definition.frm),
                                        definition.frm.size()) != 0) {
    return unreadable();
  }
  has_table_ = open_table_from_share(thd_, &share_, &share_.table_name, /*db_stat=*/0,
                                     OPEN_FRM_FILE_ONLY, /*ha_open_flags=*/0, &table_,
                                     /*is_create_table=*/false) == OPEN_FRM_OK;
  return has_table_ ? Status::Ok() : unreadable();
}

}  // namespace basalt::server
