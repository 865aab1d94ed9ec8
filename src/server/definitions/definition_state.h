// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <strings.h>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "catalog/table_record.h"
#include "server/tables/frm_header.h"

namespace basalt::server {

// What a start finds of the tables' definitions, as values: the dictionary and the server's files.
// Paths are without an extension. definition_reader.h reads them, definition_reconciler.h compares.

// The copy of a definition in the dictionary, as far as it can disagree with the files.
struct KeptDefinition {
  bool partitioned = false;
  size_t partitions = 0;  // that its .par file names
};

// A table of the dictionary, or all partitions of one.
struct DictionaryTable {
  std::vector<std::string> parts;       // the table itself, or its partitions
  std::optional<std::string> identity;  // of the copy; empty when there is no copy
  // The copy itself. Empty as well where the table's file has that identity and needs nothing.
  std::optional<KeptDefinition> kept;
  std::string read_error;  // why the copy cannot be read, when it cannot
};

// A .frm file of a table, of any engine. Views and files that cannot be read are none.
struct FrmFile {
  std::string table;  // as in the dictionary, without a partition
  std::string path;
  FrmHeader header;
  bool has_par = false;    // there is a .par file beside it
  bool par_empty = false;  // there is none, or it is empty

  bool IsOfThisEngine() const { return ::strcasecmp(header.engine.c_str(), "ROCKSDB") == 0; }
  // The table of the dictionary that the file speaks of: itself, or all its partitions.
  std::string Whole() const { return header.partitioned ? catalog::PartitionsOf(table) : table; }
};

// A .par file, with or without a .frm file beside it.
struct ParFile {
  std::string table;
  std::string path;
  bool empty_or_ours = false;  // empty, or it names this engine for every partition
};

struct DefinitionState {
  std::map<std::string, DictionaryTable> tables;  // by catalog::WholeOf
  std::map<std::string, FrmFile> frm_files;       // by table
  std::set<std::string> frm_names;  // of all .frm files, also of those not in frm_files
  std::vector<ParFile> par_files;
  std::vector<std::string> unfinished;  // files that were being written, whole names
  bool server_started = false;          // clients may be connected, and make tables
};

}  // namespace basalt::server
