#include "Splits.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Range.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/Statements.h"

#include <algorithm>
#include <map>
#include <optional>

#include <isl/map.h>
#include <isl/set.h>

namespace tangram::divide {

using namespace ast;
using nest::Item;

namespace {

/// An iteration of a loop: the number of a loop around it, if there is one, plus a number.
struct Point {
  std::optional<unsigned> loop;
  std::int64_t offset = 0;
};

class Finder {
public:
  explicit Finder(const nest::Nest &nest) : nest_(nest), dependences_(nest) {}

  /// Where the loop is to be split; nothing where that is of no use.
  std::optional<Point> find(unsigned loop) const {
    const nest::Loop &l = nest_.loops[loop];
    if (!l.exact || l.step != 1) return {};
    const nest::Carried carried = dependences_.carried(loop);
    if (carried.kind != nest::Carried::Kind::Dependence) return {};
    const auto found = nest_.isl.limited([&] { return common(loop, carried.privatizable); });
    return found ? *found : std::nullopt;
  }

private:
  std::optional<Point> common(unsigned loop, const std::vector<unsigned> &own) const {
    std::vector<isl::pw_aff> candidates; // that are an end of all dependences up to here
    bool first = true;
    for (const nest::Dependence &d : dependences_.all(loop)) {
      if (std::find(own.begin(), own.end(), d.first->variable) != own.end()) continue;
      if (!d.certain) return {};
      const std::vector<isl::pw_aff> ends = endsOf(d, loop);
      if (first) candidates = ends;
      first = false;
      std::erase_if(candidates, [&](const isl::pw_aff &c) {
        return std::none_of(ends.begin(), ends.end(), [&](const isl::pw_aff &e) { return alike(c, e); });
      });
      if (candidates.empty()) return {};
    }
    for (const isl::pw_aff &c : candidates)
      if (const std::optional<Point> point = pointOf(c, loop)) return point;
    return {};
  }

  /// The iterations of the loop that are the only one at an end of the dependence.
  std::vector<isl::pw_aff> endsOf(const nest::Dependence &d, unsigned loop) const {
    auto iterationsOf = [&](const nest::Access &access) {
      std::vector<unsigned> deeper = nest_.inner(nest_.statements[access.statement], loop);
      deeper.erase(deeper.begin());
      return nest_.relation(nest_.without(access.elements.intersect_params(nest_.assumed), deeper), {loop});
    };
    isl::map pairs = iterationsOf(*d.first).apply_range(iterationsOf(*d.second).reverse());
    pairs = isl::manage(isl_map_order_lt(pairs.release(), isl_dim_in, 0, isl_dim_out, 0));
    std::vector<isl::pw_aff> ends;
    for (const isl::set &end : {pairs.domain(), pairs.range()})
      if (end.is_singleton()) ends.push_back(isl::manage(isl_set_dim_min(end.copy(), 0)));
    return ends;
  }

  /// Whether two numbers are the same wherever both are.
  static bool alike(const isl::pw_aff &a, const isl::pw_aff &b) {
    return a.domain().intersect(b.domain()).is_subset(a.eq_set(b));
  }

  /// The number as a point that is in the loop whenever the loop is reached.
  std::optional<Point> pointOf(const isl::pw_aff &number, unsigned loop) const {
    const isl::set all = isl::set::universe(isl::space::unit(nest_.isl.get()));
    auto iterator = [&](unsigned l) { return all.param_pw_aff_on_domain(isl::id(nest_.isl.get(), nest_.loops[l].id)); };
    auto isInside = [&](const isl::pw_aff &at) {
      const nest::Loop &l = nest_.loops[loop];
      const isl::set there = nest_.without(l.values.intersect_params(iterator(loop).eq_set(at)), {loop});
      return l.reached.intersect_params(nest_.context).intersect_params(nest_.assumed).is_subset(there);
    };
    auto offsetFrom = [&](const isl::pw_aff &from) -> std::optional<std::int64_t> {
      const isl::pw_aff apart = number.sub(from.intersect_domain(number.domain()));
      const isl::val least = apart.min_val(), most = apart.max_val();
      if (!least.is_int() || !least.eq(most)) return {};
      return least.num_si();
    };
    constexpr std::int64_t kNear = 1 << 20;
    for (std::optional<unsigned> around = nest_.loops[loop].parent; around; around = nest_.loops[*around].parent)
      if (const auto offset = offsetFrom(iterator(*around)); offset && std::abs(*offset) < kNear)
        if (isInside(iterator(*around).add_constant(static_cast<long>(*offset)))) return Point{around, *offset};
    const isl::pw_aff zero = iterator(loop).mul(all.pw_aff_on_domain(isl::val::zero(nest_.isl.get())));
    if (const auto value = offsetFrom(zero); value && std::abs(*value) < kNear)
      if (isInside(zero.add_constant(static_cast<long>(*value)))) return Point{{}, *value};
    return {};
  }

