// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <string_view>

namespace basalt::server {

// A build of the server: the number of its release, such as 101118, and its whole version, such as
// "10.11.18-MariaDB-0+deb12u1-log". The plugin shares C++ classes with the server, so both must
// have them in one form. Includes none of the server's headers, so that it can be tested alone.
struct ServerBuild {
  int number = 0;
  std::string_view version;
};

enum class ServerMatch {
  kSame,
  kOtherBuilder,  // the same release, packaged by somebody else: classes of one form, most likely
  kOther,         // another release, or one with classes of another form (debug, sanitizers)
};

// Compares the build that the plugin was compiled for with the one that it runs in. What a running
// server adds to its version for its logs ("-log") makes no difference.
ServerMatch CompareBuilds(const ServerBuild& built_for, const ServerBuild& running);

// A sentence for the error log that says what does not fit and what to install; for kOtherBuilder
// what to know. Not for kSame.
std::string DescribeMismatch(const ServerBuild& built_for, const ServerBuild& running);

}  // namespace basalt::server
