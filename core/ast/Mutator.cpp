#include "tangram/ast/Mutator.h"

#include "tangram/ast/Storage.h"
#include "tangram/diag/Diagnostic.h"

namespace tangram::ast {

const Node *Mutator::mutate(const Node *node) {
  if (!node) return nullptr;
  switch (node->kind()) {
#define NODE(Name, Base)                                                                                               \
  case Kind::Name: return mutate##Name(static_cast<const Name *>(node));
#include "tangram/ast/NodeMacros.h"
  }
  __builtin_unreachable();
}

const Node *Mutator::checked(const Node *result, const Node *original) {
  bool fits = !result || result->kind() == original->kind() || (isa<Expr>(result) && isa<Expr>(original)) ||
              (isa<Stmt>(result) && isa<Stmt>(original));
  if (!fits)
    failBug(original->range, "ast.mutator", fmt::format("{} became {}", name(original->kind()), name(result->kind())));
  return result;
}

void Mutator::emitBefore(const Stmt *stmt) {
  if (frames_.empty()) failBug(stmt->range, "ast.mutator", "emitBefore outside a block");
  frames_.back().before.push_back(stmt);
}

void Mutator::emitAfter(const Stmt *stmt) {
  if (frames_.empty()) failBug(stmt->range, "ast.mutator", "emitAfter outside a block");
  frames_.back().after.push_back(stmt);
}

const Block *Mutator::rebuildBlock(const Block *node) {
  std::vector<const Stmt *> stmts;
  stmts.reserve(node->stmts.size());
  for (const Stmt *stmt : node->stmts) {
    frames_.emplace_back();
    const Stmt *result = mutateOrNull(stmt);
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    stmts.insert(stmts.end(), frame.before.begin(), frame.before.end());
    if (result) stmts.push_back(result);
    stmts.insert(stmts.end(), frame.after.begin(), frame.after.end());
  }
  if (stmts == node->stmts) return node;
  return arena_.make<Block>(node->range, std::move(stmts));
}

namespace {
/// Mutates the children of a node into a scratch copy and remembers whether any differs.
template <class M> struct FieldMutator {
  M mutate;
  bool changed = false;
  template <class T> void attr(std::string_view, T &) {}
  template <class T> void child(std::string_view, const T *&node) {
    const T *result = mutate(node);
    changed |= result != node;
    node = result;
  }
  template <class T> void opt(std::string_view name, const T *&node) { child(name, node); }
  template <class T> void list(std::string_view, std::vector<const T *> &nodes) {
    std::vector<const T *> results;
    results.reserve(nodes.size());
    for (const T *node : nodes)
      if (const T *result = mutate(node)) results.push_back(result);
    changed |= results != nodes;
    nodes = std::move(results);
  }
};
} // namespace

template <class T> const T *Mutator::rebuild(const T *node) {
  if constexpr (std::is_same_v<T, Block>) {
    return rebuildBlock(node);
  } else {
    T copy(*node);
    auto mutateChild = [this]<class C>(const C *child) { return this->mutateOrNull(child); };
    FieldMutator<decltype(mutateChild)> fields{mutateChild};
    forEachField(copy, fields);
    if (!fields.changed) return node;
    return arena_.derive(node, [&](T &fresh) { fresh = std::move(copy); });
  }
}

#define NODE(Name, Base)                                                                                               \
  template const Name *Mutator::rebuild<Name>(const Name *);                                                           \
  const Node *Mutator::mutate##Name(const Name *node) { return rebuild(node); }
#include "tangram/ast/NodeMacros.h"

namespace {
class Renamer final : public Mutator {
public:
  Renamer(Arena &arena, const std::function<std::string(const std::string &)> &rename)
      : Mutator(arena), rename_(rename) {}

private:
  template <class T> const Node *renamed(const T *node, std::string T::*field) {
    const T *result = rebuild(node);
    std::string name = rename_(node->*field);
    if (name == node->*field) return result;
    return arena().derive(result, [&](T &copy) { copy.*field = std::move(name); });
  }
  const Node *mutateParam(const Param *n) override { return renamed(n, &Param::name); }
  const Node *mutateDeclare(const Declare *n) override { return renamed(n, &Declare::name); }
  const Node *mutateVarRef(const VarRef *n) override { return renamed(n, &VarRef::name); }
  const Node *mutateLoop(const Loop *n) override { return renamed(n, &Loop::var); }
  const Node *mutateCooperate(const Cooperate *n) override { return renamed(n, &Cooperate::lane); }
  const Node *mutateAlloc(const Alloc *n) override { return renamed(n, &Alloc::name); }
  const Node *mutateView(const View *n) override {
    const View *result = rebuild(n);
    return arena().derive(result, [&](View &copy) {
      copy.name = rename_(n->name);
      copy.base = rename_(n->base);
    });
  }

  const std::function<std::string(const std::string &)> &rename_;
};
} // namespace

const Node *renameVariables(Arena &arena, const Node *tree,
                            const std::function<std::string(const std::string &)> &rename) {
  return Renamer(arena, rename).mutate(tree);
}

const Node *renameVariables(Arena &arena, const Node *tree, const std::map<std::string, std::string> &names) {
  return renameVariables(arena, tree, [&](const std::string &name) {
    const auto known = names.find(name);
    return known == names.end() ? name : known->second;
  });
}

const Node *withOwnNames(Arena &arena, const Node *tree, Names &names, const std::string &suffix) {
  std::map<std::string, std::string> own;
  for (const std::string &name : declaredIn(tree)) own[name] = names.fresh(name + suffix);
  return renameVariables(arena, tree, own);
}

} // namespace tangram::ast
