#include "tangram/ast/Visitor.h"

#include "tangram/ast/Walk.h"

namespace tangram::ast {

void Visitor::traverse(const Node *node) {
  if (!node) return;
  switch (node->kind()) {
#define NODE(Name, Base)                                                                                               \
  case Kind::Name: traverse##Name(static_cast<const Name &>(*node)); break;
#include "tangram/ast/NodeMacros.h"
  }
}

#define NODE(Name, Base)                                                                                               \
  void Visitor::traverse##Name(const Name &node) {                                                                     \
    pre##Name(node);                                                                                                   \
    for (const Node *child : children(node)) {                                                                         \
      traverse(child);                                                                                                 \
      in##Name(node, *child);                                                                                          \
    }                                                                                                                  \
    post##Name(node);                                                                                                  \
  }                                                                                                                    \
  void Visitor::pre##Name(const Name &node) { preBase(node); }                                                         \
  void Visitor::in##Name(const Name &node, const Node &child) { inBase(node, child); }                                 \
  void Visitor::post##Name(const Name &node) { postBase(node); }
#include "tangram/ast/NodeMacros.h"

} // namespace tangram::ast
