// SPDX-License-Identifier: GPL-2.0-only
#include "server/foreign_keys/foreign_key_validation.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/status.h"
#include "codec/reference_copy.h"
#include "engine/references/reference_check.h"
#include "server/error_map.h"
#include "server/foreign_keys/foreign_key_sides.h"
#include "server/foreign_keys/latest_foreign_key_error.h"
#include "server/foreign_keys/related_tables.h"
#include "server/tables/file_names.h"
#include "server/tables/find_column.h"
#include "server/tables/stored_table.h"
#include "server/tables/table_descriptor_builder.h"
#include "server/tables/time_to_live.h"

namespace basalt::server {

namespace {

std::string Quoted(std::string_view name) { return "`" + std::string(name) + "`"; }

// One foreign key of a statement, and what is wrong with it.
class Validation {
 public:
  Validation(THD* thd, const NewChild& child, catalog::ForeignKey* foreign)
      : thd_(thd), child_(child), foreign_(*foreign) {}

  int CheckChild(const codec::TableDescriptor& descriptor);
  // After CheckChild.
  int CheckParent(const TABLE& parent, const codec::TableDescriptor& descriptor);
  int Refuse(const std::string& reason) const;

 private:
  bool GivesNull(const codec::Column& child, const codec::Column& parent) const;

