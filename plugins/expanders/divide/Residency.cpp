#include "Residency.h"

#include "Extents.h"
#include "LoopParts.h"
#include "ReplacedLoops.h"
#include "tangram/ast/Build.h"
#include "tangram/ast/Casts.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Structs.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Range.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace tangram::divide {

using namespace ast;
using nest::Item;

namespace {

using Exprs = std::vector<const Expr *>;
using Stmts = std::vector<const Stmt *>;

/// Elements that there is room for in a dimension, of one or of several: these and so many times as many.
constexpr Int kLeastRoom = 64, kLeastRoomOfMany = 8, kRoomFactor = 4;

/// What an iteration keeps.
struct Kept {
  std::string name;
  Type element;
  Exprs sizes = {};                     // of each dimension that an iteration has, by what the codelet is given
  const Declare *declaration = nullptr; // of a container of the iteration's own
  Exprs leading = {};                   // of a container that the codelet is given: which row
  bool read = false, written = false;
  std::string store = {}; // the name of what it is kept in
  Exprs rooms = {};       // the extents of that
};

/// A loop's body with elements that are kept in place of those of the containers.
class Keeping final : public Mutator {
public:
  Keeping(Arena &arena, const std::map<std::string, Kept> &kept, Names &names)
      : Mutator(arena), kept_(kept), names_(names) {}

  const For *loop(const For *f) {
    where_ = f->range;
    const Build build(arena(), where_);
    Stmts stmts;
    for (const auto &[name, k] : kept_)
      if (!k.declaration) {
        stmts.push_back(room(k));
        if (k.read) stmts.push_back(copy(k, true));
      }
    for (const Stmt *s : f->body->stmts) stmts.push_back(as<Stmt>(mutate(s)));
    for (const auto &[name, k] : kept_)
      if (!k.declaration && k.written) stmts.push_back(copy(k, false));
    return arena().derive(f, [&](For &copy) { copy.body = build.block(std::move(stmts)); });
  }

private:
  const Expr *element(const Kept &k, const Exprs &indices, const Build &build) const {
    return build.element(build.var(k.store, Type::array(k.sizes.size(), k.element)), indices, k.element);
  }
  const Stmt *room(const Kept &k) {
    const Tunable *noTunable = nullptr;
    const Expr *none = nullptr;
    return arena().make<Declare>(where_, k.store, Type::array(k.sizes.size(), k.element), false, false, k.rooms,
                                 noTunable, none);
  }
  /// All of a row, from the container or back to it.
  const Stmt *copy(const Kept &k, bool from) {
    const Build build(arena(), where_);
    return overElements(build, names_, k.sizes, [&](const Exprs &at) {
      Exprs all = k.leading;
      all.insert(all.end(), at.begin(), at.end());
      const Expr *place = build.element(build.var(k.name, Type::array(all.size(), k.element)), all, k.element);
      const Expr *near = element(k, at, build);
      return Stmts{from ? build.assign(near, place) : build.assign(place, near)};
    });
  }

  const Node *mutateDeclare(const Declare *d) override {
    const auto k = kept_.find(d->name);
    return k != kept_.end() && k->second.declaration == d ? room(k->second) : Mutator::mutateDeclare(d);
  }
  const Node *mutateSubscript(const Subscript *s) override {
    const auto *base = dyn<VarRef>(s->base);
    const auto k = base ? kept_.find(base->name) : kept_.end();
    if (k == kept_.end()) return Mutator::mutateSubscript(s);
    Exprs own;
    for (std::size_t d = k->second.leading.size(); d < s->indices.size(); ++d)
      own.push_back(as<Expr>(mutate(s->indices[d])));
    return element(k->second, own, Build(arena(), s->range));
  }
  const Node *mutateSize(const Size *s) override {
    const auto *base = dyn<VarRef>(s->container);
    const auto k = base ? kept_.find(base->name) : kept_.end();
    if (k == kept_.end() || !k->second.declaration) return s;
    return Build(arena(), s->range)
        .cast(s->type, k->second.sizes[s->dim ? static_cast<std::size_t>(*literal(s->dim)) : 0]);
  }

  const std::map<std::string, Kept> &kept_;
  Names &names_;
  SourceRange where_;
};

class Residency final : public ReplacedLoops {
public:
  Residency(const nest::Nest &nest, const Spectrum &spectrum, std::uint64_t capacity, Arena &arena)
      : ReplacedLoops(arena), nest_(nest), structs_(*nest.module), spectrum_(spectrum), capacity_(capacity),
        dependences_(nest) {
    names_.reserveAll(nest.codelet);
    find(nest.items);
  }

