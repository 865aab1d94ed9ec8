// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "unit/codec/case_file.h"
#include "unit/codec/round_trip.h"
#include "unit/codec/server_collation.h"
#include "unit/codec/test_table.h"

// Bytes that the stock plugin wrote (in version14.txt: our own), for tables and rows in
// testdata/*.txt: what we encode must be equal and must decode to the row. Directives: `table`,
// `row [hidden=N] [ttl=N]`.

namespace basalt::test {
namespace {

uint64_t NumberAfter(const std::string& text, const std::string& word, uint64_t otherwise) {
  const size_t at = text.find(word);
  return at == std::string::npos ? otherwise : std::stoull(text.substr(at + word.size()));
}

// "decodable" and the parts of each index.
std::vector<std::string> Describe(const TestTable& table) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < table.indexes(); ++i) {
    const codec::KeyCodec& key = table.key(i);
    std::string line = table.descriptor().indexes[i].name + ":";
    for (unsigned part = 0; part < key.total_parts(); ++part) {
      const uint32_t column = key.PartColumn(part);
      line += " " + (column == codec::kNoColumn ? "(hidden)" : table.column_name(column));
      if (key.IsPartDecodable(part)) line += "*";
    }
    if (key.may_have_unpack_info()) line += " unpack";
    lines.push_back(line);
  }
  return lines;
}

class GoldenRunner {
 public:
  std::vector<std::string> Run(const Case& one) {
    try {
      if (one.directive == "table") {
        table_ = std::make_unique<TestTable>(one.input, ServerCollationByName);
        return Describe(*table_);
      }
      if (one.directive.starts_with("row") && table_ != nullptr) return Row(one);
    } catch (const std::exception& error) {
      return {std::string("error: ") + error.what()};
    }
    return {"unknown directive"};
  }

 private:
  std::vector<std::string> Row(const Case& one) {
    std::vector<std::string> lines;
    for (const std::string& literals : one.input) {
      const std::vector<uint8_t> record = table_->Record(literals);
      const std::vector<EncodedEntry> entries =
          EncodeRow(*table_, record.data(), NumberAfter(one.directive, "hidden=", 1),
                    NumberAfter(one.directive, "ttl=", 0));
      for (const EncodedEntry& entry : entries) {
        lines.push_back(Hex(entry.key) + " => " + Hex(entry.value));
      }
      SCOPED_TRACE(literals);
      ExpectRoundTrip(*table_, record, entries);
    }
    return lines;
  }

  std::unique_ptr<TestTable> table_;
};

TEST(Golden, BytesOfTheStockPlugin) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(BASALT_TEST_DATA_DIR)) {
    if (entry.path().extension() != ".txt") continue;
    ++files;
    GoldenRunner runner;
    RunCaseFile(entry.path().string(), [&](const Case& one) { return runner.Run(one); });
  }
  EXPECT_GE(files, 5);
}

}  // namespace
}  // namespace basalt::test
