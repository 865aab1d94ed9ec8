// SPDX-License-Identifier: GPL-2.0-only
//
// Texts of full-text queries and their trees. A tree is shown as its query would be written: words
// in capital letters, those that no index has in brackets.
#include "engine/full_text/query_parser.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/engine/full_text/memory_postings.h"

namespace basalt::engine {
namespace {

std::string Show(const QueryNode& node) {
  constexpr const char* kOperators[] = {"", "+", "-", "~", "<", ">"};
  std::string words;
  for (const QueryWord& word : node.words) {
    const std::string letters = word.image.substr(0, word.image.size() - 2);
    words += (words.empty() ? "" : " ") + (word.in_index ? letters : "[" + letters + "]");
  }
  std::string children;
  for (const QueryNode& child : node.children) {
    children += (children.empty() ? "" : " ") + Show(child);
  }
  const std::string op = kOperators[static_cast<size_t>(node.op)];
  switch (node.kind) {
    case QueryNode::Kind::kWord:
      return op + words;
    case QueryNode::Kind::kBeginning:
      return op + node.beginning->range() + "*";
    case QueryNode::Kind::kPhrase:
      return op + "\"" + words + "\"" +
             (node.distance == 0 ? "" : "@" + std::to_string(node.distance));
    case QueryNode::Kind::kList:
      break;
  }
  return op + "(" + children + ")";
}

class QueryParserTest : public testing::Test {
 protected:
  QueryParserTest()
      : words_(language_.parser(), language_.rules(), language_.collation()),
        parser_(language_.characters(), &words_) {}

  std::string Boolean(const std::string& query) {
    QueryNode root;
    const Status status = parser_.ParseBoolean(query, &root);
    return status.ok() ? Show(root) : std::string(status.message());
  }
  std::string Natural(const std::string& query) {
    QueryNode root;
    const Status status = parser_.ParseNatural(query, &root);
    return status.ok() ? Show(root) : std::string(status.message());
  }

  test::TestLanguage language_;
  QueryWords words_;
  QueryParser parser_;
};

TEST_F(QueryParserTest, WordsHaveOperators) {
  EXPECT_EQ(Boolean("one +two -three ~four <five >six"), "(ONE +TWO -THREE ~FOUR <FIVE >SIX)");
  EXPECT_EQ(Boolean(" + one\t-\ntwo "), "(+ONE -TWO)");
  EXPECT_EQ(Boolean(""), "()");
  EXPECT_EQ(Boolean("... !"), "()");
  EXPECT_EQ(Boolean("one,+two"), "(ONE +TWO)");
  EXPECT_EQ(Boolean("one%two"), "(ONE TWO)");
}

TEST_F(QueryParserTest, RunsOfSeveralWordsShareTheOperator) {
  EXPECT_EQ(Boolean("+foo.bar"), "(+FOO +BAR)");
  EXPECT_EQ(Boolean("+foo's"), "(+FOO)");
  EXPECT_EQ(Boolean("+a.foo"), "(+[A] +FOO)");
  EXPECT_EQ(Boolean("+foo.ba*"), "(+FOO +BA*)");
}

TEST_F(QueryParserTest, WordsThatNoIndexHasStay) {
  EXPECT_EQ(Boolean("+the one"), "(+[THE] ONE)");
  EXPECT_EQ(Boolean("+abcdefghijk"), "(+[ABCDEFGHIJK])");
}

TEST_F(QueryParserTest, BeginningsOfWords) {
  EXPECT_EQ(Boolean("foo* +ba *"), "(FOO* +BA*)");
  EXPECT_EQ(Boolean("**foo +*bar"), "(FOO +BAR)");
  EXPECT_EQ(Boolean("*foo*"), "(FOO*)");
  EXPECT_EQ(Boolean("...*"), "()");
}

TEST_F(QueryParserTest, Phrases) {
  EXPECT_EQ(Boolean("+\"one the, two!\" three"), "(+\"ONE [THE] TWO\" THREE)");
  EXPECT_EQ(Boolean("\"one two\" @ 8"), "(\"ONE TWO\"@8)");
  EXPECT_EQ(Boolean("\"one two\"@0"), "(\"ONE TWO\")");
  EXPECT_EQ(Boolean("-\"one\" \"...\""), "(-ONE)");
  EXPECT_EQ(Boolean("\"one +two*\""), "(\"ONE TWO\")");
  EXPECT_EQ(Boolean("one\"two three\"four"), "(ONE \"TWO THREE\" FOUR)");
  EXPECT_EQ(Boolean("one \"two three"), "(ONE TWO THREE)") << "a quote without its counterpart";
}

TEST_F(QueryParserTest, Lists) {
  EXPECT_EQ(Boolean("+one +(>two <three)"), "(+ONE +(>TWO <THREE))");
  EXPECT_EQ(Boolean("((one)(two -(three)))"), "(((ONE) (TWO -(THREE))))");
  EXPECT_EQ(Boolean("+() one"), "(ONE)");
}

TEST_F(QueryParserTest, SyntaxErrorsSayWhere) {
  const std::string error = "syntax error in the full-text query ";
  EXPECT_EQ(Boolean("one +"), error + "at its end");
  EXPECT_EQ(Boolean("+-one"), error + "near '-one'");
  EXPECT_EQ(Boolean("one ++two"), error + "near '+two'");
  EXPECT_EQ(Boolean("(one"), error + "at its end");
  EXPECT_EQ(Boolean("one) two"), error + "near ') two'");
  EXPECT_EQ(Boolean("one @2"), error + "near '@2'");
  EXPECT_EQ(Boolean("\"one two\" @x"), error + "near 'x'");
  EXPECT_EQ(Boolean("\"one two\" @99999999999"), error + "near '99999999999'");
  EXPECT_EQ(Boolean("\"one two\" @"), error + "at its end");
  EXPECT_EQ(Boolean("one**"), error + "at its end");
  EXPECT_EQ(Boolean("+)"), error + "near ')'");
}

TEST_F(QueryParserTest, TreesAreNotTooDeep) {
  const std::string deep = std::string(31, '(') + "one" + std::string(31, ')');
  EXPECT_EQ(Boolean(deep).substr(0, 3), "(((");
  EXPECT_EQ(Boolean("(" + deep + ")"), "the full-text query has too many lists in each other");
  EXPECT_EQ(Boolean(std::string(1000000, '(')),
            "the full-text query has too many lists in each other");
}

TEST_F(QueryParserTest, NaturalQueriesAreWordsAndPhrases) {
  EXPECT_EQ(Natural("+one -two (three) four* @5 the"), "(ONE TWO THREE FOUR)");
  EXPECT_EQ(Natural("one \"two three\" four"), "(ONE \"TWO THREE\" FOUR)");
  EXPECT_EQ(Natural(""), "()");
}

}  // namespace
}  // namespace basalt::engine
