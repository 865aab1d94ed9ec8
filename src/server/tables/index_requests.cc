// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/index_requests.h"

#include <string>

#include "codec/key_codec.h"
#include "server/tables/index_words.h"
#include "server/tables/storage_preset.h"

namespace basalt::server {

Status RequestIndexes(engine::Database* database, const codec::TableDescriptor& descriptor,
                      const TABLE& form, uint64_t life_seconds, store::StoragePreset preset,
                      std::vector<catalog::IndexRequest>* requests) {
  for (size_t i = 0; i < descriptor.indexes.size(); ++i) {
    catalog::IndexRequest request;
    request.kind = static_cast<catalog::IndexKind>(descriptor.indexes[i].kind);
    request.key_value_format_version = descriptor.indexes[i].kv_format_version;
    if (life_seconds != 0) request.flags = catalog::kIndexHasTtl;
    request.ttl_seconds = life_seconds;
    if (request.kind != catalog::IndexKind::kHiddenPrimary) {
      BASALT_RETURN_IF_ERROR(
          PlaceIndex(*database->store(), form.key_info[i], descriptor.name, preset, &request));
    } else {
      UsePreset(preset, &request);
    }
    if (IsFullText(descriptor.indexes[i])) {
      BASALT_RETURN_IF_ERROR(
          MakeWordRules(current_thd, database, form.key_info[i], &request.word_rules));
    }
    requests->push_back(std::move(request));
  }
  return Status::Ok();
}

// References to rows hold a primary key and its length in two bytes.
Status CheckKeys(const codec::TableDescriptor& descriptor) {
  for (size_t i = 0; i < descriptor.indexes.size(); ++i) {
    std::unique_ptr<codec::KeyCodec> codec;
    BASALT_RETURN_IF_ERROR(codec::KeyCodec::Compile(descriptor, i, &codec));
    if (i == descriptor.primary && codec->max_key_bytes() > UINT16_MAX) {
      return Status(Code::kNotSupported, "a primary key whose weights can have more than " +
                                             std::to_string(UINT16_MAX) + " bytes");
    }
  }
  return Status::Ok();
}

}  // namespace basalt::server
