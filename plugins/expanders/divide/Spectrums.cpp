#include "Spectrums.h"

#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

#include <fmt/format.h>

namespace tangram::divide {

using namespace ast;

namespace {
const Type kSize = Scalar::U64;
} // namespace

const Codelet *Codelets::codelet(const std::string &name, const std::vector<const Param *> &params,
                                 std::vector<const Stmt *> body, bool coop, bool independent) const {
  return arena_.make<Codelet>(where_, name, name, coop, independent, Texts{}, params, std::vector<const Expr *>{},
                              build_.block(std::move(body)));
}

const Param *Codelets::param(const std::string &name, const Type &type) const {
  return arena_.make<Param>(where_, name, type, Access::In);
}

const Expr *Codelets::use(const Param *p) const { return build_.var(p->name, p->type); }

std::vector<const Stmt *> Codelets::tiling(const Param *range) const {
  const Type count = Scalar::U32;
  const Tunable *any = arena_.make<Tunable>(where_, Int{1}, Int{0}, Int{1}, Ints{});
  const Expr *none = nullptr;
  const Stmt *parts = arena_.make<Declare>(where_, parts_, count, false, false, std::vector<const Expr *>{}, any, none);
  const Expr *p = build_.cast(kSize, build_.var(parts_, count)), *n = build_.var(length_, kSize);
  const Expr *size = arena_.make<Size>(where_, kSize, use(range), none);
  const Expr *tile = build_.div(build_.sub(build_.add(n, p), build_.u64(1)), p);
  return {parts, build_.declare(length_, kSize, size), build_.declare(tile_, kSize, tile)};
}

const Expr *Codelets::parts(const Param *range) const {
  const Expr *p = build_.cast(kSize, build_.var(parts_, Scalar::U32)), *n = build_.var(length_, kSize);
  const Expr *tile = build_.var(tile_, kSize), *none = nullptr;
  auto sequence = [&](const Expr *start, const Expr *inc, const Expr *end) {
    return arena_.make<Sequence>(where_, Type(), none, start, inc, end);
  };
  return arena_.make<Partition>(where_, Type::array(1, range->type), use(range), std::vector<const Expr *>{p},
                                std::vector<const Sequence *>{sequence(build_.u64(0), tile, n)},
                                std::vector<const Sequence *>{sequence(build_.u64(1), none, none)},
                                std::vector<const Sequence *>{sequence(tile, tile, n)});
}

const Stmt *Codelets::loop(const LoopRange &range, const Param *container, std::vector<const Stmt *> body,
                           const Expr *from, const Expr *by) const {
  const Expr *at = build_.var(range.position, kSize), *none = nullptr;
  const Expr *size = arena_.make<Size>(where_, kSize, use(container), none);
  const Expr *element = build_.element(use(container), {at}, range.type);
  body.insert(body.begin(),
              build_.declare(range.iterator, range.iteratorType, build_.cast(range.iteratorType, element)));
  const Expr *step = by ? static_cast<const Expr *>(arena_.make<Assign>(where_, kSize, AssignOp::Add, at, by))
                        : arena_.make<Unary>(where_, kSize, UnaryOp::PreInc, at);
  return arena_.make<For>(where_, build_.declare(range.position, kSize, from ? from : build_.u64(0), false),
                          build_.less(at, size), step, build_.block(std::move(body)));
}

const Expr *Codelets::map(const std::string &spectrum, const Type &result, std::vector<const Expr *> args) const {
  const Expr *none = nullptr;
  const Map *inner = nullptr;
  const SpectrumCall *call = nullptr;
  Type type = result.isVoid() ? result : Type::array(1, result);
  return arena_.make<Map>(where_, type, spectrum, std::move(args), Policy::None, std::string(), Counts{}, none, inner,
                          call);
}

const Expr *Codelets::call(const std::string &spectrum, const Type &result, std::vector<const Expr *> args) const {
  const Codelet *codelet = nullptr;
  const SpectrumCall *fallback = nullptr;
  return arena_.make<SpectrumCall>(where_, result, spectrum, std::move(args), std::string(), Texts{}, Counts{},
                                   Capability::None, codelet, std::vector<const Expr *>{}, fallback);
}

const Stmt *Codelets::run(const Expr *e) const { return arena_.make<Evaluate>(where_, e); }

std::vector<const Spectrum *> spectrumsOf(Band band, const std::string &base, Names &names, Arena &arena) {
  const std::size_t n = band.ranges.size();
  Names local; // of parameters that are made
  for (const Param *p : band.captures.params) local.reserve(p->name);
  for (const Stmt *s : band.body) local.reserveAll(s);
  for (const Stmt *s : band.divided) local.reserveAll(s);
  std::vector<const Param *> rangeParams, fixedParams;
  for (LoopRange &r : band.ranges) {
    Codelets make(arena, r.where);
    local.reserve(r.iterator);
    r.position = local.fresh("at_" + r.iterator);
    rangeParams.push_back(make.param(local.fresh(r.iterator + "_range"), r.containerType()));
    // An iterator of the range's own type is the parameter itself.
    bool same = r.type == r.iteratorType;
    fixedParams.push_back(make.param(same ? r.iterator : local.fresh(r.iterator + "_number"), r.type));
  }
  std::vector<std::string> spectrumNames;
  for (std::size_t m = 0; m <= n; ++m) {
    std::string own = base;
    for (std::size_t i = 0; i < n; ++i) own += (i < m ? "_at_" : "_") + band.ranges[i].iterator;
    spectrumNames.push_back(names.fresh(own));
  }

  std::vector<const Spectrum *> spectrums;
  for (std::size_t m = 0; m <= n; ++m) { // the first m loops stand still
    const SourceRange where = band.ranges[m < n ? m : n - 1].where;
    Codelets make(arena, where, local);
    std::vector<const Param *> params;
    for (std::size_t i = 0; i < n; ++i) params.push_back(i < m ? fixedParams[i] : rangeParams[i]);
    params.insert(params.end(), band.captures.params.begin(), band.captures.params.end());
    auto arguments = [&](std::size_t replaced, const Expr *by) {
      std::vector<const Expr *> args;
      for (std::size_t i = 0; i < params.size(); ++i) args.push_back(i == replaced ? by : make.use(params[i]));
      return args;
    };
    /// The body, with iterators that stand still and variables of an iteration's own in front.
    auto inner = [&](const std::vector<const Stmt *> &body) {
      std::vector<const Stmt *> stmts;
      for (std::size_t i = 0; i < m; ++i)
        if (fixedParams[i]->name != band.ranges[i].iterator)
          stmts.push_back(
              make.build().declare(band.ranges[i].iterator, band.ranges[i].iteratorType,
                                   make.build().cast(band.ranges[i].iteratorType, make.use(fixedParams[i]))));
      std::vector<const Stmt *> innermost;
      for (const Declare *d : band.captures.own)
        innermost.push_back(arena.derive(d, [](Declare &copy) {
          copy.init = nullptr;
          copy.isConst = false;
        }));
      innermost.insert(innermost.end(), body.begin(), body.end());
      for (std::size_t i = n; i-- > m;)
        innermost = {Codelets(arena, band.ranges[i].where).loop(band.ranges[i], rangeParams[i], std::move(innermost))};
      stmts.insert(stmts.end(), innermost.begin(), innermost.end());
      return stmts;
    };
    std::vector<const Codelet *> codelets = {make.codelet("loops", params, inner(band.body))};
    if (m == n && !band.divided.empty()) codelets.push_back(make.codelet("divided", params, inner(band.divided)));
    if (m < n)
      codelets.push_back(make.codelet(
          "each_" + band.ranges[m].iterator, params,
          {make.run(make.map(spectrumNames[m + 1], Type(), arguments(m, make.use(params[m]))))}, false, true));
    for (std::size_t i = m; i < n; ++i) {
      std::vector<const Stmt *> body = make.tiling(params[i]);
      body.push_back(make.run(make.map(spectrumNames[m], Type(), arguments(i, make.parts(params[i])))));
      codelets.push_back(make.codelet("over_" + band.ranges[i].iterator, params, std::move(body), false, true));
    }
    spectrums.push_back(
        arena.make<Spectrum>(where, spectrumNames[m], Type(), params, std::vector<const Expr *>{}, codelets));
  }
  return spectrums;
}

} // namespace tangram::divide
