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

namespace tangram::divide {

using namespace ast;
using nest::AccessKind;

namespace {

/// for (...) for (...) to[i][j] = from[i][j];
struct CopyLoop {
  const Stmt *innermost = nullptr;
  const VarRef *to = nullptr, *from = nullptr;
};

std::optional<CopyLoop> copyLoop(const Stmt *s) {
  for (const auto *loop = dyn<For>(s); loop; loop = dyn<For>(s)) {
    if (loop->body->stmts.size() != 1) return {};
    s = loop->body->stmts[0];
  }
  const auto *e = dyn<Evaluate>(s);
  const auto *assign = e ? dyn<Assign>(e->expr) : nullptr;
  const auto *target = assign && assign->op == AssignOp::Set ? dyn<Subscript>(assign->target) : nullptr;
  const auto *value = assign ? dyn<Subscript>(assign->value) : nullptr;
  if (!target || !value || target->type != value->type || target->indices.size() != value->indices.size()) return {};
  for (std::size_t d = 0; d < target->indices.size(); ++d)
    if (!equal(target->indices[d], value->indices[d])) return {};
  const CopyLoop found{s, dyn<VarRef>(target->base), dyn<VarRef>(value->base)};
  if (!found.to || !found.from || found.to->name == found.from->name || found.to->type != found.from->type) return {};
  return found;
}

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
      const Stmt *copies = first ? stmts.front() : stmts.back();
      copy_ = copyLoop(copies);
      if (!copy_) continue;
      copiesFirst_ = first;
      state_ = first ? copy_->from : copy_->to;
      buffer_ = first ? copy_->to : copy_->from;
      if (!isOwnBuffer() || !mayAlternate()) continue;
      step_.assign(stmts.begin() + (first ? 1 : 0), stmts.end() - (first ? 0 : 1));
      return written();
    }
    return {};
  }

