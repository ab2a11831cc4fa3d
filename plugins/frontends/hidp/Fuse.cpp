#include "Fuse.h"

#include "Walk.h"

#include <algorithm>
#include <set>

namespace tangram::hidp {
namespace {

using Iterators = std::vector<const Variable *>;

Iterators iteratorsOf(const Stmt &nest, std::size_t count) {
  Iterators result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(nest.loops[i].iterator);
  return result;
}

bool onlyDeclares(const Stmt &s) { return s.kind == Stmt::Kind::Declare && !s.value; }

/// For each array that both use, and one writes: whether an iteration of these iterators touches elements that no other
/// one does, by having each of them as an index of its own at the same place everywhere.
bool apart(const Stmt &a, const Stmt &b, const Iterators &iterators) {
  struct Array {
    bool written = false, inA = false, inB = false;
    std::vector<std::set<std::size_t>> places; // for each iterator: where it may be the index
    bool first = true;
  };
  std::map<const Variable *, Array> arrays;
  auto note = [&](const Expr &e, Use use, bool second) {
    if (e.variable->kind != Variable::Kind::Array) return;
    Array &array = arrays[e.variable];
    array.written |= use != Use::Read;
    (second ? array.inB : array.inA) = true;
    if (array.first) array.places.resize(iterators.size());
    for (std::size_t i = 0; i < iterators.size(); ++i) {
      std::set<std::size_t> here;
      for (std::size_t d = 0; d < e.args.size(); ++d)
        if (e.args[d]->kind == Expr::Kind::Variable && e.args[d]->variable == iterators[i]) here.insert(d);
      if (array.first) {
        array.places[i] = here;
      } else {
        std::set<std::size_t> both;
        std::set_intersection(here.begin(), here.end(), array.places[i].begin(), array.places[i].end(),
                              std::inserter(both, both.end()));
        array.places[i] = both;
      }
    }
    array.first = false;
  };
  uses(a, [&](const Expr &e, Use use) { note(e, use, false); });
  uses(b, [&](const Expr &e, Use use) { note(e, use, true); });
  return std::all_of(arrays.begin(), arrays.end(), [](const auto &entry) {
    const Array &array = entry.second;
    return !array.written || !array.inA || !array.inB ||
           std::none_of(array.places.begin(), array.places.end(), [](const auto &p) { return p.empty(); });
  });
}

/// Scalars around both: what one reduces into, the other may neither read nor write.
bool scalarsApart(const Stmt &a, const Stmt &b) {
  std::set<const Variable *> inA, inB, writtenA, writtenB;
  auto note = [](std::set<const Variable *> &in, std::set<const Variable *> &written) {
    return [&](const Expr &e, Use use) {
      if (e.variable->kind != Variable::Kind::Scalar) return;
      in.insert(e.variable);
      if (use != Use::Read) written.insert(e.variable);
    };
  };
  uses(a, note(inA, writtenA));
  uses(b, note(inB, writtenB));
  auto meet = [](const std::set<const Variable *> &x, const std::set<const Variable *> &y) {
    return std::any_of(x.begin(), x.end(), [&](const Variable *v) { return y.count(v) != 0; });
  };
  return !meet(writtenA, inB) && !meet(writtenB, inA);
}

class Fuser {
public:
  explicit Fuser(Program &program) : program_(program) {}

  Stmts run(const Stmts &stmts) {
    Stmts out;
    std::size_t last = 0; // one behind the last nest, while nothing but declarations stands behind it
    for (const Stmt *s : stmts) {
      Stmt inside = *s;
      inside.body = run(s->body);
      inside.otherwise = run(s->otherwise);
      s = program_.make(std::move(inside));
      if (isNest(*s) && last > 0) {
        if (const Stmt *both = together(*out[last - 1], *s)) {
          out.erase(out.begin() + static_cast<std::ptrdiff_t>(last) - 1);
          out.push_back(both);
          last = out.size();
          continue;
        }
      }
      out.push_back(s);
      if (isNest(*s))
        last = out.size();
      else if (!onlyDeclares(*s))
        last = 0;
    }
    return out;
  }

