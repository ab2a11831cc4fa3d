#include "Inlining.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Casts.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Functions.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Returns.h"
#include "tangram/ast/Slots.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <utility>

namespace tangram::frontend {

using namespace ast;

namespace {

using Stmts = std::vector<const Stmt *>;
using Exprs = std::vector<const Expr *>;

bool isPlace(const Expr *e) { return rootVariable(e) != nullptr; }

/// The same wherever it stands.
bool isFixed(const Expr *e) {
  e = withoutCasts(e);
  return isa<IntLit>(e) || isa<FloatLit>(e) || isa<CoopDim>(e);
}

/// Cheap enough to be computed wherever a parameter stands.
bool isCheap(const Expr *e) {
  return !any<Expr>(e, [](const Expr &part) {
    const auto *binary = dyn<Binary>(&part);
    return isa<Subscript>(&part) || isa<Call>(&part) || isa<SpectrumCall>(&part) || isa<Conditional>(&part) ||
           (binary && (binary->op == BinaryOp::Div || binary->op == BinaryOp::Rem));
  });
}

/// Sizes of rows as sizes of the containers that these are of.
class SizesOfRows final : public Mutator {
public:
  using Mutator::Mutator;

private:
  const Node *mutateSize(const Size *e) override {
    const auto *size = static_cast<const Size *>(rebuild(e));
    const auto *row = dyn<Subscript>(size->container);
    if (!row || row->base->type.element().isArray()) return size;
    const std::optional<Int> dim = size->dim ? literal(size->dim) : Int(0);
    if (!dim || (!size->dim && row->type.rank() > 1)) return size;
    const Build b(arena(), size->range);
    return arena().make<Size>(size->range, size->type, row->base,
                              b.u64(row->indices.size() + static_cast<std::size_t>(*dim)));
  }
};

/// Parameters as what they stand for; an element of one that is a row is an element of the row's container.
template <class T>
const T *withArguments(Arena &arena, const T *tree, const std::map<std::string, const Expr *> &bound) {
  ReplaceVariable variable = [&](const VarRef *v) -> const Expr * {
    auto it = bound.find(v->name);
    return it == bound.end() ? v : it->second;
  };
  ReplaceElement element;
  element = [&](const Subscript *e) -> const Expr * {
    const auto *v = dyn<VarRef>(e->base);
    auto it = v ? bound.find(v->name) : bound.end();
    const auto *row = it == bound.end() ? nullptr : dyn<Subscript>(it->second);
    if (!row || !row->type.isArray()) return nullptr;
    Exprs indices = row->indices; // one access
    for (const Expr *index : e->indices) indices.push_back(substituted(arena, index, variable, element));
    return arena.make<Subscript>(e->range, e->type, row->base, std::move(indices));
  };
  return as<T>(SizesOfRows(arena).mutate(substituted(arena, tree, variable, element)));
}

/// Calls of functions that do nothing but return an expression, as that: it stays where it is, under conditions as
/// well.
class ExpressionInliner final : public Mutator {
public:
  ExpressionInliner(Arena &arena, const InlinedFunctions &functions) : Mutator(arena), functions_(functions) {}

private:
  const Node *mutateCall(const Call *e) override {
    const auto *call = static_cast<const Call *>(rebuild(e));
    const auto f = functions_.find(call->callee);
    const bool stays = f == functions_.end() || f->second.cooperative; // of those it is told where they stood
    const Expr *result = stays ? nullptr : resultOf(*f->second.made);
    if (!result || hasEffects(result)) return call;
    std::map<std::string, const Expr *> bound;
    for (std::size_t i = 0; i < call->args.size(); ++i) {
      const Expr *arg = call->args[i];
      const std::string &param = f->second.made->params[i]->name;
      std::size_t uses = 0;
      walk(result, [&](const VarRef &v) { uses += v.name == param; });
      const bool isBound =
          f->second.params[i] == InlinedFunction::Pass::Value ? uses < 2 || isCheap(arg) : isPlace(arg);
      if (!isBound || hasEffects(arg)) return call;
      bound[param] = arg;
    }
    return mutate(withArguments(arena(), result, bound));
  }

