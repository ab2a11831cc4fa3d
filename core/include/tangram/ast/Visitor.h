// The generic visitor of Algorithm 1: for each node a traversing function with prefix, infix and postfix
// operations, and for all nodes base operations that the specific ones call unless overridden.
#pragma once

#include "tangram/ast/Node.h"

namespace tangram::ast {

class Visitor {
public:
  virtual ~Visitor() = default;
  /// Visits the tree below `node`; null is no tree.
  void traverse(const Node *node);

protected:
  virtual void preBase(const Node &) {}
  virtual void inBase(const Node & /*parent*/, const Node & /*childJustVisited*/) {}
  virtual void postBase(const Node &) {}

#define NODE(Name, Base)                                                                                               \
  virtual void traverse##Name(const Name &node);                                                                       \
  virtual void pre##Name(const Name &node);                                                                            \
  virtual void in##Name(const Name &node, const Node &child);                                                          \
  virtual void post##Name(const Name &node);
#include "tangram/ast/NodeMacros.h"
};

} // namespace tangram::ast