private:
  /// Whether the codelet declares it, as large as what it is copied to, and touches it in this loop only.
  bool isOwnBuffer() const {
    const auto declares = [&](const VarRef *container) {
      const Declare *found = nullptr;
      for (const Stmt *s : nest_.codelet->body->stmts)
        if (const auto *d = dyn<Declare>(s); d && d->name == container->name && d->type.isArray()) found = d;
      return found;
    };
    const Declare *buffer = declares(buffer_), *state = declares(state_);
    if (!buffer || buffer->shared || buffer->init || buffer->extents.size() != state_->type.rank()) return false;
    for (std::size_t d = 0; d < buffer->extents.size(); ++d) {
      const Expr *extent = buffer->extents[d];
      const std::optional<GivenExtent> given = givenExtent(extent, *nest_.codelet);
      const bool same = state ? !state->init && d < state->extents.size() && stays(extent) &&
                                    equal(resolved(extent, *nest_.codelet), resolved(state->extents[d], *nest_.codelet))
                              : given && isAsLarge(*given, d);
      if (!same) return false;
    }
    const std::vector<unsigned> inside = nest_.statementsOf(number_);
    for (unsigned s = 0; s < nest_.statements.size(); ++s)
      if (std::find(inside.begin(), inside.end(), s) == inside.end() && nest_.statements[s].node != buffer &&
          any<VarRef>(nest_.statements[s].node, [&](const VarRef &v) { return v.name == buffer_->name; }))
        return false;
    return true;
  }
  bool isAsLarge(const GivenExtent &extent, std::size_t dimension) const {
    if (extent.container->name == state_->name && extent.dimension == dimension) return true;
    const auto ofSpectrum = [&](const std::string &name) -> const Param * {
      const auto &own = nest_.codelet->params;
      for (std::size_t i = 0; i < own.size() && i < spectrum_.params.size(); ++i)
        if (own[i]->name == name) return spectrum_.params[i];
      return nullptr;
    };
    const Param *one = ofSpectrum(extent.container->name), *other = ofSpectrum(state_->name);
    return one && other && requiresEqual(spectrum_, {one, extent.dimension}, {other, dimension});
  }
  bool stays(const Expr *extent) const {
    const std::set<std::string> assigned = assignedVariables(nest_.codelet->body);
    return !any<VarRef>(extent, [&](const VarRef &v) { return assigned.count(v.name) != 0; });
  }

  /// Whether each step reads one of both containers and writes the same elements of the other one, those that are
  /// copied or more of which none is read.
  bool mayAlternate() const {
    const auto found = nest_.isl.limited([&] {
      isl::set copied, written, read;
      for (const unsigned s : nest_.statementsOf(number_))
        for (const nest::Access &a : nest_.statements[s].accesses) {
          const std::string &name = nest_.variables[a.variable].name;
          if (name != buffer_->name && name != state_->name) continue;
          const bool isBuffer = name == buffer_->name, copies = nest_.statements[s].node == copy_->innermost;
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
    result.push_back(wholeCopy());
    // One step from a container to the other one, `ahead` steps behind the first.
    const auto stepTo = [&](const VarRef *target, const Expr *ahead, std::vector<const Stmt *> &out) {
      const VarRef *written = copiesFirst_ ? state_ : buffer_;
      place(step_, ahead, begin, by, target->name != written->name, out);
    };
    const Expr *pair = build_.var(names_.fresh(loop_.variable + "_pair"), count);
    const Expr *even = build_.mul(pair, two);
    std::vector<const Stmt *> both;
    stepTo(buffer_, even, both);
    stepTo(state_, build_.add(even, one), both);
    result.push_back(arena_.make<For>(loop_.node->range, build_.declare(as<VarRef>(pair)->name, count, zero, false),
                                      build_.less(pair, build_.div(turns, two)),
                                      arena_.make<Unary>(loop_.node->range, count, UnaryOp::PreInc, pair),
                                      build_.block(std::move(both))));
    std::vector<const Stmt *> last;
    place(loop_.node->body->stmts, build_.sub(turns, one), begin, by, false, last);
    result.push_back(build_.when(build_.equal(build_.rem(turns, two), one), std::move(last)));
    return result;
  }

  /// Statements of one step; `swapped`: with each of both containers for the other one.
  void place(const std::vector<const Stmt *> &stmts, const Expr *ahead, const Expr *begin, const Expr *by, bool swapped,
             std::vector<const Stmt *> &out) {
    const std::string name = names_.fresh(loop_.variable);
    const Expr *turn = build_.var(name, loop_.type);
    out.push_back(
        build_.declare(name, loop_.type, build_.exactCast(loop_.type, build_.add(begin, build_.mul(ahead, by)))));
    for (const Stmt *s : stmts) {
      const Stmt *here = substituted(arena_, s, [&](const VarRef *v) -> const Expr * {
        if (v->name == loop_.variable) return turn;
        if (swapped && v->name == state_->name) return build_.var(buffer_->name, v->type);
        if (swapped && v->name == buffer_->name) return build_.var(state_->name, v->type);
        return v;
      });
      out.push_back(as<Stmt>(withOwnNames(arena_, here, names_)));
    }
  }

  /// The buffer as a copy of all of the other container.
  const Stmt *wholeCopy() {
    const std::size_t rank = state_->type.rank();
    std::vector<const Expr *> indices;
    std::vector<std::string> counters;
    for (std::size_t d = 0; d < rank; ++d) {
      counters.push_back(names_.fresh("at"));
      indices.push_back(build_.var(counters.back(), kIndex));
    }
    const Type element = state_->type.element();
    const Stmt *body =
        build_.assign(build_.element(buffer_, indices, element), build_.element(state_, indices, element));
    for (std::size_t d = rank; d-- > 0;) {
      const Expr *none = nullptr;
      const Expr *size = arena_.make<Size>(loop_.node->range, kIndex, static_cast<const Expr *>(state_),
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
  std::optional<CopyLoop> copy_;
  bool copiesFirst_ = false;
  const VarRef *state_ = nullptr, *buffer_ = nullptr;
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
