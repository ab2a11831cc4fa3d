#include "tangram/compose/SizeCondition.h"

#include "tangram/ast/Build.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace tangram {

using namespace ast;

namespace {

constexpr DiagnosticKind kConditionSyntax{"plan.size-condition", DiagnosticClass::User,
                                          "the condition reads '{}' where {} is expected",
                                          "write sizes as in.size() or a.size(1), integer parameters by their name: "
                                          "when a.size(0) <= 512 and column.size() / row.size() > 8.5"};
constexpr DiagnosticKind kParameter{"plan.size-parameter", DiagnosticClass::User,
                                    "the condition speaks of '{0}', which is no parameter of '{1}'", "use {2}"};
constexpr DiagnosticKind kKind{"plan.size-kind", DiagnosticClass::User, "the condition speaks of {0}, but {1}",
                               "write the sizes of containers as c.size() or c.size(0), integer parameters by their "
                               "name alone"};

struct Operator {
  BinaryOp op;
  std::string_view text;
};
constexpr std::array<Operator, 4> kOperators{
    {{BinaryOp::Le, "<="}, {BinaryOp::Ge, ">="}, {BinaryOp::Lt, "<"}, {BinaryOp::Gt, ">"}}};

std::string print(const SizeTerm &term) {
  if (!term.isSize) return term.parameter;
  return fmt::format("{}.size({})", term.parameter, term.dimension ? std::to_string(*term.dimension) : "");
}

std::string print(const std::vector<SizeTerm> &terms, std::string_view separator) {
  std::string text;
  for (const SizeTerm &term : terms) text += (text.empty() ? "" : std::string(separator)) + print(term);
  return text;
}

class Reader {
public:
  Reader(std::string_view text, SourceRange range) : text_(text), range_(range) {}

  SizeCondition condition() {
    SizeCondition result;
    do result.all.push_back(comparison());
    while (word("and"));
    skip();
    if (at_ < text_.size()) expected("'and' or the end of the line");
    return result;
  }

private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  static bool isLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  [[noreturn]] void expected(std::string_view what) {
    skip();
    std::size_t end = text_.find(' ', at_);
    std::string_view found = at_ < text_.size() ? text_.substr(at_, end - at_) : "the end of the line";
    fail(kConditionSyntax, range_, found, what);
  }
  bool take(std::string_view sign) {
    skip();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  bool word(std::string_view expected) {
    const std::size_t before = at_;
    if (take(expected) && (at_ == text_.size() || !isLetter(text_[at_]))) return true;
    at_ = before;
    return false;
  }

  SizeTerm term() {
    skip();
    std::size_t end = at_;
    while (end < text_.size() && isLetter(text_[end])) ++end;
    if (end == at_ || std::isdigit(static_cast<unsigned char>(text_[at_]))) expected("the name of a parameter");
    SizeTerm result;
    result.parameter = text_.substr(at_, end - at_);
    at_ = end;
    result.isSize = take(".size");
    if (!result.isSize) return result;
    if (!take("(")) expected("'('");
    skip();
    unsigned dimension = 0;
    auto [last, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), dimension);
    if (error == std::errc()) {
      result.dimension = dimension;
      at_ = static_cast<std::size_t>(last - text_.data());
    }
    if (!take(")")) expected("')'");
    return result;
  }

  SizeComparison comparison() {
    SizeComparison result;
    result.ratio.product.push_back(term());
    while (true) {
      if (take("*"))
        result.ratio.product.push_back(term());
      else if (take("/"))
        result.ratio.divisor.push_back(term());
      else
        break;
    }
    auto found = std::find_if(kOperators.begin(), kOperators.end(), [&](const Operator &o) { return take(o.text); });
    if (found == kOperators.end()) expected("<=, >=, < or >");
    result.op = found->op;
    skip();
    auto [last, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), result.bound);
    if (error != std::errc() || !std::isfinite(result.bound) || result.bound < 0) expected("a number");
    at_ = static_cast<std::size_t>(last - text_.data());
    return result;
  }

  std::string_view text_;
  SourceRange range_;
  std::size_t at_ = 0;
};

const Param *find(const Spectrum &spectrum, const std::string &name) {
  for (const Param *p : spectrum.params)
    if (p->name == name) return p;
  return nullptr;
}

