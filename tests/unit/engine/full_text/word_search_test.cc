// SPDX-License-Identifier: GPL-2.0-only
//
// Searches over postings against a scan of the rows. The scan knows nothing of indexes: it cuts the
// rows' texts into words and asks the query of each row.
#include "engine/full_text/word_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "engine/full_text/query_expansion.h"
#include "engine/full_text/query_parser.h"
#include "unit/engine/full_text/memory_postings.h"

namespace basalt::engine {
namespace {

using test::MemoryPostings;
using test::TestLanguage;
using Row = MemoryPostings::Row;
using Hits = std::map<std::string, float>;

constexpr SearchMemory kMemory = {1 << 20, 1 << 20};

class Search {
 public:
  explicit Search(const TestLanguage* language, MemoryPostings* postings)
      : query_words_(language->parser(), language->rules(), language->collation()),
        parser_(language->characters(), &query_words_),
        all_words_(language->NewWords(codec::DocumentWords::Which::kAll)),
        index_words_(language->NewWords(codec::DocumentWords::Which::kOfIndex)),
        postings_(postings) {}

  void SetMemory(const SearchMemory& memory) { memory_ = memory; }
  void SetFormula(RankFormula formula) { formula_ = formula; }

  Hits Boolean(const std::string& query) {
    QueryNode root;
    EXPECT_TRUE(parser_.ParseBoolean(query, &root).ok()) << query;
    return Run(root);
  }
  Hits Natural(const std::string& query) {
    QueryNode root;
    EXPECT_TRUE(parser_.ParseNatural(query, &root).ok()) << query;
    return Run(root);
  }
  Hits Expanded(const std::string& query, size_t rows) {
    QueryNode root;
    EXPECT_TRUE(parser_.ParseNatural(query, &root).ok()) << query;
    WordSearch first(postings_, &all_words_, memory_);
    QueryExpansion expansion(postings_, &index_words_, rows);
    EXPECT_TRUE(expansion.Expand(&first, &root).ok());
    return Run(root);
  }
  // The rank of one row, found or not, while Next has got somewhere.
  float RankOf(const std::string& query, const std::string& document) {
    QueryNode root;
    EXPECT_TRUE(parser_.ParseBoolean(query, &root).ok()) << query;
    WordSearch search(postings_, &all_words_, memory_, formula_);
    EXPECT_TRUE(search.Begin(&root).ok());
    bool matches = false;
    float rank = 0;
    EXPECT_TRUE(search.RankOf(document, &matches, &rank).ok());
    return rank;
  }
  Status Failure(const std::string& query) {
    QueryNode root;
    EXPECT_TRUE(parser_.ParseBoolean(query, &root).ok()) << query;
    WordSearch search(postings_, &all_words_, memory_, formula_);
    BASALT_RETURN_IF_ERROR(search.Begin(&root));
    SearchHit hit;
    Status status;
    while (status.ok()) status = search.Next(&hit);
    return status;
  }

 private:
  // Hits come in the order of their documents, each once; a row's rank is the same by both ways.
  Hits Run(const QueryNode& root) {
    WordSearch search(postings_, &all_words_, memory_, formula_);
    EXPECT_TRUE(search.Begin(&root).ok());
    Hits hits;
    SearchHit hit;
    Status status = search.Next(&hit);
    for (; status.ok(); status = search.Next(&hit)) {
      EXPECT_TRUE(hits.empty() || hits.rbegin()->first < hit.document);
      hits[hit.document] = hit.rank;
      bool matches = false;
      float rank = 0;
      EXPECT_TRUE(search.RankOf(hits.begin()->first, &matches, &rank).ok());
      EXPECT_TRUE(matches);
      EXPECT_EQ(rank, hits.begin()->second);
    }
    EXPECT_EQ(status.code(), Code::kEndOfRange);
    return hits;
  }

