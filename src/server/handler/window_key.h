// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "codec/key_codec.h"
#include "codec/window_search.h"
#include "server/server_headers.h"

namespace basalt::server {

// Is it a search of a SPATIAL index?
bool IsWindowSearch(enum ha_rkey_function find);

// Begins a search of the SPATIAL index of `codec`. `key` is the server's image of the window: four
// little-endian doubles, the least and the greatest x, then of y (Field_geom::get_key_image).
void BeginWindow(const codec::KeyCodec& codec, const uchar* key, enum ha_rkey_function find,
                 codec::WindowSearch* search);

}  // namespace basalt::server
