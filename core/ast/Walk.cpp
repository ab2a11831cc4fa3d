#include "tangram/ast/Walk.h"

namespace tangram::ast {
namespace {
struct Collector {
  std::vector<const Node *> &out;
  template <class T> void attr(std::string_view, const T &) {}
  template <class T> void child(std::string_view, const T *node) {
    if (node) out.push_back(node);
  }
  template <class T> void opt(std::string_view name, const T *node) { child(name, node); }
  template <class T> void list(std::string_view, const std::vector<const T *> &nodes) {
    for (const T *node : nodes)
      if (node) out.push_back(node);
  }
};

/// Goes into each child until one says to stop.
struct Descent {
  detail::Visit visit;
  bool &goesOn;
  template <class T> void attr(std::string_view, const T &) {}
  template <class T> void child(std::string_view, const T *node) {
    if (node && goesOn) goesOn = detail::walkNode(*node, visit);
  }
  template <class T> void opt(std::string_view name, const T *node) { child(name, node); }
  template <class T> void list(std::string_view name, const std::vector<const T *> &nodes) {
    for (const T *node : nodes) child(name, node);
  }
};
} // namespace

std::vector<const Node *> children(const Node &node) {
  std::vector<const Node *> out;
  dispatch(node, [&](const auto &n) { forEachField(n, Collector{out}); });
  return out;
}

bool detail::walkNode(const Node &node, Visit visit) {
  switch (visit(node)) {
  case WalkResult::Stop: return false;
  case WalkResult::Skip: return true;
  case WalkResult::Advance: break;
  }
  bool goesOn = true;
  dispatch(node, [&](const auto &n) { forEachField(n, Descent{visit, goesOn}); });
  return goesOn;
}

bool mentions(const Node *tree, const std::string &name) {
  return any<VarRef>(tree, [&](const VarRef &v) { return v.name == name; });
}

std::size_t nodeCount(const Node *root) {
  std::size_t nodes = 0;
  walk(root, [&](const Node &) { ++nodes; });
  return nodes;
}

} // namespace tangram::ast
