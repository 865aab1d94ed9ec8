// SPDX-License-Identifier: GPL-2.0-only
//
// Searches by extent find what a look at each extent finds, whatever the numbers are.
#include "codec/window_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace basalt::codec {
namespace {

using Condition = WindowSearch::Condition;

constexpr uint32_t kIndex = 300;
constexpr Condition kConditions[] = {Condition::kTouches, Condition::kIsWithin,
                                     Condition::kHasWithin, Condition::kEquals};

void AppendDouble(double number, std::string* to) {
  to->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void AppendHead(uint32_t type, std::string* to) {
  to->push_back(1);
  to->append(reinterpret_cast<const char*>(&type), sizeof(type));
}

// A LINESTRING from corner to corner, or a POINT, as a column has it.
std::string GeometryOf(const Extent& extent) {
  std::string geometry(4, '\0');
  if (extent.IsPoint()) {
    AppendHead(1, &geometry);
  } else {
    AppendHead(2, &geometry);
    const uint32_t points = 2;
    geometry.append(reinterpret_cast<const char*>(&points), sizeof(points));
    AppendDouble(extent.x_max, &geometry);
    AppendDouble(extent.y_min, &geometry);
  }
  AppendDouble(extent.x_min, &geometry);
  AppendDouble(extent.IsPoint() ? extent.y_min : extent.y_max, &geometry);
  return geometry;
}

std::string KeyOf(Bytes geometry, uint32_t row) {
  std::string key;
  AppendBigEndian32(&key, kIndex);
  uint8_t part[kMaxExtentKeyBytes];
  key.append(MakeBytes(part, EncodeExtentKey(geometry, part)));
  AppendBigEndian32(&key, row);
  return key;
}

uint32_t RowOf(const std::string& key) { return LoadBigEndian32(key.data() + key.size() - 4); }

bool Holds(const Extent& extent, const Extent& window, Condition condition) {
  const auto within = [](const Extent& inner, const Extent& outer) {
    return inner.x_min >= outer.x_min && inner.x_max <= outer.x_max && inner.y_min >= outer.y_min &&
           inner.y_max <= outer.y_max;
  };
  switch (condition) {
    case Condition::kTouches:
      return !(extent.x_max < window.x_min || extent.x_min > window.x_max ||
               extent.y_max < window.y_min || extent.y_min > window.y_max);
    case Condition::kIsWithin:
      return within(extent, window);
    case Condition::kHasWithin:
      return within(window, extent);
    case Condition::kEquals:
      return within(extent, window) && within(window, extent);
    case Condition::kAny:
      break;
  }
  return true;
}

struct Found {
  std::vector<uint32_t> rows;
  size_t looked_at = 0;  // entries
  size_t seeks = 0;
};

class Index {
 public:
  void Add(const Extent& extent) {
    extents_.push_back(extent);
    keys_.push_back(KeyOf(GeometryOf(extent), static_cast<uint32_t>(keys_.size())));
  }
  void AddRaw(Bytes geometry) {
    extents_.push_back({1, 1, 0, 0});
    keys_.push_back(KeyOf(geometry, static_cast<uint32_t>(keys_.size())));
  }
  void Sort() { std::sort(keys_.begin(), keys_.end()); }
  const std::vector<Extent>& extents() const { return extents_; }

  Found Search(const Extent& window, Condition condition) const {
    WindowSearch search;
    search.Begin(kIndex, window, condition);
    Found found;
    auto at = std::lower_bound(keys_.begin(), keys_.end(), search.target());
    while (at != keys_.end()) {
      ++found.looked_at;
      const WindowSearch::Verdict verdict = search.Check(*at);
      EXPECT_NE(verdict, WindowSearch::Verdict::kMalformed);
      if (verdict == WindowSearch::Verdict::kFound) found.rows.push_back(RowOf(*at));
      if (verdict == WindowSearch::Verdict::kEnd) break;
      if (verdict != WindowSearch::Verdict::kSeek) {
        ++at;
        continue;
      }
      ++found.seeks;
      EXPECT_GT(search.target(), Bytes(*at));
      at = std::lower_bound(at, keys_.end(), search.target());
    }
    std::sort(found.rows.begin(), found.rows.end());
    return found;
  }

  std::vector<uint32_t> Scan(const Extent& window, Condition condition) const {
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row < extents_.size(); ++row) {
      const bool proper = IsProper(extents_[row]);
      if (!proper || Holds(extents_[row], window, condition)) rows.push_back(row);
    }
    return rows;
  }

 private:
  std::vector<Extent> extents_;
  std::vector<std::string> keys_;
};

using Random = std::mt19937_64;

double Between(double low, double high, Random* random) {
  return std::uniform_real_distribution<double>(low, high)(*random);
}

// Numbers on which grids, roundings and signs could go wrong.
double Adversarial(Random* random) {
  const int exponent = std::uniform_int_distribution<int>(-1074, 1023)(*random);
  const double power = std::ldexp(1.0, exponent);
  double number = 0;
  switch ((*random)() % 10) {
    case 0:
      break;
    case 1:
      number = power;
      break;
    case 2:
      number = std::nextafter(power, 0);
      break;
    case 3:
      number = std::nextafter(power, std::numeric_limits<double>::max());
      break;
    case 4:
      number = std::numeric_limits<double>::max();
      break;
    case 5:
      number = std::numeric_limits<double>::denorm_min();
      break;
    case 6:
      number = static_cast<double>((*random)() % 64) * std::ldexp(1.0, exponent % 8);
      break;
    case 7:
      number = Between(0, power, random);
      break;
    default:
      number = Between(0, 180, random);
  }
  return (*random)() % 2 == 0 ? number : -number;
}

Extent Ordered(double x, double y, double to_x, double to_y) {
  return {std::min(x, to_x), std::min(y, to_y), std::max(x, to_x), std::max(y, to_y)};
}

Extent AdversarialExtent(Random* random) {
  const double x = Adversarial(random);
  const double y = Adversarial(random);
  switch ((*random)() % 4) {
    case 0:
      return {x, y, x, y};
    case 1:
      return Ordered(x, y, Adversarial(random), y);
    default:
      return Ordered(x, y, Adversarial(random), Adversarial(random));
  }
}

Extent EarthlyExtent(Random* random) {
  const double x = Between(-180, 180, random);
  const double y = Between(-90, 90, random);
  if ((*random)() % 2 == 0) return {x, y, x, y};
  const double side = std::pow(10, Between(-5, 1.5, random));
  return {x, y, x + side * Between(0, 1, random), y + side * Between(0, 1, random)};
}

void ExpectSame(const Index& index, const Extent& window) {
  for (const Condition condition : kConditions) {
    ASSERT_EQ(index.Search(window, condition).rows, index.Scan(window, condition))
        << std::hexfloat << "window " << window.x_min << ' ' << window.y_min << ' ' << window.x_max
        << ' ' << window.y_max << ", condition " << static_cast<int>(condition);
  }
}

TEST(WindowSearchTest, FindsWhatAScanFindsAmongAnyNumbers) {
  Random random(20261128);
  for (int round = 0; round < 20; ++round) {
    Index index;
    for (int i = 0; i < 300; ++i) index.Add(AdversarialExtent(&random));
    index.Sort();
    for (int i = 0; i < 60; ++i) ExpectSame(index, AdversarialExtent(&random));
    // The windows that extents themselves are, and their corners.
    for (int i = 0; i < 40; ++i) {
      const Extent& extent = index.extents()[random() % index.extents().size()];
      ExpectSame(index, extent);
      ExpectSame(index, {extent.x_max, extent.y_max, extent.x_max, extent.y_max});
      ExpectSame(index, {extent.x_min, extent.y_max, extent.x_max, extent.y_max});
    }
  }
}

TEST(WindowSearchTest, FindsWhatAScanFindsOnAMap) {
  Random random(1);
  Index index;
  for (int i = 0; i < 5000; ++i) index.Add(EarthlyExtent(&random));
  index.Sort();
  for (int i = 0; i < 400; ++i) ExpectSame(index, EarthlyExtent(&random));
}

// Corners on the borders of cells of all the grids, and a neighbour number to each side.
TEST(WindowSearchTest, FindsWhatLiesOnBordersOfCells) {
  Random random(2);
  const auto on_border = [&] {
    const double border = std::ldexp(static_cast<double>(random() % 9) - 4,
                                     std::uniform_int_distribution<int>(-40, 12)(random));
    switch (random() % 3) {
      case 0:
        return std::nextafter(border, -1e300);
      case 1:
        return std::nextafter(border, 1e300);
      default:
        return border;
    }
  };
  const auto extent = [&] { return Ordered(on_border(), on_border(), on_border(), on_border()); };
  for (int round = 0; round < 20; ++round) {
    Index index;
    for (int i = 0; i < 300; ++i) index.Add(extent());
    index.Sort();
    for (int i = 0; i < 100; ++i) ExpectSame(index, extent());
  }
}

TEST(WindowSearchTest, LooksAtFewEntriesForASmallWindow) {
  Random random(3);
  Index index;
  for (int i = 0; i < 100'000; ++i) index.Add(EarthlyExtent(&random));
  index.Sort();
  size_t looked_at = 0;
  size_t seeks = 0;
  constexpr int kWindows = 200;
  for (int i = 0; i < kWindows; ++i) {
    const double x = Between(-170, 170, &random);
    const double y = Between(-80, 80, &random);
    const Found here = index.Search({x, y, x + 0.5, y + 0.5}, Condition::kTouches);
    looked_at += here.looked_at;
    seeks += here.seeks;
  }
  // Half the rectangles have sides of several degrees, so they have to be looked at.
  EXPECT_LT(looked_at / kWindows, 400u);
  EXPECT_LT(seeks / kWindows, 60u);
}

TEST(WindowSearchTest, FindsWhatHasNoExtentAlways) {
  Index index;
  std::string empty(4, '\0');
  AppendHead(7, &empty);
  empty.append(4, '\0');
  index.AddRaw(empty);
  index.AddRaw("");
  index.AddRaw("no geometry at all");
  index.AddRaw(GeometryOf({0, 0, std::numeric_limits<double>::infinity(), 0}));
  index.AddRaw(GeometryOf({0, 0, std::nan(""), 0}));
  index.Add({1, 1, 2, 2});
  index.Sort();
  EXPECT_EQ(index.Search({1, 1, 1, 1}, Condition::kTouches).rows.size(), 6u);
  EXPECT_EQ(index.Search({5, 5, 6, 6}, Condition::kTouches).rows.size(), 5u);
}

TEST(WindowSearchTest, AnImproperWindowHasEverythingForACandidate) {
  Index index;
  index.Add({1, 1, 2, 2});
  index.Add({3, 3, 3, 3});
  index.Sort();
  const double most = std::numeric_limits<double>::max();
  const Extent empty{most, most, -most, -most};
  EXPECT_EQ(index.Search(empty, Condition::kIsWithin).rows.size(), 2u);
  EXPECT_EQ(index.Search({0, 0, std::nan(""), 0}, Condition::kTouches).rows.size(), 2u);
}

TEST(WindowSearchTest, MalformedEntriesAreNamed) {
  WindowSearch search;
  search.Begin(kIndex, {0, 0, 1, 1}, Condition::kTouches);
  const std::string whole = KeyOf(GeometryOf({0, 0, 1, 1}), 1);
  for (size_t bytes = 0; bytes < whole.size() - 4; ++bytes) {
    EXPECT_EQ(search.Check(Bytes(whole).substr(0, bytes)), WindowSearch::Verdict::kMalformed);
  }
}

}  // namespace
}  // namespace basalt::codec
