#include "Mutate.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

namespace tangram::fuzz {
namespace {

std::size_t below(std::mt19937_64 &random, std::size_t n) { return n ? random() % n : 0; }

/// From an opening bracket to its closing one.
std::optional<std::pair<std::size_t, std::size_t>> group(const std::string &text, std::size_t from) {
  static const std::string open = "([{", close = ")]}";
  std::size_t begin = text.find_first_of(open, from);
  if (begin == std::string::npos) begin = text.find_first_of(open);
  if (begin == std::string::npos) return std::nullopt;
  std::size_t depth = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    depth += open.find(text[at]) != std::string::npos;
    if (close.find(text[at]) != std::string::npos && --depth == 0) return std::pair{begin, at + 1};
  }
  return std::nullopt;
}

std::vector<std::string> lines(const std::string &text) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    result.push_back(text.substr(at, end - at));
    at = end;
  }
  return result;
}

/// A #pragma with the lines that it goes on in, behind `from` or else the first.
std::optional<std::pair<std::size_t, std::size_t>> directiveOf(const std::string &text, std::size_t from) {
  std::size_t begin = text.find("#pragma ", from);
  if (begin == std::string::npos) begin = text.find("#pragma ");
  if (begin == std::string::npos) return std::nullopt;
  std::size_t end = text.find('\n', begin);
  while (end != std::string::npos && text[end - 1] == '\\') end = text.find('\n', end + 1);
  return std::pair{begin, end == std::string::npos ? text.size() : end};
}

} // namespace

Mutator::Mutator(std::vector<std::string> seeds) : seeds_(std::move(seeds)), words_(words(seeds_)) {}

std::string Mutator::make(std::uint64_t number) const {
  std::seed_seq sequence{number, number >> 32, std::uint64_t(0x7461)};
  Random random(sequence);
  std::string text = seeds_[below(random, seeds_.size())];
  std::optional<std::pair<std::size_t, std::size_t>> directive;
  if (number % 2) directive = directiveOf(text, below(random, text.size() + 1));
  // What stands around directives would mostly be wrong before anybody looks at these.
  std::string part = directive ? text.substr(directive->first, directive->second - directive->first) : text;
  for (std::size_t changes = 1 + below(random, 5); changes--;) change(part, random);
  return directive ? text.replace(directive->first, directive->second - directive->first, part) : part;
}

std::vector<Mutator::Token> Mutator::tokens(const std::string &text) {
  auto is = [&](std::size_t at, auto &&f) { return f(static_cast<unsigned char>(text[at])); };
  auto wordly = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  std::vector<Token> result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    Token::Kind kind = Token::Kind::Other;
    if (is(at, [](unsigned char c) { return std::isspace(c); })) {
      kind = Token::Kind::Space;
      while (end < text.size() && is(end, [](unsigned char c) { return std::isspace(c); })) ++end;
    } else if (is(at, [](unsigned char c) { return std::isdigit(c); })) {
      kind = Token::Kind::Number;
      while (end < text.size() && is(end, [](unsigned char c) { return std::isalnum(c) || c == '.'; })) ++end;
    } else if (is(at, [](unsigned char c) { return std::isalpha(c) || c == '_'; })) {
      kind = Token::Kind::Word;
      while (end < text.size() && is(end, wordly)) ++end;
    }
    result.push_back({kind, at, end});
    at = end;
  }
  return result;
}

std::vector<std::string> Mutator::words(const std::vector<std::string> &seeds) {
  std::set<std::string> all;
  for (const std::string &seed : seeds)
    for (const Token &token : tokens(seed))
      if (token.kind != Token::Kind::Space) all.insert(seed.substr(token.begin, token.end - token.begin));
  return {all.begin(), all.end()};
}

void Mutator::change(std::string &text, Random &random) const {
  switch (below(random, 8)) {
  case 0: changeBytes(text, random); break;
  case 1: changeLine(text, random); break;
  case 2:
  case 3: changeGroup(text, random); break;
  default: changeToken(text, random); break;
  }
}

void Mutator::changeBytes(std::string &text, Random &random) const {
  std::size_t at = below(random, text.size() + 1), length = std::min(text.size() - at, 1 + below(random, 30));
  switch (below(random, 5)) {
  case 0: text.erase(at, length); break;
  case 1: text.insert(at, text.substr(at, length)); break;
  case 2: text.insert(at, 1, static_cast<char>(random())); break;
  case 3:
    if (at < text.size()) text[at] = static_cast<char>(random());
    break;
  case 4: text.resize(at); break; // cut short
  }
}

void Mutator::changeToken(std::string &text, Random &random) const {
  static const std::vector<std::string> numbers{"0",
                                                "1",
                                                "-1",
                                                "2",
                                                "7",
                                                "255",
                                                "2147483647",
                                                "2147483648",
                                                "4294967296",
                                                "9223372036854775807",
                                                "9223372036854775808",
                                                "18446744073709551615",
                                                "18446744073709551616",
                                                "99999999999999999999999",
                                                "1e999",
                                                "0.5"};
  std::vector<Token> all = tokens(text);
  std::erase_if(all, [](const Token &t) { return t.kind == Token::Kind::Space; });
  if (all.empty()) return;
  const Token &token = all[below(random, all.size())], &other = all[below(random, all.size())];
  std::size_t length = token.end - token.begin;
  std::string own = text.substr(token.begin, length);
  switch (below(random, 6)) {
  case 0: text.erase(token.begin, length); break;
  case 1: text.insert(token.begin, own + " "); break;
  case 2: text.replace(token.begin, length, text.substr(other.begin, other.end - other.begin)); break;
  case 3: text.insert(token.begin, words_[below(random, words_.size())] + " "); break;
  default:
    text.replace(token.begin, length,
                 token.kind == Token::Kind::Number ? numbers[below(random, numbers.size())]
                                                   : words_[below(random, words_.size())]);
    break;
  }
}

void Mutator::changeLine(std::string &text, Random &random) const {
  std::vector<std::string> all = lines(text);
  if (all.empty()) return;
  std::size_t at = below(random, all.size()), other = below(random, all.size());
  auto place = all.begin() + static_cast<std::ptrdiff_t>(at);
  switch (below(random, 5)) {
  case 0: all.erase(place); break;
  case 1: all.insert(place, all[other]); break;
  case 2: std::swap(all[at], all[other]); break;
  case 3: all[at].insert(0, "  "); break;
  case 4: {
    std::vector<std::string> foreign = lines(seeds_[below(random, seeds_.size())]);
    if (!foreign.empty()) all.insert(place, foreign[below(random, foreign.size())]);
    break;
  }
  }
  text.clear();
  for (const std::string &line : all) text += line;
}

void Mutator::changeGroup(std::string &text, Random &random) const {
  const std::string &seed = below(random, 2) ? text : seeds_[below(random, seeds_.size())];
  auto to = group(text, below(random, text.size() + 1)), from = group(seed, below(random, seed.size() + 1));
  if (!to || !from) return;
  std::string piece = seed.substr(from->first, from->second - from->first);
  switch (below(random, 4)) {
  case 0: text.erase(to->first, to->second - to->first); break;
  case 1: text.insert(to->first, piece); break;
  default: text.replace(to->first, to->second - to->first, piece); break;
  }
  if (text.size() > 200000) text.resize(200000); // pieces of pieces grow
}

} // namespace tangram::fuzz
