#include "AlternatingBuffers.h"
#include "Extents.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Range.h"

#include <algorithm>
#include <set>

namespace tangram::divide {

using namespace ast;
using nest::AccessKind;

namespace {

/// to[i][j] = from[i][j];
struct Copy {
  const Stmt *statement = nullptr;
  const VarRef *to = nullptr, *from = nullptr;
};

std::optional<Copy> copyOf(const Stmt *s) {
  const auto *e = dyn<Evaluate>(s);
  const auto *assign = e ? dyn<Assign>(e->expr) : nullptr;
  const auto *target = assign && assign->op == AssignOp::Set ? dyn<Subscript>(assign->target) : nullptr;
  const auto *value = assign ? dyn<Subscript>(assign->value) : nullptr;
  if (!target || !value || target->type != value->type || target->indices.size() != value->indices.size()) return {};
  for (std::size_t d = 0; d < target->indices.size(); ++d)
    if (!equal(target->indices[d], value->indices[d])) return {};
  const Copy found{s, dyn<VarRef>(target->base), dyn<VarRef>(value->base)};
  if (!found.to || !found.from || found.to->name == found.from->name || found.to->type != found.from->type) return {};
  return found;
}

/// Those of a loop, or loops in each other, that do nothing else; none of another statement.
std::vector<Copy> copiesOf(const Stmt *s) {
  const auto *loop = dyn<For>(s);
  if (!loop) return {};
  const auto &stmts = loop->body->stmts;
  if (stmts.size() == 1 && isa<For>(stmts[0])) return copiesOf(stmts[0]);
  std::vector<Copy> result;
  for (const Stmt *inner : stmts) {
    const std::optional<Copy> copy = copyOf(inner);
    if (!copy) return {};
    result.push_back(*copy);
  }
  return result;
}

/// A container that steps go on from, and the one that they compute into.
struct Buffered {
  const Stmt *copy = nullptr; // of one to the other
  const VarRef *state = nullptr, *buffer = nullptr;
};

class Alternation {
public:
  Alternation(const Spectrum &spectrum, const nest::Nest &nest, unsigned loop, Arena &arena)
      : spectrum_(spectrum), nest_(nest), loop_(nest.loops[loop]), number_(loop), arena_(arena),
        build_(arena, loop_.node->range) {
    names_.reserveAll(nest.codelet);
  }

  /// What stands in the place of the loop; nothing where it is no such loop.
  std::optional<std::vector<const Stmt *>> run() {
    const auto &stmts = loop_.node->body->stmts;
    if (stmts.size() < 2 || jumpsOut(loop_.node->body) || contains<SpectrumCall>(loop_.node) ||
        contains<Map>(loop_.node) || contains<Return>(loop_.node))
      return {};
    if (std::any_of(stmts.begin(), stmts.end(), [](const Stmt *s) { return isa<Declare>(s); })) return {};
    for (const bool first : {false, true}) {
      copiesFirst_ = first;
      buffered_.clear();
      step_ = stmts;
      while (!step_.empty()) {
        const std::vector<Copy> copies = copiesOf(first ? step_.front() : step_.back());
        if (copies.empty()) break;
        for (const Copy &c : copies) buffered_.push_back({c.statement, first ? c.from : c.to, first ? c.to : c.from});
        step_.erase(first ? step_.begin() : step_.end() - 1);
      }
      if (step_.empty() || buffered_.empty() || !areDifferent()) continue;
      if (std::all_of(buffered_.begin(), buffered_.end(),
                      [&](const Buffered &b) { return isOwnBuffer(b) && mayAlternate(b); }))
        return written();
    }
    return {};
  }

private:
  bool areDifferent() const {
    std::set<std::string> names;
    for (const Buffered &b : buffered_) names.insert({b.state->name, b.buffer->name});
    return names.size() == 2 * buffered_.size();
  }