  const InlinedFunctions &functions_;
};

class Inliner {
public:
  Inliner(Arena &arena, const std::vector<const Param *> &params, const Block *body, const InlinedFunctions &functions)
      : arena_(arena), functions_(functions) {
    for (const Param *param : params) names_.reserve(param->name);
    names_.reserveAll(body);
  }

  CallSites sites;

  const Block *block(const Block *b) {
    if (!b || !calls(b)) return b;
    return arena_.make<Block>(b->range, list(b->stmts));
  }

private:
  Build at(const Node &node) const { return Build(arena_, node.range); }

  bool isInlined(const Expr &e) const {
    const auto *call = dyn<Call>(&e);
    return call && functions_.count(call->callee) != 0;
  }
  bool calls(const Node *node) const {
    return any<Expr>(node, [&](const Expr &e) { return isInlined(e); });
  }

  // ---- statements ----

  Stmts list(const Stmts &stmts) {
    Stmts out;
    for (const Stmt *stmt : stmts) statement(stmt, out);
    return out;
  }

  void statement(const Stmt *stmt, Stmts &out) {
    if (!calls(stmt)) return out.push_back(stmt);
    switch (stmtKind(*stmt)) {
    case StmtKind::Block: return out.push_back(block(as<Block>(stmt)));
    case StmtKind::Evaluate: return effect(as<Evaluate>(stmt)->expr, stmt->range, out);
    case StmtKind::Declare: {
      const Expr *init = value(as<Declare>(stmt)->init, out);
      return out.push_back(arena_.derive(as<Declare>(stmt), [&](Declare &copy) { copy.init = init; }));
    }
    case StmtKind::Return: {
      const Expr *given = value(as<Return>(stmt)->value, out);
      return out.push_back(arena_.derive(as<Return>(stmt), [&](Return &copy) { copy.value = given; }));
    }
    case StmtKind::If: {
      const auto *branch = as<If>(stmt);
      const Expr *cond = value(branch->cond, out);
      return out.push_back(arena_.make<If>(stmt->range, cond, block(branch->then), block(branch->otherwise)));
    }
    case StmtKind::Switch: {
      const auto *choice = as<Switch>(stmt);
      const Expr *chosen = value(choice->value, out);
      return out.push_back(arena_.derive(choice, [&](Switch &copy) {
        copy.value = chosen;
        for (const Case *&c : copy.cases)
          if (calls(c)) c = arena_.derive(c, [&](Case &other) { other.body = block(c->body); });
      }));
    }
    case StmtKind::For: {
      const auto *loop = as<For>(stmt);
      const Stmt *init = loop->init;
      if (calls(init)) {
        statement(init, out);
        init = nullptr;
      }
      if (!calls(loop->cond) && !calls(loop->step))
        return out.push_back(arena_.make<For>(loop->range, init, loop->cond, loop->step, block(loop->body)));
      if (init) out.push_back(init); // names are unique in a body
      return rolled(*loop, loop->cond, loop->step, loop->body, false, out);
    }
    case StmtKind::While: {
      const auto *loop = as<While>(stmt);
      if (!calls(loop->cond)) return out.push_back(arena_.make<While>(loop->range, loop->cond, block(loop->body)));
      return rolled(*loop, loop->cond, nullptr, loop->body, false, out);
    }
    case StmtKind::DoWhile: {
      const auto *loop = as<DoWhile>(stmt);
      if (!calls(loop->cond)) return out.push_back(arena_.make<DoWhile>(loop->range, block(loop->body), loop->cond));
      return rolled(*loop, loop->cond, nullptr, loop->body, true, out);
    }
    case StmtKind::Break:
    case StmtKind::Continue:
    case StmtKind::Loop:
    case StmtKind::Sync:
    case StmtKind::Alloc:
    case TANGRAM_LOWERED_STMTS: break;
    }
    failBug(stmt->range, "frontend-clang", "a call in a statement that has no expressions");
  }

