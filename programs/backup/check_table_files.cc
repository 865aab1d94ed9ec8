// SPDX-License-Identifier: GPL-2.0-only
//
// basalt-check-table-files: reads every block of RocksDB's table files and compares it with its
// checksum. Paths come from the standard input, one a line; for each a line goes to the standard
// output, as soon as it is known: "ok", or what is wrong. The status is 0 when all were good.

#include <iostream>
#include <string>

#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/status.h>

namespace {

// The order of the keys and the kind of filter do not matter: no key is looked up.
rocksdb::Status CheckFile(const std::string& path) {
  rocksdb::SstFileReader reader{rocksdb::Options()};
  rocksdb::Status status = reader.Open(path);
  if (status.ok()) status = reader.VerifyChecksum();
  return status;
}

std::string OneLine(std::string text) {
  for (char& letter : text) {
    if (letter == '\n') letter = ' ';
  }
  return text;
}

}  // namespace

int main() {
  bool good = true;
  for (std::string path; std::getline(std::cin, path);) {
    const rocksdb::Status status = CheckFile(path);
    good = good && status.ok();
    std::cout << (status.ok() ? "ok" : OneLine(status.ToString())) << std::endl;
  }
  return good ? 0 : 1;
}
