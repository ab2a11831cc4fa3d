#include "Conflicts.h"

#include "Evaluator.h"

#include <algorithm>

namespace tangram::races {

using namespace ast;

namespace {

/// Two symbols that stand for the same thing in two calls.
struct Unit {
  SymbolId mine, other;
};

/// Polynomials of the other call with `from` as this call's `to`.
Polynomial replace(const Polynomial &p, SymbolId from, SymbolId to) {
  if (!p.mentions(from)) return p;
  std::optional<Polynomial::Split> split = p.split(from);
  return split ? split->coefficient * Polynomial::symbol(to) + split->rest : Polynomial::unknown();
}

/// Whether two calls whose indices are equal are one and the same.
class Disjoint {
public:
  Disjoint(Symbols &symbols, SymbolId mark, const Touch &a, const Touch &b, const std::vector<Unit> &keys,
           const std::vector<Polynomial> &counts)
      : symbols_(symbols), mine_(a.index), other_(b.index), a_(a), b_(b), counts_(counts), keys_(keys),
        bounds_(symbols, mark, facts(a, b)) {
    // Conditions that both are under say as much as an index does.
    for (const Polynomial &x : a.zeros)
      for (const Polynomial &y : b.zeros) {
        mine_.push_back(x);
        other_.push_back(y);
      }
  }

  bool proved() {
    std::vector<bool> known(keys_.size(), false);
    std::size_t left = keys_.size();
    for (bool more = true; more && left > 0;) {
      more = false;
      for (std::size_t k = 0; k < keys_.size(); ++k) {
        if (known[k] || !(determined(keys_[k]) || inTwoSteps(keys_[k]) || (keys_.size() == 1 && between()))) continue;
        settle(keys_[k]);
        known[k] = more = true;
        --left;
      }
    }
    return left == 0;
  }

private:
  static std::vector<Polynomial> facts(const Touch &a, const Touch &b) {
    std::vector<Polynomial> all = a.facts;
    all.insert(all.end(), b.facts.begin(), b.facts.end());
    return all;
  }

  /// The same in both calls from here on.
  void settle(const Unit &u) {
    for (Polynomial &p : other_) p = replace(p, u.other, u.mine);
    bounds_.fixed.push_back(u.mine);
  }

  bool determined(const Unit &u) const {
    for (std::size_t d = 0; d < mine_.size() && d < other_.size(); ++d) {
      std::optional<Polynomial::Split> a = mine_[d].split(u.mine), b = other_[d].split(u.other);
      if (!a || !b || a->coefficient.isZero() || !(a->coefficient == b->coefficient)) continue;
      if (bounds_.hasFree(a->coefficient)) continue;
      Polynomial by = a->coefficient, apart = a->rest - b->rest;
      if (std::optional<std::int64_t> c = by.constant(); c && *c < 0) by = Polynomial(-*c);
      if (byDistance(by, apart) || byResidue(u, by, apart)) return true;
    }
    return false;
  }

  /// by * (k - k') = -apart, which is less than `by` either way.
  bool byDistance(const Polynomial &by, const Polynomial &apart) const {
    std::optional<Polynomial> up = bounds_.upper(apart), down = bounds_.upper(Polynomial(0) - apart);
    return up && down && bounds_.natural(by - Polynomial(1) - *up) && bounds_.natural(by - Polynomial(1) - *down);
  }

  /// `apart` is a multiple of a number that by * (k - k') does not come up to.
  bool byResidue(const Unit &u, const Polynomial &by, const Polynomial &apart) const {
    const Symbol &k = symbols_[u.mine];
    std::optional<Polynomial> last = k.hi;
    if (k.kind == Symbol::Kind::Remainder) last = k.b - Polynomial(1);
    if (!last || bounds_.hasFree(*last) || !by.constant()) return false;
    std::vector<SymbolId> all = apart.symbols();
    for (SymbolId candidate : all) {
      if (!bounds_.isFree(candidate)) continue;
      std::optional<Polynomial::Split> split = apart.split(candidate);
      if (!split || bounds_.hasFree(split->coefficient)) continue;
      for (const Polynomial &modulus : {split->coefficient, Polynomial(0) - split->coefficient})
        if (bounds_.natural(modulus - Polynomial(1) - by * *last) && isMultiple(apart, modulus)) return true;
    }
    return false;
  }
  bool isMultiple(Polynomial apart, const Polynomial &modulus) const {
    for (SymbolId id : apart.symbols()) {
      if (!bounds_.isFree(id)) continue;
      std::optional<Polynomial::Split> split = apart.split(id);
      if (!split) return false;
      if (!split->coefficient.dividedBy(modulus) && !(Polynomial(0) - split->coefficient).dividedBy(modulus))
        return false;
      apart = split->rest;
    }
    return apart.isZero() || apart.dividedBy(modulus).has_value();
  }