  /// A loop whose condition or step needs statements: they stand at the head of its body, where `continue` comes to
  /// them.
  void rolled(const Stmt &loop, const Expr *cond, const Expr *step, const Block *body, bool firstIsFree, Stmts &out) {
    Build b = at(loop);
    const Expr *again = nullptr;
    if (step || firstIsFree) {
      std::string name = names_.fresh("again");
      out.push_back(b.declare(name, Scalar::Bool, b.boolean(false), false));
      again = b.var(name, Scalar::Bool);
    }
    Stmts head, later;
    if (step) effect(step, step->range, later);
    Stmts &tested = firstIsFree ? later : head;
    if (cond) {
      const Expr *holds = value(cond, tested);
      tested.push_back(b.when(b.logicalNot(b.cast(Scalar::Bool, holds)), {arena_.make<Break>(cond->range)}));
    }
    Stmts all;
    if (again) {
      all.push_back(b.when(again, std::move(later)));
      all.push_back(b.assign(again, b.boolean(true)));
    }
    all.insert(all.end(), head.begin(), head.end());
    Stmts rest = list(body->stmts);
    all.insert(all.end(), rest.begin(), rest.end());
    out.push_back(arena_.make<While>(loop.range, b.boolean(true), b.block(std::move(all))));
  }

  // ---- expressions ----

  /// For what it does alone.
  void effect(const Expr *e, SourceRange where, Stmts &out) {
    if (!calls(e)) {
      if (hasEffects(e)) out.push_back(arena_.make<Evaluate>(where, e));
      return;
    }
    if (const auto *cast = dyn<Cast>(e)) return effect(cast->operand, where, out);
    if (const auto *choice = dyn<Conditional>(e)) {
      const Expr *cond = value(choice->cond, out);
      Stmts then, otherwise;
      effect(choice->then, where, then);
      effect(choice->otherwise, where, otherwise);
      return out.push_back(at(*e).when(cond, std::move(then), std::move(otherwise)));
    }
    if (const auto *binary = dyn<Binary>(e)) {
      if (binary->op == BinaryOp::Comma) {
        effect(binary->lhs, where, out);
        return effect(binary->rhs, where, out);
      }
      if (binary->op == BinaryOp::LogicalAnd || binary->op == BinaryOp::LogicalOr) {
        const Expr *cond = at(*e).cast(Scalar::Bool, value(binary->lhs, out));
        if (binary->op == BinaryOp::LogicalOr) cond = at(*e).logicalNot(cond);
        Stmts then;
        effect(binary->rhs, where, then);
        return out.push_back(at(*e).when(cond, std::move(then)));
      }
    }
    const Expr *rest = value(e, out);
    if (rest && hasEffects(rest)) out.push_back(arena_.make<Evaluate>(where, rest));
  }

