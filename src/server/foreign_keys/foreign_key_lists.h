// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "catalog/catalog.h"
#include "server/server_headers.h"

namespace basalt::server {

// Foreign keys as the server asks for them. Names of tables are those of the dictionary.

// Adds those of a child to the list, in the order of their names. Memory is the statement's.
// `child` is its definition. Returns a handler error.
int ListForeignKeys(THD* thd, const catalog::Catalog& catalog, const std::string& name,
                    const TABLE& child, List<FOREIGN_KEY_INFO>* list);
// Adds those that name `parent`, in the order of database and name.
int ListForeignKeysTo(THD* thd, const catalog::Catalog& catalog, const std::string& name,
                      const TABLE& parent, List<FOREIGN_KEY_INFO>* list);

// "CONSTRAINT `x` FOREIGN KEY (`a`) REFERENCES `p` (`id`) ON DELETE CASCADE": what the child's
// definition says. The parent's database comes with it when it is not the child's.
std::string DescribeForeignKey(THD* thd, std::string_view child,
                               const catalog::ForeignKey& foreign);
// "`database`.`child`, CONSTRAINT ..": what the client is told of a foreign key that is in the way.
std::string DescribeObstacle(THD* thd, std::string_view child, const catalog::ForeignKey& foreign);
// As DescribeObstacle, of the first foreign key from the child to this parent; empty for none.
std::string DescribeReference(THD* thd, const catalog::Catalog& catalog, const std::string& child,
                              std::string_view parent);
// All of them as lines of SHOW CREATE TABLE, each with a comma in front; empty for none.
std::string DescribeForeignKeys(THD* thd, const catalog::Catalog& catalog,
                                const std::string& child);

}  // namespace basalt::server