  /// By its quotient and remainder, as of a tile that is counted along rows.
  bool inTwoSteps(const Unit &u) {
    Polynomial k = Polynomial::symbol(u.mine), other = Polynomial::symbol(u.other);
    for (const Polynomial &p : std::vector<Polynomial>(mine_))
      for (SymbolId id : p.symbols()) {
        const Symbol &s = symbols_[id];
        if (s.kind != Symbol::Kind::Quotient && s.kind != Symbol::Kind::Remainder) continue;
        if (!(s.a == k) || bounds_.hasFree(s.b)) continue;
        Polynomial by = s.b;
        std::optional<SymbolId> q = symbols_.quotient(k, by).single(), r = symbols_.remainder(k, by).single();
        std::optional<SymbolId> q2 = symbols_.quotient(other, by).single(), r2 = symbols_.remainder(other, by).single();
        if (!q || !r || !q2 || !r2) continue;
        for (const auto &[first, second] :
             {std::pair(Unit{*q, *q2}, Unit{*r, *r2}), std::pair(Unit{*r, *r2}, Unit{*q, *q2})}) {
          if (!determined(first)) continue;
          Disjoint then = *this;
          then.settle(first);
          if (then.determined(second)) return true;
        }
      }
    return false;
  }

  /// Parts between neighbouring bounds, which never fall.
  bool between() const {
    if (!a_.between || !b_.between || a_.between->container != b_.between->container) return false;
    if (!a_.between->ordered || !b_.between->ordered) return false;
    std::optional<Polynomial::Split> first = a_.between->first.split(keys_[0].mine),
                                     behind = b_.between->behind.split(keys_[0].other);
    if (!first || !behind || !(first->coefficient == behind->coefficient)) return false;
    std::optional<std::int64_t> by = first->coefficient.constant(), gap = (behind->rest - first->rest).constant();
    return by && gap && *by > 0 && *gap <= *by;
  }

