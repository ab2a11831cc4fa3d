#include "SineAndCosine.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Builtins.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <map>
#include <set>

namespace tangram::sincos {

using namespace ast;

namespace {

bool isSine(const Call &c) { return c.callee == "sin" || c.callee == "sinf"; }
bool isCosine(const Call &c) { return c.callee == "cos" || c.callee == "cosf"; }

/// A number whose sine and cosine are wanted, by statements of one block: from the first that asks for either to the
/// last.
struct Wanted {
  const Expr *angle = nullptr;
  std::size_t first = 0, last = 0;
  bool sine = false, cosine = false;
  bool memory = false;             // it is made of what others may write: only in one statement
  std::set<std::string> variables; // that it is made of
};

class Together final : public Mutator {
public:
  Together(Arena &arena, const Kernel &kernel) : Mutator(arena) { names_.reserveAll(&kernel); }

private:
  const Node *mutateBlock(const Block *block) override {
    const auto *inner = rebuild(block); // blocks in it first
    std::vector<Wanted> pairs = wanted(*inner);
    if (pairs.empty()) return inner;
    std::vector<const Stmt *> stmts = inner->stmts;
    std::map<std::size_t, std::vector<const Stmt *>> before;
    for (const Wanted &pair : pairs) {
      const Type &type = pair.angle->type;
      Build b(arena(), pair.angle->range);
      auto place = [&](const char *name) {
        std::string fresh = names_.fresh(name);
        before[pair.first].push_back(b.declare(fresh, type, nullptr, false));
        return b.var(fresh, type);
      };
      const Expr *sine = place("sine"), *cosine = place("cosine");
      auto address = [&](const Expr *v) {
        return arena().make<Unary>(v->range, Type::pointer(type), UnaryOp::AddressOf, v);
      };
      std::vector<const Expr *> args{pair.angle, address(sine), address(cosine)};
      before[pair.first].push_back(
          arena().make<Evaluate>(pair.angle->range, arena().make<Call>(pair.angle->range, Type(Scalar::Void),
                                                                       std::string(sineAndCosine(type)), args)));
      for (std::size_t i = pair.first; i <= pair.last; ++i)
        stmts[i] = Replace(arena(), *pair.angle, sine, cosine)(stmts[i]);
    }
    std::vector<const Stmt *> all;
    for (std::size_t i = 0; i < stmts.size(); ++i) {
      for (const Stmt *s : before[i]) all.push_back(s);
      all.push_back(stmts[i]);
    }
    return arena().derive(inner, [&](Block &copy) { copy.stmts = std::move(all); });
  }

  class Replace final : public Mutator {
  public:
    Replace(Arena &arena, const Expr &angle, const Expr *sine, const Expr *cosine)
        : Mutator(arena), angle_(angle), sine_(sine), cosine_(cosine) {}

  private:
    const Node *mutateCall(const Call *c) override {
      bool either = (isSine(*c) || isCosine(*c)) && c->args.size() == 1 && equal(c->args[0], &angle_);
      return either ? (isSine(*c) ? sine_ : cosine_) : rebuild(c);
    }
    const Expr &angle_;
    const Expr *sine_, *cosine_;
  };

