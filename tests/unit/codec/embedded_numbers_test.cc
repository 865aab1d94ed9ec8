// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "unit/codec/fake_collation.h"
#include "unit/codec/round_trip.h"
#include "unit/codec/test_table.h"

// The server's own fields compare the values. Its headers define macros and come last.
// clang-format off
#include <my_global.h>
#include <field.h>
#include <my_decimal.h>
#include <my_time.h>
// clang-format on
#undef min
#undef max

// Properties of everything that is not a string: keys order as the server's fields do, values come
// back, and NULL sorts first. Values are images as a record holds them.

namespace basalt::test {
namespace {

constexpr LEX_CSTRING kName = {"a", 1};
constexpr unsigned kNumberLength = 20;

using Random = std::mt19937_64;

// A type with its values and their order.
struct Type {
  std::string column;  // as TestTable takes it
  std::function<std::string(Random*)> value;
  std::function<int(const std::string&, const std::string&)> compare;
};

const uchar* Image(const std::string& value) {
  return reinterpret_cast<const uchar*>(value.data());
}

std::string LittleEndian(uint64_t number, size_t bytes) {
  std::string image;
  for (size_t i = 0; i < bytes; ++i) image.push_back(static_cast<char>(number >> 8 * i));
  return image;
}

// All ones, all zeros, one bit, few bits, any bits.
uint64_t RandomBits(Random* random) {
  switch ((*random)() % 6) {
    case 0:
      return 0;
    case 1:
      return ~uint64_t{0};
    case 2:
      return uint64_t{1} << (*random)() % 64;
    case 3:
      return (*random)() % 5;
    case 4:
      return ~((*random)() % 5);
    default:
      return (*random)();
  }
}

// A server's field, which has no storage of its own here: only its order is asked for. Never freed
// by the server's rules, so it lies in an object of ours.
template <typename Field>
class Order {
 public:
  template <typename... Arguments>
  explicit Order(Arguments&&... arguments)
      : field_(std::make_shared<Holder>(std::forward<Arguments>(arguments)...)) {}
  int operator()(const std::string& a, const std::string& b) const {
    return field_->field.cmp(Image(a), Image(b));
  }