  THD* const thd_;
  const NewChild& child_;
  catalog::ForeignKey& foreign_;
  std::vector<codec::Column> columns_;  // of the child
};

int Validation::Refuse(const std::string& reason) const {
  const std::string text = "foreign key " + Quoted(foreign_.name) + " of table " +
                           QuotedTableName(child_.name) + ": " + reason;
  push_warning_printf(thd_, Sql_condition::WARN_LEVEL_WARN, HA_ERR_CANNOT_ADD_FOREIGN,
                      "ROCKSDB: %s", text.c_str());
  NoteForeignKeyError(thd_, text);
  return HA_ERR_CANNOT_ADD_FOREIGN;
}

int Validation::CheckChild(const codec::TableDescriptor& descriptor) {
  std::vector<uint32_t> positions;
  for (catalog::ForeignKey::Columns& pair : foreign_.columns) {
    const std::optional<uint32_t> column = FindColumn(*child_.form, pair.child);
    if (!column) return Refuse("the table has no column " + Quoted(pair.child));
    pair.child = child_.form->field[*column]->field_name.str;
    if (SetsNull(foreign_) && !descriptor.columns[*column].nullable) {
      return Refuse("SET NULL does not go with column " + Quoted(pair.child) +
                    ", which is NOT NULL");
    }
    positions.push_back(*column);
    columns_.push_back(descriptor.columns[*column]);
  }
  if (!engine::FindReferenceIndex(descriptor, positions)) {
    return Refuse("no index of the table begins with its columns, whole and in this order");
  }
  return 0;
}

// InnoDB refuses it in strict mode only, and not in place.
bool Validation::GivesNull(const codec::Column& child, const codec::Column& parent) const {
  return KeepsNullOut(foreign_) && thd_->is_strict_mode() && !child_.in_place && !child.nullable &&
         parent.nullable;
}

int Validation::CheckParent(const TABLE& parent, const codec::TableDescriptor& descriptor) {
  TimeToLive life;
  if (int error = ReadTimeToLive(parent, foreign_.parent, &life)) return error;
  if (life.seconds != 0) {
    return Refuse("rows of table " + QuotedTableName(foreign_.parent) +
                  " expire (ttl_duration), and those that refer to them would stay");
  }
  std::vector<uint32_t> positions;
  for (size_t i = 0; i < foreign_.columns.size(); ++i) {
    std::string& name = foreign_.columns[i].parent;
    const std::optional<uint32_t> column = FindColumn(parent, name);
    if (!column)
      return Refuse("table " + QuotedTableName(foreign_.parent) + " has no column " + Quoted(name));
    if (!codec::TypesMatch(columns_[i], descriptor.columns[*column])) {
      return Refuse("column " + Quoted(foreign_.columns[i].child) +
                    " has not the type or character set of column " + Quoted(name) + " of table " +
                    QuotedTableName(foreign_.parent));
    }
    if (GivesNull(columns_[i], descriptor.columns[*column])) {
      return Refuse("ON UPDATE CASCADE would give column " + Quoted(foreign_.columns[i].child) +
                    ", which is NOT NULL, a NULL of column " + Quoted(name) + " of table " +
                    QuotedTableName(foreign_.parent));
    }
    name = parent.field[*column]->field_name.str;
    positions.push_back(*column);
  }
  if (engine::FindReferenceIndex(descriptor, positions)) return 0;
  return Refuse("no index of table " + QuotedTableName(foreign_.parent) +
                " begins with the columns that it refers to, whole and in this order");
}

// The parent is another table.
int ValidateWithOther(THD* thd, const engine::Database& database, const std::string& parent,
                      bool under_writers, Validation* validation) {
  // A statement that changes rows of the parent now does not know of the new child: it must end.
  const enum_mdl_type lock = under_writers ? MDL_SHARED_UPGRADABLE : MDL_SHARED_NO_WRITE;
  if (int error = LockRelatedTable(thd, parent, lock, MDL_STATEMENT)) return error;
  StoredTable stored(thd);
  const Status opened = stored.Open(*database.catalog(), parent);
  if (opened.code() == Code::kNotFound) {
    if (!ChecksForeignKeys(thd)) return 0;  // it may come later
    return validation->Refuse("there is no ROCKSDB table " + QuotedTableName(parent));
  }
  codec::TableDescriptor descriptor;
  Status described = opened.ok() ? BuildTableDescriptor(stored.table(), parent, &descriptor)
                                 : Status(opened.code(), opened.message());
  if (int error = ReportError(described, "foreign key")) return error;
  return validation->CheckParent(stored.table(), descriptor);
}

}  // namespace

int CheckLengthOfName(const std::string& name) {
  const size_t letters = system_charset_info->numchars(name.data(), name.data() + name.size());
  if (letters <= NAME_CHAR_LEN) return 0;
  my_error(ER_TOO_LONG_IDENT, MYF(0), name.c_str());
  return HA_ERR_GENERIC;
}

int ValidateNames(THD* thd, const catalog::Catalog& catalog, const NewChild& child,
                  std::vector<catalog::ForeignKey>* added) {
  const std::string database = child.name.substr(0, child.name.find('.'));
  for (auto each = added->begin(); each != added->end(); ++each) {
    const bool twice = std::any_of(added->begin(), each, [&](const catalog::ForeignKey& other) {
      return SameForeignKeyName(other.name, each->name);
    });
    if (twice) return Validation(thd, child, &*each).Refuse("the statement has two of that name");
  }
  for (const catalog::ForeignKey& each : *added) {
    if (int error = CheckLengthOfName(each.name)) return error;
    if (!catalog.foreign_keys().OwnerOfName(database, each.name).empty()) {
      return WarnOfForeignKeyName(thd, each.name);
    }
  }
  return 0;
}

int ValidateForeignKeys(THD* thd, engine::Database* database, const NewChild& child,
                        std::vector<catalog::ForeignKey>* added) {
  if (added->empty()) return 0;
  codec::TableDescriptor own;
  if (int error = ReportError(BuildTableDescriptor(*child.form, child.name, &own), "foreign key")) {
    return error;
  }
  for (catalog::ForeignKey& foreign : *added) {
    Validation validation(thd, child, &foreign);
    if (child.temporary) return validation.Refuse("a temporary table cannot have any");
    if (int error = validation.CheckChild(own)) return error;
    // A table that is being altered is its own parent as it was before.
    const bool is_itself =
        foreign.parent == child.name && database->catalog()->FindTable(child.name) == nullptr;
    const int error = is_itself ? validation.CheckParent(*child.form, own)
                                : ValidateWithOther(thd, *database, foreign.parent,
                                                    child.under_writers, &validation);
    if (error != 0) return error;
  }
  return 0;
}

int RefuseForeignKeysForMyRocks(THD* thd) {
  push_warning(
      thd, Sql_condition::WARN_LEVEL_NOTE, ER_UNKNOWN_ERROR,
      "ROCKSDB: refused because of rocksdb_myrocks_compatible_format=ON: MyRocks would not "
      "check it");
  my_error(ER_NOT_SUPPORTED_YET, MYF(0), "FOREIGN KEY for the RocksDB storage engine");
  return HA_ERR_UNSUPPORTED;
}

int WarnOfForeignKeyName(THD* thd, const std::string& name) {
  push_warning_printf(thd, Sql_condition::WARN_LEVEL_WARN, HA_ERR_FOUND_DUPP_KEY,
                      "ROCKSDB: the database has a foreign key %s already", Quoted(name).c_str());
  return HA_ERR_FOUND_DUPP_KEY;
}

}  // namespace basalt::server
