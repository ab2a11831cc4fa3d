// AST to AST. Override mutateX for the kinds of interest; the default rebuilds a node from its mutated
// children and returns the very same node where nothing changed, so "changed?" is pointer equality.
#pragma once

#include "tangram/ast/Names.h"

#include <functional>
#include <map>

namespace tangram::ast {

class Mutator {
public:
  explicit Mutator(Arena &arena) : arena_(arena) {}
  virtual ~Mutator() = default;

  /// Null stays null. In a list of children a mutated null is left out.
  const Node *mutate(const Node *node);
  /// The mutated node must be a T again (an Expr for an Expr, a Block for a Block).
  template <class T> const T *mutateAs(const T *node) { return as<T>(mutateOrNull(node)); }
  template <class T> const T *operator()(const T *node) { return mutateAs(node); }

protected:
  Arena &arena() { return arena_; }
  /// Puts a statement in front of the one that is being mutated, in its Block; code(expr) hoisted from
  /// within an expression goes here. Only callable below a Block.
  void emitBefore(const Stmt *stmt);
  /// The same, behind it.
  void emitAfter(const Stmt *stmt);

#define NODE(Name, Base) virtual const Node *mutate##Name(const Name *node);
#include "tangram/ast/NodeMacros.h"

  /// What the defaults do: same node, or a copy with mutated children.
  template <class T> const T *rebuild(const T *node);

private:
  template <class T> const T *mutateOrNull(const T *node) {
    return static_cast<const T *>(checked(mutate(node), node));
  }
  const Node *checked(const Node *result, const Node *original);
  const Block *rebuildBlock(const Block *node);

  struct Frame {
    std::vector<const Stmt *> before, after;
  };
  Arena &arena_;
  std::vector<Frame> frames_;
};

/// A copy of a tree with every variable renamed: declarations and references alike.
/// `rename` gets a name and returns the new one (or the same).
const Node *renameVariables(Arena &arena, const Node *tree,
                            const std::function<std::string(const std::string &)> &rename);
/// The same by a table; names that it does not have stay.
const Node *renameVariables(Arena &arena, const Node *tree, const std::map<std::string, std::string> &names);
/// A copy for the same function: what the tree declares is declared by the copy under other names, `x` as `x` and
/// `suffix`, fresh.
const Node *withOwnNames(Arena &arena, const Node *tree, Names &names, const std::string &suffix = "");

} // namespace tangram::ast