  /// What remains of an expression behind the statements that its calls are. Null for what gives nothing.
  const Expr *value(const Expr *e, Stmts &out) {
    if (!calls(e)) return e;
    if (isInlined(*e)) return inlined(*as<Call>(e), out);
    Build b = at(*e);
    if (const auto *choice = dyn<Conditional>(e)) {
      const Expr *cond = value(choice->cond, out);
      const Expr *result = variable("chosen", e->type, b, out);
      auto side = [&](const Expr *taken) {
        Stmts stmts;
        const Expr *given = value(taken, stmts);
        stmts.push_back(b.assign(result, given));
        return stmts;
      };
      Stmts then = side(choice->then), otherwise = side(choice->otherwise);
      out.push_back(b.when(cond, std::move(then), std::move(otherwise)));
      return result;
    }
    if (const auto *binary = dyn<Binary>(e)) {
      if (binary->op == BinaryOp::Comma) {
        effect(binary->lhs, binary->lhs->range, out);
        return value(binary->rhs, out);
      }
      if (binary->op == BinaryOp::LogicalAnd || binary->op == BinaryOp::LogicalOr) {
        const Expr *first = b.cast(Scalar::Bool, value(binary->lhs, out));
        const Expr *result = variable("holds", Scalar::Bool, b, out);
        out.push_back(b.assign(result, first));
        Stmts then;
        const Expr *second = value(binary->rhs, then);
        then.push_back(b.assign(result, b.cast(Scalar::Bool, second)));
        const Expr *goesOn = binary->op == BinaryOp::LogicalAnd ? result : b.logicalNot(result);
        out.push_back(b.when(goesOn, std::move(then)));
        return b.cast(e->type, result);
      }
    }
    if (const auto *assign = dyn<Assign>(e)) { // the value comes first
      const Expr *given = value(assign->value, out);
      if (calls(assign->target)) given = kept(given, out);
      const Expr *target = place(assign->target, out);
      return arena_.derive(assign, [&](Assign &copy) {
        copy.target = target;
        copy.value = given;
      });
    }
    if (isa<Subscript>(e) || isa<Member>(e)) return place(e, out);
    return dispatch(*e, [&]<class T>(const T &node) -> const Expr * {
      if constexpr (std::is_base_of_v<Expr, T>) {
        return arena_.derive(&node, [&](T &copy) {
          std::vector<const Expr **> slots = expressionSlots(copy);
          bool writes = isa<Atomic>(&node) || isa<Unary>(&node);
          if (writes) std::rotate(slots.begin(), slots.begin() + 1, slots.end());
          Exprs values;
          for (const Expr **slot : slots) values.push_back(*slot);
          values = operands(values, out);
          for (std::size_t i = 0; i < values.size(); ++i) *slots[i] = values[i];
        });
      } else {
        failBug(node.range, "frontend-clang", "a call in what is no expression");
      }
    });
  }

  /// Elements and fields stay what can be written.
  const Expr *place(const Expr *e, Stmts &out) {
    if (!calls(e)) return e;
    if (const auto *member = dyn<Member>(e)) {
      const Expr *base = place(member->base, out);
      return arena_.derive(member, [&](Member &copy) { copy.base = base; });
    }
    if (const auto *subscript = dyn<Subscript>(e)) {
      const Expr *base = place(subscript->base, out);
      Exprs indices = operands(subscript->indices, out);
      return arena_.derive(subscript, [&](Subscript &copy) {
        copy.base = base;
        copy.indices = std::move(indices);
      });
    }
    return value(e, out);
  }

  /// From left to right; what stands in front of a call keeps the value that it has there.
  Exprs operands(const Exprs &list, Stmts &out) {
    Exprs values;
    for (std::size_t i = 0; i < list.size(); ++i) {
      bool later = std::any_of(list.begin() + static_cast<std::ptrdiff_t>(i) + 1, list.end(),
                               [&](const Expr *e) { return calls(e); });
      const Expr *one = value(list[i], out);
      values.push_back(later ? kept(one, out) : one);
    }
    return values;
  }

  const Expr *variable(const std::string &name, const Type &type, const Build &b, Stmts &out) {
    std::string fresh = names_.fresh(name);
    out.push_back(b.declare(fresh, type, nullptr, false));
    return b.var(fresh, type);
  }

  const Expr *kept(const Expr *e, Stmts &out) {
    if (isa<IntLit>(e) || isa<FloatLit>(e) || e->type.isArray() || e->type.isVoid()) return e;
    std::string name = names_.fresh("kept");
    out.push_back(at(*e).declare(name, e->type, e));
    return at(*e).var(name, e->type);
  }

  /// The same place whatever its indices' variables become.
  const Expr *settled(const Expr *e, Stmts &out) {
    if (const auto *member = dyn<Member>(e)) {
      const Expr *base = settled(member->base, out);
      return arena_.derive(member, [&](Member &copy) { copy.base = base; });
    }
    const auto *subscript = dyn<Subscript>(e);
    if (!subscript) return e;
    const Expr *base = settled(subscript->base, out);
    Exprs indices = subscript->indices;
    for (const Expr *&index : indices) index = kept(index, out);
    return arena_.derive(subscript, [&](Subscript &copy) {
      copy.base = base;
      copy.indices = std::move(indices);
    });
  }

