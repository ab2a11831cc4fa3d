#include "Spectrums.h"

#include "Accumulations.h"
#include "Collapse.h"
#include "Columns.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

#include <fmt/format.h>

namespace tangram::divide {

using namespace ast;

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
    for (const Stmt *s : r.decoded) local.reserveAll(s);
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

  std::vector<const Spectrum *> spectrums, others;
  const bool atomic =
      std::any_of(band.body.begin(), band.body.end(), [](const Stmt *s) { return contains<Atomic>(s); });
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
    auto still = [&](std::size_t i, std::vector<const Stmt *> &stmts) {
      if (fixedParams[i]->name != band.ranges[i].iterator)
        stmts.push_back(make.build().declare(band.ranges[i].iterator, band.ranges[i].iteratorType,
                                             make.build().cast(band.ranges[i].iteratorType, make.use(fixedParams[i]))));
      stmts.insert(stmts.end(), band.ranges[i].decoded.begin(), band.ranges[i].decoded.end());
    };
    std::vector<const Stmt *> own;
    for (const Declare *d : band.captures.own)
      own.push_back(arena.derive(d, [](Declare &copy) {
        copy.init = nullptr;
        copy.isConst = false;
      }));
    auto inner = [&](const std::vector<const Stmt *> &body) {
      std::vector<const Stmt *> stmts, innermost = own;
      for (std::size_t i = 0; i < m; ++i) still(i, stmts);
      innermost.insert(innermost.end(), body.begin(), body.end());
      for (std::size_t i = n; i-- > m;) {
        const Codelets around(arena, band.ranges[i].where);
        const auto *loop = as<For>(around.loop(band.ranges[i], rangeParams[i], std::move(innermost)));
        innermost = {arena.derive(loop, [&](For &copy) { copy.independent = atomic ? Flag::No : Flag::Yes; })};
      }
      stmts.insert(stmts.end(), innermost.begin(), innermost.end());
      return stmts;
    };
    std::vector<const Codelet *> codelets = {make.codelet("loops", params, inner(band.body))};
    if (m == n && !band.divided.empty()) codelets.push_back(make.codelet("divided", params, inner(band.divided)));
    const bool together = m == 0 && n > 1 && band.bySteps && band.collapse;
    if (m < n && !together)
      codelets.push_back(make.codelet(
          "each_" + band.ranges[m].iterator, params,
          {make.run(make.map(spectrumNames[m + 1], Type(), arguments(m, make.use(params[m]))))}, false, true));
    if (band.stream && m + 2 == n) { // lanes stand along the last loop, and go through the other one
      const Build &build = make.build();
      std::vector<const Stmt *> stmts;
      for (std::size_t i = 0; i < m; ++i) still(i, stmts);
      stmts.push_back(make.loop(band.ranges[n - 1], rangeParams[n - 1],
                                streamed(*band.stream, band.ranges[m], rangeParams[m], own, arena),
                                build.cast(Scalar::U64, arena.make<CoopIdx>(where, Scalar::U32)),
                                build.cast(Scalar::U64, arena.make<CoopDim>(where, Scalar::U32))));
      codelets.push_back(make.codelet("down_" + band.ranges[m].iterator, params, std::move(stmts), true));
    }
    for (std::size_t i = m; i < n && !together; ++i) {
      std::vector<const Stmt *> body = make.tiling(params[i]);
      body.push_back(make.run(make.map(spectrumNames[m], Type(), arguments(i, make.parts(params[i])))));
      codelets.push_back(make.codelet("over_" + band.ranges[i].iterator, params, std::move(body), false, true));
    }
    if (m == 0 && band.reduction)
      if (const Codelet *codelet = columns(band, *band.reduction, rangeParams[0], params, local, arena))
        codelets.push_back(codelet);
    for (std::size_t i = 0; m == 0 && i < n && !together; ++i)
      for (const PrivateCopies &own : band.privates) {
        const std::string loop = n > 1 ? band.ranges[i].iterator + "_" : "";
        if (const Codelet *codelet = privatized(band, rangeParams, params, i, own,
                                                fmt::format("privatized_{}{}", loop, own.elements), local, arena))
          codelets.push_back(codelet);
      }
    for (std::size_t count = n; m == 0 && band.collapse && count >= 2 && count + 1 >= n; --count) {
      const Band flat = collapsed(band, count, rangeParams, local, arena);
      const std::vector<const Spectrum *> made = spectrumsOf(flat, base, names, arena);
      std::vector<const Expr *> args{flat.ranges[0].range(arena)};
      for (std::size_t i = count; i < n; ++i) args.push_back(make.use(rangeParams[i]));
      args.insert(args.end(), flat.captures.arguments.begin(), flat.captures.arguments.end());
      codelets.push_back(make.codelet(fmt::format("collapse_{}", count), params,
                                      {make.run(make.call(made[0]->name, Type(), std::move(args)))}));
      others.insert(others.end(), made.begin(), made.end());
    }
    spectrums.push_back(make.spectrum(spectrumNames[m], Type(), params, std::move(codelets)));
    if (together) break;
  }
  spectrums.insert(spectrums.end(), others.begin(), others.end());
  return spectrums;
}

} // namespace tangram::divide
