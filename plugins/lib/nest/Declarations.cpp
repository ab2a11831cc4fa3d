#include "Declarations.h"

#include "Expressions.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <map>
#include <set>

namespace tangram::nest {

using namespace ast;

namespace {

/// Blocks around a node, outermost first, each with the index of the statement in it that leads on.
using Path = std::vector<std::pair<const Block *, std::size_t>>;

struct Use {
  Path path;
  const Declare *declaration = nullptr; // else a reference
};

void uses(const Node *n, Path &path, std::map<std::string, std::vector<Use>> &out) {
  if (const auto *b = dyn<Block>(n)) {
    for (std::size_t i = 0; i < b->stmts.size(); ++i) {
      path.emplace_back(b, i);
      uses(b->stmts[i], path, out);
      path.pop_back();
    }
    return;
  }
  for (const Node *child : children(*n)) uses(child, path, out);
  if (const auto *d = dyn<Declare>(n)) out[d->name].push_back({path, d});
  if (const auto *v = dyn<VarRef>(n)) out[v->name].push_back({path, nullptr});
}

/// The first use is a declaration, directly in a block, and all others stand behind it in that block.
bool inOrder(const std::vector<Use> &all) {
  const Use &first = all.front();
  if (!first.declaration) return false;
  std::size_t depth = first.path.size();
  return std::all_of(all.begin() + 1, all.end(), [&](const Use &u) {
    return !u.declaration && u.path.size() >= depth && u.path[depth - 1].first == first.path[depth - 1].first &&
           u.path[depth - 1].second >= first.path[depth - 1].second;
  });
}

class Placing final : public Mutator {
public:
  Placing(Arena &arena, std::map<const Block *, std::vector<std::pair<std::size_t, const Declare *>>> hoisted,
          std::set<std::string> moved)
      : Mutator(arena), hoisted_(std::move(hoisted)), moved_(std::move(moved)) {}

private:
  const Node *mutateBlock(const Block *node) override {
    auto here = hoisted_.find(node);
    std::vector<const Stmt *> stmts;
    for (std::size_t i = 0; i < node->stmts.size(); ++i) {
      if (here != hoisted_.end())
        for (const auto &[at, d] : here->second)
          if (at == i) stmts.push_back(declared(d));
      const Stmt *s = node->stmts[i];
      if (const auto *d = dyn<Declare>(s); d && moved_.count(d->name)) {
        if (d->init) stmts.push_back(assignment(d));
        continue;
      }
      if (const Node *changed = mutate(s)) stmts.push_back(as<Stmt>(changed));
    }
    return arena().derive(node, [&](Block &b) { b.stmts = std::move(stmts); });
  }
  const Stmt *declared(const Declare *d) {
    return arena().derive(d, [](Declare &copy) {
      copy.init = nullptr;
      copy.isConst = false;
    });
  }
  const Stmt *assignment(const Declare *d) {
    const Expr *target = arena().make<VarRef>(d->range, d->type, d->name);
    const Expr *set = arena().make<Assign>(d->range, d->type, AssignOp::Set, target, d->init);
    return arena().make<Evaluate>(d->range, set);
  }

  std::map<const Block *, std::vector<std::pair<std::size_t, const Declare *>>> hoisted_;
  std::set<std::string> moved_;
};

} // namespace

const Block *placeDeclarations(Arena &arena, const Block *body) {
  std::map<std::string, std::vector<Use>> all;
  Path path;
  uses(body, path, all);
  std::map<const Block *, std::vector<std::pair<std::size_t, const Declare *>>> hoisted;
  std::set<std::string> moved;
  for (const auto &[name, found] : all) {
    auto declaration = std::find_if(found.begin(), found.end(), [](const Use &u) { return u.declaration; });
    if (declaration == found.end() || inOrder(found)) continue;
    const Declare *d = declaration->declaration;
    if (d->type.isArray() || d->tunable || (!d->extents.empty() && d->init))
      throw NotWritten{"'" + name + "' is declared in the loops, and cannot be moved: declare it in front of them"};
    // The innermost block around all of them, in front of the first.
    Path common = found.front().path;
    std::size_t at = common.back().second;
    for (const Use &u : found) {
      std::size_t same = 0;
      while (same < common.size() && same < u.path.size() && common[same].first == u.path[same].first) ++same;
      if (same < common.size()) common.resize(same);
    }
    if (common.empty()) throw NotWritten{"'" + name + "' has no block of its own"};
    at = common.back().second;
    for (const Use &u : found) at = std::min(at, u.path[common.size() - 1].second);
    hoisted[common.back().first].emplace_back(at, d);
    moved.insert(name);
  }
  if (moved.empty()) return body;
  return as<Block>(Placing(arena, std::move(hoisted), std::move(moved)).mutate(body));
}

} // namespace tangram::nest
