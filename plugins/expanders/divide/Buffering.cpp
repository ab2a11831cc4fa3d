#include "Buffering.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Read.h"

#include <algorithm>
#include <map>
#include <set>

namespace tangram::divide {

using namespace ast;
using nest::Dependence;
using nest::DependenceKind;

namespace {

/// An element of a container that a statement of a loop's body writes, and nobody behind it in the body reads.
struct Write {
  const Assign *assign = nullptr;
  const nest::Variable *variable = nullptr;
};

class Buffering : public Mutator {
public:
  Buffering(const nest::Nest &nest, Arena &arena) : Mutator(arena), nest_(nest) {
    names_.reserveAll(nest.codelet);
    for (unsigned loop = 0; loop < nest.loops.size(); ++loop) find(loop);
  }

  bool any() const { return !writes_.empty(); }

private:
  /// What each loop of its own buffers.
  void find(unsigned loop) {
    const nest::Loop &l = nest_.loops[loop];
    if (!l.parent) return; // outermost ones have copies of what they read
    const auto &stmts = l.node->body->stmts;
    if (std::any_of(stmts.begin(), stmts.end(), [](const Stmt *s) { return !isa<Declare>(s) && !isa<Evaluate>(s); }))
      return;
    const nest::Dependences dependences(nest_);
    const nest::Carried carried = dependences.carried(loop);
    if (carried.kind != nest::Carried::Kind::Dependence) return;
    std::set<unsigned> variables; // that are written too soon
    for (const Dependence &d : dependences.all(loop)) {
      if (std::count(carried.privatizable.begin(), carried.privatizable.end(), d.first->variable)) continue;
      if (d.kind != DependenceKind::Anti || nest_.variables[d.first->variable].rank == 0) return;
      variables.insert(d.second->variable);
    }
    std::vector<Write> found;
    for (const unsigned variable : variables) {
      const nest::Variable &v = nest_.variables[variable];
      std::set<std::string> own;
      const Assign *only = nullptr;
      if (readsElement(l.node->init, v.name) || readsElement(l.node->cond, v.name)) return;
      for (const Stmt *s : stmts) {
        if (const auto *d = dyn<Declare>(s)) own.insert(d->name);
        if (only && mentions(s, v.name)) return; // it may be what has just been written
        if (!mentions(s, v.name)) continue;
        const auto *e = dyn<Evaluate>(s);
        const auto *assign = e ? dyn<Assign>(e->expr) : nullptr;
        const auto *target = assign ? dyn<Subscript>(assign->target) : nullptr;
        const auto *base = target ? dyn<VarRef>(target->base) : nullptr;
        if (!base || base->name != v.name) continue; // it reads
        if (assign->op != AssignOp::Set && assign->op != AssignOp::Add && assign->op != AssignOp::Sub &&
            assign->op != AssignOp::Mul)
          return;
        for (const Expr *index : target->indices)
          if (ast::any<VarRef>(index, [&](const VarRef &r) { return own.count(r.name) != 0; }) ||
              contains<Assign>(index) || contains<Call>(index) || contains<Unary>(index))
            return;
        only = assign;
      }
      if (!only || !(v.given || (v.declaration && !v.declaration->shared && !v.declaration->tunable))) return;
      found.push_back({only, &v});
    }
    if (!found.empty()) writes_[l.node] = std::move(found);
  }

  static bool readsElement(const Node *tree, const std::string &name) {
    return ast::any<Subscript>(tree, [&](const Subscript &s) { return mentions(s.base, name); });
  }

  const Node *mutateBlock(const Block *block) override {
    std::vector<const Stmt *> all;
    bool changed = false;
    for (const Stmt *s : block->stmts) {
      const auto found = writes_.find(s);
      if (found == writes_.end()) {
        const auto *same = static_cast<const Stmt *>(mutate(s));
        changed |= same != s;
        all.push_back(same);
        continue;
      }
      changed = true;
      buffered(as<For>(s), found->second, all);
    }
    return changed ? arena().derive(block, [&](Block &b) { b.stmts = std::move(all); }) : block;
  }