const Expr *expressionOf(const SizeTerm &term, const Spectrum &spectrum, Arena &arena, const Build &b) {
  const Param *p = find(spectrum, term.parameter);
  const Expr *variable = b.var(p->name, p->type);
  if (!term.isSize) return b.cast(Scalar::F64, variable);
  auto size = [&](std::optional<unsigned> dimension) {
    const Expr *dim = dimension && p->type.rank() > 1 ? b.u64(*dimension) : nullptr;
    return b.cast(Scalar::F64, arena.make<Size>(spectrum.range, Type(Scalar::U64), variable, dim));
  };
  if (term.dimension || p->type.rank() == 1) return size(term.dimension);
  const Expr *all = size(0);
  for (unsigned d = 1; d < p->type.rank(); ++d) all = b.mul(all, size(d));
  return all;
}

} // namespace

std::string print(const SizeRatio &ratio) {
  std::string text = print(ratio.product, " * ");
  for (const SizeTerm &term : ratio.divisor) text += " / " + print(term);
  return text;
}

std::string print(const SizeCondition &condition) {
  std::string text;
  for (const SizeComparison &c : condition.all) {
    auto op = std::find_if(kOperators.begin(), kOperators.end(), [&](const Operator &o) { return o.op == c.op; });
    text += fmt::format("{}{} {} {}", text.empty() ? "" : " and ", print(c.ratio), op->text, c.bound);
  }
  return text;
}

SizeCondition parseSizeCondition(std::string_view text, SourceRange range) { return Reader(text, range).condition(); }

void checkSizeCondition(const SizeCondition &condition, const Spectrum &spectrum, SourceRange range) {
  auto check = [&](const SizeTerm &term) {
    const Param *p = find(spectrum, term.parameter);
    if (!p) {
      std::vector<std::string> names;
      for (const Param *each : spectrum.params) names.push_back(each->name);
      fail(kParameter, range, term.parameter, spectrum.name,
           names.empty() ? std::string("no condition: it has no parameters") : suggest(term.parameter, names));
    }
    if (term.isSize && p->type.rank() == 0)
      fail(kKind, range, print(term), fmt::format("'{}' is no container", p->name));
    if (term.isSize && term.dimension && *term.dimension >= p->type.rank())
      fail(kKind, range, print(term),
           fmt::format("'{}' has {} dimension{}, counted from 0", p->name, p->type.rank(),
                       p->type.rank() == 1 ? "" : "s"));
    const bool integer = p->type.isScalar() && p->type.isInteger() && p->access == Access::In;
    if (!term.isSize && !integer)
      fail(kKind, range, fmt::format("the value of '{}'", p->name),
           p->type.rank() > 0 ? "that is a container" : "that is no integer that is only read");
  };
  for (const SizeComparison &c : condition.all) {
    for (const SizeTerm &term : c.ratio.product) check(term);
    for (const SizeTerm &term : c.ratio.divisor) check(term);
  }
}

const Expr *expressionOf(const SizeCondition &condition, const Spectrum &spectrum, Arena &arena) {
  const Build b(arena, spectrum.range);
  const Expr *all = nullptr;
  for (const SizeComparison &c : condition.all) {
    const Expr *left = nullptr, *right = arena.make<FloatLit>(spectrum.range, Type(Scalar::F64), c.bound);
    for (const SizeTerm &term : c.ratio.product) {
      const Expr *factor = expressionOf(term, spectrum, arena, b);
      left = left ? b.mul(left, factor) : factor;
    }
    for (const SizeTerm &term : c.ratio.divisor) right = b.mul(right, expressionOf(term, spectrum, arena, b));
    const Expr *one = arena.make<Binary>(spectrum.range, Type(Scalar::Bool), c.op, left, right);
    all = all ? b.both(all, one) : one;
  }
  return all ? all : b.boolean(true);
}

double product(const std::vector<SizeTerm> &terms, const SizeOf &size) {
  double result = 1;
  for (const SizeTerm &term : terms) result *= size(term);
  return result;
}

bool holds(const SizeCondition &condition, const SizeOf &size) {
  return std::all_of(condition.all.begin(), condition.all.end(), [&](const SizeComparison &c) {
    const double left = product(c.ratio.product, size), right = c.bound * product(c.ratio.divisor, size);
    switch (c.op) {
    case BinaryOp::Le: return left <= right;
    case BinaryOp::Ge: return left >= right;
    case BinaryOp::Lt: return left < right;
    default: return left > right;
    }
  });
}

} // namespace tangram