  const Codelet *codelet() {
    if (made.empty()) return nest_.codelet;
    const auto *changed = as<Codelet>(mutate(nest_.codelet));
    Stmts stmts = std::move(tunables_);
    stmts.insert(stmts.end(), changed->body->stmts.begin(), changed->body->stmts.end());
    const Block *body = arena().derive(changed->body, [&](Block &b) { b.stmts = std::move(stmts); });
    return arena().derive(changed, [&](Codelet &c) { c.body = body; });
  }

private:
  /// Whether a loop in these has something to keep: of loops in each other the innermost has it.
  bool find(const std::vector<Item> &items) {
    bool found = false;
    for (const Item &item : items) {
      const bool within = find(item.body), otherwise = find(item.otherwise);
      found |= within || otherwise || (item.kind == Item::Kind::Loop && keep(item));
    }
    return found;
  }

  bool keep(const Item &item) {
    const nest::Loop &loop = nest_.loops[item.index];
    if (std::none_of(item.body.begin(), item.body.end(), nest::hasLoop) || leavesEarly(*loop.node->body)) return false;
    const nest::Carried carried = dependences_.carried(item.index);
    if (carried.kind != nest::Carried::Kind::Nothing && carried.kind != nest::Carried::Kind::Reduction) return false;
    std::map<std::string, Kept> kept;
    for (const Stmt *s : loop.node->body->stmts)
      if (const auto *d = dyn<Declare>(s))
        if (std::optional<Kept> own = ownContainer(*d, *loop.node->body)) kept.emplace(d->name, std::move(*own));
    for (const Param *p : nest_.codelet->params)
      if (p->type.isArray() && p->type.rank() >= 2)
        if (std::optional<Kept> row = rowOf(*p, item)) kept.emplace(p->name, std::move(*row));
    if (kept.empty()) return false;
    const Build build(arena(), loop.node->range);
    const Expr *fits = nullptr;
    std::vector<std::pair<const Expr *, const Expr *>> rooms; // of sizes: equal ones have the same
    for (auto &[name, k] : kept) {
      k.store = k.declaration ? k.name : names_.fresh(name + "_row");
      for (const Expr *size : k.sizes) {
        if (const std::optional<Int> always = number(size)) {
          k.rooms.push_back(build.u64(static_cast<std::uint64_t>(*always)));
          continue;
        }
        auto known =
            std::find_if(rooms.begin(), rooms.end(), [&](const auto &other) { return isSameSize(other.first, size); });
        if (known == rooms.end()) {
          known = rooms.emplace(known, size, room(build, k));
          // One below 0 is too large.
          const Expr *one = build.binary(BinaryOp::Le, build.cast(Scalar::U64, size), known->second);
          fits = fits ? build.both(fits, one) : one;
        }
        // Where it is not in scratchpad memory, it has as many as there are.
        const Expr *wide = build.cast(Scalar::U64, size);
        k.rooms.push_back(build.select(build.less(wide, known->second), wide, known->second));
      }
      // Neither rows nor columns fall into the same banks.
      if (k.rooms.size() > 1) k.rooms.back() = build.add(k.rooms.back(), build.u64(1));
    }
    const For *keeping = Keeping(arena(), kept, names_).loop(loop.node);
    const auto *near = as<Stmt>(withOwnNames(arena(), keeping, names_));
    made[loop.node] = {fits ? build.when(fits, {near}, {loop.node}) : near};
    return true;
  }

  /// Whether an iteration may end before its last statement.
  static bool leavesEarly(const Block &body) {
    bool leaves = contains<Return>(&body);
    walk(&body, [&](const Node &node) {
      leaves |= isa<Continue>(&node) || isa<Break>(&node);
      return isa<For>(&node) || isa<While>(&node) || isa<DoWhile>(&node) ? WalkResult::Skip : WalkResult::Advance;
    });
    return leaves;
  }

  bool isSameSize(const Expr *a, const Expr *b) const {
    if (equal(a, b)) return true;
    const std::optional<GivenExtent> one = ofSpectrum(a), other = ofSpectrum(b);
    return one && other && requiresEqual(spectrum_, *one, *other);
  }
  std::optional<GivenExtent> ofSpectrum(const Expr *size) const {
    const auto &params = nest_.codelet->params;
    std::optional<GivenExtent> extent = givenExtent(size, *nest_.codelet);
    for (std::size_t i = 0; extent && i < params.size(); ++i)
      if (params[i] == extent->container) return GivenExtent{spectrum_.params[i], extent->dimension};
    return {};
  }

