#include "OtherPrecision.h"

#include "tangram/ast/Builtins.h"
#include "tangram/ast/Text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

namespace tangram::mutation {
namespace {

std::string functionInOther(const std::string &name, bool toDouble) {
  if (!ast::isMathFunction(name)) return name;
  if (toDouble) {
    const std::string without = name.substr(0, name.size() - 1);
    return name.ends_with('f') && ast::isMathFunction(without) ? without : name;
  }
  return ast::isMathFunction(name + "f") ? name + "f" : name;
}

/// Calls `word` and `quoted` with what stands in a textual AST, and puts their answers there.
template <class W, class Q> std::string rewritten(const std::string &text, W word, Q quoted) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] == '"') {
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      result += '"' + quoted(text.substr(at + 1, end - at - 1)) + '"';
      at = std::min(end + 1, text.size());
      continue;
    }
    auto inWord = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    if (inWord(text[at]))
      while (end < text.size() && inWord(text[end])) ++end;
    result += word(text.substr(at, end - at));
    at = end;
  }
  return result;
}

} // namespace

bool hasSingle(const ast::Module &module) {
  bool has = false;
  rewritten(
      ast::print(&module),
      [&](const std::string &word) {
        has |= word == "f32";
        return word;
      },
      [](const std::string &name) { return name; });
  return has;
}

const ast::Module *inOtherPrecision(const ast::Module &module, bool toDouble, ast::Arena &arena) {
  const std::string from = toDouble ? "f32" : "f64", to = toDouble ? "f64" : "f32";
  const std::string text = rewritten(
      ast::print(&module), [&](const std::string &word) { return word == from ? to : word; },
      [&](const std::string &name) { return functionInOther(name, toDouble); });
  return ast::dyn<ast::Module>(ast::parse(text, arena, "the other precision"));
}

double distance(const std::vector<runtime::Value> &got, const std::vector<runtime::Expected> &expected) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  double result = 0;
  for (std::size_t p = 0; p < got.size() && p < expected.size(); ++p)
    for (std::size_t f = 0; f < got[p].type().fields.size(); ++f) {
      const runtime::Value mine = got[p].field(f), theirs = expected[p].values().field(f);
      double off = 0, largest = 0;
      for (std::uint64_t i = 0; i < mine.count(); ++i) {
        if (!mine.isFloating()) {
          if (mine.integer(i) != theirs.integer(i)) return infinite;
          continue;
        }
        const double a = mine.real(i), b = theirs.real(i);
        if (a == b || (std::isnan(a) && std::isnan(b))) continue;
        if (!std::isfinite(a) || !std::isfinite(b)) return infinite;
        off = std::max(off, std::abs(a - b));
      }
      for (std::uint64_t i = 0; off > 0 && i < theirs.count(); ++i)
        if (std::isfinite(theirs.real(i))) largest = std::max(largest, std::abs(theirs.real(i)));
      if (off > 0) result = std::max(result, largest > 0 ? off / largest : infinite);
    }
  return result;
}

} // namespace tangram::mutation
