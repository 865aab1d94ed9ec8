// SPDX-License-Identifier: GPL-2.0-only
// basalt_locks_bench CONTENDER SCENARIO DIRECTORY SECONDS: runs one scenario with one lock manager
// and prints one JSON object. One process a run, so that memory can be measured; `./dev bench
// locks` interleaves the runs and draws the table.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "lock_contenders.h"

namespace basalt::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLocksATransaction = 10;
constexpr uint64_t kKeys = 10'000'000;
constexpr uint64_t kManyLocks = 3'000'000;
constexpr int kHotThreads = 64;

// What a scenario reports. Fields that it does not measure stay 0.
struct Outcome {
  uint64_t operations = 0;
  uint64_t failures = 0;
  double seconds = 0;
  double cpu_seconds = 0;
  uint64_t memory_bytes = 0;   // growth of the resident set
  double release_seconds = 0;  // of all locks at once
  uint64_t least = 0;          // operations of the thread that got the fewest
};

double CpuSeconds() {
  rusage usage{};
  (void)getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

uint64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The key of a row with a BIGINT primary key: 4 bytes index number, 8 bytes value.
void SetKey(uint64_t row, std::string* key) {
  key->clear();
  AppendBigEndian32(key, 300);
  AppendBigEndian64(key, row);
}

// Calls work(session, random) again and again in each of `threads` threads for so long; it returns
// how many operations it did, or adds to failures.
template <typename Work>
Outcome RunThreads(LockContender* contender, int threads, double seconds, const Work& work) {
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> failures{0};
  std::vector<uint64_t> operations(static_cast<size_t>(threads));
  std::vector<std::thread> workers;
  const double cpu = CpuSeconds();
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&, i] {
      const auto session = contender->Connect();
      std::mt19937_64 random(static_cast<uint64_t>(i) + 1);
      uint64_t done = 0, failed = 0;
      while (!stop.load(std::memory_order_relaxed)) done += work(session.get(), &random, &failed);
      operations[static_cast<size_t>(i)] = done;
      failures += failed;
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  for (std::thread& worker : workers) worker.join();
  Outcome outcome;
  outcome.operations = std::accumulate(operations.begin(), operations.end(), uint64_t{0});
  outcome.least = *std::min_element(operations.begin(), operations.end());
  outcome.failures = failures;
  outcome.seconds = SecondsSince(start);
  outcome.cpu_seconds = CpuSeconds() - cpu;
  return outcome;
}

// Transactions of ten locks on rows that nobody else wants.
Outcome Points(LockContender* contender, int threads, double seconds) {
  return RunThreads(contender, threads, seconds,
                    [](LockSession* session, std::mt19937_64* random, uint64_t* failed) {
                      thread_local std::string key;
                      session->Begin();
                      for (int i = 0; i < kLocksATransaction; ++i) {
                        SetKey((*random)() % kKeys, &key);
                        *failed += session->LockRow(key) ? 0 : 1;
                      }
                      session->End();
                      return static_cast<uint64_t>(kLocksATransaction);
                    });
}

// Transactions of ten disjoint ranges of a hundred rows each.
Outcome Ranges(LockContender* contender, double seconds) {
  return RunThreads(contender, 1, seconds,
                    [](LockSession* session, std::mt19937_64* random, uint64_t* failed) {
                      thread_local std::string start, end;
                      session->Begin();
                      for (int i = 0; i < kLocksATransaction; ++i) {
                        const uint64_t row = (*random)() % kKeys;
                        SetKey(row, &start);
                        SetKey(row + 100, &end);
                        *failed += session->LockRange(start, end) ? 0 : 1;
                      }
                      session->End();
                      return static_cast<uint64_t>(kLocksATransaction);
                    });
}

// All want one row and let go of it at once: what it costs to hand it on.
Outcome HotRow(LockContender* contender, double seconds) {
  std::string key;
  SetKey(1, &key);
  return RunThreads(contender, kHotThreads, seconds,
                    [&key](LockSession* session, std::mt19937_64*, uint64_t* failed) {
                      session->Begin();
                      *failed += session->LockRow(key) ? 0 : 1;
                      session->End();
                      return uint64_t{1};
                    });
}

// One transaction with three million locks, in the order of the rows.
Outcome ManyLocks(LockContender* contender) {
  const auto session = contender->Connect();
  Outcome outcome;
  std::string key;
  session->Begin();
  const uint64_t memory = ResidentBytes();
  const double cpu = CpuSeconds();
  const Clock::time_point start = Clock::now();
  for (uint64_t row = 0; row < kManyLocks; ++row) {
    SetKey(row, &key);
    outcome.failures += session->LockRow(key) ? 0 : 1;
  }
  outcome.seconds = SecondsSince(start);
  outcome.cpu_seconds = CpuSeconds() - cpu;
  outcome.operations = kManyLocks;
  const uint64_t now = ResidentBytes();
  outcome.memory_bytes = now > memory ? now - memory : 0;
  const Clock::time_point release = Clock::now();
  session->End();
  outcome.release_seconds = SecondsSince(release);
  return outcome;
}

void Print(const Outcome& outcome) {
  (void)printf(
      "{\"operations\": %lu, \"failures\": %lu, \"seconds\": %.6f, \"cpu_seconds\": %.6f, "
      "\"memory_bytes\": %lu, \"release_seconds\": %.6f, \"least\": %lu}\n",
      outcome.operations, outcome.failures, outcome.seconds, outcome.cpu_seconds,
      outcome.memory_bytes, outcome.release_seconds, outcome.least);
}

int Run(const std::string& contender_name, const std::string& scenario,
        const std::string& directory, double seconds) {
  const auto contender = MakeContender(contender_name, directory);
  if (contender == nullptr) return 1;
  if (scenario == "point-1") {
    Print(Points(contender.get(), 1, seconds));
  } else if (scenario == "point-4") {
    Print(Points(contender.get(), 4, seconds));
  } else if (scenario == "range") {
    Print(Ranges(contender.get(), seconds));
  } else if (scenario == "hot-64") {
    Print(HotRow(contender.get(), seconds));
  } else if (scenario == "many") {
    Print(ManyLocks(contender.get()));
  } else {
    (void)fprintf(stderr, "no scenario '%s'\n", scenario.c_str());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace basalt::bench

int main(int argc, char** argv) {
  if (argc != 5) {
    (void)fprintf(stderr, "usage: %s CONTENDER SCENARIO DIRECTORY SECONDS\ncontenders:", argv[0]);
    for (const std::string& name : basalt::bench::ContenderNames()) {
      (void)fprintf(stderr, " %s", name.c_str());
    }
    (void)fprintf(stderr, "\nscenarios: point-1 point-4 range hot-64 many\n");
    return 2;
  }
  return basalt::bench::Run(argv[1], argv[2], argv[3], std::strtod(argv[4], nullptr));
}
