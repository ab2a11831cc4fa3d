#include "ScannedColumns.h"
#include "ScanLoops.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/Statements.h"

#include <algorithm>
#include <functional>

namespace tangram::divide {

using namespace ast;
using nest::Carried;
using nest::Item;

namespace {

using Exprs = std::vector<const Expr *>;
using Stmts = std::vector<const Stmt *>;

constexpr std::size_t kMostColumns = 3; // dimensions of parallel loops around

std::set<std::string> namesIn(const Stmts &stmts) {
  std::set<std::string> names;
  for (const Stmt *s : stmts) walk(s, [&](const VarRef &v) { names.insert(v.name); });
  return names;
}

/// A parallel loop, or several that stand directly in each other, and what stands in them: statements, and a loop that
/// scans.
struct Columns {
  std::vector<LoopRange> across;
  Stmts before, behind;
  ScanLoop scan;
  const Stmt *outermost = nullptr;
  std::set<std::string> written; // containers that the scan changes

  const LoopRange &rows() const { return scan.all.range; }
  const Reduced &value() const { return scan.all.scalars[0]; }
};

/// Literals that are not negative: distances from them do not overflow.
bool beginsAtNumber(const LoopRange &range) {
  const std::optional<Int> begin = literal(range.begin);
  return range.step == 1 && range.decoded.empty() && begin && *begin >= 0;
}

class ColumnFinder {
public:
  ColumnFinder(const nest::Nest &nest, bool reorder, Names &names, Arena &arena)
      : nest_(nest), reorder_(reorder), names_(names), arena_(arena), dependences_(nest) {}

  std::optional<Columns> columns(const Item &outermost) const {
    Columns found;
    std::string why;
    const Item *item = &outermost;
    for (;; item = &item->body[0]) {
      if (item->kind != Item::Kind::Loop || found.across.size() == kMostColumns ||
          dependences_.carried(item->index).kind != Carried::Kind::Nothing)
        return {};
      const std::optional<LoopRange> range = rangeOf(nest_, item->index, arena_, why);
      if (!range || !beginsAtNumber(*range)) return {};
      found.across.push_back(*range);
      const bool nested = item->body.size() == 1 && item->body[0].kind == Item::Kind::Loop &&
                          dependences_.carried(item->body[0].index).kind == Carried::Kind::Nothing;
      if (!nested) break;
    }
    found.outermost = nest_.loops[outermost.index].node;
    const auto last = std::find_if(item->body.rbegin(), item->body.rend(), nest::hasLoop);
    if (last == item->body.rend() || last->kind != Item::Kind::Loop) return {};
    for (const Item &other : item->body) {
      if (&other == &*last) continue;
      const Stmt *node = nodeOf(other);
      if (!node || jumpsOut(node)) return {};
      (&other < &*last ? found.before : found.behind).push_back(node);
    }
    const Item &rows = *last;
    if (dependences_.carried(rows.index).kind != Carried::Kind::Dependence) return {};
    std::optional<ScanLoop> scan =
        scanLoop(nest_, rows, dependences_, nest_.loops[rows.index].node->body->stmts, names_, arena_);
    if (!scan || !scan->conditions.empty() || scan->all.scalars.size() != 1 || !beginsAtNumber(scan->all.range))
      return {};
    found.scan = std::move(*scan);
    if (!liesAcross(found, rows.index)) return {};
    const bool known = boundsAreOutside(found) && (reorder_ || !found.value().type.isFloating());
    return known && isRepeatable(found, rows.index) ? std::optional(std::move(found)) : std::nullopt;
  }

private:
  const Stmt *nodeOf(const Item &item) const {
    if (item.kind == Item::Kind::Statement) return nest_.statements[item.index].node;
    if (item.kind == Item::Kind::Loop) return nest_.loops[item.index].node;
    return nest_.guards[item.index].skips ? nullptr : nest_.guards[item.index].node;
  }

  /// Whether columns lie side by side, and rows apart: lanes that have a row each, as scans of rows have them, would
  /// touch elements far from each other.
  bool liesAcross(const Columns &columns, unsigned rows) const {
    bool across = false, along = false;
    for (const unsigned s : nest_.statementsOf(rows))
      for (const nest::Access &a : nest_.statements[s].accesses) {
        if (!isa<Subscript>(a.node)) continue;
        across |= goesAlong(nest_, a, columns.across.back().loop), along |= goesAlong(nest_, a, rows);
      }
    return across && !along;
  }

  static bool boundsAreOutside(const Columns &columns) {
    std::set<std::string> inside = nest::declaredIn(columns.before);
    for (const LoopRange &r : columns.across) inside.insert(r.iterator);
    std::vector<const LoopRange *> ranges{&columns.rows()};
    for (const LoopRange &r : columns.across) ranges.push_back(&r);
    return std::none_of(ranges.begin(), ranges.end(), [&](const LoopRange *r) {
      return any<VarRef>(r->end, [&](const VarRef &v) { return inside.count(v.name) != 0; });
    });
  }