  Symbols &symbols_;
  std::vector<Polynomial> mine_, other_;
  const Touch &a_, &b_;
  const std::vector<Polynomial> &counts_;
  const std::vector<Unit> &keys_;
  Bounds bounds_;
};

/// Neighbouring parts, one of which begins before the other one ends.
bool neighboursOverlap(const Bounds &bounds, const Touch &a, const Touch &b, const Unit &u) {
  std::optional<Polynomial::Split> sa = a.whole->first.split(u.mine), sb = b.whole->first.split(u.other),
                                   ea = a.whole->second.split(u.mine), eb = b.whole->second.split(u.other);
  if (!sa || !sb || !ea || !eb) return false;
  for (const auto *s : {&*sb, &*ea, &*eb})
    if (!(s->coefficient == sa->coefficient)) return false;
  for (int next : {1, -1}) {
    Polynomial by = sa->coefficient * Polynomial(next);
    if (bounds.positiveInGeneral(eb->rest + by - sa->rest) && bounds.positiveInGeneral(ea->rest - sb->rest - by))
      return true;
  }
  return false;
}

/// Indices with numbers, or other symbols, in the place of keys.
std::vector<Polynomial> with(Symbols &symbols, const std::map<SymbolId, Polynomial> &keys,
                             const std::vector<Polynomial> &indices) {
  Substitution in(symbols);
  for (SymbolId id = 0; id < symbols.mark(); ++id)
    if (symbols[id].kind == Symbol::Kind::Any) in.replaced[id] = Polynomial::symbol(id);
  for (const auto &[key, value] : keys) in.replaced[key] = value;
  std::vector<Polynomial> result;
  for (const Polynomial &p : indices) result.push_back(in(p));
  return result;
}

/// Whether indices of two calls that differ in `u` alone are equal, whatever the call, at one distance.
bool meetAtDistance(const Bounds &bounds, const std::vector<Polynomial> &mine, const std::vector<Polynomial> &others,
                    const Unit &u) {
  std::optional<std::int64_t> shift;
  for (std::size_t d = 0; d < mine.size(); ++d) {
    if (mine[d] == others[d] && !bounds.hasFree(mine[d])) continue;
    std::optional<Polynomial::Split> a = mine[d].split(u.mine), b = others[d].split(u.other);
    if (!a || !b || bounds.hasFree(a->rest) || bounds.hasFree(b->rest)) return false;
    std::optional<std::int64_t> by = a->coefficient.constant(), apart = (a->rest - b->rest).constant();
    if (!by || *by == 0 || !apart || !(a->coefficient == b->coefficient) || *apart % *by) return false;
    if (shift && *shift != *apart / *by) return false;
    shift = *apart / *by;
  }
  return !shift || *shift != 0;
}

/// Whether indices of two of the first calls are equal, as i / 2 and i % 2 are of some.
bool meetAtFirst(Symbols &symbols, const Bounds &bounds, const std::vector<Polynomial> &mine,
                 const std::vector<Polynomial> &others, const Unit &u, const Polynomial &count) {
  constexpr std::int64_t kFirstCalls = 9; // of i / 8 and i % 8 two are equal
  const std::int64_t calls = std::min(kFirstCalls, count.constant().value_or(kFirstCalls));
  std::vector<std::vector<Polynomial>> first, second;
  for (std::int64_t k = 0; k < calls; ++k) {
    first.push_back(with(symbols, {{u.mine, k}}, mine));
    second.push_back(with(symbols, {{u.other, k}}, others));
  }
  for (std::int64_t i = 0; i < calls; ++i)
    for (std::int64_t j = 0; j < calls; ++j)
      if (i != j && first[i] == second[j] &&
          std::none_of(first[i].begin(), first[i].end(), [&](const Polynomial &p) { return bounds.hasFree(p); }))
        return true;
  return false;
}

/// Whether there are two calls that do touch the same element, if there are enough of them.
bool certain(Symbols &symbols, SymbolId mark, const Touch &a, const Touch &b, const std::vector<Unit> &keys,
             const std::vector<Polynomial> &counts) {
  if (a.conditional || b.conditional || !a.zeros.empty() || !b.zeros.empty()) return false;
  if (a.index.size() != b.index.size()) return false;
  if (a.whole && b.whole && a.index.size() == 1 && keys.size() == 1)
    return neighboursOverlap(Bounds(symbols, mark, {}), a, b, keys[0]);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (counts[k].constant() && *counts[k].constant() <= 1) continue;
    Bounds bounds(symbols, mark, {});
    std::map<SymbolId, Polynomial> same;
    for (std::size_t other = 0; other < keys.size(); ++other) {
      if (other == k) continue;
      same[keys[other].other] = Polynomial::symbol(keys[other].mine);
      bounds.fixed.push_back(keys[other].mine);
    }
    const std::vector<Polynomial> others = with(symbols, same, b.index);
    if (meetAtDistance(bounds, a.index, others, keys[k]) ||
        meetAtFirst(symbols, bounds, a.index, others, keys[k], counts[k]))
      return true;
  }
  return false;
}

bool disjointFields(const std::vector<std::string> &a, const std::vector<std::string> &b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    if (a[i] != b[i]) return true;
  return false;
}

class Finder final : public Evaluator {
public:
  Finder(const Module &module, const Spectrum &spectrum, const Codelet &codelet, const Summaries &summaries,
         const Aliases &aliases, Symbols &symbols, Passed &passed)
      : Evaluator(module, spectrum, codelet, summaries, symbols), passed_(passed) {
    if (auto own = aliases.find(spectrum.name); own != aliases.end()) aliases_ = &own->second;
  }
  std::vector<Conflict> found;

private:
  void visited(const Site &site) override {
    std::vector<std::set<unsigned>> &behind = passed_[site.node];
    behind.resize(site.arguments.size());
    for (std::size_t i = 0; i < site.arguments.size(); ++i)
      for (unsigned p = 0; p < codelet().params.size(); ++p)
        if (site.arguments[i].isArray && codelet().params[p]->name == site.arguments[i].view.root) behind[i].insert(p);
    if (!site.isMap || site.counts.empty()) return;
    if (codelet().independent && !codelet().from.empty()) return; // an expander has proved it
    bool one = std::all_of(site.counts.begin(), site.counts.end(),
                           [](const Polynomial &n) { return n.constant() && *n.constant() <= 1; });
    if (one) return;
    const SpectrumSummary &callee = summaries().find(site.callee->name)->second;
    std::set<std::string> clean; // codelets without a race
    for (std::size_t c = 0; c < callee.codelets.size(); ++c) {
      const Codelet &called = *site.callee->codelets[c];
      // What an expander makes of one touches what that touches.
      if (clean.contains(called.from)) {
        clean.insert(called.name);
        continue;
      }
      const std::size_t before = found.size();
      compare(site, c, callee.codelets[c]);
      if (std::none_of(found.begin() + static_cast<std::ptrdiff_t>(before), found.end(),
                       [](const Conflict &conflict) { return !conflict.besideAtomic(); }))
        clean.insert(called.name);
    }
  }

