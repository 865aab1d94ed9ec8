// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace basalt {

// What went wrong, in the terms the layers above must act on. The list is short on purpose: a new
// code is worth its place only when some caller does something different because of it.
enum class Code : uint8_t {
  kOk = 0,
  kNotFound,          // the key, table or index does not exist
  kEndOfRange,        // a scan has no further entry
  kDuplicateKey,      // a unique index already holds the value
  kNoReferencedRow,   // a foreign key: the parent has no such row
  kRowIsReferenced,   // a foreign key: rows of a child refer to the row
  kLockTimeout,       // another transaction kept a row lock for the whole wait time
  kLockBusy,          // NOWAIT was asked for and the lock is taken
  kDeadlock,          // this transaction was chosen to break a cycle of lock waits
  kSnapshotConflict,  // the row changed after this transaction's snapshot was taken
  kInterrupted,       // the client killed the query or the connection
  kCorruption,        // bytes on disk contradict the format or a checksum
  kIoError,           // the operating system failed a read, write or sync
  kNoSpace,           // the disk or the quota is full
  kReadOnly,          // the store has stopped taking writes after an earlier error
  kNotSupported,      // a feature Basalt does not have
  kInvalidArgument,   // the request contradicts the schema or the options
  kOutOfMemory,
  kInternal,  // a promise inside Basalt was broken; the message says which
};

// The result of an operation that can fail. An Ok status is two words and allocates nothing; a
// failed one owns its message. Move-only, so that an error is handled once.
//
// Thread-safety: like a plain value, one thread at a time.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Status&&) = default;
  Status& operator=(Status&&) = default;

  // A failure that is told by its code alone, such as a key that is not there.
  explicit Status(Code code) : code_(code) {}
  // A failure. The message is for the person who reads it: it names the object and, where one
  // exists, what to do next. Cold, so that the compiler keeps the making of messages away from the
  // code beside it.
  [[gnu::cold]] Status(Code code, std::string_view message);

  static Status Ok() { return {}; }

  bool ok() const { return code_ == Code::kOk; }
  explicit operator bool() const = delete;  // "if (status)" reads as its opposite too easily
  Code code() const { return code_; }

  // Empty when the status is Ok or carries no text.
  std::string_view message() const { return message_ ? *message_ : std::string_view(); }

  // A copy, for the places that must both report and return an error.
  Status Clone() const { return Status(code_, message()); }

  // "code: message" for logs.
  std::string ToString() const;

 private:
  Code code_ = Code::kOk;
  std::unique_ptr<std::string> message_;
};

// The name of a code in words, for logs and tests.
std::string_view CodeName(Code code);

}  // namespace basalt

// Returns from the calling function when EXPRESSION gives a status that is not Ok.
#define BASALT_RETURN_IF_ERROR(expression)          \
  do {                                              \
    ::basalt::Status basalt_status_ = (expression); \
    if (!basalt_status_.ok()) [[unlikely]]          \
      return basalt_status_;                        \
  } while (0)
