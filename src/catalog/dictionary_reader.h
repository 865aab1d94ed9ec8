// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/status.h"
#include "catalog/dictionary_records.h"
#include "store/store.h"

// Committed records of the dictionary, read from an open store. Functions without state, for any
// thread. The loader, which reads all records, has its own way.

namespace basalt::catalog {

// The value of one record; kNotFound when there is none.
Status ReadRecord(store::Store* store, Bytes key, std::string* value);

// Calls `visit` with key and value of each record of a type, in the order of their keys. The bytes
// are gone after the call. Ends at the first error of `visit` and returns it. `purpose` goes into
// the message of an error of the store's.
Status ReadRecords(store::Store* store, RecordType type, std::string_view purpose,
                   const std::function<Status(Bytes key, Bytes value)>& visit);

}  // namespace basalt::catalog
