#include "IndexSteps.h"

#include "tangram/ast/Walk.h"

#include <algorithm>
#include <limits>

namespace tangram {

using namespace ast;

Numbers::Numbers(const Module &module, const Codelet &codelet, const std::vector<Extents> &arguments,
                 const Scalars &known, std::uint64_t lanes, std::shared_ptr<const CodeletSource> source)
    : ExpectedSites(module, codelet, arguments, known, lanes, std::move(source)) {}

std::optional<double> Numbers::operator()(const Expr *expr) {
  if (!expr) return {};
  const Interval interval = value(expr);
  if (!interval.known()) return {};
  return static_cast<double>(*interval.lo);
}

std::optional<double> Numbers::most(const Expr *expr) {
  const Interval interval = value(expr);
  if (!interval.hi || *interval.hi >= std::numeric_limits<std::int32_t>::max()) return {}; // what any number is
  return static_cast<double>(*interval.hi);
}

const Expr *Numbers::definition(const std::string &name) const { return changes(name) ? nullptr : beginning(name); }

const Expr *Numbers::beginning(const std::string &name) const {
  const Declare *d = declared(name);
  return d && d->extents.empty() ? d->init : nullptr;
}

const Expr *Numbers::resolved(const Expr *e) const {
  for (unsigned fuel = 8; fuel > 0; --fuel) {
    e = withoutCasts(e);
    const auto *v = dyn<VarRef>(e);
    const Expr *value = v ? definition(v->name) : nullptr;
    if (!value) break;
    e = value;
  }
  return e;
}

IndexSteps::Run IndexSteps::run(const Expr *e, const std::string &counter) {
  e = withoutCasts(e);
  if (const auto *v = dyn<VarRef>(e)) {
    if (v->name == counter) return {true, HUGE_VAL};
    const Expr *definition = numbers_.definition(v->name);
    if (!definition) return {};
    const auto key = std::pair(v->name, counter);
    if (runs_.try_emplace(key).second) runs_[key] = run(definition, counter);
    return runs_[key];
  }
  if (const auto *n = dyn<Binary>(e)) {
    const Run left = run(n->lhs, counter), right = run(n->rhs, counter);
    const double length = std::min(left.length, right.length);
    switch (n->op) {
    case BinaryOp::Add: return {left.moves || right.moves, left.moves && right.moves ? 1 : length};
    case BinaryOp::Sub: return {left.moves, right.moves ? 1 : length};
    case BinaryOp::Or:
    case BinaryOp::Xor: return {left.moves != right.moves, left.moves && right.moves ? 1 : length}; // of whole blocks
    case BinaryOp::Div:
    case BinaryOp::Rem:
      if (left.moves && !right.moves) return {n->op == BinaryOp::Rem, std::min(length, numbers_(n->rhs).value_or(1))};
      [[fallthrough]];
    default: return {false, left.moves || right.moves ? 1 : length};
    }
  }
  double length = HUGE_VAL;
  for (const Node *child : children(*e))
    if (const auto *part = dyn<Expr>(child)) {
      const Run inner = run(part, counter);
      length = std::min(length, inner.moves ? 1 : inner.length);
    }
  return {false, length};
}

std::optional<double> IndexSteps::acrossLanes(const Expr *e) {
  constexpr double kMany = 8; // neighbours beside each other are in the same row of so many, but for a few
  e = withoutCasts(e);
  if (isa<CoopIdx>(e)) return 1;
  if (const auto *v = dyn<VarRef>(e); v && !calls_.empty()) {
    auto given = calls_.back().find(v->name);
    return given == calls_.back().end() ? std::nullopt : given->second;
  }
  auto number = [&](const Expr *of) { // names are the function's own
    return calls_.empty() || !any<VarRef>(of, [](const VarRef &) { return true; }) ? numbers_(of) : std::nullopt;
  };
  if (const auto *v = dyn<VarRef>(e)) { // lanes count their variables alike
    const Expr *beginning = numbers_.beginning(v->name);
    if (!beginning) return 0;
    if (steps_.try_emplace(v->name).second) steps_[v->name] = acrossLanes(beginning);
    return steps_[v->name];
  }
  if (const auto *call = dyn<Call>(e)) {
    constexpr std::size_t kCalls = 8; // within calls
    if (const Function *function = numbers_.function(*call); function && calls_.size() < kCalls) {
      std::map<std::string, std::optional<double>> given;
      for (std::size_t i = 0; i < call->args.size(); ++i) given[function->params[i]->name] = acrossLanes(call->args[i]);
      calls_.push_back(std::move(given));
      const std::optional<double> result = acrossLanes(resultOf(*function));
      calls_.pop_back();
      return result;
    }
  }
  if (const auto *choice = dyn<Conditional>(e)) { // what is clamped moves, but for a few
    const std::optional<double> then = acrossLanes(choice->then), otherwise = acrossLanes(choice->otherwise);
    if (!then || !otherwise) return {};
    return std::abs(*then) > std::abs(*otherwise) ? then : otherwise;
  }
  if (const auto *s = dyn<Subscript>(e); s && isRange_(*s)) return acrossLanes(s->indices[0]);
  const auto *n = dyn<Binary>(e);
  if (!n) {
    for (const Node *child : children(*e))
      if (const auto *part = dyn<Expr>(child); part && acrossLanes(part) != 0.0) return {};
    return 0;
  }
  const std::optional<double> left = acrossLanes(n->lhs), right = acrossLanes(n->rhs);
  if (!left || !right) return {};
  if (*left == 0 && *right == 0) return 0;
  switch (n->op) {
  case BinaryOp::Add: return *left + *right;
  case BinaryOp::Sub: return *left - *right;
  case BinaryOp::Mul: {
    if (const auto *by = dyn<FloatLit>(withoutCasts(*right == 0 ? n->rhs : n->lhs)); by && by->value != 0) {
      // Of an index: lanes less than one apart have one element, or neighbours.
      const double step = by->value * (*right == 0 ? *left : *right);
      return std::copysign(std::max(1.0, std::abs(step)), step);
    }
    const std::optional<double> factor = number(*right == 0 ? n->rhs : n->lhs);
    if (!factor || (*left != 0 && *right != 0)) return {};
    return *factor * (*right == 0 ? *left : *right);
  }
  case BinaryOp::Div:
  case BinaryOp::Rem: {
    const std::optional<double> by = number(n->rhs);
    if (*right != 0 || !by || *by <= 0) return {};
    const bool rest = n->op == BinaryOp::Rem;
    if (std::fmod(*left, *by) == 0) return rest ? 0 : *left / *by;
    if (*by >= kMany * std::abs(*left)) return rest ? *left : 0;
    if (rest) return *by < kMany ? std::optional(0.0) : std::nullopt;  // few elements, again and again
    return std::copysign(std::max(1.0, std::abs(*left) / *by), *left); // one element, or neighbours
  }
  case BinaryOp::Or: // by a mask that all lanes have in common: neighbours stay together, in another order
  case BinaryOp::Xor: return *left != 0 && *right != 0 ? std::nullopt : std::optional(*left + *right);
  default: return {};
  }
}

} // namespace tangram