  void buffered(const For *loop, const std::vector<Write> &writes, std::vector<const Stmt *> &all) {
    const Build build(arena(), loop->range);
    std::map<const Assign *, const Expr *> into;
    std::vector<const Stmt *> back;
    for (const Write &w : writes) {
      const auto *target = as<Subscript>(w.assign->target);
      const auto *base = as<VarRef>(target->base);
      const std::string name = names_.fresh(base->name + "_next");
      if (const Declare *d = w.variable->declaration) {
        all.push_back(arena().derive(d, [&](Declare &copy) {
          copy.name = name;
          copy.init = nullptr;
          copy.isConst = false;
        }));
      } else {
        std::vector<const Expr *> extents;
        const Expr *none = nullptr;
        for (unsigned d = 0; d < base->type.rank(); ++d)
          extents.push_back(
              arena().make<Size>(loop->range, Type(Scalar::U64), base, base->type.rank() == 1 ? none : build.u64(d)));
        const Tunable *noTunable = nullptr;
        all.push_back(
            arena().make<Declare>(loop->range, name, base->type, false, false, std::move(extents), noTunable, none));
      }
      const Expr *element = build.element(build.var(name, base->type), target->indices, target->type);
      into[w.assign] = element;
      back.push_back(build.assign(target, element));
    }
    std::vector<const Stmt *> first;
    for (const Stmt *s : loop->body->stmts) {
      const auto *e = dyn<Evaluate>(s);
      const auto *assign = e ? dyn<Assign>(e->expr) : nullptr;
      const auto buffer = assign ? into.find(assign) : into.end();
      if (buffer == into.end()) {
        first.push_back(s);
        continue;
      }
      const Expr *value = assign->value;
      if (assign->op != AssignOp::Set) {
        const BinaryOp op = assign->op == AssignOp::Add   ? BinaryOp::Add
                            : assign->op == AssignOp::Sub ? BinaryOp::Sub
                                                          : BinaryOp::Mul;
        value = build.binary(op, assign->target, value);
      }
      first.push_back(build.assign(buffer->second, value));
    }
    all.push_back(arena().derive(loop, [&](For &f) { f.body = build.block(std::move(first)); }));
    const auto *counter = as<Declare>(loop->init);
    const std::string other = names_.fresh(counter->name);
    const auto renamed = [&](const VarRef *v) -> const Expr * {
      return v->name == counter->name ? build.var(other, v->type) : v;
    };
    const auto *again = as<For>(substituted(
        arena(),
        static_cast<const Stmt *>(arena().derive(loop, [&](For &f) { f.body = build.block(std::move(back)); })),
        renamed));
    all.push_back(arena().derive(again, [&](For &f) {
      f.init = arena().derive(as<Declare>(again->init), [&](Declare &d) { d.name = other; });
    }));
  }

  const nest::Nest &nest_;
  Names names_;
  std::map<const Node *, std::vector<Write>> writes_;
};

class LocalContainers : public Mutator {
public:
  using Mutator::Mutator;

private:
  static constexpr Int kLarge = 32; // elements: fewer are registers of a worker

  const Node *mutateFor(const For *f) override {
    ++loops_;
    const Node *result = Mutator::mutateFor(f);
    --loops_;
    return result;
  }
  const Node *mutateDeclare(const Declare *d) override {
    Int all = 1;
    for (const Expr *extent : d->extents) {
      const std::optional<Int> n = literal(extent);
      all = n && *n > 0 && all < kLarge ? all * *n : n ? all : 0;
    }
    if (loops_ == 0 || d->extents.empty() || d->type.isArray() || !d->type.isScalar() || d->shared || d->tunable ||
        d->init || all < kLarge)
      return Mutator::mutateDeclare(d);
    const Type type = Type::array(static_cast<unsigned>(d->extents.size()), d->type);
    types_.insert_or_assign(d->name, type);
    return arena().derive(d, [&](Declare &c) {
      c.type = type;
      for (const Expr *&extent : c.extents)
        extent = Build(arena(), d->range).u64(static_cast<std::uint64_t>(*literal(extent)));
    });
  }
  const Node *mutateVarRef(const VarRef *v) override {
    const auto type = types_.find(v->name);
    return type == types_.end() ? v : arena().derive(v, [&](VarRef &c) { c.type = type->second; });
  }

  unsigned loops_ = 0;
  std::map<std::string, Type> types_; // names are a codelet's own
};

} // namespace

const Codelet *withLocalContainers(const Codelet &codelet, Arena &arena) {
  return as<Codelet>(LocalContainers(arena).mutate(&codelet));
}

const Codelet *withBufferedLoops(nest::Nests &nests, const Codelet &codelet, Arena &arena) {
  // In a loop within another, an element of a container that is written and another one that is read.
  const bool candidates = any<For>(codelet.body, [&](const For &outer) {
    return any<For>(outer.body, [](const For &f) {
      std::vector<const Subscript *> written;
      walk(f.body, [&](const Assign &a) {
        if (const auto *s = dyn<Subscript>(a.target); s && isa<VarRef>(s->base)) written.push_back(s);
      });
      return !contains<For>(f.body) && any<Subscript>(f.body, [&](const Subscript &read) {
        return std::any_of(written.begin(), written.end(),
                           [&](const Subscript *s) { return equal(s->base, read.base) && !equal(s, &read); });
      });
    });
  });
  const nest::Nest *const nest = candidates ? nests.of(codelet) : nullptr;
  if (!nest) return &codelet;
  Buffering buffering(*nest, arena);
  return buffering.any() ? as<Codelet>(buffering.mutate(&codelet)) : &codelet;
}

} // namespace tangram::divide
