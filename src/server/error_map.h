// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string_view>

#include "base/status.h"

namespace basalt::server {

// Handler errors of the engine's own, above the server's range. Their numbers are those that stock
// MyRocks gives for the same failures, because clients and scripts see them in error texts ("Got
// error 215 ... from ROCKSDB").
enum EngineError : int {
  kErrorFirst = 201,
  kErrorDataDirectory = 202,
  kErrorIndexDirectory = 203,
  kErrorCorruptData = 206,
  kErrorNotSupported = 212,
  kErrorInvalidArgument = 213,
  kErrorIo = 214,
  kErrorNoSpace = 215,
  kErrorReadOnly = 218,  // the store shut writing down
};

// The handler error for a status; 0 for Ok. kNotFound and kEndOfRange become what the executor
// expects of a read that found nothing, failed lock waits the errors with SQL codes 1205 and 1213.
// Errors about the store itself become codes for which the server asks the handler for the text.
int HandlerError(Code code);
inline int HandlerError(const Status& status) { return HandlerError(status.code()); }

// A short text for a code of ours that came without one; empty for codes of the server.
std::string_view DefaultErrorText(int error);

// Writes the status to the client as an error, for functions of the handlerton, whose result the
// server does not turn into a message by itself. Returns the handler error.
int ReportError(const Status& status, std::string_view doing);

}  // namespace basalt::server
