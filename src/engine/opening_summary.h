// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <string>

#include "catalog/dictionary_summary.h"
#include "store/opening/options_file.h"

namespace basalt::engine {

// What an opening has found in the directory and done to it.
struct OpeningSummary {
  bool made = false;                // there was no store
  store::OptionsFile options_file;  // by whom it was written before
  size_t column_families = 0;
  catalog::DictionarySummary dictionary;
  size_t finished_commits = 0;  // large ones, decided before but not taken over yet
  size_t prepared_transactions = 0;
  size_t removed_bulk_loads = 0;
};

// One line for the server's log. Counts of what rarely happens are left out when they are 0.
std::string Describe(const OpeningSummary& summary);

}  // namespace basalt::engine
