// SPDX-License-Identifier: GPL-2.0-only
#include "engine/full_text/word_weights.h"

#include <algorithm>
#include <cmath>

namespace basalt::engine {

void WordWeights::SetTotals(const TextTotals& totals) {
  rows_ = static_cast<double>(totals.rows);
  average_length_ = static_cast<double>(std::max<uint64_t>(1, totals.words)) / std::max(1.0, rows_);
}

// A word in no row may be that of a row in another view. InnoDB's smallest is that of a word in all
// rows, so that a row with it has some rank.
double WordWeights::RarityOf(uint64_t rows) const {
  constexpr double kOfAllRows = 1.0001;
  const double with = static_cast<double>(std::max<uint64_t>(1, rows));
  if (formula_ == RankFormula::kInnoDb)
    return std::log10(rows_ <= with ? kOfAllRows : rows_ / with);
  const double without = std::max(0.0, rows_ - with);
  return std::log(1 + (without + 0.5) / (with + 0.5));
}

double WordWeights::WeightOf(double rarity, uint64_t places, uint64_t length) const {
  const auto count = static_cast<double>(places);
  if (formula_ == RankFormula::kInnoDb) return count * rarity * rarity;
  return BestMatch(rarity, count, static_cast<double>(length));
}

// The constants are those that most engines have.
double WordWeights::BestMatch(double rarity, double places, double length) const {
  constexpr double kSaturation = 1.2;
  constexpr double kLengthShare = 0.75;
  const double relative = 1 - kLengthShare + kLengthShare * length / average_length_;
  return rarity * places * (kSaturation + 1) / (places + kSaturation * relative);
}

}  // namespace basalt::engine
