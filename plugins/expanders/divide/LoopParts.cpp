#include "LoopParts.h"

#include "Captures.h"

namespace tangram::divide {

using namespace ast;
using Stmts = std::vector<const Stmt *>;

const Stmt *counted(const Build &build, const Expr *name, const Expr *from, const Expr *to, Stmts body) {
  const auto *v = as<VarRef>(name);
  Arena &arena = build.arena();
  return arena.make<For>(v->range, build.declare(v->name, kSize, from, false), build.less(name, to),
                         arena.make<Unary>(v->range, kSize, UnaryOp::PreInc, name), build.block(std::move(body)));
}

LoopParts::LoopParts(const nest::LoopRange &range, bool downwards, Ints values, const Expr *most, Names &names,
                     Arena &arena)
    : range_(range), downwards_(downwards), names_(names), arena_(arena), build_(arena, range.where) {
  const Type number = Scalar::U32;
  const Expr *none = nullptr, *one = build_.u64(1);
  const auto *any = arena.make<Tunable>(range.where, Int{1}, Int{0}, Int{1}, std::move(values), std::string());
  const std::string parts = names.fresh("parts");
  declarations_.push_back(
      arena.make<Declare>(range.where, parts, number, false, false, std::vector<const Expr *>{}, any, none));
  const auto least = [&](const Expr *a, const Expr *b) { return build_.select(build_.less(a, b), a, b); };
  const Expr *asked = build_.cast(kSize, build_.var(parts, number));
  many_ = value(declarations_, "parts", most ? least(asked, most) : asked);
  const Expr *length = build_.sub(build_.cast(kSize, range.end), build_.cast(kSize, range.begin));
  const Expr *step = build_.u64(static_cast<std::uint64_t>(range.step));
  turns_ = value(declarations_, "turns",
                 build_.select(build_.less(range.begin, range.end),
                               build_.div(build_.add(length, build_.sub(step, one)), step), build_.u64(0)));
  chunk_ = value(declarations_, "chunk", build_.div(build_.sub(build_.add(turns_, many_), one), many_));
}

const Expr *LoopParts::value(Stmts &to, const char *name, const Expr *init) {
  const std::string fresh = names_.fresh(name);
  to.push_back(build_.declare(fresh, kSize, init));
  return build_.var(fresh, kSize);
}

const Stmt *LoopParts::loop(const Expr *part, Stmts before, const Stmts &body) {
  const Expr *begin = value(before, "begin", build_.mul(part, chunk_));
  const Expr *first = value(before, "first", build_.select(build_.less(begin, turns_), begin, turns_));
  const Expr *left = build_.sub(turns_, first);
  const Expr *last = value(before, "last", build_.add(first, build_.select(build_.less(left, chunk_), left, chunk_)));
  const Expr *turn = build_.var(names_.fresh("turn"), kSize);
  const Expr *at = downwards_ ? build_.sub(build_.sub(turns_, build_.u64(1)), turn) : turn;
  const Expr *number = build_.add(
      range_.begin, build_.cast(range_.type, build_.mul(at, build_.u64(static_cast<std::uint64_t>(range_.step)))));
  Stmts inside{build_.declare(range_.iterator, range_.iteratorType, build_.cast(range_.iteratorType, number))};
  inside.insert(inside.end(), body.begin(), body.end());
  before.push_back(counted(build_, turn, first, last, std::move(inside)));
  return counted(build_, part, build_.u64(0), many_, std::move(before));
}

} // namespace tangram::divide
