#include "tangram/loops/Merged.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Builtins.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace tangram::loops {

using namespace ast;

namespace {

struct Element {
  const Aligned *pointer = nullptr;
  Int offset = 0;
};

std::optional<Element> element(const Expr *e) {
  const auto *subscript = dyn<Subscript>(e);
  const auto *aligned = subscript ? dyn<Aligned>(subscript->base) : nullptr;
  const std::optional<Int> offset = aligned ? literal(subscript->indices.at(0)) : std::nullopt;
  return offset ? std::optional(Element{aligned, *offset}) : std::nullopt;
}

/// What other lanes have done before, or do behind it, is there for all.
bool orders(const Stmt &s) {
  return !(isa<Block>(&s) || isa<Declare>(&s) || isa<Evaluate>(&s) || isa<If>(&s) || isa<For>(&s) || isa<Loop>(&s) ||
           isa<While>(&s) || isa<DoWhile>(&s) || isa<Break>(&s) || isa<Continue>(&s) || isa<VectorStore>(&s));
}

/// Variables in place of elements.
class WithVariables final : public Mutator {
public:
  WithVariables(Arena &arena, const Aligned *pointer, const std::map<Int, std::string> &variables)
      : Mutator(arena), pointer_(pointer), variables_(variables) {}

private:
  const Node *mutateSubscript(const Subscript *e) override {
    const std::optional<Element> is = element(e);
    auto found = is && equal(is->pointer, pointer_) ? variables_.find(is->offset) : variables_.end();
    return found == variables_.end() ? rebuild(e) : Build(arena(), e->range).var(found->second, e->type);
  }

  const Aligned *pointer_;
  const std::map<Int, std::string> &variables_;
};

/// Elements by the pointer that was aligned.
class Plain final : public Mutator {
public:
  explicit Plain(Arena &arena) : Mutator(arena) {}

private:
  const Node *mutateSubscript(const Subscript *e) override {
    const std::optional<Element> is = element(e);
    const auto *sum = is ? dyn<Binary>(is->pointer->pointer) : nullptr;
    if (!sum) return is ? b(e).element(is->pointer->pointer, e->indices, e->type) : rebuild(e);
    const Expr *distance = b(e).integer(sum->rhs->type, std::abs(is->offset));
    const Expr *index = is->offset < 0 ? b(e).sub(sum->rhs, distance) : b(e).add(sum->rhs, distance);
    return b(e).element(sum->lhs, {index}, e->type);
  }
  Build b(const Expr *e) { return Build(arena(), e->range); }
};

/// Accesses by one pointer, in statements of a block between which nothing else touches its container.
struct Run {
  const Aligned *pointer = nullptr;
  Type type;
  std::string root;
  std::size_t first = 0, last = 0;
  std::set<Int> loaded, stored; // loaded: before anything is stored there
};

class Merging {
public:
  Merging(Arena &arena, Names &names, const Memory &memory) : arena_(arena), names_(names), memory_(memory) {}

