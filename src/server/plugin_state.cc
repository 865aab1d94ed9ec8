// SPDX-License-Identifier: GPL-2.0-only
#include "server/plugin_state.h"

#include "server/checkpoint_notifier.h"

namespace basalt::server {

PluginState& State() {
  static PluginState state;
  return state;
}

}  // namespace basalt::server
