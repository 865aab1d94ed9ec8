// SPDX-License-Identifier: GPL-2.0-only
#include "server/error_map.h"

#include <string>

#include "server/server_headers.h"

namespace basalt::server {

static_assert(kErrorFirst == HA_ERR_LAST + 1, "the server has taken numbers of the engine");

int HandlerError(Code code) {
  switch (code) {
    case Code::kOk:
      return 0;
    case Code::kNotFound:
      return HA_ERR_KEY_NOT_FOUND;
    case Code::kEndOfRange:
      return HA_ERR_END_OF_FILE;
    case Code::kDuplicateKey:
      return HA_ERR_FOUND_DUPP_KEY;
    case Code::kNoReferencedRow:
      return HA_ERR_NO_REFERENCED_ROW;
    case Code::kRowIsReferenced:
      return HA_ERR_ROW_IS_REFERENCED;
    case Code::kLockTimeout:
    case Code::kLockBusy:  // NOWAIT: a wait of no time at all, the same error as in InnoDB
      return HA_ERR_LOCK_WAIT_TIMEOUT;
    case Code::kDeadlock:
    case Code::kSnapshotConflict:
      return HA_ERR_LOCK_DEADLOCK;
    case Code::kInterrupted:
      return HA_ERR_ABORTED_BY_USER;
    case Code::kCorruption:
      return kErrorCorruptData;
    case Code::kIoError:
      return kErrorIo;
    case Code::kNoSpace:
      return kErrorNoSpace;
    case Code::kReadOnly:
      return kErrorReadOnly;
    case Code::kNotSupported:
      return kErrorNotSupported;
    case Code::kInvalidArgument:
      return kErrorInvalidArgument;
    case Code::kOutOfMemory:
      return HA_ERR_OUT_OF_MEM;
    case Code::kInternal:
      return HA_ERR_INTERNAL_ERROR;
  }
  return HA_ERR_INTERNAL_ERROR;
}

std::string_view DefaultErrorText(int error) {
  switch (error) {
    case kErrorDataDirectory:
      return "Specifying DATA DIRECTORY for an individual table is not supported.";
    case kErrorIndexDirectory:
      return "Specifying INDEX DIRECTORY for an individual table is not supported.";
    case kErrorCorruptData:
      return "Found data corruption.";
    case kErrorNotSupported:
      return "not supported";
    case kErrorInvalidArgument:
      return "invalid argument";
    case kErrorIo:
      return "RocksDB status: io error.";
    case kErrorNoSpace:
      return "RocksDB status: no space.";
    case kErrorReadOnly:
      return "the store takes no writes after an earlier error; see the server's error log";
    case HA_ERR_INTERNAL_ERROR:
      return "internal error";
    default:
      return {};
  }
}

int ReportError(const Status& status, std::string_view doing) {
  if (status.ok()) return 0;
  const int error = HandlerError(status);
  switch (status.code()) {
    case Code::kLockTimeout:
    case Code::kLockBusy:
      my_error(ER_LOCK_WAIT_TIMEOUT, MYF(0));
      break;
    case Code::kDeadlock:
    case Code::kSnapshotConflict:
      my_error(ER_LOCK_DEADLOCK, MYF(0));
      break;
    case Code::kInterrupted:
      my_error(ER_QUERY_INTERRUPTED, MYF(0));
      break;
    default: {
      const std::string text = std::string(doing) + ": " + status.ToString();
      my_printf_error(ER_GET_ERRMSG, "Got error %d '%s' from ROCKSDB", MYF(0), error, text.c_str());
    }
  }
  return error;
}

}  // namespace basalt::server