  /// Whether what stands in front of the scan may be done once more, and at other times: it changes no container. What
  /// stands behind it is done before rows are written: it touches none of these.
  bool isRepeatable(Columns &columns, unsigned rows) const {
    const std::vector<unsigned> scanned = nest_.statementsOf(rows);
    const std::set<std::string> inRows = namesIn(columns.scan.all.body);
    for (const unsigned s : nest_.statementsOf(columns.across.back().loop)) {
      const bool beside = std::find(scanned.begin(), scanned.end(), s) == scanned.end();
      const bool before = beside && (scanned.empty() || s < scanned.front());
      for (const nest::Access &a : nest_.statements[s].accesses) {
        const nest::Variable &v = nest_.variables[a.variable];
        if (beside && !before && v.container && inRows.count(v.name)) return false;
        if (a.kind == nest::AccessKind::Read || (!v.container && v.rank <= v.scope.size())) continue;
        if (before) return false;
        columns.written.insert(v.name);
      }
    }
    return true;
  }

  const nest::Nest &nest_;
  bool reorder_;
  Names &names_;
  Arena &arena_;
  nest::Dependences dependences_;
};

class ColumnMaker {
public:
  ColumnMaker(const Columns &columns, std::int64_t rows, Names &names, Arena &arena)
      : columns_(columns), names_(names), arena_(arena), build_(arena, columns.rows().where),
        type_(columns.rows().type), rows_(build_.integer(type_, rows)) {}

  /// Nothing where parts cannot do without the running value.
  std::optional<Stmts> run() {
    const Reduced &value = columns_.value();
    const Expr *nothing = neutral(build_, value.op, value.type);
    std::optional<Stmts> forTotals = needed(columns_.scan.totals[0].body), forRows = needed(columns_.scan.all.body);
    if (forRows)
      for (const std::string &name : namesIn(*forRows)) // which other parts have changed meanwhile
        if (columns_.written.count(name)) return {};
    if (!nothing || !forTotals || !forRows) return {};
    const std::string parts = names_.fresh(columns_.rows().iterator + "_parts");
    parts_ = build_.var(parts, type_);
    const Expr *begin = number(columns_.rows().begin), *end = number(columns_.rows().end);
    const Expr *one = build_.integer(type_, 1);
    const Expr *count = build_.add(build_.div(build_.sub(build_.sub(end, begin), one), rows_), one);
    totals_ = names_.fresh(value.name + "_of"), begins_ = names_.fresh(value.name + "_before");
    Exprs extents{size(parts_)};
    for (const LoopRange &r : columns_.across) extents.push_back(width(r));
    const Tunable *noTunable = nullptr;
    const Expr *none = nullptr;
    Stmts all{build_.declare(parts, type_, build_.select(build_.less(begin, end), count, build_.zero(type_)))};
    for (const std::string &name : {totals_, begins_})
      all.push_back(
          arena_.make<Declare>(columns_.rows().where, name, valuesType(), false, false, extents, noTunable, none));
    all.push_back(ofParts([&](const Expr *part) {
      Stmts body = *forTotals;
      body.push_back(build_.declare(value.name, value.type, nothing, false));
      body.push_back(rowsOf(part, columns_.scan.totals[0].body));
      body.push_back(build_.assign(of(totals_, part), running()));
      return body;
    }));
    all.push_back(own(ofColumns([&] {
      Stmts body = columns_.before;
      body.push_back(scanOfTotals());
      body.insert(body.end(), columns_.behind.begin(), columns_.behind.end());
      return body;
    })));
    all.push_back(ofParts([&](const Expr *part) {
      Stmts body = *forRows;
      body.push_back(build_.declare(value.name, value.type, of(begins_, part), false));
      body.push_back(rowsOf(part, columns_.scan.all.body));
      return body;
    }));
    return all;
  }

private:
  /// Statements in front of the scan that give `body` what it uses.
  std::optional<Stmts> needed(const Stmts &body) const {
    const std::string &value = columns_.value().name;
    std::set<std::string> names = namesIn(body);
    for (const Stmt *s : body)
      for (const std::string &name : assignedVariables(s)) names.insert(name);
    names.erase(value);
    Stmts kept;
    for (auto s = columns_.before.rbegin(); s != columns_.before.rend(); ++s) {
      const std::set<std::string> assigned = assignedVariables(*s);
      const auto *declared = dyn<Declare>(*s);
      const bool gives =
          (declared && names.count(declared->name)) ||
          std::any_of(assigned.begin(), assigned.end(), [&](const auto &n) { return names.count(n) != 0; });
      if (!gives) continue;
      const std::set<std::string> used = namesIn({*s});
      if (used.count(value) || assigned.count(value)) return {};
      names.insert(used.begin(), used.end());
      kept.insert(kept.begin(), *s);
    }
    return kept;
  }

