// SPDX-License-Identifier: GPL-2.0-only
#include "server/connections/changing_statement.h"

#include "server/server_headers.h"

namespace basalt::server {

bool ChangesByReading(int command) {
  switch (command) {
    case SQLCOM_UPDATE:
    case SQLCOM_UPDATE_MULTI:
    case SQLCOM_DELETE:
    case SQLCOM_DELETE_MULTI:
    case SQLCOM_INSERT_SELECT:
    case SQLCOM_REPLACE_SELECT:
    case SQLCOM_CREATE_TABLE:
      return true;
    default:
      return false;
  }
}

}  // namespace basalt::server