 private:
  struct Holder {
    template <typename... Arguments>
    explicit Holder(Arguments&&... arguments) : field(std::forward<Arguments>(arguments)...) {}
    Field field;
  };
  std::shared_ptr<Holder> field_;
};

template <typename Field>
Type Integer(const std::string& name, size_t bytes, bool is_unsigned) {
  return {name + (is_unsigned ? " unsigned" : ""),
          [bytes](Random* random) { return LittleEndian(RandomBits(random), bytes); },
          Order<Field>(nullptr, kNumberLength, nullptr, uchar{0}, ::Field::NONE, &kName, false,
                       is_unsigned)};
}

// Denormal numbers, both zeros, the largest and the smallest; neither NaN nor infinity, which no
// column can hold: the server stores the largest finite number instead.
template <typename Number>
std::string RandomFloat(Random* random) {
  static constexpr Number kCorners[] = {Number(0),
                                        Number(-0.0),
                                        Number(1),
                                        Number(-1),
                                        std::numeric_limits<Number>::max(),
                                        std::numeric_limits<Number>::lowest(),
                                        std::numeric_limits<Number>::min(),
                                        -std::numeric_limits<Number>::min(),
                                        std::numeric_limits<Number>::denorm_min(),
                                        -std::numeric_limits<Number>::denorm_min(),
                                        std::numeric_limits<Number>::epsilon()};
  Number number = kCorners[(*random)() % std::size(kCorners)];
  if ((*random)() % 2 == 0) {
    const uint64_t bits = RandomBits(random);
    std::memcpy(&number, &bits, sizeof(number));
    if (!std::isfinite(number)) number = Number(0.5);
  }
  return std::string(reinterpret_cast<const char*>(&number), sizeof(number));
}

template <typename Field, typename Number>
Type Float(const std::string& name) {
  return {name, RandomFloat<Number>,
          Order<Field>(nullptr, kNumberLength, nullptr, uchar{0}, ::Field::NONE, &kName,
                       decimal_digits_t{NOT_FIXED_DEC}, false, false)};
}

std::string RandomDecimal(unsigned precision, unsigned scale, Random* random) {
  std::string text = (*random)() % 2 == 0 ? "-" : "";
  const unsigned whole = (*random)() % (precision - scale + 1);
  const unsigned fraction = (*random)() % (scale + 1);
  const bool nines = (*random)() % 4 == 0;
  for (unsigned i = 0; i < whole; ++i)
    text += nines ? '9' : static_cast<char>('0' + (*random)() % 10);
  text += whole == 0 ? "0." : ".";
  for (unsigned i = 0; i < fraction; ++i) text += static_cast<char>('0' + (*random)() % 10);
  my_decimal number;
  char* end = text.data() + text.size();
  EXPECT_EQ(internal_str2dec(text.data(), &number, &end, false), E_DEC_OK) << text;
  std::string image(my_decimal_get_binary_size(precision, scale), '\0');
  EXPECT_EQ(decimal2bin(&number, reinterpret_cast<uchar*>(image.data()), precision, scale),
            E_DEC_OK)
      << text;
  return image;
}

Type Decimal(unsigned precision, unsigned scale) {
  const auto read = [=](const std::string& image, my_decimal* number) {
    ASSERT_EQ(bin2decimal(Image(image), number, precision, scale), E_DEC_OK);
  };
  return {"decimal(" + std::to_string(my_decimal_get_binary_size(precision, scale)) + ")",
          [=](Random* random) { return RandomDecimal(precision, scale, random); },
          [=](const std::string& a, const std::string& b) {
            my_decimal first;
            my_decimal second;
            read(a, &first);
            read(b, &second);
            return decimal_cmp(&first, &second);
          }};
}

MYSQL_TIME RandomTime(unsigned digits, Random* random) {
  MYSQL_TIME time = {};
  time.hour = (*random)() % 24;
  time.minute = (*random)() % 60;
  time.second = (*random)() % 60;
  uint64_t unit = 1;
  for (unsigned i = digits; i < 6; ++i) unit *= 10;
  time.second_part = (*random)() % 3 == 0 ? 0 : (*random)() % 1000000 / unit * unit;
  return time;
}

std::string RandomTimeOfDay(unsigned digits, Random* random) {
  MYSQL_TIME time = RandomTime(digits, random);
  time.time_type = MYSQL_TIMESTAMP_TIME;
  time.neg = (*random)() % 2 == 0;
  time.hour = (*random)() % 3 == 0 ? 0 : (*random)() % 839;
  std::string image(my_time_binary_length(digits), '\0');
  my_time_packed_to_binary(TIME_to_longlong_time_packed(&time),
                           reinterpret_cast<uchar*>(image.data()), digits);
  return image;
}

std::string RandomDatetime(unsigned digits, Random* random) {
  MYSQL_TIME time = RandomTime(digits, random);
  time.time_type = MYSQL_TIMESTAMP_DATETIME;
  time.year = (*random)() % 4 == 0 ? 0 : (*random)() % 10000;
  time.month = (*random)() % 13;
  time.day = (*random)() % 32;
  std::string image(my_datetime_binary_length(digits), '\0');
  my_datetime_packed_to_binary(TIME_to_longlong_datetime_packed(&time),
                               reinterpret_cast<uchar*>(image.data()), digits);
  return image;
}

std::string RandomTimestamp(unsigned digits, Random* random) {
  const MYSQL_TIME part = RandomTime(digits, random);
  timeval moment = {};
  moment.tv_sec = static_cast<time_t>(RandomBits(random) & 0x7FFFFFFF);
  moment.tv_usec = static_cast<suseconds_t>(part.second_part);
  std::string image(my_timestamp_binary_length(digits), '\0');
  my_timestamp_to_binary(&moment, reinterpret_cast<uchar*>(image.data()), digits);
  return image;
}

int CompareNumbers(longlong a, longlong b) { return a < b ? -1 : a > b ? 1 : 0; }

// The numbers that the server computes with, read back by the server.
void AddTemporal(std::vector<Type>* types) {
  const auto name = [](unsigned bytes) { return "temporal(" + std::to_string(bytes) + ")"; };
  for (unsigned digits = 0; digits <= 6; ++digits) {
    types->push_back({name(my_time_binary_length(digits)),
                      [=](Random* random) { return RandomTimeOfDay(digits, random); },
                      [=](const std::string& a, const std::string& b) {
                        return CompareNumbers(my_time_packed_from_binary(Image(a), digits),
                                              my_time_packed_from_binary(Image(b), digits));
                      }});
    types->push_back({name(my_datetime_binary_length(digits)),
                      [=](Random* random) { return RandomDatetime(digits, random); },
                      [=](const std::string& a, const std::string& b) {
                        return CompareNumbers(my_datetime_packed_from_binary(Image(a), digits),
                                              my_datetime_packed_from_binary(Image(b), digits));
                      }});
    types->push_back({name(my_timestamp_binary_length(digits)),
                      [=](Random* random) { return RandomTimestamp(digits, random); },
                      [=](const std::string& a, const std::string& b) {
                        timeval first;
                        timeval second;
                        my_timestamp_from_binary(&first, Image(a), digits);
                        my_timestamp_from_binary(&second, Image(b), digits);
                        return CompareNumbers(first.tv_sec * 1000000 + first.tv_usec,
                                              second.tv_sec * 1000000 + second.tv_usec);
                      }});
  }
}

std::string RandomDate(Random* random) {
  const uint64_t date = ((*random)() % 10000) << 9 | ((*random)() % 13) << 5 | (*random)() % 32;
  return LittleEndian(date, 3);
}

// HHMMSS, as old TIME columns hold it, and YYYYMMDDHHMMSS.
std::string RandomOldTime(Random* random) {
  const int64_t time = static_cast<int64_t>((*random)() % 8385960);
  return LittleEndian(static_cast<uint64_t>((*random)() % 2 == 0 ? -time : time), 3);
}

std::string RandomOldDatetime(Random* random) {
  return LittleEndian((*random)() % 99991231235959, 8);
}

void AddDates(std::vector<Type>* types) {
  types->push_back(
      {"date", RandomDate, Order<Field_newdate>(nullptr, nullptr, uchar{0}, Field::NONE, &kName)});
  types->push_back({"year", [](Random* random) { return LittleEndian((*random)(), 1); },
                    Order<Field_year>(nullptr, 4u, nullptr, uchar{0}, Field::NONE, &kName)});
  types->push_back({"oldtime", RandomOldTime,
                    Order<Field_time0>(nullptr, 10u, nullptr, uchar{0}, Field::NONE, &kName)});
  types->push_back({"olddatetime", RandomOldDatetime,
                    Order<Field_datetime0>(nullptr, 19u, nullptr, uchar{0}, Field::NONE, &kName)});
  types->push_back({"oldtimestamp",
                    [](Random* random) { return LittleEndian(RandomBits(random) & 0x7FFFFFFF, 4); },
                    Order<Field_timestamp0>(nullptr, 19u, nullptr, uchar{0}, Field::NONE, &kName,
                                            static_cast<TABLE_SHARE*>(nullptr))});
}

// BIT(n) is a big-endian number of as many bytes as n bits need.
Type Bits(unsigned bits) {
  const unsigned bytes = (bits + 7) / 8;
  const auto number = [](const std::string& image) {
    uint64_t value = 0;
    for (const char byte : image) value = value << 8 | static_cast<uint8_t>(byte);
    return value;
  };
  return {"bit(" + std::to_string(bytes) + ")",
          [=](Random* random) {
            const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
            std::string image = LittleEndian(RandomBits(random) & mask, bytes);
            return std::string(image.rbegin(), image.rend());
          },
          [=](const std::string& a, const std::string& b) {
            return number(a) < number(b) ? -1 : number(a) > number(b) ? 1 : 0;
          }};
}

Type Choice(const std::string& name, unsigned bytes) {
  static TYPELIB names = {};
  const DTCollation collation(&my_charset_latin1);
  return {name + "(" + std::to_string(bytes) + ")",
          [=](Random* random) { return LittleEndian(RandomBits(random), bytes); },
          Order<Field_enum>(nullptr, 10u, nullptr, uchar{0}, Field::NONE, &kName,
                            static_cast<uint>(bytes), &names, collation)};
}

std::vector<Type> AllTypes() {
  std::vector<Type> types;
  for (const bool is_unsigned : {false, true}) {
    types.push_back(Integer<Field_tiny>("tinyint", 1, is_unsigned));
    types.push_back(Integer<Field_short>("smallint", 2, is_unsigned));
    types.push_back(Integer<Field_medium>("mediumint", 3, is_unsigned));
    types.push_back(Integer<Field_long>("int", 4, is_unsigned));
    types.push_back(Integer<Field_longlong>("bigint", 8, is_unsigned));
  }
  types.push_back(Float<Field_float, float>("float"));
  types.push_back(Float<Field_double, double>("double"));
  for (unsigned precision = 1; precision <= DECIMAL_MAX_PRECISION; ++precision) {
    for (const unsigned scale : {0u, precision / 2, std::min(precision, 38u)}) {
      if (scale <= DECIMAL_MAX_SCALE) types.push_back(Decimal(precision, scale));
    }
  }
  AddTemporal(&types);
  AddDates(&types);
  for (unsigned bits = 1; bits <= 64; ++bits) types.push_back(Bits(bits));
  for (const unsigned bytes : {1u, 2u}) types.push_back(Choice("enum", bytes));
  for (const unsigned bytes : {1u, 2u, 3u, 4u, 8u}) types.push_back(Choice("set", bytes));
  return types;
}

int Sign(int order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

// Does the value come back as it was? Zero loses its sign in a key.
bool IsNegativeZero(const Type& type, const std::string& value) {
  if (type.column != "float" && type.column != "double") return false;
  return static_cast<uint8_t>(value.back()) == 0x80 &&
         value.find_first_not_of('\0') == value.size() - 1;
}

void ExpectOrder(const Type& type, const std::vector<std::string>& values,
                 const std::vector<std::string>& keys) {
  for (size_t a = 0; a < values.size(); ++a) {
    for (size_t b = 0; b < values.size(); ++b) {
      ASSERT_EQ(Sign(keys[a].compare(keys[b])), Sign(type.compare(values[a], values[b])))
          << Hex(values[a]) << " " << Hex(values[b]);
    }
  }
}

// Each type alone: in a secondary key that can be NULL, and in the primary key.
TEST(ServerNumbers, KeysOrderAsFieldsDoAndValuesComeBack) {
  Random random(1);
  for (const Type& type : AllTypes()) {
    SCOPED_TRACE(type.column);
    TestTable secondary(
        {"column pk int", "column a " + type.column + " null", "primary 0100 pk", "index 0101 a"},
        FakeCollationByName);
    TestTable primary({"column a " + type.column, "primary 0100 a"}, FakeCollationByName);
    std::vector<uint8_t> record(secondary.descriptor().record_length);
    secondary.SetNull(&record, 1);
    const std::string null_key = EncodeRow(secondary, record.data(), 0, 0)[1].key;
    std::vector<std::string> values;
    std::vector<std::string> secondary_keys;
    std::vector<std::string> primary_keys;
    for (int i = 0; i < 60; ++i) {
      values.push_back(type.value(&random));
      std::vector<uint8_t> row(secondary.descriptor().record_length);
      secondary.SetColumn(&row, 1, values.back());
      const auto entries = EncodeRow(secondary, row.data(), 0, 0);
      secondary_keys.push_back(entries[1].key);
      EXPECT_LT(null_key, secondary_keys.back());
      std::vector<uint8_t> alone(primary.descriptor().record_length);
      primary.SetColumn(&alone, 0, values.back());
      const auto entry = EncodeRow(primary, alone.data(), 0, 0);
      primary_keys.push_back(entry[0].key);
      if (IsNegativeZero(type, values.back())) continue;
      ExpectRoundTrip(secondary, row, entries);
      ExpectRoundTrip(primary, alone, entry);
    }
    ExpectOrder(type, values, secondary_keys);
    ExpectOrder(type, values, primary_keys);
    if (testing::Test::HasFailure()) return;
  }
}

// Two types in one key: the first decides, then the second.
TEST(ServerNumbers, PartsOfAKeyDecideInTheirOrder) {
  Random random(2);
  const std::vector<Type> types = AllTypes();
  for (int table = 0; table < 150; ++table) {
    const Type& first = types[random() % types.size()];
    const Type& second = types[random() % types.size()];
    SCOPED_TRACE(first.column + ", " + second.column);
    TestTable pair({"column a " + first.column, "column b " + second.column, "primary 0100 b a",
                    "index 0101 a b"},
                   FakeCollationByName);
    std::vector<std::pair<std::string, std::string>> rows;
    std::vector<std::string> keys;
    const std::string often = first.value(&random);
    for (int i = 0; i < 25; ++i) {
      rows.emplace_back(i % 2 == 0 ? often : first.value(&random), second.value(&random));
      std::vector<uint8_t> record(pair.descriptor().record_length);
      pair.SetColumn(&record, 0, rows.back().first);
      pair.SetColumn(&record, 1, rows.back().second);
      keys.push_back(EncodeRow(pair, record.data(), 0, 0)[1].key);
    }
    for (size_t a = 0; a < rows.size(); ++a) {
      for (size_t b = 0; b < rows.size(); ++b) {
        int expected = Sign(first.compare(rows[a].first, rows[b].first));
        if (expected == 0) expected = Sign(second.compare(rows[a].second, rows[b].second));
        ASSERT_EQ(Sign(keys[a].compare(keys[b])), expected);
      }
    }
  }
}

}  // namespace
}  // namespace basalt::test