  /// Two calls of a codelet, of one map.
  void compare(const Site &site, std::size_t c, const CodeletSummary &summary) {
    const std::vector<Access> &accesses = summary.accesses;
    bool changes = site.result || std::any_of(accesses.begin(), accesses.end(),
                                              [](const Access &a) { return a.kind != Access::Kind::Read; });
    if (!changes) return;
    SymbolId mark = symbols().mark();
    std::vector<Polynomial> first = keys(site), second = keys(site);
    std::vector<Unit> units;
    for (std::size_t d = 0; d < first.size(); ++d) units.push_back({*first[d].single(), *second[d].single()});
    std::vector<Touch> mine = touches(site, summary, first);
    std::vector<Touch> others = touches(site, summary, second);
    std::set<std::string> written; // bounds that are written are not the ones that parts were cut at
    for (const Touch &t : mine)
      if (t.kind != Access::Kind::Read) written.insert(t.root);
    for (std::vector<Touch> *all : {&mine, &others})
      for (Touch &t : *all)
        if (t.between && written.count(t.between->container)) t.between.reset();
    for (const Touch &a : mine) {
      if (a.kind == Access::Kind::Read) continue;
      for (const Touch &b : others) {
        if (a.kind == Access::Kind::Atomic && !readsBeside(a, b)) continue;
        if (disjointFields(a.fields, b.fields) || (!a.access && !b.access)) continue;
        if (a.root != b.root) {
          const Alias *alias = aliasOf(a.root, b.root);
          if (!alias) continue;
          if (alias->alike) {
            Substitution asOne = sizesOf(b.root, mark + 2 * static_cast<SymbolId>(units.size()));
            const Touch x = replaced(a, asOne), y = replaced(b, asOne);
            if (Disjoint(symbols(), mark, x, y, units, site.counts).proved()) continue;
          }
          note(site, c, a, b, false).alias = alias;
          continue;
        }
        if (Disjoint(symbols(), mark, a, b, units, site.counts).proved()) continue;
        note(site, c, a, b, certain(symbols(), mark, a, b, units, site.counts));
      }
    }
  }

  /// Whether `b` is a codelet's own read of what the atomic `a` may change.
  static bool readsBeside(const Touch &a, const Touch &b) {
    return b.kind == Access::Kind::Read && a.access && b.access && !a.access->widened && !b.access->widened;
  }

  std::size_t parameter(const std::string &name) const {
    const std::vector<const Param *> &params = codelet().params;
    return std::find_if(params.begin(), params.end(), [&](const Param *p) { return p->name == name; }) - params.begin();
  }
  /// Null where the two are different containers.
  const Alias *aliasOf(const std::string &a, const std::string &b) const {
    if (!aliases_ || !isParameter(a) || !isParameter(b)) return nullptr;
    auto known = aliases_->find(std::minmax(static_cast<unsigned>(parameter(a)), static_cast<unsigned>(parameter(b))));
    return known == aliases_->end() ? nullptr : &known->second;
  }
  /// Sizes of a container in the place of those of others that are the same one. Numbers from before `keep` stay.
  Substitution sizesOf(const std::string &container, SymbolId keep) {
    Substitution in(symbols());
    for (SymbolId id = 0; id < keep; ++id)
      if (symbols()[id].kind == Symbol::Kind::Any) in.replaced[id] = Polynomial::symbol(id);
    const unsigned rank = codelet().params[parameter(container)]->type.rank();
    for (const Param *p : codelet().params)
      for (unsigned d = 0; d < rank && p->name != container && aliasOf(p->name, container); ++d)
        in.replaced[*symbols().size(p->name, d).single()] = symbols().size(container, d);
    return in;
  }
  static Touch replaced(Touch t, Substitution &in) {
    for (auto *all : {&t.index, &t.facts, &t.zeros})
      for (Polynomial &p : *all) p = in(p);
    return t;
  }

  Conflict &note(const Site &site, std::size_t codelet, const Touch &a, const Touch &b, bool isCertain) {
    Conflict c;
    c.map = as<Map>(site.node);
    c.mapSpectrum = &spectrum();
    c.mapCodelet = &this->codelet();
    c.callee = site.callee;
    c.codelet = site.callee->codelets[codelet];
    c.container = a.root;
    const Touch &write = a.access ? a : b;
    c.write = *write.access;
    c.byMap = !a.access || !b.access;
    c.other = c.byMap ? c.write : *b.access;
    c.certain = isCertain;
    c.widened = write.access->widened || (!c.byMap && b.access->widened);
    c.written = a.argument;
    c.touched = b.argument;
    return found.emplace_back(std::move(c));
  }

  Passed &passed_;
  const std::map<std::pair<unsigned, unsigned>, Alias> *aliases_ = nullptr; // of this spectrum
};

} // namespace

std::vector<Conflict> conflicts(const Module &module, const Spectrum &spectrum, const Codelet &codelet,
                                const Summaries &summaries, const Aliases &aliases, Symbols &symbols, Passed &passed) {
  Finder finder(module, spectrum, codelet, summaries, aliases, symbols, passed);
  finder.run();
  return std::move(finder.found);
}

} // namespace tangram::races