  /// Local arrays of which each iteration of a nest uses an element of its own alone.
  Stmts withScalars(const Stmts &stmts) {
    Stmts out = stmts;
    for (const Stmt *s : stmts) {
      if (s->kind != Stmt::Kind::Declare || s->variable->kind != Variable::Kind::Array) continue;
      const Variable *array = s->variable;
      Stmts others = out;
      std::erase(others, s);
      const Stmt *user = onlyUser(others, array);
      if (!user) continue;
      std::vector<const Expr *> indices;
      bool same = true;
      uses(*user, [&](const Expr &e, Use) {
        if (e.variable != array) return;
        same &= e.kind == Expr::Kind::Element;
        if (indices.empty()) indices = e.args;
        same &= std::equal(indices.begin(), indices.end(), e.args.begin(), e.args.end(), hidp::same);
      });
      std::set<const Variable *> wanted, found;
      for (const Expr *i : indices)
        if (i->kind == Expr::Kind::Variable) wanted.insert(i->variable);
      if (!same || indices.size() != wanted.size()) continue;
      // The nests in each other whose loops are its indices.
      std::vector<const Stmt *> chain;
      for (const Stmt *next = user; next; next = onlyUser(chain.back()->body, array)) {
        chain.push_back(next);
        for (const Loop &l : next->loops) found.insert(l.iterator);
        if (found.size() >= wanted.size() || next->reduction) break;
      }
      if (wanted != found) continue;
      Variable scalar = *array;
      scalar.kind = Variable::Kind::Scalar;
      scalar.rank = 0;
      scalar.extents.clear();
      const Variable *kept = &program_.variables.emplace_back(std::move(scalar));
      Stmt declaration;
      declaration.kind = Stmt::Kind::Declare;
      declaration.variable = kept;
      declaration.piece = s->piece;
      const Stmt *made = replaced(chain.back(), {{array, reference(kept, s->piece, program_)}}, program_);
      Stmt nest = *made;
      nest.body.insert(nest.body.begin(), program_.make(std::move(declaration)));
      made = program_.make(std::move(nest));
      for (std::size_t i = chain.size(); i-- > 0;) {
        if (i == 0) {
          std::replace(out.begin(), out.end(), chain[0], made);
          break;
        }
        Stmt around = *chain[i - 1];
        std::replace(around.body.begin(), around.body.end(), chain[i], made);
        made = program_.make(std::move(around));
      }
      std::erase(out, s);
    }
    return out;
  }

private:
  /// The one nest of these statements that uses the array; null where something else does.
  static const Stmt *onlyUser(const Stmts &stmts, const Variable *array) {
    const Stmt *user = nullptr;
    for (const Stmt *s : stmts) {
      bool here = false;
      uses(*s, [&](const Expr &e, Use) { here |= e.variable == array; });
      if (!here) continue;
      if (user || !isNest(*s)) return nullptr;
      user = s;
    }
    return user;
  }

  /// B's loops and what stands in it, with A's iterators.
  Stmt renamed(const Stmt &b, const Stmt &a, std::size_t count) {
    Replacement by;
    for (std::size_t i = 0; i < count; ++i) by[b.loops[i].iterator] = reference(a.loops[i].iterator, b.piece, program_);
    Stmt result = *replaced(&b, by, program_);
    for (std::size_t i = 0; i < count; ++i) result.loops[i].iterator = a.loops[i].iterator;
    return result;
  }