  std::vector<const Stmt *> run(std::vector<const Stmt *> stmts) {
    stmts_ = std::move(stmts);
    before_.assign(stmts_.size(), {});
    behind_.assign(stmts_.size(), {});
    for (at_ = 0; at_ < stmts_.size(); ++at_) {
      const Stmt *s = stmts_[at_];
      const Expr *e = isa<Declare>(s) ? as<Declare>(s)->init : isa<Evaluate>(s) ? as<Evaluate>(s)->expr : nullptr;
      if (e) {
        look(e);
      } else {
        touch(s);
        if (any<Stmt>(s, [](const Stmt &inner) { return orders(inner); })) // other lanes may do anything meanwhile
          while (!runs_.empty()) close(runs_.size() - 1);
        stmts_[at_] = within(s);
      }
    }
    while (!runs_.empty()) close(runs_.size() - 1);
    std::vector<const Stmt *> result;
    Plain plain(arena_);
    for (std::size_t i = 0; i < stmts_.size(); ++i) {
      result.insert(result.end(), before_[i].begin(), before_[i].end());
      result.push_back(plain(stmts_[i]));
      result.insert(result.end(), behind_[i].begin(), behind_[i].end());
    }
    return result;
  }

private:
  /// Blocks in a statement have runs of their own.
  const Stmt *within(const Stmt *s) {
    auto block = [&](const Block *body) {
      return Build(arena_, body->range).block(Merging(arena_, names_, memory_).run(body->stmts));
    };
    if (const auto *body = dyn<Block>(s)) return block(body);
    if (const auto *choice = dyn<If>(s))
      return arena_.derive(choice, [&](If &copy) {
        copy.then = block(choice->then);
        if (choice->otherwise) copy.otherwise = block(choice->otherwise);
      });
    if (const auto *loop = dyn<For>(s)) return arena_.derive(loop, [&](For &copy) { copy.body = block(loop->body); });
    if (const auto *loop = dyn<Loop>(s)) return arena_.derive(loop, [&](Loop &copy) { copy.body = block(loop->body); });
    return s;
  }

  /// Ends runs of containers that something touches in other ways than by `places`.
  void touch(const Node *by, const std::set<const Expr *> &places = {}) {
    walk(by, [&](const Expr &e) {
      const Expr *pointer = places.count(&e) ? nullptr : pointerOf(&e);
      if (!pointer || !pointer->type.isPointer()) return;
      const std::string root = memory_.root(pointer);
      for (std::size_t i = runs_.size(); i-- > 0;)
        if (root.empty() || runs_[i].root == root) close(i);
    });
  }

  void look(const Expr *e) {
    // What is not by such a pointer, or only done on a condition, stays as it is.
    std::vector<const Subscript *> sure;
    std::set<const Expr *> targets, updated;
    sureAccesses(e, sure);
    walk(e, [&](const Assign &a) {
      targets.insert(a.target);
      if (a.op != AssignOp::Set) updated.insert(a.target);
    });
    touch(e, {sure.begin(), sure.end()});
    for (const Subscript *s : sure) // values before the place that they are stored to
      if (!targets.count(s) || updated.count(s)) note(*s, false);
    for (const Subscript *s : sure)
      if (targets.count(s)) note(*s, true);
  }

  /// Elements by aligned pointers that evaluating the expression accesses in any case, in order.
  void sureAccesses(const Expr *e, std::vector<const Subscript *> &found) {
    if (const auto *choice = dyn<Conditional>(e)) return sureAccesses(choice->cond, found);
    if (const auto *logic = dyn<Binary>(e);
        logic && (logic->op == BinaryOp::LogicalAnd || logic->op == BinaryOp::LogicalOr))
      return sureAccesses(logic->lhs, found);
    for (const Node *part : children(*e)) sureAccesses(as<Expr>(part), found);
    if (element(e)) found.push_back(as<Subscript>(e));
  }

  void note(const Subscript &place, bool stored) {
    const Element is = *element(&place);
    const std::string root = memory_.root(is.pointer);
    Run *mine = nullptr;
    for (std::size_t i = runs_.size(); i-- > 0;) {
      if (runs_[i].root != root) continue;
      if (equal(runs_[i].pointer, is.pointer) && runs_[i].type == place.type)
        mine = &runs_[i];
      else if (stored || !runs_[i].stored.empty()) // another pointer into what is stored to
        close(i), mine = nullptr;
    }
    for (Run &run : runs_) // closing moves them
      if (equal(run.pointer, is.pointer) && run.type == place.type) mine = &run;
    if (!mine) {
      runs_.push_back({is.pointer, place.type, root, at_, at_, {}, {}});
      mine = &runs_.back();
    }
    mine->last = at_;
    if (stored)
      mine->stored.insert(is.offset);
    else if (!mine->stored.count(is.offset))
      mine->loaded.insert(is.offset);
  }

