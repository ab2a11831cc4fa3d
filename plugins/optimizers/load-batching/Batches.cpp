#include "Batches.h"

#include "tangram/ast/Mutator.h"

#include <limits>
#include <map>

namespace tangram::batching {

using namespace ast;

namespace {

constexpr Int kMostStep = 1 << 24; // that is a number: what a batch counts by is far from what its type has

Type unsignedOf(const Type &type) {
  switch (type.bytes()) {
  case 8: return Scalar::U64;
  case 4: return Scalar::U32;
  default: return Scalar::Void;
  }
}

class Batches {
public:
  Batches(Arena &arena, Names &names, const loops::Counted &loop, const Iteration &iteration)
      : b_(arena, loop.loop->range), arena_(arena), names_(names), loop_(loop), iteration_(iteration),
        compared_(loop.end->type), distance_(unsignedOf(compared_)), literal_(literal(loop.step)) {}

  const Stmt *run(unsigned most) {
    bool counts = literal_ ? *literal_ > 0 && *literal_ <= kMostStep : loop_.step->type.bytes() <= compared_.bytes();
    if (!counts || distance_.isVoid() || loop_.type.bytes() < 4) return nullptr;
    std::vector<const Stmt *> stmts;
    if (loop_.begin) stmts.push_back(b_.declare(loop_.variable, loop_.type, loop_.begin, false));
    end_ = kept(loop_.variable + "_end", compared_, loop_.end, stmts);
    step_ = literal_ ? loop_.step : kept(loop_.variable + "_step", distance_, b_.cast(distance_, loop_.step), stmts);
    stmts.push_back(
        arena_.make<For>(loop_.loop->range, nullptr, left(most, stmts), advance(most), b_.block(batch(most))));
    for (unsigned fewer = most / 2; fewer > 1; fewer /= 2) {
      const Expr *some = left(fewer, stmts);
      std::vector<const Stmt *> body = batch(fewer);
      body.push_back(evaluate(advance(fewer)));
      stmts.push_back(b_.when(some, std::move(body)));
    }
    // By a step that is a number, at most one is left.
    if (literal_) {
      std::vector<const Stmt *> body = loop_.body->stmts;
      if (!loop_.begin) body.push_back(evaluate(advance(1)));
      stmts.push_back(b_.when(left(1, stmts), std::move(body)));
    } else {
      stmts.push_back(arena_.make<For>(loop_.loop->range, nullptr, left(1, stmts), advance(1), loop_.body));
    }
    return b_.block(std::move(stmts));
  }

private:
  const Expr *variable() const { return b_.var(loop_.variable, loop_.type); }
  const Stmt *evaluate(const Expr *e) const { return arena_.make<Evaluate>(e->range, e); }

  const Expr *kept(const std::string &hint, const Type &type, const Expr *value, std::vector<const Stmt *> &stmts) {
    if (isa<IntLit>(value) || isa<VarRef>(value)) return value;
    std::string name = names_.fresh(hint);
    stmts.push_back(b_.declare(name, type, value));
    return b_.var(name, type);
  }

  /// So many steps, in a type; `step_` times a number.
  const Expr *steps(const Type &type, unsigned count) const {
    if (literal_) return b_.integer(type, *literal_ * count);
    return b_.mul(b_.cast(type, step_), b_.integer(type, count));
  }

  /// Whether there are so many more iterations. Nothing of it wraps around.
  const Expr *left(unsigned count, std::vector<const Stmt *> &stmts) {
    const Expr *now = b_.cast(compared_, variable()), *one = b_.less(now, end_);
    if (count == 1) return one;
    const Expr *ahead = steps(distance_, count - 1);
    if (!literal_) {
      auto most = distance_.bytes() == 8 ? std::numeric_limits<std::uint64_t>::max()
                                         : std::numeric_limits<std::uint32_t>::max();
      const Expr *none = b_.integer(distance_, static_cast<Int>(most));
      const Expr *small = b_.less(step_, b_.integer(distance_, static_cast<Int>(most / count)));
      ahead = kept(loop_.variable + "_ahead", distance_, b_.select(small, ahead, none), stmts);
    }
    return b_.both(one, b_.less(ahead, b_.sub(b_.cast(distance_, end_), b_.cast(distance_, now))));
  }

  const Expr *advance(unsigned count) const {
    return arena_.make<Assign>(loop_.loop->range, loop_.type, AssignOp::Add, variable(), steps(loop_.type, count));
  }

  /// What the first `count` of them load, then what they do with it, one after the other.
  std::vector<const Stmt *> batch(unsigned count) {
    std::vector<const Stmt *> stmts;
    std::vector<std::map<std::string, std::string>> renamings(count);
    for (unsigned k = 0; k < count; ++k) {
      for (const std::string &name : iteration_.declared) renamings[k][name] = names_.fresh(name);
      if (k == 0) continue;
      std::string &mine = renamings[k][loop_.variable];
      mine = names_.fresh(loop_.variable);
      stmts.push_back(b_.declare(mine, loop_.type, b_.add(variable(), steps(loop_.type, k))));
    }
    for (const Stmt *s : iteration_.loads)
      for (const auto &names : renamings) stmts.push_back(renamed(s, names));
    for (const auto &names : renamings)
      for (const Stmt *s : iteration_.rest) stmts.push_back(renamed(s, names));
    return stmts;
  }

  const Stmt *renamed(const Stmt *s, const std::map<std::string, std::string> &names) const {
    return as<Stmt>(renameVariables(arena_, s, names));
  }

  Build b_;
  Arena &arena_;
  Names &names_;
  const loops::Counted &loop_;
  const Iteration &iteration_;
  Type compared_, distance_;   // of the condition, and without a sign
  std::optional<Int> literal_; // the step
  const Expr *end_ = nullptr, *step_ = nullptr;
};

} // namespace

const Stmt *batches(Arena &arena, Names &names, const loops::Counted &loop, const Iteration &iteration, unsigned most) {
  return Batches(arena, names, loop, iteration).run(most);
}

} // namespace tangram::batching