  const Expr *number(const Expr *e) const { return build_.cast(type_, e); }
  const Expr *size(const Expr *e) const { return build_.cast(kSize, e); }
  const Expr *running() const { return build_.var(columns_.value().name, columns_.value().type); }
  Type valuesType() const {
    return Type::array(static_cast<unsigned>(columns_.across.size() + 1), columns_.value().type);
  }
  /// How many columns there are.
  const Expr *width(const LoopRange &r) const {
    const Expr *begin = build_.cast(r.type, r.begin), *end = build_.cast(r.type, r.end);
    return size(build_.select(build_.less(begin, end), build_.sub(end, begin), build_.zero(r.type)));
  }
  const Expr *of(const std::string &values, const Expr *part) const {
    Exprs indices{size(part)};
    for (const LoopRange &r : columns_.across)
      indices.push_back(size(build_.sub(build_.var(r.iterator, r.iteratorType), build_.cast(r.iteratorType, r.begin))));
    return build_.element(build_.var(values, valuesType()), indices, columns_.value().type);
  }

  const Stmt *counting(const std::string &name, const Type &type, const Expr *begin, const Expr *end,
                       const Type &compared, Stmts body) const {
    const Expr *v = build_.var(name, type);
    return arena_.make<For>(columns_.rows().where, build_.declare(name, type, build_.cast(type, begin), false),
                            build_.less(build_.cast(compared, v), end),
                            arena_.make<Unary>(columns_.rows().where, type, UnaryOp::PreInc, v),
                            build_.block(std::move(body)));
  }
  const Stmt *ofColumns(const std::function<Stmts()> &body) const {
    Stmts stmts = body();
    for (auto r = columns_.across.rbegin(); r != columns_.across.rend(); ++r)
      stmts = {
          counting(r->iterator, r->iteratorType, r->begin, build_.cast(r->type, r->end), r->type, std::move(stmts))};
    return stmts[0];
  }
  /// Each of the loops has variables of its own.
  const Stmt *own(const Stmt *s) { return as<Stmt>(withOwnNames(arena_, s, names_)); }
  /// for (part...) for (columns...) body
  const Stmt *ofParts(const std::function<Stmts(const Expr *)> &body) {
    const std::string name = names_.fresh("part");
    const Expr *part = build_.var(name, type_);
    const Stmt *inside = ofColumns([&] { return body(part); });
    return own(counting(name, type_, build_.zero(type_), parts_, type_, {inside}));
  }
  /// `body` for the rows of a part.
  const Stmt *rowsOf(const Expr *part, const Stmts &body) {
    const LoopRange &rows = columns_.rows();
    const std::string first = names_.fresh("first_" + rows.iterator), length = names_.fresh("length");
    const Expr *begin = build_.var(first, type_), *count = build_.var(length, type_);
    const Expr *left = build_.sub(number(rows.end), begin);
    return build_.block({build_.declare(first, type_, build_.add(number(rows.begin), build_.mul(part, rows_))),
                         build_.declare(length, type_, build_.select(build_.less(rows_, left), rows_, left)),
                         counting(rows.iterator, rows.iteratorType, begin, build_.add(begin, count), type_, body)});
  }
  const Stmt *scanOfTotals() {
    const Reduced &value = columns_.value();
    const std::string part = names_.fresh("part");
    const Expr *now = build_.var(part, type_);
    return counting(part, type_, build_.zero(type_), parts_, type_,
                    {build_.assign(of(begins_, now), running()),
                     build_.assign(running(), combined(build_, value.op, running(), of(totals_, now)))});
  }

  const Columns &columns_;
  Names &names_;
  Arena &arena_;
  Build build_;
  Type type_;
  const Expr *rows_, *parts_ = nullptr;
  std::string totals_, begins_; // containers: what parts add, and what they begin with
};

} // namespace

const Codelet *withScannedColumns(nest::Nests &nests, const Codelet &codelet, std::int64_t rows, bool reorder,
                                  Arena &arena) {
  const nest::Nest *const nest = nests.of(codelet);
  if (!nest || nest->loops.empty()) return &codelet;
  Names names;
  names.reserveAll(&codelet);
  const ColumnFinder finder(*nest, reorder, names, arena);
  std::map<const Stmt *, Stmts> instead;
  for (const Item &item : nest->items)
    if (const std::optional<Columns> columns = finder.columns(item))
      if (std::optional<Stmts> loops = ColumnMaker(*columns, rows, names, arena).run())
        instead[columns->outermost] = std::move(*loops);
  if (instead.empty()) return &codelet;
  Stmts body;
  for (const Stmt *s : codelet.body->stmts) {
    const auto found = instead.find(s);
    if (found == instead.end())
      body.push_back(s);
    else
      body.insert(body.end(), found->second.begin(), found->second.end());
  }
  return arena.derive(
      &codelet, [&](Codelet &c) { c.body = arena.derive(codelet.body, [&](Block &b) { b.stmts = std::move(body); }); });
}

} // namespace tangram::divide
