// SPDX-License-Identifier: GPL-2.0-only
#include "base/status.h"

namespace basalt {

Status::Status(Code code, std::string_view message)
    : code_(code), message_(message.empty() ? nullptr : std::make_unique<std::string>(message)) {}

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kOk:
      return "ok";
    case Code::kNotFound:
      return "not found";
    case Code::kEndOfRange:
      return "end of range";
    case Code::kDuplicateKey:
      return "duplicate key";
    case Code::kNoReferencedRow:
      return "no referenced row";
    case Code::kRowIsReferenced:
      return "row is referenced";
    case Code::kLockTimeout:
      return "lock wait timeout";
    case Code::kLockBusy:
      return "lock busy";
    case Code::kDeadlock:
      return "deadlock";
    case Code::kSnapshotConflict:
      return "snapshot conflict";
    case Code::kInterrupted:
      return "interrupted";
    case Code::kCorruption:
      return "corruption";
    case Code::kIoError:
      return "input/output error";
    case Code::kNoSpace:
      return "no space";
    case Code::kReadOnly:
      return "read only";
    case Code::kNotSupported:
      return "not supported";
    case Code::kInvalidArgument:
      return "invalid argument";
    case Code::kOutOfMemory:
      return "out of memory";
    case Code::kInternal:
      return "internal error";
  }
  return "unknown";
}

std::string Status::ToString() const {
  std::string text(CodeName(code_));
  if (!message().empty()) text.append(": ").append(message());
  return text;
}

}  // namespace basalt