  // ---- calls ----

  const Expr *inlined(const Call &call, Stmts &out) {
    const InlinedFunction &f = functions_.at(call.callee);
    Build b = at(call);
    Exprs args = arguments(call, f, out);

    const Block *site = sites_.empty() ? nullptr : sites_.back();
    if (f.cooperative) {
      const Block *from = std::exchange(site, b.block({}));
      sites[site] = {call.range, f.called, from};
      out.push_back(site);
    }

    // Names of its own for all that it declares; parameters are variables of its own, or stand for arguments.
    std::map<std::string, std::string> own;
    std::map<std::string, const Expr *> bound;
    const std::set<std::string> assigned = assignedVariables(f.made->body);
    auto rename = [&](const std::string &name) { own[name] = names_.fresh(name); };
    for (std::size_t i = 0; i < args.size(); ++i) {
      const Param &param = *f.made->params[i];
      rename(param.name);
      bool byValue = f.params[i] == InlinedFunction::Pass::Value;
      bool stands = byValue ? isFixed(args[i]) && !assigned.count(param.name) : isPlace(args[i]);
      if (stands)
        bound[own[param.name]] = settled(args[i], out);
      else
        out.push_back(b.declare(own[param.name], args[i]->type, args[i], false));
    }
    walk(f.made->body, [&](const Declare &d) { rename(d.name); });
    const Node *body = renameVariables(arena_, f.made->body, [&](const std::string &name) {
      auto it = own.find(name);
      return it == own.end() ? name : it->second;
    });
    const Block *mine = withArguments(arena_, as<Block>(body), bound);

    const Expr *result = nullptr;
    Stmts stmts = mine->stmts;
    unsigned returns = 0;
    walk(mine, [&](const Return &) { ++returns; });
    const auto *last = stmts.empty() ? nullptr : dyn<Return>(stmts.back());
    std::string name = f.made->result.isVoid() ? "" : names_.fresh(f.made->name + "_result");
    if (returns == 1 && last) { // at its end
      stmts.pop_back();
      if (!name.empty()) stmts.push_back(at(*last).declare(name, f.made->result, last->value));
    } else if (returns > 0) {
      if (!name.empty()) out.push_back(b.declare(name, f.made->result, b.zero(f.made->result), false));
      const Expr *target = name.empty() ? nullptr : b.var(name, f.made->result);
      stmts = withoutReturns(arena_, names_, mine, target)->stmts;
    }
    if (!name.empty()) result = b.var(name, f.made->result);
    sites_.push_back(site);
    for (const Stmt *stmt : stmts) statement(stmt, out);
    sites_.pop_back();
    return result;
  }

  Exprs arguments(const Call &call, const InlinedFunction &f, Stmts &out) {
    Exprs args;
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      if (f.params[i] != InlinedFunction::Pass::Value && isPlace(call.args[i])) {
        args.push_back(place(call.args[i], out));
        continue;
      }
      bool later = std::any_of(call.args.begin() + static_cast<std::ptrdiff_t>(i) + 1, call.args.end(),
                               [&](const Expr *e) { return calls(e); });
      const Expr *one = value(call.args[i], out);
      args.push_back(later ? kept(one, out) : one);
    }
    return args;
  }

  Arena &arena_;
  const InlinedFunctions &functions_;
  Names names_;
  std::vector<const Block *> sites_; // of the calls that are being inlined, each the nearest cooperative one; or null
};

} // namespace

InlinedBody withCallsInlined(Arena &arena, const std::vector<const Param *> &params, const Block *body,
                             const InlinedFunctions &functions) {
  body = as<Block>(ExpressionInliner(arena, functions).mutate(body));
  Inliner inliner(arena, params, body, functions);
  body = inliner.block(body);
  return {body, std::move(inliner.sites)};
}

} // namespace tangram::frontend