  /// Pairs of which each statement from the first to the last leaves the number as it is.
  static std::vector<Wanted> wanted(const Block &block) {
    std::vector<Wanted> open, result;
    auto close = [&](auto &&which) {
      for (std::size_t i = 0; i < open.size();) {
        if (!which(open[i])) {
          ++i;
          continue;
        }
        if (open[i].sine && open[i].cosine) result.push_back(std::move(open[i]));
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
      }
    };
    for (std::size_t i = 0; i < block.stmts.size(); ++i) {
      const Stmt *s = block.stmts[i];
      std::set<std::string> assigned = assignedVariables(s);
      auto changed = [&](const Wanted &w) {
        return std::any_of(w.variables.begin(), w.variables.end(),
                           [&](const std::string &name) { return assigned.count(name) != 0; });
      };
      close([&](const Wanted &w) { return w.memory || changed(w); });
      std::vector<const Call *> calls;
      for (const Expr *e : evaluated(*s)) always(e, calls);
      for (const Call *c : calls) {
        std::optional<Wanted> fresh = angleOf(*c);
        if (!fresh || changed(*fresh) || (fresh->memory && !storesLast(*s))) continue;
        auto known =
            std::find_if(open.begin(), open.end(), [&](const Wanted &w) { return equal(w.angle, fresh->angle); });
        if (known == open.end()) {
          fresh->first = i;
          known = open.insert(open.end(), std::move(*fresh));
        }
        known->last = i;
        (isSine(*c) ? known->sine : known->cosine) = true;
      }
    }
    close([](const Wanted &) { return true; });
    std::stable_sort(result.begin(), result.end(), [](const Wanted &a, const Wanted &b) { return a.first < b.first; });
    return result;
  }

  /// What a statement evaluates once, whatever happens.
  static std::vector<const Expr *> evaluated(const Stmt &s) {
    if (const auto *d = dyn<Declare>(&s); d && d->init) return {d->init};
    if (const auto *e = dyn<Evaluate>(&s)) return {e->expr};
    if (const auto *choice = dyn<If>(&s)) return {choice->cond};
    return {};
  }

  /// Calls that evaluating the expression makes for certain.
  static void always(const Expr *e, std::vector<const Call *> &out) {
    walk(
        e,
        [&](const Conditional &c) {
          always(c.cond, out);
          return WalkResult::Skip;
        },
        [&](const Binary &b) {
          if (b.op != BinaryOp::LogicalAnd && b.op != BinaryOp::LogicalOr) return WalkResult::Advance;
          always(b.lhs, out);
          return WalkResult::Skip;
        },
        [&](const Call &c) {
          if (isSine(c) || isCosine(c)) out.push_back(&c);
        });
  }

  /// A statement that changes nothing before it has computed all.
  static bool storesLast(const Stmt &s) {
    if (const auto *d = dyn<Declare>(&s)) return d->init && !hasEffects(d->init);
    const auto *e = dyn<Evaluate>(&s);
    const auto *assign = e ? dyn<Assign>(e->expr) : nullptr;
    return assign && !hasEffects(assign->value) && !hasEffects(assign->target);
  }

  /// Nothing where the number is made of calls.
  static std::optional<Wanted> angleOf(const Call &c) {
    if (c.args.size() != 1 || !(c.args[0]->type == c.type) || !c.type.isFloating() || c.type.isHalf()) return {};
    Wanted result;
    result.angle = c.args[0];
    bool fixed = walk(result.angle, [&](const Expr &e) {
      if (const auto *v = dyn<VarRef>(&e)) {
        result.variables.insert(v->name);
        return WalkResult::Advance;
      }
      if (const auto *load = dyn<Subscript>(&e)) {
        result.memory |= !load->base->type.isPointer() || !load->base->type.toConst();
        return WalkResult::Advance;
      }
      bool plain = isa<IntLit>(&e) || isa<FloatLit>(&e) || isa<Binary>(&e) || isa<Cast>(&e) || isa<Unary>(&e) ||
                   isa<Conditional>(&e) || isa<WorkerIndex>(&e) || isa<WorkerCount>(&e);
      return plain && !(isa<Unary>(&e) && hasEffects(&e)) ? WalkResult::Advance : WalkResult::Stop;
    });
    if (!fixed) return {};
    return result;
  }

  Names names_;
};

} // namespace

const Module *SineAndCosine::run(const Module *module, PassContext &context) {
  return context.arena.derive(module, [&](Module &copy) {
    for (const Kernel *&kernel : copy.kernels) kernel = Together(context.arena, *kernel)(kernel);
  });
}

} // namespace tangram::sincos
