#include "tangram/nest/Codelets.h"

#include "tangram/nest/Searches.h"

namespace tangram::nest {

using namespace ast;

namespace {
const Type kSize = Scalar::U64;
} // namespace

const Codelet *Codelets::codelet(const std::string &name, const std::vector<const Param *> &params,
                                 std::vector<const Stmt *> body, bool coop, bool independent) const {
  if (!coop) body = withSearchesEnding(body, arena_);
  return arena_.make<Codelet>(where_, name, name, std::string(), coop, independent, Texts{}, Texts{}, Assumed{}, params,
                              std::vector<const Expr *>{}, build_.block(std::move(body)));
}

const Spectrum *Codelets::spectrum(const std::string &name, const Type &result,
                                   const std::vector<const Param *> &params,
                                   std::vector<const Codelet *> codelets) const {
  for (std::size_t c = 1; c < codelets.size(); ++c)
    codelets[c] = arena_.derive(codelets[c], [&](Codelet &other) { other.from = codelets[0]->name; });
  return arena_.make<Spectrum>(where_, name, result, params, std::vector<const Expr *>{}, std::move(codelets));
}

const Param *Codelets::param(const std::string &name, const Type &type) const {
  return arena_.make<Param>(where_, name, type, ast::Access::In);
}

const Expr *Codelets::use(const Param *p) const { return build_.var(p->name, p->type); }

std::vector<const Stmt *> Codelets::tiling(const Param *range) const {
  const Type count = Scalar::U32;
  const Tunable *any = arena_.make<Tunable>(where_, Int{1}, Int{0}, Int{1}, Ints{}, std::string());
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

std::vector<const Stmt *> Codelets::iteration(const LoopRange &range, const Param *container,
                                              std::vector<const Stmt *> body) const {
  const Expr *element = build_.element(use(container), {build_.var(range.position, kSize)}, range.type);
  body.insert(body.begin(), range.decoded.begin(), range.decoded.end());
  body.insert(body.begin(),
              build_.declare(range.iterator, range.iteratorType, build_.cast(range.iteratorType, element)));
  return body;
}

const Stmt *Codelets::loop(const LoopRange &range, const Param *container, std::vector<const Stmt *> body,
                           const Expr *from, const Expr *by) const {
  const Expr *at = build_.var(range.position, kSize), *none = nullptr;
  const Expr *size = arena_.make<Size>(where_, kSize, use(container), none);
  const Expr *step = by ? static_cast<const Expr *>(arena_.make<Assign>(where_, kSize, AssignOp::Add, at, by))
                        : arena_.make<Unary>(where_, kSize, UnaryOp::PreInc, at);
  return arena_.make<For>(where_, build_.declare(range.position, kSize, from ? from : build_.u64(0), false),
                          build_.less(at, size), step, build_.block(iteration(range, container, std::move(body))));
}

const Expr *Codelets::map(const std::string &spectrum, const Type &result, std::vector<const Expr *> args) const {
  const Expr *none = nullptr;
  const Map *inner = nullptr;
  const SpectrumCall *call = nullptr;
  Type type = result.isVoid() ? result : Type::array(1, result);
  return arena_.make<Map>(where_, type, spectrum, std::move(args), Policy::None, std::string(), Counts{}, none, none,
                          inner, call);
}

const Expr *Codelets::call(const std::string &spectrum, const Type &result, std::vector<const Expr *> args) const {
  const Codelet *codelet = nullptr;
  const SpectrumCall *fallback = nullptr;
  return arena_.make<SpectrumCall>(where_, result, spectrum, std::move(args), std::string(), Texts{}, Counts{},
                                   Capability::None, codelet, std::vector<const Expr *>{}, fallback);
}

const Stmt *Codelets::run(const Expr *e) const { return arena_.make<Evaluate>(where_, e); }

} // namespace tangram::nest
