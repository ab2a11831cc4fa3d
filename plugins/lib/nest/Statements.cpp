#include "tangram/nest/Statements.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

namespace tangram::nest {

using namespace ast;

std::set<std::string> declaredIn(const std::vector<const Stmt *> &stmts) {
  std::set<std::string> result;
  for (const Stmt *s : stmts) walk(s, [&](const Declare &d) { result.insert(d.name); });
  return result;
}

const If *continueIf(const Stmt *s) {
  const auto *choice = dyn<If>(s);
  if (!choice || choice->otherwise || choice->then->stmts.size() != 1 || hasEffects(choice->cond)) return nullptr;
  return isa<Continue>(choice->then->stmts[0]) ? choice : nullptr;
}

const Assign *variableSet(const Stmt *s) {
  const auto *evaluate = dyn<Evaluate>(s);
  const auto *set = evaluate ? dyn<Assign>(evaluate->expr) : nullptr;
  return set && set->op == AssignOp::Set && isa<VarRef>(set->target) ? set : nullptr;
}

bool changesVariable(const Node *tree, const std::string &name) { return assignedVariables(tree).count(name) != 0; }

bool touchesElements(const Node *tree, const std::set<std::string> &containers) {
  return any<Subscript>(tree, [&](const Subscript &s) {
    const VarRef *root = rootVariable(&s);
    return root && containers.count(root->name) != 0;
  });
}

std::size_t mentionsOf(const Node *tree, const std::string &name) {
  std::size_t count = 0;
  walk(tree, [&](const VarRef &v) { count += v.name == name; });
  return count;
}

std::size_t valueMentionsOf(const Node *tree, const std::string &name) {
  std::size_t count = 0;
  walk(tree, [](const Size &) { return WalkResult::Skip; }, [&](const VarRef &v) { count += v.name == name; });
  return count;
}

bool mentionsValue(const Node *tree, const std::string &name) {
  bool found = false;
  walk(tree, [&](const Node &n) {
    const auto *v = dyn<VarRef>(&n);
    found |= v && v->name == name;
    return isa<Size>(&n) ? WalkResult::Skip : WalkResult::Advance;
  });
  return found;
}

std::set<std::string> withViewed(std::set<std::string> names, const Node *tree) {
  for (std::size_t before = 0; before != names.size();) {
    before = names.size();
    walk(tree, [&](const Declare &d) {
      if (d.type.isArray() && d.init && names.count(d.name))
        walk(d.init, [&](const VarRef &v) {
          if (v.type.isArray()) names.insert(v.name);
        });
    });
  }
  return names;
}

std::set<std::string> writtenIn(const std::vector<const Stmt *> &stmts) {
  std::set<std::string> result;
  auto changes = [&](const Expr *place) {
    if (const VarRef *root = rootVariable(place); root && !isa<VarRef>(place)) result.insert(root->name);
  };
  for (const Stmt *s : stmts)
    walk(
        s, [&](const Assign &a) { changes(a.target); }, [&](const Atomic &a) { changes(a.target); },
        [&](const Unary &u) {
          if (u.op != UnaryOp::Plus && u.op != UnaryOp::Minus && u.op != UnaryOp::Not && u.op != UnaryOp::BitNot)
            changes(u.operand);
        });
  return result;
}

namespace {

class Copy final : public Mutator {
public:
  using Mutator::Mutator;

private:
  template <class T> const T *again(const T *node) {
    return arena().derive(node, [](T &) {});
  }
  const Node *mutateVarRef(const VarRef *v) override { return again(v); }
  const Node *mutateIntLit(const IntLit *n) override { return again(n); }
  const Node *mutateFloatLit(const FloatLit *n) override { return again(n); }
  const Node *mutateDeclare(const Declare *d) override { return again(as<Declare>(Mutator::mutateDeclare(d))); }
};

} // namespace

std::vector<const Stmt *> copied(const std::vector<const Stmt *> &stmts, Arena &arena) {
  Copy copy(arena);
  std::vector<const Stmt *> result;
  for (const Stmt *s : stmts) result.push_back(as<Stmt>(copy.mutate(s)));
  return result;
}

const Block *withoutBraces(const Block *block) {
  while (block->stmts.size() == 1 && isa<Block>(block->stmts[0])) block = as<Block>(block->stmts[0]);
  return block;
}

} // namespace tangram::nest
