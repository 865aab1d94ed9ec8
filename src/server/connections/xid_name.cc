// SPDX-License-Identifier: GPL-2.0-only
#include "server/connections/xid_name.h"

namespace basalt::server {

namespace {
constexpr size_t kHeaderBytes = 10;
}

std::string NameOfXid(const XID& xid) {
  std::string name;
  AppendBigEndian64(&name, static_cast<uint64_t>(static_cast<int64_t>(xid.formatID)));
  name.push_back(static_cast<char>(xid.gtrid_length));
  name.push_back(static_cast<char>(xid.bqual_length));
  name.append(xid.data, xid.gtrid_length + xid.bqual_length);
  return name;
}

bool XidOfName(Bytes name, XID* xid) {
  if (name.size() < kHeaderBytes) return false;
  const size_t global = static_cast<uint8_t>(name[8]);
  const size_t branch = static_cast<uint8_t>(name[9]);
  if (global > MAXGTRIDSIZE || branch > MAXBQUALSIZE) return false;
  if (name.size() != kHeaderBytes + global + branch) return false;
  xid->set(static_cast<long>(static_cast<int64_t>(LoadBigEndian64(name.data()))),
           name.data() + kHeaderBytes, static_cast<long>(global),
           name.data() + kHeaderBytes + global, static_cast<long>(branch));
  return true;
}

}  // namespace basalt::server
