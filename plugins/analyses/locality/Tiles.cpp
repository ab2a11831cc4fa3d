#include "Tiles.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace tangram {

using namespace ast;

namespace {

/// How many loops stand around the deepest read and write of each array and container; -1: there is none.
struct Depths {
  std::map<std::string, int> read, written;

  void visit(const Node *node, int depth) {
    if (isa<For>(node) || isa<While>(node) || isa<DoWhile>(node)) ++depth;
    if (const auto *assign = dyn<Assign>(node); assign && isa<Subscript>(assign->target)) {
      note(written, assign->target, depth);
      if (assign->op != AssignOp::Set) note(read, assign->target, depth);
      for (const Expr *index : as<Subscript>(assign->target)->indices) visit(index, depth);
      return visit(assign->value, depth);
    }
    if (const auto *atomic = dyn<Atomic>(node)) note(written, atomic->target, depth);
    if (const auto *unary = dyn<Unary>(node); unary && hasEffects(unary)) note(written, unary->operand, depth);
    if (isa<Subscript>(node)) note(read, as<Subscript>(node), depth);
    for (const Node *child : children(*node)) visit(child, depth);
  }

  static void note(std::map<std::string, int> &depths, const Expr *place, int depth) {
    if (const VarRef *root = rootVariable(place)) {
      int &deepest = depths.emplace(root->name, depth).first->second;
      deepest = std::max(deepest, depth);
    }
  }
  static int of(const std::map<std::string, int> &depths, const std::string &name) {
    auto it = depths.find(name);
    return it == depths.end() ? -1 : it->second;
  }
};

} // namespace

bool computesOnTiles(const Codelet &codelet) {
  std::set<std::string> shared;
  walk(codelet.body, [&](const Declare &d) {
    if (d.shared && !d.extents.empty()) shared.insert(d.name);
  });
  if (shared.empty()) return false;
  Depths depths;
  depths.visit(codelet.body, 0);
  int containers = -1;
  for (const Param *param : codelet.params)
    containers = std::max({containers, Depths::of(depths.read, param->name), Depths::of(depths.written, param->name)});
  return std::any_of(shared.begin(), shared.end(), [&](const std::string &array) {
    int read = Depths::of(depths.read, array);
    return read > Depths::of(depths.written, array) && read > containers;
  });
}

} // namespace tangram
