// SPDX-License-Identifier: GPL-2.0-only
#include "server/variables/variable_table.h"

namespace basalt::server {

namespace {

constexpr int kTextBytes = 512;  // what the server itself has at hand; longer texts are allocated

bool IsWord(const std::string& text, const char* word) {
  return my_strcasecmp(&my_charset_latin1, text.c_str(), word) == 0;
}

}  // namespace

const char* GivenText(THD* thd, st_mysql_value* value) {
  char buffer[kTextBytes];
  int length = sizeof(buffer);
  const char* text = value->val_str(value, buffer, &length);
  if (text == nullptr) return "";
  const char* copy = thd_strmake(thd, text, static_cast<size_t>(length));
  return copy == nullptr ? "" : copy;
}

bool GivenSwitch(st_mysql_value* value, bool* given) {
  long long number = 0;
  if (value->value_type(value) != MYSQL_VALUE_TYPE_STRING) {
    if (value->val_int(value, &number)) return false;
    *given = number != 0;
    return number == 0 || number == 1;
  }
  char buffer[16];
  int length = sizeof(buffer);
  const char* text = value->val_str(value, buffer, &length);
  if (text == nullptr) return false;
  const std::string word(text, static_cast<size_t>(length));
  *given = IsWord(word, "ON") || IsWord(word, "TRUE") || word == "1";
  return *given || IsWord(word, "OFF") || IsWord(word, "FALSE") || word == "0";
}

}  // namespace basalt::server