  /// Whether the codelet declares the buffer, as large as what it is copied to, and touches it in this loop only.
  bool isOwnBuffer(const Buffered &of) const {
    const auto declares = [&](const VarRef *container) {
      const Declare *found = nullptr;
      for (const Stmt *s : nest_.codelet->body->stmts)
        if (const auto *d = dyn<Declare>(s); d && d->name == container->name && d->type.isArray()) found = d;
      return found;
    };
    const Declare *buffer = declares(of.buffer), *state = declares(of.state);
    if (!buffer || buffer->shared || buffer->init || buffer->extents.size() != of.state->type.rank()) return false;
    for (std::size_t d = 0; d < buffer->extents.size(); ++d) {
      const Expr *extent = buffer->extents[d];
      const std::optional<GivenExtent> given = givenExtent(extent, *nest_.codelet);
      const bool same = state ? !state->init && d < state->extents.size() && stays(extent) &&
                                    equal(resolved(extent, *nest_.codelet), resolved(state->extents[d], *nest_.codelet))
                              : given && isAsLarge(*given, d, *of.state);
      if (!same) return false;
    }
    const std::vector<unsigned> inside = nest_.statementsOf(number_);
    for (unsigned s = 0; s < nest_.statements.size(); ++s)
      if (std::find(inside.begin(), inside.end(), s) == inside.end() && nest_.statements[s].node != buffer &&
          any<VarRef>(nest_.statements[s].node, [&](const VarRef &v) { return v.name == of.buffer->name; }))
        return false;
    return true;
  }
  bool isAsLarge(const GivenExtent &extent, std::size_t dimension, const VarRef &state) const {
    if (extent.container->name == state.name && extent.dimension == dimension) return true;
    const auto ofSpectrum = [&](const std::string &name) -> const Param * {
      const auto &own = nest_.codelet->params;
      for (std::size_t i = 0; i < own.size() && i < spectrum_.params.size(); ++i)
        if (own[i]->name == name) return spectrum_.params[i];
      return nullptr;
    };
    const Param *one = ofSpectrum(extent.container->name), *other = ofSpectrum(state.name);
    return one && other && requiresEqual(spectrum_, {one, extent.dimension}, {other, dimension});
  }
  bool stays(const Expr *extent) const {
    const std::set<std::string> assigned = assignedVariables(nest_.codelet->body);
    return !any<VarRef>(extent, [&](const VarRef &v) { return assigned.count(v.name) != 0; });
  }

  /// Whether each step reads one of both containers and writes the same elements of the other one, those that are
  /// copied or more of which none is read.
  bool mayAlternate(const Buffered &of) const {
    const auto found = nest_.isl.limited([&] {
      isl::set copied, written, read;
      for (const unsigned s : nest_.statementsOf(number_))
        for (const nest::Access &a : nest_.statements[s].accesses) {
          const std::string &name = nest_.variables[a.variable].name;
          if (name != of.buffer->name && name != of.state->name) continue;
          const bool isBuffer = name == of.buffer->name, copies = nest_.statements[s].node == of.copy;
          isl::set elements = touched(a);
          if (copies) {
            if (a.kind != AccessKind::Read && (!a.exact || !a.certain)) return false;
            if (a.kind != AccessKind::Read) add(copied, elements);
          } else if (isBuffer == copiesFirst_) {
            if (a.kind != AccessKind::Read) return false;
            if (copiesFirst_) add(read, elements);
          } else {
            if (a.kind != AccessKind::Write || !a.exact || !a.certain) return false;
            add(written, elements);
          }
        }
      if (copied.is_null() || written.is_null()) return false;
      if (!sameInAllSteps(copied) || !sameInAllSteps(written)) return false;
      return copiesFirst_ ? read.is_null() || read.is_subset(copied) : written.is_equal(copied);
    });
    return found && *found;
  }
  isl::set touched(const nest::Access &a) const {
    std::vector<unsigned> deeper = nest_.inner(nest_.statements[a.statement], number_);
    deeper.erase(deeper.begin()); // in one step
    const isl::set elements = nest_.without(a.elements.intersect_params(nest_.assumed), deeper);
    return isl::manage(isl_set_set_tuple_name(elements.copy(), "element")).coalesce();
  }
  bool sameInAllSteps(const isl::set &elements) const {
    return elements.is_equal(
        nest_.without(elements, {number_}).intersect_params(loop_.values.intersect(nest_.assumed)));
  }
  static void add(isl::set &all, const isl::set &more) { all = all.is_null() ? more : all.unite(more).coalesce(); }

  std::optional<std::vector<const Stmt *>> written() {
    std::string why;
    const std::optional<nest::LoopRange> range = nest::rangeOf(nest_, number_, arena_, why);
    if (!range || range->step < 1 || !range->decoded.empty()) return {};
    const Type &count = nest::kInteger;
    const Expr *zero = build_.integer(count, 0), *one = build_.integer(count, 1), *two = build_.integer(count, 2);
    const Expr *by = build_.integer(count, range->step);
    std::vector<const Stmt *> result;
    const auto constant = [&](const char *what, const Expr *value) {
      const std::string name = names_.fresh(loop_.variable + what);
      result.push_back(build_.declare(name, count, value));
      return build_.var(name, count);
    };
    const Expr *begin = constant("_begin", build_.cast(count, range->begin));
    const Expr *end = constant("_end", build_.cast(count, range->end));
    const Expr *length = build_.add(build_.sub(end, begin), build_.sub(by, one));
    const Expr *turns = constant("_turns", build_.select(build_.less(begin, end), build_.div(length, by), zero));
    for (const Buffered &b : buffered_) result.push_back(wholeCopy(b));
    // One step from containers to the other ones, `ahead` steps behind the first.
    const auto stepTo = [&](bool buffers, const Expr *ahead, std::vector<const Stmt *> &out) {
      place(step_, ahead, begin, by, buffers == copiesFirst_, out);
    };
    const Expr *pair = build_.var(names_.fresh(loop_.variable + "_pair"), count);
    const Expr *even = build_.mul(pair, two);
    std::vector<const Stmt *> both;
    stepTo(true, even, both);
    stepTo(false, build_.add(even, one), both);
    result.push_back(arena_.make<For>(loop_.node->range, build_.declare(as<VarRef>(pair)->name, count, zero, false),
                                      build_.less(pair, build_.div(turns, two)),
                                      arena_.make<Unary>(loop_.node->range, count, UnaryOp::PreInc, pair),
                                      build_.block(std::move(both))));
    std::vector<const Stmt *> last;
    place(loop_.node->body->stmts, build_.sub(turns, one), begin, by, false, last);
    result.push_back(build_.when(build_.equal(build_.rem(turns, two), one), std::move(last)));
    return result;
  }

