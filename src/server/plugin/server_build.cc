// SPDX-License-Identifier: GPL-2.0-only
#include "server/plugin/server_build.h"

namespace basalt::server {
namespace {

// Builds whose classes have more members than those of a release build.
constexpr std::string_view kOtherForms[] = {"-debug", "-asan", "-valgrind", "-embedded"};

// `text` without `part` at its end.
std::string_view WithoutEnd(std::string_view text, std::string_view part) {
  if (!text.ends_with(part)) return text;
  return text.substr(0, text.size() - part.size());
}

std::string_view WithoutLog(std::string_view version) { return WithoutEnd(version, "-log"); }

// What of kOtherForms a version names, in a bit each.
unsigned FormOf(std::string_view version) {
  unsigned form = 0;
  unsigned bit = 1;
  for (const std::string_view name : kOtherForms) {
    if (version.find(name) != std::string_view::npos) form |= bit;
    bit <<= 1;
  }
  return form;
}

// 101118 is 10.11.18.
std::string ReleaseOf(int number) {
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

std::string Quoted(std::string_view version) {
  return "'" + std::string(WithoutLog(version)) + "'";
}

}  // namespace

ServerMatch CompareBuilds(const ServerBuild& built_for, const ServerBuild& running) {
  if (built_for.number != running.number) return ServerMatch::kOther;
  if (FormOf(built_for.version) != FormOf(running.version)) return ServerMatch::kOther;
  const bool same = WithoutLog(built_for.version) == WithoutLog(running.version);
  return same ? ServerMatch::kSame : ServerMatch::kOtherBuilder;
}

std::string DescribeMismatch(const ServerBuild& built_for, const ServerBuild& running) {
  const std::string both = "this library was built for MariaDB " + Quoted(built_for.version) +
                           ", the server is " + Quoted(running.version);
  if (CompareBuilds(built_for, running) == ServerMatch::kOtherBuilder) {
    return both +
           ": the same release from another builder, a pair that nobody has tested; a Basalt built "
           "for this server is the safe choice (docs/operate/servers.md)";
  }
  std::string wanted = "MariaDB " + ReleaseOf(running.number);
  if (built_for.number == running.number) wanted = "MariaDB " + Quoted(running.version);
  return both +
         ". They share C++ classes and must be of one release: install the Basalt built for " +
         wanted + ", or the server " + Quoted(built_for.version) + " (docs/operate/servers.md)";
}

}  // namespace basalt::server
