// SPDX-License-Identifier: GPL-2.0-only
#include "engine/full_text/query_parser.h"

#include <charconv>
#include <utility>

namespace basalt::engine {

namespace {

using Operator = QueryNode::Operator;

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

Operator OperatorOf(char c) {
  switch (c) {
    case '+':
      return Operator::kMust;
    case '-':
      return Operator::kMustNot;
    case '~':
      return Operator::kNegate;
    case '<':
      return Operator::kLess;
    case '>':
      return Operator::kMore;
    default:
      return Operator::kNone;
  }
}

}  // namespace

Status QueryParser::ParseBoolean(Bytes query, QueryNode* root) {
  natural_ = false;
  Begin(query);
  return ParseList(0, root);
}

Status QueryParser::ParseNatural(Bytes query, QueryNode* root) {
  natural_ = true;
  Begin(query);
  return ParseList(0, root);
}

void QueryParser::Begin(Bytes query) {
  rest_ = query;
  TakeSign();
}

// In a natural query all but quotes belongs to runs.
void QueryParser::TakeSign() {
  while (!rest_.empty() && (IsBlank(rest_.front()) || (rest_.front() == '%' && !natural_))) {
    rest_.remove_prefix(1);
  }
  text_ = rest_.substr(0, 1);
  if (rest_.empty()) {
    sign_ = Sign::kEnd;
    return;
  }
  size_t bytes;
  if (IsOfRun(rest_, &bytes)) {
    TakeRun();
    return;
  }
  const char c = rest_.front();
  rest_.remove_prefix(1);
  if (c == '"') {
    TakePhrase();
  } else if (c == '(') {
    sign_ = Sign::kOpen;
  } else if (c == ')') {
    sign_ = Sign::kClose;
  } else if (c == '*') {
    sign_ = Sign::kStar;
  } else {
    sign_ = c == '@' ? Sign::kAt : Sign::kOperator;
  }
}

void QueryParser::TakePhrase() {
  Bytes behind = rest_;
  while (!behind.empty() && behind.front() != '"') {
    bool unused;
    behind.remove_prefix(characters_->Read(behind, &unused));
  }
  if (behind.empty()) {
    TakeSign();
    return;
  }
  sign_ = Sign::kPhrase;
  text_ = rest_.substr(0, rest_.size() - behind.size());
  rest_ = behind.substr(1);
}

void QueryParser::TakeRun() {
  const Bytes begin = rest_;
  size_t bytes;
  while (!rest_.empty() && IsOfRun(rest_, &bytes)) rest_.remove_prefix(bytes);
  sign_ = Sign::kRun;
  text_ = begin.substr(0, begin.size() - rest_.size());
}

// Characters are read whole: in some character sets their later bytes look like signs.
bool QueryParser::IsOfRun(Bytes rest, size_t* bytes) const {
  bool unused;
  *bytes = characters_->Read(rest, &unused);
  if (*bytes > 1) return true;
  const char c = rest.front();
  if (c == '"') return false;
  if (natural_) return true;
  return !IsBlank(c) && Bytes("*()+-<>~@%").find(c) == Bytes::npos;
}

Status QueryParser::ParseList(size_t depth, QueryNode* list) {
  list->kind = QueryNode::Kind::kList;
  while (sign_ != Sign::kEnd && sign_ != Sign::kClose) {
    BASALT_RETURN_IF_ERROR(ParseItem(depth, list));
  }
  const bool is_closed = sign_ == Sign::kClose;
  if (is_closed != (depth > 0)) return SyntaxError();
  return Status::Ok();
}

Status QueryParser::ParseItem(size_t depth, QueryNode* list) {
  Operator op = Operator::kNone;
  if (sign_ == Sign::kOperator) {
    op = OperatorOf(text_.front());
    TakeSign();
  }
  if (sign_ == Sign::kOpen) return ParseSubList(depth, op, list);
  if (sign_ == Sign::kPhrase) return ParsePhrase(op, list);
  while (sign_ == Sign::kStar) TakeSign();
  return sign_ == Sign::kRun ? ParseRun(op, list) : SyntaxError();
}

Status QueryParser::ParseSubList(size_t depth, Operator op, QueryNode* list) {
  if (depth + 1 == kDeepest) {
    return Status(Code::kInvalidArgument, "the full-text query has too many lists in each other");
  }
  TakeSign();
  QueryNode sub;
  BASALT_RETURN_IF_ERROR(ParseList(depth + 1, &sub));
  TakeSign();
  if (!sub.children.empty()) AddNode(std::move(sub), op, list);
  return Status::Ok();
}

Status QueryParser::ParsePhrase(Operator op, QueryNode* list) {
  QueryNode phrase;
  phrase.kind = QueryNode::Kind::kPhrase;
  BASALT_RETURN_IF_ERROR(words_->Find(text_, &phrase.words));
  TakeSign();
  if (sign_ == Sign::kAt) BASALT_RETURN_IF_ERROR(ParseDistance(&phrase.distance));
  if (phrase.words.size() == 1) {
    AddWords(std::move(phrase.words), op, list);
  } else if (!phrase.words.empty()) {
    AddNode(std::move(phrase), op, list);
  }
  return Status::Ok();
}

Status QueryParser::ParseDistance(uint32_t* distance) {
  TakeSign();
  if (sign_ != Sign::kRun) return SyntaxError();
  const char* end = text_.data() + text_.size();
  const std::from_chars_result result = std::from_chars(text_.data(), end, *distance);
  if (result.ec != std::errc() || result.ptr != end) return SyntaxError();
  TakeSign();
  return Status::Ok();
}

Status QueryParser::ParseRun(Operator op, QueryNode* list) {
  const Bytes run = text_;
  TakeSign();
  std::vector<QueryWord> words;
  std::vector<QueryNode> beginning;
  if (sign_ == Sign::kStar) {
    TakeSign();
    BASALT_RETURN_IF_ERROR(words_->FindWithBeginning(run, &words, &beginning));
  } else {
    BASALT_RETURN_IF_ERROR(words_->Find(run, &words));
  }
  AddWords(std::move(words), op, list);
  for (QueryNode& node : beginning) AddNode(std::move(node), op, list);
  return Status::Ok();
}

// Of a run with several words, those behind the first count only when the index has them: "it's"
// asks for "it" and not for "s". In a natural query no word must be there, so none is missed.
void QueryParser::AddWords(std::vector<QueryWord> words, Operator op, QueryNode* list) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0 && !words[i].in_index) continue;
    QueryNode node;
    node.kind = QueryNode::Kind::kWord;
    node.words.push_back(std::move(words[i]));
    AddNode(std::move(node), op, list);
  }
}

void QueryParser::AddNode(QueryNode node, Operator op, QueryNode* list) {
  node.op = op;
  list->children.push_back(std::move(node));
}

Status QueryParser::SyntaxError() const {
  constexpr size_t kShown = 40;
  std::string text = "syntax error in the full-text query";
  if (sign_ == Sign::kEnd) {
    text += " at its end";
  } else {
    const Bytes here(text_.data(), static_cast<size_t>(rest_.data() + rest_.size() - text_.data()));
    text.append(" near '").append(here.substr(0, kShown)).append("'");
  }
  return Status(Code::kInvalidArgument, text);
}

}  // namespace basalt::engine
