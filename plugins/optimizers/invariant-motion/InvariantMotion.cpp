#include "InvariantMotion.h"
#include "Expensive.h"
#include "Gathers.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/hardware/Promises.h"

#include <map>

namespace tangram::invariant {

using namespace ast;

namespace {

class Motion final : public Mutator {
public:
  Motion(Arena &arena, const Kernel &kernel, bool reciprocals)
      : Mutator(arena), gathers_(arena, kernel), assigned_(assignedVariables(kernel.body)), reciprocals_(reciprocals) {
    names_.reserveAll(&kernel);
    walk(kernel.body, [&](const Declare &d) { ++declared_[d.name]; });
  }

private:
  const Node *mutateLoop(const Loop *n) override { return hoisted(n); }
  const Node *mutateFor(const For *n) override { return hoisted(n); }
  const Node *mutateWhile(const While *n) override { return hoisted(n); }
  const Node *mutateDoWhile(const DoWhile *n) override { return hoisted(n); }

  /// Inner loops first: what they give up may leave this one too.
  template <class T> const Node *hoisted(const T *loop) {
    const auto *inner = as<T>(rebuild(loop));
    std::set<std::string> varying;
    walk(
        inner, [&](const Declare &d) { varying.insert(d.name); }, [&](const Loop &l) { varying.insert(l.var); },
        [&](const View &v) { varying.insert(v.name); }, [&](const Alloc &a) { varying.insert(a.name); });
    std::vector<const Stmt *> moved;
    const Block *body = without(inner->body, varying, moved);
    const std::size_t declarations = moved.size();
    body = withoutExpensive(
        arena(), names_, body, [&](const Expr *e) { return invariant(e, varying); }, reciprocals_, moved);
    for (std::size_t i = declarations; i < moved.size(); ++i) ++declared_[as<Declare>(moved[i])->name];
    varying.merge(assignedVariables(inner));
    body = gathers_.without(body, turns(inner), varying, moved);
    if (moved.empty()) return inner;
    for (const Stmt *s : moved) emitBefore(s);
    return arena().derive(inner, [&](T &copy) { copy.body = body; });
  }

  /// Whether the loop turns at all; null where that cannot be asked in front of it.
  const Expr *turns(const Loop *loop) { return Build(arena(), loop->range).less(loop->begin, loop->end); }
  const Expr *turns(const For *loop) {
    const auto *first = dyn<Declare>(loop->init);
    if (!loop->cond || (loop->init && (!first || !first->init || !first->extents.empty()))) return nullptr;
    return substituted(arena(), loop->cond, [&](const VarRef *v) -> const Expr * {
      return first && v->name == first->name ? first->init : v;
    });
  }
  static const Expr *turns(const While *) { return nullptr; }
  static const Expr *turns(const DoWhile *) { return nullptr; }

  const Block *without(const Block *block, std::set<std::string> &varying, std::vector<const Stmt *> &moved) {
    std::size_t before = moved.size();
    bool changed = false;
    std::vector<const Stmt *> stmts;
    for (const Stmt *s : block->stmts) {
      if (const auto *d = dyn<Declare>(s); d && constant(*d) && invariant(d->init, varying)) {
        varying.erase(d->name);
        moved.push_back(d);
        continue;
      }
      const auto *nested = dyn<Block>(s);
      stmts.push_back(nested ? without(nested, varying, moved) : s);
      changed |= stmts.back() != s;
    }
    if (moved.size() == before && !changed) return block;
    return arena().derive(block, [&](Block &copy) { copy.stmts = std::move(stmts); });
  }

  bool constant(const Declare &d) const {
    const auto once = declared_.find(d.name); // what was put in front of a loop is not there
    return d.init && d.extents.empty() && !d.shared && !d.type.isPointer() && once != declared_.end() &&
           once->second == 1 && !assigned_.count(d.name) && !isa<IntLit>(d.init) && !isa<FloatLit>(d.init);
  }
  bool invariant(const Expr *e, const std::set<std::string> &varying) const {
    return speculable(e) &&
           !any<VarRef>(e, [&](const VarRef &v) { return varying.count(v.name) || assigned_.count(v.name); });
  }

  Gathers gathers_;
  Names names_;
  std::set<std::string> assigned_;
  std::map<std::string, unsigned> declared_;
  bool reciprocals_;
};

} // namespace

const Module *InvariantMotion::run(const Module *module, PassContext &context) {
  const bool reciprocals = reciprocals_ && !hardware::sameBits(context.target);
  return context.arena.derive(module, [&](Module &copy) {
    for (const Kernel *&kernel : copy.kernels) kernel = Motion(context.arena, *kernel, reciprocals)(kernel);
  });
}

} // namespace tangram::invariant