  void close(std::size_t number) {
    const Run run = runs_[number];
    runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(number));
    const Int count = run.pointer->bytes / static_cast<Int>(run.type.bytes());
    if (count < 2) return;
    auto blockOf = [&](Int offset) { return offset >= 0 ? offset / count : -((count - 1 - offset) / count); };
    std::set<Int> blocks;
    for (const std::set<Int> *offsets : {&run.loaded, &run.stored})
      for (Int offset : *offsets) blocks.insert(blockOf(offset));
    std::map<Int, std::string> variables;
    Build b(arena_, run.pointer->range);
    const Type vector = Type::vector(run.type, static_cast<unsigned>(count));
    for (Int block : blocks) {
      Int loaded = 0, stored = 0;
      for (Int k = 0; k < count; ++k) {
        loaded += static_cast<Int>(run.loaded.count(block * count + k));
        stored += static_cast<Int>(run.stored.count(block * count + k));
      }
      if ((loaded != 0 && loaded != count) || (stored != 0 && stored != count)) continue;
      const Expr *index = b.integer(Scalar::I64, block * count);
      std::string whole;
      if (loaded) {
        whole = names_.fresh(run.root + "_wide");
        const Expr *load = arena_.make<VectorLoad>(run.pointer->range, vector, run.pointer, index, nullptr);
        before_[run.first].push_back(b.declare(whole, vector, load));
      }
      std::vector<const Expr *> lanes;
      for (Int k = 0; k < count; ++k) {
        const std::string name = names_.fresh(run.root + "_lane");
        const Expr *lane = loaded ? arena_.make<VectorLane>(run.pointer->range, run.type, b.var(whole, vector),
                                                            b.integer(Scalar::U32, k))
                                  : nullptr;
        before_[run.first].push_back(b.declare(name, run.type, lane, loaded && !stored));
        variables[block * count + k] = name;
        lanes.push_back(b.var(name, run.type));
      }
      if (stored) {
        const Expr *all = arena_.make<InitList>(run.pointer->range, vector, lanes);
        behind_[run.last].push_back(arena_.make<VectorStore>(run.pointer->range, run.pointer, index, all, nullptr));
      }
    }
    if (variables.empty()) return;
    WithVariables replace(arena_, run.pointer, variables);
    for (std::size_t i = run.first; i <= run.last; ++i) stmts_[i] = replace(stmts_[i]);
  }

  Arena &arena_;
  Names &names_;
  const Memory &memory_;
  std::vector<const Stmt *> stmts_;
  std::vector<std::vector<const Stmt *>> before_, behind_;
  std::vector<Run> runs_; // that are open
  std::size_t at_ = 0;
};

} // namespace

bool mergeable(const Block *body, const std::set<std::string> &functions) {
  return walk(body, [&](const Node &n) {
    if (const auto *call = dyn<Call>(&n); call && !isMathFunction(call->callee) && !functions.count(call->callee))
      return WalkResult::Stop;
    const auto *step = dyn<Unary>(&n);
    if (step && hasEffects(step) && !isa<VarRef>(step->operand)) return WalkResult::Stop;
    const bool other = isa<Stmt>(&n) ? !(isa<Block>(&n) || isa<Declare>(&n) || isa<Evaluate>(&n) || isa<If>(&n) ||
                                         isa<For>(&n) || isa<Loop>(&n))
                                     : isa<Shuffle>(&n) || isa<MatrixMultiply>(&n) || isa<Transfer>(&n) ||
                                           isa<Check>(&n) || isa<Faulted>(&n) || isa<Aligned>(&n);
    return other ? WalkResult::Stop : WalkResult::Advance;
  });
}

std::vector<const Stmt *> merged(Arena &arena, Names &names, const Memory &memory, std::vector<const Stmt *> stmts) {
  return Merging(arena, names, memory).run(std::move(stmts));
}

} // namespace tangram::loops
