#include "CodeletIndices.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Sizes.h"

#include <algorithm>

namespace tangram {

using namespace ast;

const Expr *CodeletIndices::unclamped(const Expr *index) {
  constexpr unsigned kDeepest = 8;
  for (unsigned depth = 0; depth < kDeepest; ++depth) {
    const Expr *e = withoutCasts(index);
    std::vector<const Expr *> among;
    if (const auto *choice = dyn<Conditional>(e)) among = {choice->then, choice->otherwise};
    if (const auto *call = dyn<Call>(e); call && chooses(*call)) among = call->args;
    if (const auto *wraps = dyn<Binary>(e); wraps && wraps->op == BinaryOp::Rem) among = {wraps->lhs, wraps->rhs};
    // Loops move it, or else calls do.
    auto moving = [&](auto &&moves) {
      const auto first = std::find_if(among.begin(), among.end(), moves);
      return first == among.end() || std::any_of(first + 1, among.end(), moves) ? nullptr : *first;
    };
    const Expr *only = moving([&](const Expr *one) { return loops_.span(one) != 0.0; });
    if (!only) only = moving([&](const Expr *one) { return followsNumber(one); });
    if (!only) break;
    index = only;
  }
  return index;
}

std::pair<const Expr *, std::int64_t> CodeletIndices::apartFromConstant(const Expr *index) {
  std::int64_t constant = 0;
  for (;;) {
    index = withoutCasts(unclamped(index));
    while (const Expr *sum = definedAsSum(index)) index = withoutCasts(unclamped(sum));
    const auto *n = dyn<Binary>(index);
    if (!n || (n->op != BinaryOp::Add && n->op != BinaryOp::Sub)) break;
    if (const auto *by = dyn<IntLit>(withoutCasts(n->rhs))) {
      constant += n->op == BinaryOp::Add ? by->value : -by->value;
      index = n->lhs;
    } else if (const auto *first = dyn<IntLit>(withoutCasts(n->lhs)); first && n->op == BinaryOp::Add) {
      constant += first->value;
      index = n->rhs;
    } else {
      break;
    }
  }
  if (const auto *only = dyn<IntLit>(index)) return {nullptr, constant + only->value};
  return {index, constant};
}

bool CodeletIndices::followsParameter(const Expr *e) const {
  const std::vector<std::string> &reached = source_.reached(e).variables;
  return std::any_of(codelet_.params.begin(), codelet_.params.end(), [&](const Param *p) {
    return std::find(reached.begin(), reached.end(), p->name) != reached.end();
  });
}

bool CodeletIndices::followsNumber(const Expr *e) const {
  const std::vector<std::string> &reached = source_.reached(e).variables;
  return std::any_of(reached.begin(), reached.end(), [&](const std::string &name) { return isNumber(name); });
}

void CodeletIndices::refer(AccessWork &access, std::vector<References> &known, const Expr *place) {
  References fresh;
  std::vector<std::int64_t> constants;
  for (const Expr *at = withoutCasts(place); at;) {
    if (const auto *m = dyn<Member>(at)) {
      at = withoutCasts(m->base);
      continue;
    }
    const auto *s = dyn<Subscript>(at);
    if (!s) break;
    for (auto index = s->indices.rbegin(); index != s->indices.rend(); ++index) {
      const auto [base, constant] = apartFromConstant(*index);
      fresh.indices.push_back(base);
      constants.push_back(constant);
    }
    at = withoutCasts(s->base);
  }
  if (!constants.empty()) constants.erase(constants.begin()); // of the last dimension
  ++access.references;
  auto same = std::find_if(known.begin(), known.end(), [&](const References &r) {
    return std::equal(r.indices.begin(), r.indices.end(), fresh.indices.begin(), fresh.indices.end(),
                      [](const Expr *a, const Expr *b) { return a == b || (a && b && equal(a, b)); });
  });
  if (same == known.end()) {
    ++access.origins;
    same = known.insert(known.end(), fresh);
  }
  if (std::find(same->rows.begin(), same->rows.end(), constants) != same->rows.end()) return;
  same->rows.push_back(constants);
  ++access.streams;
}

void CodeletIndices::touch(AccessWork &access, const Expr *place) {
  std::vector<const Expr *> indices;
  for (const Expr *at = withoutCasts(place); at;) {
    if (const auto *m = dyn<Member>(at)) {
      at = withoutCasts(m->base);
    } else if (const auto *s = dyn<Subscript>(at)) {
      indices.insert(indices.begin(), s->indices.begin(), s->indices.end());
      at = withoutCasts(s->base);
    } else {
      break;
    }
  }
  double rows = 1, run = 1;
  bool stays = true;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const std::optional<double> width = loops_.span(indices[d]);
    if (!width) { // anywhere
      access.rows = access.run = 0;
      access.anywhere = true;
      access.dataDimensions = std::max(access.dataDimensions, static_cast<unsigned>(indices.size() - (stays ? d : 0)));
      return;
    }
    stays &= *width == 0;
    (d + 1 == indices.size() ? run : rows) *= *width + 1;
    if (*width > 0 && addsNumber(unclamped(indices[d]))) {
      double &overlap = d + 1 == indices.size() ? access.overlapRun : access.overlapRows;
      overlap = std::max(overlap, *width + 1);
    }
  }
  if (access.anywhere) return;
  access.rows = std::max(access.rows, rows);
  access.run = std::max(access.run, run);
}

bool CodeletIndices::chooses(const Call &call) const {
  const Function *function = numbers_.function(call);
  const Expr *result = function ? withoutCasts(resultOf(*function)) : nullptr;
  const auto *choice = dyn<Conditional>(result);
  if (const auto *inner = dyn<Call>(result)) return chooses(*inner);
  return choice && isa<VarRef>(withoutCasts(choice->then)) && isa<VarRef>(withoutCasts(choice->otherwise));
}

const Expr *CodeletIndices::definedAsSum(const Expr *e) {
  const auto *v = dyn<VarRef>(e);
  const Expr *value = v && v->type.isInteger() ? numbers_.definition(v->name) : nullptr;
  if (!value) return nullptr;
  const Expr *chosen = withoutCasts(unclamped(value));
  const auto *n = dyn<Binary>(chosen);
  const bool sum = n && n->type.isInteger() && (n->op == BinaryOp::Add || n->op == BinaryOp::Sub);
  return sum || (isa<VarRef>(chosen) && chosen->type.isInteger()) ? value : nullptr;
}

bool CodeletIndices::addsNumber(const Expr *e) const {
  e = withoutCasts(e);
  if (const auto *n = dyn<Binary>(e))
    return (n->op == BinaryOp::Add && (addsNumber(n->lhs) || addsNumber(n->rhs))) ||
           (n->op == BinaryOp::Sub && addsNumber(n->lhs));
  const auto *v = dyn<VarRef>(e);
  return v && isNumber(v->name);
}

bool CodeletIndices::isNumber(const std::string &name) const {
  return std::any_of(codelet_.params.begin(), codelet_.params.end(),
                     [&](const Param *p) { return p->name == name && p->type.isInteger(); });
}

} // namespace tangram