  /// Of a size that the spectrum says.
  std::optional<Int> number(const Expr *size) const {
    if (const std::optional<Int> value = literal(withoutCasts(size))) return value;
    const std::optional<GivenExtent> extent = ofSpectrum(size);
    return extent ? requiredExtent(spectrum_, *extent) : std::nullopt;
  }

  /// How many elements there is room for in a dimension, which a plan says.
  const Expr *room(const Build &build, const Kept &k) {
    // Several dimensions may have as many each.
    const auto alike = std::count_if(k.sizes.begin(), k.sizes.end(), [&](const Expr *size) { return !number(size); });
    const Int least = leastRoom(k);
    const Int most = static_cast<Int>(std::pow(times(k), 1.0 / static_cast<double>(alike))) * least;
    Ints values;
    for (Int v = least; v <= most / 2; v *= kRoomFactor) values.push_back(v);
    values.push_back(most);
    const SourceRange where = nest_.codelet->range;
    const auto *any = arena().make<Tunable>(where, Int{1}, Int{0}, Int{1}, std::move(values), std::string());
    const std::string name = names_.fresh("room"), elements = names_.fresh("elements");
    const Expr *none = nullptr;
    tunables_.push_back(arena().make<Declare>(where, name, Scalar::U32, false, false, Exprs{}, any, none));
    tunables_.push_back(build.declare(elements, Scalar::U64, build.cast(Scalar::U64, build.var(name, Scalar::U32))));
    return build.var(elements, Scalar::U64);
  }

  /// All places in a container; nothing where it is used in another way, but for its extents.
  static std::optional<std::vector<const Subscript *>> placesIn(const Node *tree, const std::string &name,
                                                                std::size_t rank) {
    std::vector<const Subscript *> places;
    std::set<const Node *> known;
    const auto isIt = [&](const Expr *e) {
      const auto *v = dyn<VarRef>(e);
      return v && v->name == name;
    };
    walk(tree, [&](const Subscript &s) {
      if (!isIt(s.base) || s.indices.size() != rank) return;
      places.push_back(&s);
      known.insert(s.base);
    });
    walk(tree, [&](const Size &s) {
      if (isIt(s.container) && (!s.dim || literal(s.dim))) known.insert(s.container);
    });
    if (ast::any<VarRef>(tree, [&](const VarRef &v) { return v.name == name && !known.count(&v); })) return {};
    return places;
  }

  std::optional<Kept> ownContainer(const Declare &d, const Block &body) {
    if (!d.type.isArray() || d.extents.empty() || d.init || d.shared || d.tunable ||
        !placesIn(&body, d.name, d.extents.size()))
      return {};
    if (std::all_of(d.extents.begin(), d.extents.end(), [](const Expr *e) { return literal(e).has_value(); }))
      return {};
    Kept kept{.name = d.name, .element = d.type.element(), .declaration = &d};
    for (const Expr *extent : d.extents) {
      kept.sizes.push_back(byParameters(*nest_.codelet, extent, arena()));
      if (!kept.sizes.back()) return {};
    }
    if (times(kept) == 0) return {};
    return kept;
  }