  QueryWords query_words_;
  QueryParser parser_;
  codec::DocumentWords all_words_;
  codec::DocumentWords index_words_;
  MemoryPostings* postings_;
  SearchMemory memory_ = kMemory;
  RankFormula formula_ = RankFormula::kInnoDb;
};

// --- The scan ---

// Words are as they are written here: small letters, single spaces between them.
using Texts = std::vector<std::vector<std::string>>;  // words of each column
using Table = std::map<std::string, Texts>;

bool IndexHas(const std::string& word) {
  return word.size() >= 3 && word.size() <= 10 && word != "the" && word != "and" && word != "for";
}

// A query of which the text is made, and that is asked of rows.
struct Asked {
  enum Kind { kWord, kBeginning, kPhrase, kNear, kList };
  Kind kind = kWord;
  char op = ' ';
  std::vector<std::string> words;
  size_t distance = 0;
  std::vector<Asked> parts;

  std::string Text() const {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    if (kind == kBeginning) text += "*";
    if (kind == kPhrase || kind == kNear) text = "\"" + text + "\"";
    if (kind == kNear) text += "@" + std::to_string(distance);
    if (kind == kList) {
      text = "(";
      for (const Asked& part : parts) text += part.Text() + " ";
      text += ")";
    }
    return op == ' ' ? text : op + text;
  }
};

// How a term is called: a word, or a beginning with its star.
using Terms = std::vector<std::string>;

size_t CountIn(const Texts& texts, const std::string& term) {
  const bool is_beginning = term.back() == '*';
  const std::string letters = is_beginning ? term.substr(0, term.size() - 1) : term;
  size_t count = 0;
  for (const std::vector<std::string>& column : texts) {
    count += static_cast<size_t>(
        std::count_if(column.begin(), column.end(), [&](const std::string& word) {
          if (!IndexHas(word)) return false;
          return is_beginning ? word.substr(0, letters.size()) == letters : word == letters;
        }));
  }
  return count;
}

bool HasPhrase(const std::vector<std::string>& column, const std::vector<std::string>& words) {
  return std::search(column.begin(), column.end(), words.begin(), words.end()) != column.end();
}

bool HasNear(const std::vector<std::string>& column, const std::vector<std::string>& words,
             size_t distance) {
  for (size_t begin = 0; begin < column.size(); ++begin) {
    const size_t end = std::min(column.size(), begin + distance);
    const std::set<std::string> window(column.begin() + begin, column.begin() + end);
    if (std::all_of(words.begin(), words.end(),
                    [&](const std::string& word) { return window.contains(word); })) {
      return true;
    }
  }
  return false;
}

bool Matches(const Asked& asked, const Texts& texts, Terms* terms, float* change);

bool ListMatches(const Asked& list, const Texts& texts, Terms* terms, float* change) {
  bool any = false;
  bool has_must = false;
  Terms inside;
  float sum = 0;
  for (const Asked& part : list.parts) {
    has_must = has_must || part.op == '+';
    float part_change = 0;
    Terms part_terms;
    const bool matches = Matches(part, texts, &part_terms, &part_change);
    if (matches && part.op == '-') return false;
    if (!matches && part.op == '+') return false;
    if (!matches) continue;
    any = any || part.op == ' ' || part.op == '<' || part.op == '>';
    sum += part_change;
    if (part.op == '>') sum += 1;
    if (part.op == '<' || part.op == '~') sum -= 1;
    sum = std::min(1.0F, std::max(-1.0F, sum));
    inside.insert(inside.end(), part_terms.begin(), part_terms.end());
  }
  if (!any && !has_must) return false;
  terms->insert(terms->end(), inside.begin(), inside.end());
  *change = sum;
  return true;
}

bool Matches(const Asked& asked, const Texts& texts, Terms* terms, float* change) {
  if (asked.kind == Asked::kList) return ListMatches(asked, texts, terms, change);
  if (asked.kind == Asked::kWord || asked.kind == Asked::kBeginning) {
    const std::string term = asked.words[0] + (asked.kind == Asked::kBeginning ? "*" : "");
    if (CountIn(texts, term) == 0) return false;
    terms->push_back(term);
    return true;
  }
  // A phrase of which the index has no word is never found.
  if (std::none_of(asked.words.begin(), asked.words.end(), IndexHas)) return false;
  const bool found =
      std::any_of(texts.begin(), texts.end(), [&](const std::vector<std::string>& column) {
        return asked.kind == Asked::kPhrase ? HasPhrase(column, asked.words)
                                            : HasNear(column, asked.words, asked.distance);
      });
  if (!found) return false;
  std::copy_if(asked.words.begin(), asked.words.end(), std::back_inserter(*terms), IndexHas);
  return true;
}

// Terms in the order of the query, for sums in single precision.
void NameTerms(const Asked& asked, Terms* order) {
  for (const std::string& word : asked.words) {
    order->push_back(word + (asked.kind == Asked::kBeginning ? "*" : ""));
  }
  for (const Asked& part : asked.parts) NameTerms(part, order);
}

float RankByScan(const Table& table, const Asked& asked, const Texts& texts, const Terms& terms,
                 float change) {
  Terms order;
  NameTerms(asked, &order);
  std::set<std::string> seen;
  float rank = change;
  for (const std::string& term : order) {
    if (std::find(terms.begin(), terms.end(), term) == terms.end()) continue;
    if (!seen.insert(term).second) continue;
    double documents = 0;
    for (const auto& [document, row] : table) documents += CountIn(row, term) > 0 ? 1 : 0;
    const auto rows = static_cast<double>(table.size());
    const double rarity = std::log10(rows == documents ? 1.0001 : rows / documents);
    const double weight = static_cast<double>(CountIn(texts, term)) * rarity;
    rank += static_cast<float>(weight * rarity);
  }
  return rank == 0 ? std::numeric_limits<float>::min() : rank;
}

Hits Scan(const Table& table, const Asked& asked) {
  Hits hits;
  for (const auto& [document, texts] : table) {
    Terms terms;
    float change = 0;
    if (!Matches(asked, texts, &terms, &change)) continue;
    hits[document] = RankByScan(table, asked, texts, terms, change);
  }
  return hits;
}

// --- Made-up rows and queries ---

// Words that begin alike, short ones, stop words, a long one; the first ones are frequent.
const char* const kWords[] = {
    "apple", "the", "app", "of",   "pear", "applet", "plum",  "and",  "peach",        "pearls",
    "kiwi",  "a",   "fig", "figs", "lime", "for",    "limes", "date", "pomegranates", "melon"};

std::string RandomWord(std::mt19937* random) {
  const size_t n = std::size(kWords);
  return kWords[std::min((*random)() % n, (*random)() % n)];
}

Table RandomTable(std::mt19937* random) {
  Table table;
  const size_t rows = 1 + (*random)() % 40;
  for (size_t row = 0; row < rows; ++row) {
    Texts texts(1 + (*random)() % 2);
    for (std::vector<std::string>& column : texts) {
      for (size_t i = 0, n = (*random)() % 12; i < n; ++i) column.push_back(RandomWord(random));
    }
    // Documents of different lengths, one the beginning of another.
    table[std::string(1 + (*random)() % 3, 'd') + std::to_string((*random)() % 60)] = texts;
  }
  return table;
}

Asked RandomQuery(std::mt19937* random, int depth) {
  Asked list;
  list.kind = Asked::kList;
  for (size_t i = 0, n = 1 + (*random)() % 4; i < n; ++i) {
    Asked part;
    const size_t kind = (*random)() % 10;
    if (kind < 5) part.kind = Asked::kWord;
    if (kind == 5) part.kind = Asked::kBeginning;
    if (kind == 6) part.kind = Asked::kPhrase;
    if (kind == 7) part.kind = Asked::kNear;
    if (kind >= 8) part.kind = depth < 3 ? Asked::kList : Asked::kWord;
    if (part.kind == Asked::kList) part = RandomQuery(random, depth + 1);
    size_t words = part.kind == Asked::kPhrase || part.kind == Asked::kNear ? 2 : 1;
    if (words == 2 && (*random)() % 3 == 0) words = 3;
    for (size_t w = 0; part.kind != Asked::kList && w < words; ++w) {
      std::string word = RandomWord(random);
      if (part.kind == Asked::kBeginning) word = word.substr(0, 1 + (*random)() % 4);
      part.words.push_back(word);
    }
    part.distance = 2 + (*random)() % 4;
    part.op = "   ++-~<>"[(*random)() % 9];
    list.parts.push_back(part);
  }
  return list;
}

std::string TextOf(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void Fill(const Table& table, MemoryPostings* postings) {
  for (const auto& [document, texts] : table) {
    Row row;
    for (const std::vector<std::string>& column : texts) row.emplace_back(TextOf(column));
    postings->Add(document, row);
  }
}

std::string Show(const Hits& hits) {
  std::ostringstream shown;
  for (const auto& [document, rank] : hits) shown << document << "=" << rank << " ";
  return shown.str();
}

TEST(WordSearch, FindsWhatAScanFinds) {
  const TestLanguage language;
  std::mt19937 random(11);
  size_t found = 0;
  size_t nothing = 0;
  for (int round = 0; round < 60; ++round) {
    const Table table = RandomTable(&random);
    MemoryPostings postings(&language);
    Fill(table, &postings);
    Search search(&language, &postings);
    // All postings are kept, none, or those of some words.
    search.SetMemory({1 << 20, round % 3 == 0 ? size_t{1 << 20} : random() % 400});
    for (int query = 0; query < 30; ++query) {
      const Asked asked = RandomQuery(&random, 0);
      const std::string text = asked.Text();
      const Hits expected = Scan(table, asked);
      // The outermost list needs no brackets; with them it is a list in a list.
      ASSERT_EQ(Show(search.Boolean(text)), Show(expected)) << text;
      ASSERT_EQ(Show(search.Boolean(text.substr(1, text.size() - 2))), Show(expected)) << text;
      for (const auto& [document, texts] : table) {
        const auto hit = expected.find(document);
        ASSERT_EQ(search.RankOf(text, document), hit == expected.end() ? 0 : hit->second) << text;
      }
      found += expected.size();
      nothing += expected.empty() ? 1 : 0;
    }
  }
  EXPECT_GT(found, 3000u);
  EXPECT_GT(nothing, 100u);
}

class WordSearchTest : public testing::Test {
 protected:
  WordSearchTest() : postings_(&language_), search_(&language_, &postings_) {}

  // Names of what is found, best first.
  static std::string Best(const Hits& hits) {
    std::vector<std::pair<float, std::string>> order;
    for (const auto& [document, rank] : hits) order.emplace_back(-rank, document);
    std::sort(order.begin(), order.end());
    std::string names;
    for (const auto& [rank, document] : order) names += document;
    return names;
  }

  TestLanguage language_;
  MemoryPostings postings_;
  Search search_;
};

TEST_F(WordSearchTest, NaturalQueriesFindAnyOfTheWords) {
  postings_.Add("a", {"red apples"});
  postings_.Add("b", {"green apples, green pears"});
  postings_.Add("c", {std::nullopt});
  postings_.Add("d", {"the green of the"});
  EXPECT_EQ(Best(search_.Natural("the Green apples")), "bad");
  EXPECT_EQ(Best(search_.Natural("\"green apples\"")), "b");
  EXPECT_EQ(Best(search_.Natural("the of")), "");
  EXPECT_EQ(Best(search_.Natural("")), "");
}

// The example of InnoDB's documentation: eight rows, the word in three of them, and its figures.
TEST_F(WordSearchTest, RanksAreInnoDbs) {
  postings_.Add("1", {"MySQL Tutorial", "This database tutorial is first"});
  postings_.Add("2", {"How To Use MySQL", "After you went through a tutorial"});
  postings_.Add("3", {"Optimizing Your Database", "In this database tutorial"});
  postings_.Add("4", {"MySQL vs. YourSQL", "When comparing databases"});
  postings_.Add("5", {"MySQL Security", "When configured properly, MySQL"});
  postings_.Add("6", {"Database, Database, Database", "database database database"});
  postings_.Add("7", {"1001 MySQL Tricks", "Never run mysqld as root"});
  postings_.Add("8", {"MySQL Full-Text Indexes", "MySQL fulltext indexes use words"});
  const Hits hits = search_.Natural("database");
  EXPECT_EQ(hits.size(), 3u);
  EXPECT_FLOAT_EQ(hits.at("6"), 1.0886961221694946F);
  EXPECT_FLOAT_EQ(hits.at("3"), 0.36289870738983154F);
  EXPECT_FLOAT_EQ(hits.at("1"), 0.1814493536949157F);
}

// By hand: 4 rows with 1 + 3 + 2 + 6 words, 3 on the average; two rows have the word. Its rarity is
// ln(1 + 2.5 / 2.5) = 0.693147.
TEST_F(WordSearchTest, BestMatchesAreShortAndSaturate) {
  search_.SetFormula(RankFormula::kBm25);
  postings_.Add("a", {"apple"});
  postings_.Add("b", {"pear plum", "fig"});
  postings_.Add("c", {"pear of", "plum"});
  postings_.Add("d", {"apple apple apple", "pear pear plum"});
  const Hits hits = search_.Natural("apple");
  EXPECT_EQ(hits.size(), 2u);
  // 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 1 / 3)) = 1.375
  EXPECT_FLOAT_EQ(hits.at("a"), 0.6931472F * 1.375F);
  // 3 * 2.2 / (3 + 1.2 * (0.25 + 0.75 * 6 / 3)) = 1.294118
  EXPECT_FLOAT_EQ(hits.at("d"), 0.6931472F * 1.2941176F);
  EXPECT_EQ(search_.RankOf("+apple", "d"), hits.at("d"));
}

TEST_F(WordSearchTest, ABestMatchAlwaysHasSomeRank) {
  search_.SetFormula(RankFormula::kBm25);
  for (const char* document : {"a", "b", "c"}) postings_.Add(document, {"apple"});
  for (const auto& [document, rank] : search_.Natural("apple")) EXPECT_GT(rank, 0.0F) << document;
}

TEST_F(WordSearchTest, AWordOfEachRowHasSomeRank) {
  postings_.Add("a", {"apple"});
  postings_.Add("b", {"apple apple"});
  const Hits hits = search_.Natural("apple");
  EXPECT_GT(hits.at("a"), 0.0F);
  EXPECT_FLOAT_EQ(hits.at("b"), 2 * hits.at("a"));
}

// For SQL a rank of 0 is that of a row that does not match.
TEST_F(WordSearchTest, ARowThatMatchesNeverHasNoRank) {
  postings_.Add("a", {"apple"});
  for (const char* document : {"b", "c", "d", "e", "f", "g", "h", "i", "j"}) {
    postings_.Add(document, {"pear"});
  }
  EXPECT_EQ(search_.Boolean("apple").at("a"), 1.0F);
  EXPECT_GT(search_.Boolean("<apple").at("a"), 0.0F);
  EXPECT_LT(search_.Boolean("<apple").at("a"), 1e-30F);
}

TEST_F(WordSearchTest, WordsThatTheIndexLeavesOutAreReadInRows) {
  postings_.Add("a", {"state of the art"});
  postings_.Add("b", {"state and the art"});
  postings_.Add("c", {"state art of the"});
  EXPECT_EQ(Best(search_.Boolean("\"state of the art\"")), "a");
  EXPECT_EQ(postings_.rows_read(), 3u + 1) << "the found row once more for its rank";
  EXPECT_EQ(Best(search_.Boolean("\"the art\"")), "ab");
  EXPECT_EQ(Best(search_.Boolean("\"of the\"")), "");
  EXPECT_EQ(Best(search_.Boolean("+the +art")), "");
  EXPECT_EQ(Best(search_.Boolean("-the +art")), "abc");
}

TEST_F(WordSearchTest, ARareWordSparesTheFrequentOnesPostings) {
  for (int row = 1000; row < 3000; ++row) {
    postings_.Add(std::to_string(row), {row % 1000 == 0 ? "rare frequent" : "frequent"});
  }
  search_.SetMemory({.of_each_beginning = 0, .of_words = 0});
  const size_t before = postings_.steps();
  EXPECT_EQ(search_.Boolean("+frequent +rare").size(), 2u);
  // Counting walks both; the search itself makes a few steps.
  EXPECT_LT(postings_.steps() - before, 2002u + 40u);
}

TEST_F(WordSearchTest, PostingsAreReadOnceWhileTheMemoryLasts) {
  for (int row = 1000; row < 2000; ++row) postings_.Add(std::to_string(row), {"apple pear"});
  // To the first one, through all of them to behind the last.
  constexpr size_t kOnce = 1001;
  EXPECT_EQ(search_.Boolean("apple").size(), 1000u);
  EXPECT_EQ(postings_.steps(), kOnce);
  EXPECT_EQ(search_.Boolean("+apple +pear").size(), 1000u);
  EXPECT_EQ(postings_.steps(), 3 * kOnce);
  // A document of 4 bytes, a position of 1, and where they are: 21 bytes a posting. The second word
  // finds no room.
  search_.SetMemory({.of_each_beginning = 0, .of_words = 30000});
  const size_t before = postings_.steps();
  EXPECT_EQ(search_.Failure("+apple +pear").code(), Code::kEndOfRange);
  EXPECT_EQ(postings_.steps() - before, 3 * kOnce - 1) << "behind the last apple nobody asks";
}

TEST_F(WordSearchTest, ExpansionAddsTheWordsOfTheBestRows) {
  postings_.Add("a", {"database design"});
  postings_.Add("b", {"database"});
  postings_.Add("c", {"design of houses"});
  postings_.Add("d", {"houses for sale"});
  EXPECT_EQ(Best(search_.Natural("database")), "ab");
  EXPECT_EQ(Best(search_.Expanded("database", 20)), "abc");
  EXPECT_EQ(Best(search_.Expanded("database", 0)), "ab");
  EXPECT_EQ(Best(search_.Expanded("nothing", 20)), "");
}

TEST_F(WordSearchTest, BeginningsHaveALimit) {
  for (int row = 0; row < 1000; ++row) postings_.Add(std::to_string(row), {"apple applet"});
  search_.SetMemory({.of_each_beginning = 1000, .of_words = 0});
  EXPECT_EQ(search_.Failure("app*").code(), Code::kOutOfMemory);
  search_.SetMemory({.of_each_beginning = 1000000, .of_words = 0});
  EXPECT_EQ(search_.Failure("app*").code(), Code::kEndOfRange);
}

TEST_F(WordSearchTest, MalformedPostingsAreCorruption) {
  postings_.Add("a", {"apple pear"});
  postings_.Damage(codec::WordImages(language_.collation()).Of("apple"));
  for (const char* query : {"apple", "app*", "\"apple pear\"", "\"pear apple\"@4"}) {
    EXPECT_EQ(search_.Failure(query).code(), Code::kCorruption) << query;
  }
  EXPECT_EQ(search_.Failure("pear").code(), Code::kEndOfRange);
}

}  // namespace
}  // namespace basalt::engine
