// SPDX-License-Identifier: GPL-2.0-only
#include "txn/entry_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace basalt::txn {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

constexpr char kIndex[] = "\0\0\1\7";  // the number that all keys begin with

std::string KeyOf(Bytes rest) { return std::string(kIndex, 4).append(rest); }

Entries Shown(const EntryBuffer& buffer) {
  Entries entries;
  for (size_t i = 0; i < buffer.count(); ++i) {
    entries.emplace_back(buffer.key(i), buffer.value(i));
  }
  return entries;
}

// In both orders of a column family.
void ExpectSorted(Entries entries) {
  for (const bool reverse : {false, true}) {
    EntryBuffer buffer(reverse);
    for (const auto& [key, value] : entries) buffer.Add(key, value);
    buffer.Sort();
    Entries expected = entries;
    std::sort(expected.begin(), expected.end());
    if (reverse) std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(Shown(buffer), expected);
    buffer.Sort();
    EXPECT_EQ(Shown(buffer), expected) << "sorted twice";
    buffer.Clear();
    EXPECT_EQ(buffer.count(), 0u);
    EXPECT_TRUE(buffer.in_order());
  }
}

// Few bytes, zeros among them, and long common beginnings: keys differ at any depth, or end there.
Entries RandomEntries(std::mt19937* random, size_t count) {
  std::vector<std::string> beginnings;
  for (int i = 0; i < 6; ++i) beginnings.emplace_back((*random)() % 40, i % 2 == 0 ? 'a' : '\0');
  std::vector<std::string> keys;
  for (size_t i = 0; i < count; ++i) {
    std::string rest = beginnings[(*random)() % beginnings.size()];
    for (size_t more = (*random)() % 20; more > 0; --more) rest += "\0ab"[(*random)() % 3];
    keys.push_back(KeyOf(rest));
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::shuffle(keys.begin(), keys.end(), *random);
  Entries entries;
  for (size_t i = 0; i < keys.size(); ++i) entries.emplace_back(keys[i], std::to_string(i));
  return entries;
}

TEST(EntryBuffer, SortsAsTheColumnFamilyDoes) {
  std::mt19937 random(7);
  for (const bool reverse : {false, true}) {
    EntryBuffer buffer(reverse);
    std::vector<std::pair<std::string, std::string>> expected;
    for (int i = 0; i < 5000; ++i) {
      std::string key("\0\0\1\2", 4);
      for (size_t n = random() % 14; n > 0; --n) key += static_cast<char>(random() % 3);
      const std::string value(i == 17 ? 3'000'000 : random() % 400, 'v');
      buffer.Add(key, value);
      expected.emplace_back(key, value);
    }
    EXPECT_FALSE(buffer.in_order());
    buffer.Sort();
    std::sort(expected.begin(), expected.end());
    if (reverse) std::reverse(expected.begin(), expected.end());
    ASSERT_EQ(buffer.count(), expected.size());
    size_t values = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(buffer.key(i), expected[i].first);
      values += buffer.value(i).size();
    }
    size_t expected_values = 0;
    for (const auto& entry : expected) expected_values += entry.second.size();
    EXPECT_EQ(values, expected_values);
    EXPECT_GT(buffer.bytes(), values);
    buffer.Clear();
    EXPECT_TRUE(buffer.in_order());
    EXPECT_EQ(buffer.bytes(), 0u);
  }
}

TEST(EntryBuffer, SortsKeysThatDifferAnywhere) {
  std::mt19937 random(7);
  for (const size_t count : {1u, 2u, 9u, 100u, 3000u}) {
    for (int round = 0; round < 5; ++round) ExpectSorted(RandomEntries(&random, count));
  }
}

TEST(EntryBuffer, SortsKeysThatAreBeginningsOfOthers) {
  Entries entries;
  for (size_t zeros = 0; zeros < 40; ++zeros) {
    entries.emplace_back(KeyOf(std::string(zeros, '\0')), std::to_string(zeros));
    entries.emplace_back(KeyOf(std::string(zeros, '\0') + "x"), "x" + std::to_string(zeros));
  }
  std::shuffle(entries.begin(), entries.end(), std::mt19937(3));
  ExpectSorted(entries);
}

TEST(EntryBuffer, KeepsEqualKeysBesideEachOther) {
  EntryBuffer buffer(false);
  for (int i = 0; i < 100; ++i) buffer.Add(KeyOf(std::string(30, 'a' + i % 2)), "");
  EXPECT_FALSE(buffer.in_order());
  buffer.Sort();
  EXPECT_EQ(buffer.key(49), KeyOf(std::string(30, 'a')));
  EXPECT_EQ(buffer.key(50), KeyOf(std::string(30, 'b')));
}

TEST(EntryBuffer, KnowsWhatCameInOrder) {
  EntryBuffer buffer(false);
  buffer.Add(KeyOf("a"), "1");
  buffer.Add(KeyOf("b"), "2");
  EXPECT_TRUE(buffer.in_order());
  buffer.Sort();
  EXPECT_EQ(Shown(buffer), (Entries{{KeyOf("a"), "1"}, {KeyOf("b"), "2"}}));
  buffer.Clear();
  buffer.Add(KeyOf("b"), "");
  buffer.Add(KeyOf("b"), "");
  EXPECT_FALSE(buffer.in_order()) << "an equal key";
}

}  // namespace
}  // namespace basalt::txn