  static Int leastRoom(const Kept &k) { return k.sizes.size() == 1 ? kLeastRoom : kLeastRoomOfMany; }
  /// How many times the least of it there is room for, where one dimension has more; 0: not even that.
  std::uint64_t times(const Kept &k) const {
    std::uint64_t bytes = structs_.bytes(k.element);
    for (const Expr *size : k.sizes) {
      const Int elements = std::max<Int>(1, number(size).value_or(leastRoom(k)));
      if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(elements), &bytes)) return 0;
    }
    return bytes == 0 ? 0 : capacity_ / bytes;
  }

  /// The row of a container that an iteration has, where its loops come to elements more than once.
  std::optional<Kept> rowOf(const Param &p, const Item &item) {
    const nest::Loop &loop = nest_.loops[item.index];
    const auto places = placesIn(loop.node->body, p.name, p.type.rank());
    if (!places || places->empty()) return {};
    const auto variable = std::find_if(nest_.variables.begin(), nest_.variables.end(),
                                       [&](const nest::Variable &v) { return v.given && v.name == p.name; });
    if (variable == nest_.variables.end()) return {};
    Kept kept{.name = p.name, .element = p.type.element()};
    kept.leading = leadingOf(*places, loop);
    const std::size_t leading = kept.leading.size();
    if (leading == 0 || leading == p.type.rank()) return {};
    const Build build(arena(), loop.node->range);
    const Expr *container = build.var(p.name, p.type);
    for (std::size_t d = 0; d < p.type.rank(); ++d) {
      const Expr *size = arena().make<Size>(loop.node->range, Scalar::U64, container, build.u64(d));
      if (d >= leading)
        kept.sizes.push_back(size);
      else if (!staysBelow(kept.leading[d], size, item.index))
        return {};
    }
    const auto number = static_cast<unsigned>(variable - nest_.variables.begin());
    std::set<unsigned> loops; // of the iteration, that come to it
    bool again = false;
    for (const unsigned s : nest_.statementsOf(item.index)) {
      const nest::Statement &statement = nest_.statements[s];
      const std::vector<unsigned> inner = nest_.inner(statement, item.index);
      for (const nest::Access &a : statement.accesses) {
        if (a.variable != number) continue;
        if (a.kind == nest::AccessKind::Atomic) return {};
        (a.kind == nest::AccessKind::Write ? kept.written : kept.read) = true;
        const auto outer = std::find_if(inner.begin(), inner.end(), [&](unsigned l) { return l != item.index; });
        if (outer == inner.end()) continue;
        loops.insert(*outer);
        // Where iterations of these loops are side by side, they come to what they share at a time.
        const bool oneByOne = kept.written || dependences_.carried(*outer).kind != nest::Carried::Kind::Nothing;
        again |= oneByOne && inner.size() - 1 > p.type.rank() - leading;
      }
    }
    if (!kept.read || (!again && loops.size() < 2)) return {};
    if (times(kept) == 0 || isShort(kept)) return {};
    return kept;
  }

  /// Whether registers have it (the pass register-promotion).
  bool isShort(const Kept &k) const {
    Int elements = 1;
    for (const Expr *size : k.sizes) elements *= number(size).value_or(kLeastRoom);
    return elements < kLeastRoom;
  }

  /// Whether an index of a row is the number of an iteration, of this loop or one around it, and all of these are
  /// places of the container: all of a row is copied, also where conditions say that an iteration does not come to it.
  bool staysBelow(const Expr *index, const Expr *size, unsigned loop) {
    const auto *v = dyn<VarRef>(withoutCasts(index));
    for (std::optional<unsigned> at = loop; v && at; at = nest_.loops[*at].parent) {
      if (nest_.loops[*at].variable != v->name) continue;
      std::string why;
      const std::optional<nest::LoopRange> range = nest::rangeOf(nest_, *at, arena(), why);
      if (!range || !range->decoded.empty()) return false;
      const std::optional<Int> begin = literal(withoutCasts(range->begin));
      const Expr *end = resolved(range->end, *nest_.codelet);
      if (const auto *less = dyn<Binary>(end);
          less && less->op == BinaryOp::Sub && less->type.isSigned() && literal(withoutCasts(less->rhs)))
        end = less->lhs;
      return begin && *begin >= 0 && isSameSize(end, size);
    }
    return false;
  }

  /// Numbers of iterations in front that all places have; none where all iterations of the loop have the same row.
  static Exprs leadingOf(const std::vector<const Subscript *> &places, const nest::Loop &loop) {
    std::set<std::string> changing = assignedVariables(loop.node->body);
    walk(loop.node->body, [&](const Declare &d) { changing.insert(d.name); });
    Exprs leading;
    bool follows = false;
    for (std::size_t d = 0; d < places[0]->indices.size(); ++d) {
      const Expr *index = places[0]->indices[d];
      const auto *v = dyn<VarRef>(withoutCasts(index));
      if (!v || changing.count(v->name)) break;
      if (!std::all_of(places.begin(), places.end(), [&](const Subscript *s) { return equal(s->indices[d], index); }))
        break;
      follows |= v->name == loop.variable;
      leading.push_back(index);
    }
    return follows ? leading : Exprs{};
  }

  const nest::Nest &nest_;
  const Structs structs_;
  const Spectrum &spectrum_;
  std::uint64_t capacity_;
  nest::Dependences dependences_;
  Names names_;
  Stmts tunables_;
};

} // namespace

const Codelet *withResidentRows(nest::Nests &nests, const Spectrum &spectrum, const Codelet &codelet,
                                std::uint64_t capacity, Arena &arena) {
  const bool candidates = any<For>(codelet.body, [](const For &f) { return contains<For>(f.body); });
  const nest::Nest *const nest = candidates && capacity > 0 ? nests.of(codelet) : nullptr;
  return nest ? Residency(*nest, spectrum, capacity, arena).codelet() : &codelet;
}

} // namespace tangram::divide