  const Stmt *together(const Stmt &a, const Stmt &b) {
    if (a.reduction || any({&a, &b}, isCall)) return nullptr;
    if (!a.levels.empty() && !b.levels.empty() && a.levels != b.levels) return nullptr;
    const std::size_t count = std::min(a.loops.size(), b.loops.size());
    if (b.reduction && a.loops.size() != b.loops.size()) return nullptr;
    const Stmt second = renamed(b, a, count);
    for (std::size_t i = 0; i < count; ++i)
      if (!same(a.loops[i].low, second.loops[i].low) || !same(a.loops[i].high, second.loops[i].high)) return nullptr;
    if (!apart(a, second, iteratorsOf(a, count)) || !scalarsApart(a, second)) return nullptr;
    Stmt both;
    both.kind = Stmt::Kind::Nest;
    both.piece = spanning(a.piece, b.piece);
    both.levels = a.levels.empty() ? b.levels : a.levels;
    both.loops.assign(a.loops.begin(), a.loops.begin() + static_cast<std::ptrdiff_t>(count));
    both.reduction = second.reduction;
    both.body = rest(a, count);
    const Stmts behind = rest(second, count);
    both.body.insert(both.body.end(), behind.begin(), behind.end());
    both.body = run(both.body);
    return program_.make(std::move(both));
  }

  /// What is done within `count` of the loops.
  Stmts rest(const Stmt &nest, std::size_t count) {
    if (count == nest.loops.size()) return nest.body;
    Stmt inner = nest;
    inner.loops.erase(inner.loops.begin(), inner.loops.begin() + static_cast<std::ptrdiff_t>(count));
    inner.reduction.reset();
    inner.levels.clear();
    return {program_.make(std::move(inner))};
  }

  Program &program_;
};

} // namespace

Stmts fused(const Stmts &stmts, Program &program) {
  Fuser fuser(program);
  return fuser.withScalars(fuser.run(stmts));
}

Stmts withInlinedReductions(const Stmts &stmts, Program &program) {
  Stmts out;
  for (const Stmt *s : stmts) {
    Stmt changed = *s;
    changed.body = withInlinedReductions(s->body, program);
    changed.otherwise = withInlinedReductions(s->otherwise, program);
    if (changed.reduction && !changed.body.empty()) {
      const Stmt &last = *changed.body.back();
      const Expr *value = changed.reduction->value;
      if (last.kind == Stmt::Kind::Declare && last.value && value->kind == Expr::Kind::Variable &&
          value->variable == last.variable && last.value->type == last.variable->type) {
        changed.reduction->value = last.value;
        changed.body.pop_back();
      }
    }
    out.push_back(program.make(std::move(changed)));
  }
  return out;
}

namespace {

/// Of more than so many nodes, a function stays one.
constexpr std::size_t kMostInlined = 64;

std::size_t nodes(const Expr *e) {
  std::size_t count = 1;
  for (const Expr *a : e->args) count += nodes(a);
  return count;
}

} // namespace

Stmts withInlinedCalls(const Stmts &stmts, Program &program) {
  Rewrite inlined = [&](const Expr *e) -> const Expr * {
    if (e->kind != Expr::Kind::Call) return nullptr;
    auto callee = std::find_if(program.functions.begin(), program.functions.end(),
                               [&](const Function &f) { return f.scalar && f.result && f.name == e->text; });
    if (callee == program.functions.end() || callee->body.size() != 1) return nullptr;
    const Stmt &only = *callee->body[0];
    if (only.kind != Stmt::Kind::Assign || only.op != "=" || only.target->variable != callee->result ||
        only.target->kind != Expr::Kind::Variable)
      return nullptr;
    Replacement by;
    std::size_t next = 0;
    for (const Variable *parameter : callee->arguments)
      if (parameter != callee->result) by[parameter] = e->args[next++];
    bool own = false; // a result that is read before it is set
    uses(only, [&](const Expr &x, Use use) { own |= use == Use::Read && !by.count(x.variable); });
    // What it calls itself comes first.
    const Expr *value = own ? nullptr : replaced(rewritten(only.value, inlined, program), by, program);
    if (!value || nodes(value) > kMostInlined) return nullptr;
    if (value->type == e->type) return value;
    Expr cast;
    cast.kind = Expr::Kind::Cast;
    cast.type = e->type;
    cast.piece = e->piece;
    cast.args = {value};
    return program.make(std::move(cast));
  };
  return rewritten(stmts, inlined, program);
}

} // namespace tangram::hidp
