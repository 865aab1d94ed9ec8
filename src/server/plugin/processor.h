// SPDX-License-Identifier: GPL-2.0-only
#pragma once

namespace basalt::server {

// The name of an instruction set that the library is compiled with (cmake/Options.cmake) and that
// this machine's processor lacks; null when it lacks none. Without it the library would end by a
// signal sooner or later. Includes none of the server's headers.
const char* MissingInstructions();

}  // namespace basalt::server
