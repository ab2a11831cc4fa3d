#include "tangram/nest/IndicesInPlace.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Functions.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <iterator>

namespace tangram::nest {

using namespace ast;

namespace {

constexpr std::size_t kMostIndexNodes = 48; // of an index, which may be written several times

/// A function of scalars alone, which can be computed anywhere and soon.
bool isArithmetic(const Expr *e, const Module &module, unsigned depth = 0) {
  constexpr unsigned kDeepest = 4;
  return !any<Expr>(e, [&](const Expr &part) {
    if (const auto *call = dyn<Call>(&part)) {
      const Function *function = depth < kDeepest ? functionOfExpression(module, *call) : nullptr;
      return !function || !isArithmetic(resultOf(*function), module, depth + 1);
    }
    const auto *u = dyn<Unary>(&part);
    const auto *b = dyn<Binary>(&part);
    // Quotients take long, and are computed once where they are declared.
    if (b && (b->op == BinaryOp::Div || b->op == BinaryOp::Rem) && !literal(b->rhs)) return true;
    // Steps that are no numbers keep the name that users gave to what they lead to (SymbolicSteps.h).
    if (b && b->op == BinaryOp::Mul && !literal(b->lhs) && !literal(b->rhs)) return true;
    const bool changes = u && changesOperand(u->op);
    const bool known = isa<VarRef>(&part) || isa<IntLit>(&part) || b || u || isa<Cast>(&part) ||
                       isa<Conditional>(&part) || isa<Size>(&part);
    return changes || !known || part.type.isFloating();
  });
}

/// Without declarations of variables that nothing names.
class Unused : public Mutator {
public:
  Unused(const std::set<std::string> &replaced, Arena &arena) : Mutator(arena), left_(replaced) {}

  const Codelet *without(const Codelet *codelet) {
    for (const Codelet *before = nullptr; codelet != before;) { // what they named may not be named any more
      before = codelet;
      std::set<std::string> named;
      walk(codelet, [&](const VarRef &v) { named.insert(v.name); });
      unused_.clear();
      std::set_difference(left_.begin(), left_.end(), named.begin(), named.end(),
                          std::inserter(unused_, unused_.end()));
      if (!unused_.empty()) codelet = as<Codelet>(mutate(codelet));
    }
    return codelet;
  }

protected:
  const Node *mutateBlock(const Block *block) override {
    const auto *made = as<Block>(Mutator::mutateBlock(block));
    std::vector<const Stmt *> stmts;
    for (const Stmt *s : made->stmts)
      if (const auto *d = dyn<Declare>(s); !d || !unused_.count(d->name)) stmts.push_back(s);
    return stmts.size() == made->stmts.size() ? made
                                              : arena().derive(made, [&](Block &b) { b.stmts = std::move(stmts); });
  }

private:
  std::set<std::string> left_, unused_;
};

class InPlace : public Mutator {
public:
  InPlace(const Module &module, const Codelet *codelet, Arena &arena) : Mutator(arena), module_(module) {
    changed_ = assignedVariables(codelet->body);
    // An iterator changes between its loop's iterations, which have all that is declared in them anew.
    std::map<std::string, std::size_t> changes, bySteps;
    countChanges(codelet->body, changes);
    walk(codelet->body, [&](const For &f) {
      const auto *d = dyn<Declare>(f.init);
      std::map<std::string, std::size_t> own;
      if (d && f.step && isCounting(f.step)) countChanges(f.step, own);
      if (d) bySteps[d->name] += own[d->name];
    });
    for (const auto &[name, count] : bySteps)
      if (count == changes[name]) changed_.erase(name), iterators_.insert(name);
  }

  const std::set<std::string> &replaced() const { return replaced_; }

protected:
  const Node *mutateBlock(const Block *block) override {
    const std::map<std::string, const Expr *> outside = known_;
    std::vector<const Stmt *> stmts;
    for (const Stmt *s : block->stmts) {
      stmts.push_back(as<Stmt>(mutate(s)));
      const auto *d = dyn<Declare>(stmts.back());
      if (!d) continue;
      const Expr *value = valueOf(*d);
      forget(d->name);
      if (value) known_[d->name] = value, replaced_.insert(d->name);
    }
    known_ = outside;
    return stmts == block->stmts ? block : arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); });
  }
  const Node *mutateFor(const For *loop) override {
    const std::map<std::string, const Expr *> outside = known_;
    if (const auto *d = dyn<Declare>(loop->init)) forget(d->name);
    const Node *made = Mutator::mutateFor(loop);
    known_ = outside;
    return made;
  }
  const Node *mutateSubscript(const Subscript *e) override {
    const auto *inner = as<Subscript>(Mutator::mutateSubscript(e));
    std::vector<const Expr *> indices;
    for (const Expr *index : inner->indices) indices.push_back(inPlace(index));
    return indices == inner->indices ? inner
                                     : arena().derive(inner, [&](Subscript &s) { s.indices = std::move(indices); });
  }

private:
  /// By a number: what counts otherwise has names for what an iteration has of it (SymbolicSteps.h).
  static bool isCounting(const Expr *step) {
    const auto *a = dyn<Assign>(step);
    return isa<Unary>(step) || (a && (a->op == AssignOp::Add || a->op == AssignOp::Sub) && literal(a->value));
  }
  /// How many expressions change each variable.
  static void countChanges(const Node *tree, std::map<std::string, std::size_t> &changes) {
    auto count = [&](const Expr *target) {
      if (const auto *v = dyn<VarRef>(target)) ++changes[v->name];
    };
    walk(
        tree, [&](const Assign &a) { count(a.target); },
        [&](const Unary &u) {
          if (changesOperand(u.op)) count(u.operand);
        });
  }
  /// What is declared anew hides what had the name.
  void forget(const std::string &name) {
    std::erase_if(known_, [&](const auto &entry) {
      return entry.first == name || any<VarRef>(entry.second, [&](const VarRef &v) { return v.name == name; });
    });
  }
  const Expr *inPlace(const Expr *index) {
    return substituted(arena(), index, [&](const VarRef *v) -> const Expr * {
      const auto found = known_.find(v->name);
      return found == known_.end() ? v : found->second;
    });
  }
  /// What may stand for a variable; null: it has to be named.
  const Expr *valueOf(const Declare &d) {
    if (!d.type.isInteger() || d.type.isBool() || !d.extents.empty() || d.shared || d.tunable || !d.init ||
        changed_.count(d.name) || !isArithmetic(d.init, module_))
      return nullptr;
    const Expr *value = inPlace(d.init);
    const bool varies = any<VarRef>(value, [&](const VarRef &v) { return iterators_.count(v.name) != 0; });
    const bool fixed =
        varies && !any<VarRef>(value, [&](const VarRef &v) { return v.type.isScalar() && changed_.count(v.name); });
    return fixed && value->type == d.type && nodeCount(value) <= kMostIndexNodes ? value : nullptr;
  }
  const Module &module_;
  std::set<std::string> changed_, iterators_, replaced_;
  std::map<std::string, const Expr *> known_;
};

} // namespace

const Codelet *withIndicesInPlace(const Module &module, const Codelet *codelet, Arena &arena) {
  InPlace inPlace(module, codelet, arena);
  const auto *made = as<Codelet>(inPlace.mutate(codelet));
  return made == codelet ? codelet : Unused(inPlace.replaced(), arena).without(made);
}

} // namespace tangram::nest