  /// Statements of one step; `swapped`: with buffers and what they are copied to for each other.
  void place(const std::vector<const Stmt *> &stmts, const Expr *ahead, const Expr *begin, const Expr *by, bool swapped,
             std::vector<const Stmt *> &out) {
    const std::string name = names_.fresh(loop_.variable);
    const Expr *turn = build_.var(name, loop_.type);
    out.push_back(
        build_.declare(name, loop_.type, build_.exactCast(loop_.type, build_.add(begin, build_.mul(ahead, by)))));
    for (const Stmt *s : stmts) {
      const Stmt *here = substituted(arena_, s, [&](const VarRef *v) -> const Expr * {
        if (v->name == loop_.variable) return turn;
        for (const Buffered &b : buffered_) {
          if (swapped && v->name == b.state->name) return build_.var(b.buffer->name, v->type);
          if (swapped && v->name == b.buffer->name) return build_.var(b.state->name, v->type);
        }
        return v;
      });
      out.push_back(as<Stmt>(withOwnNames(arena_, here, names_)));
    }
  }

  /// The buffer as a copy of all of the other container.
  const Stmt *wholeCopy(const Buffered &of) {
    const std::size_t rank = of.state->type.rank();
    std::vector<const Expr *> indices;
    std::vector<std::string> counters;
    for (std::size_t d = 0; d < rank; ++d) {
      counters.push_back(names_.fresh("at"));
      indices.push_back(build_.var(counters.back(), kIndex));
    }
    const Type element = of.state->type.element();
    const Stmt *body =
        build_.assign(build_.element(of.buffer, indices, element), build_.element(of.state, indices, element));
    for (std::size_t d = rank; d-- > 0;) {
      const Expr *none = nullptr;
      const Expr *size = arena_.make<Size>(loop_.node->range, kIndex, static_cast<const Expr *>(of.state),
                                           rank == 1 ? none : build_.u64(d));
      body = arena_.make<For>(
          loop_.node->range, build_.declare(counters[d], kIndex, build_.u64(0), false), build_.less(indices[d], size),
          arena_.make<Unary>(loop_.node->range, kIndex, UnaryOp::PreInc, indices[d]), build_.block({body}));
    }
    return body;
  }

  inline static const Type kIndex = Scalar::U64;

  const Spectrum &spectrum_;
  const nest::Nest &nest_;
  const nest::Loop &loop_;
  unsigned number_;
  Arena &arena_;
  Build build_;
  Names names_;
  bool copiesFirst_ = false;
  std::vector<Buffered> buffered_;
  std::vector<const Stmt *> step_;
};

} // namespace

const Codelet *withAlternatingBuffers(nest::Nests &nests, const Spectrum &spectrum, const Codelet &codelet,
                                      Arena &arena) {
  const nest::Nest *nest = nests.of(codelet);
  if (!nest) return &codelet;
  for (const nest::Item &item : nest->items) {
    if (item.kind != nest::Item::Kind::Loop) continue;
    const For *loop = nest->loops[item.index].node;
    const auto &stmts = nest->codelet->body->stmts;
    const auto at = std::find(stmts.begin(), stmts.end(), loop);
    if (at == stmts.end()) continue;
    const auto made = Alternation(spectrum, *nest, item.index, arena).run();
    if (!made) continue;
    std::vector<const Stmt *> all(stmts.begin(), at);
    all.insert(all.end(), made->begin(), made->end());
    all.insert(all.end(), at + 1, stmts.end());
    const Codelet *changed =
        arena.derive(nest->codelet, [&](Codelet &c) { c.body = Build(arena, c.range).block(std::move(all)); });
    return withAlternatingBuffers(nests, spectrum, *changed, arena); // others; those that were made are no such loops
  }
  return &codelet;
}

} // namespace tangram::divide
