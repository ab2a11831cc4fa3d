#include "Collapse.h"

#include "tangram/nest/Statements.h"

namespace tangram::divide {

using namespace ast;

Band collapsed(const Band &band, std::size_t count, const std::vector<const Param *> &ranges, Names names,
               Arena &arena) {
  const Build build(arena, band.ranges[0].where);
  const Codelets make(arena, band.ranges[0].where);
  const auto size = [&](std::size_t loop) {
    const Expr *none = nullptr;
    return arena.make<Size>(band.ranges[loop].where, kSize, make.use(ranges[loop]), none);
  };
  LoopRange all;
  all.loop = band.ranges[0].loop;
  all.iterator = names.fresh("collapsed");
  all.iteratorType = all.type = kSize;
  all.where = band.ranges[0].where;
  all.begin = build.u64(0);
  all.end = size(0);
  for (std::size_t loop = 1; loop < count; ++loop) all.end = build.mul(all.end, size(loop));

  const Expr *rest = build.var(all.iterator, kSize);
  const auto decode = [&](std::size_t loop, const Expr *place) {
    const LoopRange &range = band.ranges[loop];
    const Expr *number = build.element(make.use(ranges[loop]), {place}, range.type);
    all.decoded.push_back(build.declare(range.iterator, range.iteratorType, build.cast(range.iteratorType, number)));
  };
  for (std::size_t loop = count; --loop > 0;) {
    decode(loop, build.rem(rest, size(loop)));
    const std::string outside = names.fresh("outside_" + band.ranges[loop].iterator);
    all.decoded.push_back(build.declare(outside, kSize, build.div(rest, size(loop))));
    rest = build.var(outside, kSize);
  }
  decode(0, rest);

  Band result = band;
  result.divided = nest::copied(band.divided, arena); // its calls are given something else
  result.stream.reset();
  result.collapse = false;
  result.ranges.erase(result.ranges.begin(), result.ranges.begin() + static_cast<std::ptrdiff_t>(count));
  result.ranges.insert(result.ranges.begin(), all);
  std::vector<const Expr *> passed;
  for (std::size_t loop = 0; loop < count; ++loop) passed.push_back(make.use(ranges[loop]));
  for (const Param *param : band.captures.params) passed.push_back(make.use(param));
  result.captures.params.insert(result.captures.params.begin(), ranges.begin(),
                                ranges.begin() + static_cast<std::ptrdiff_t>(count));
  result.captures.arguments = passed;
  return result;
}

} // namespace tangram::divide
