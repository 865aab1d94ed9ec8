// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "engine/counted_texts.h"

namespace basalt::engine {

// By which formula rows are ranked: docs/decisions/full-text.md.
enum class RankFormula : uint8_t { kInnoDb, kBm25 };

// How much a word of a query adds to the rank of a row. A plain value.
class WordWeights {
 public:
  explicit WordWeights(RankFormula formula = RankFormula::kInnoDb) : formula_(formula) {}

  // The index at hand. Before that nothing below may be asked.
  void SetTotals(const TextTotals& totals);

  // How rare a word is that so many rows have. More than 0, also where all rows have it.
  double RarityOf(uint64_t rows) const;

  // Does a weight depend on how long the row is?
  bool need_length() const { return formula_ == RankFormula::kBm25; }
  // Of a word that stands at so many places of a row, which has words at `length` places. The
  // length is ignored where it is not needed. More than 0.
  double WeightOf(double rarity, uint64_t places, uint64_t length) const;

 private:
  double BestMatch(double rarity, double places, double length) const;

  RankFormula formula_;
  double rows_ = 0;
  double average_length_ = 1;
};

}  // namespace basalt::engine