  const nest::Nest &nest_;
  nest::Dependences dependences_;
};

class Splits : public Mutator {
public:
  Splits(const nest::Nest &nest, const Codelet &codelet, Arena &arena) : Mutator(arena), nest_(nest), finder_(nest) {
    names_.reserveAll(&codelet);
    for (const Item &item : nest.items) find(item);
  }

  bool any() const { return !points_.empty(); }

private:
  struct Split {
    nest::LoopRange range;
    const Expr *at = nullptr;
  };

  void find(const Item &item) {
    if (item.kind == Item::Kind::Loop) {
      const nest::Loop &loop = nest_.loops[item.index];
      std::string why;
      const std::optional<Point> point = finder_.find(item.index);
      const std::optional<nest::LoopRange> range =
          point ? nest::rangeOf(nest_, item.index, arena(), why) : std::nullopt;
      if (range && !contains<Continue>(loop.node->body)) {
        const Build build(arena(), loop.node->range);
        const Type &type = range->type;
        const Expr *at = build.integer(type, point->offset);
        if (point->loop) {
          const nest::Loop &around = nest_.loops[*point->loop];
          const Expr *number = build.cast(type, build.var(around.variable, around.type));
          at = point->offset ? build.add(number, at) : number;
        }
        points_.emplace(loop.node, Split{*range, at});
      }
    }
    for (const auto *items : {&item.body, &item.otherwise})
      for (const Item &inner : *items) find(inner);
  }

  /// A loop, or a block of one iteration, over a copy of the body.
  const Stmt *part(const For *loop, const Block *body, const Type &type, const Expr *begin, const Expr *end) {
    const Build build(arena(), loop->range);
    std::map<std::string, std::string> renamed;
    const auto *start = as<Declare>(loop->init);
    for (const std::string &name : nest::declaredIn(body->stmts)) renamed[name] = names_.fresh(name);
    const std::string iterator = renamed[start->name] = names_.fresh(start->name);
    const auto *own = as<Block>(renameVariables(arena(), build.block(nest::copied(body->stmts, arena())), renamed));
    const Stmt *first = build.declare(iterator, start->type, build.cast(start->type, begin), end == nullptr);
    if (!end) {
      std::vector<const Stmt *> stmts{first};
      stmts.insert(stmts.end(), own->stmts.begin(), own->stmts.end());
      return build.block(std::move(stmts));
    }
    const Expr *counter = build.var(iterator, start->type);
    return arena().make<For>(loop->range, first, build.less(build.cast(type, counter), end),
                             arena().make<Unary>(loop->range, start->type, UnaryOp::PreInc, counter), own);
  }

  const Node *mutateBlock(const Block *block) override {
    std::vector<const Stmt *> stmts;
    for (const Stmt *s : block->stmts) {
      const auto split = points_.find(dyn<For>(s));
      const auto *inner = as<Stmt>(mutate(s));
      if (split == points_.end()) {
        stmts.push_back(inner);
        continue;
      }
      const auto &[range, at] = split->second;
      const Build build(arena(), s->range);
      const auto *loop = as<For>(inner);
      const Block *body = loop->body;
      const Expr *behind = build.add(at, build.integer(range.type, 1));
      stmts.push_back(part(loop, body, range.type, range.begin, at));
      stmts.push_back(part(loop, body, range.type, at, nullptr));
      stmts.push_back(part(loop, body, range.type, behind, range.end));
    }
    if (stmts == block->stmts) return block;
    return arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); });
  }

  const nest::Nest &nest_;
  Finder finder_;
  Names names_;
  std::map<const For *, Split> points_;
};

} // namespace

const Codelet *withSplitLoops(nest::Nests &nests, const Codelet &codelet, Arena &arena) {
  const nest::Nest *const nest = nests.of(codelet);
  if (!nest) return &codelet;
  Splits splits(*nest, codelet, arena);
  if (!splits.any()) return &codelet;
  const auto *split = as<Codelet>(splits.mutate(&codelet));
  const nest::Nest *const read = nests.of(*split);
  return read && nest::Dependences(*read).parallelLoops() > nest::Dependences(*nest).parallelLoops() ? split : &codelet;
}

} // namespace tangram::divide
