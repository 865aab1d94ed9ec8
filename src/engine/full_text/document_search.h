// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/bytes.h"

namespace basalt::engine {

// The number of the first document in a list that is `document` or comes behind it; list.size()
// when there is none. The list ascends; it has size() and document(i). `near` is any number: the
// search begins there, so that a document just behind it is found in a few steps.
template <typename List>
size_t FindDocument(const List& list, Bytes document, size_t near) {
  const size_t size = list.size();
  // The documents in front of `low` come before `document`, those from `high` on do not.
  size_t low = 0;
  size_t high = std::min(near, size);
  // Steps that double find a `high`. What lies in front of `near` is looked for by halving alone:
  // it is seldom a neighbour.
  if (high < size && list.document(high) < document) {
    size_t step = 1;
    do {
      low = high + 1;
      high = std::min(size, low + step);
      step *= 2;
    } while (high < size && list.document(high) < document);
  }
  // Then the part between the two is halved.
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (list.document(middle) < document) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace basalt::engine
