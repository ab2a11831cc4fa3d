// Writes composed programs in C++: expressions with operators, statements by name.
#pragma once

#include "tangram/ast/Build.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace tangram::test::program {

using ast::Access;
using ast::Policy;
using ast::Type;
inline const Type I32 = ast::Scalar::I32, U32 = ast::Scalar::U32, I64 = ast::Scalar::I64, U64 = ast::Scalar::U64,
                  F32 = ast::Scalar::F32, F64 = ast::Scalar::F64, B = ast::Scalar::Bool, V = Type();
inline Type A1(const Type &t) { return Type::array(1, t); }
inline Type A2(const Type &t) { return Type::array(2, t); }

inline thread_local ast::Arena *arena = nullptr; // of the program that is being written

struct E {
  const ast::Expr *e;
  E(const ast::Expr *expr) : e(expr) {}
  E(int value) : e(arena->make<ast::IntLit>({}, I32, value)) {}
};
using Es = std::vector<E>;
using S = const ast::Stmt *;
using Ss = std::vector<S>;
template <class T, class... Args> const T *make(Args &&...args) {
  return arena->make<T>({}, std::forward<Args>(args)...);
}
inline std::vector<const ast::Expr *> raw(const Es &es) {
  std::vector<const ast::Expr *> out;
  for (E e : es) out.push_back(e.e);
  return out;
}

inline E lit(const Type &t, std::int64_t v) { return make<ast::IntLit>(t, v); }
inline E flit(const Type &t, double v) { return make<ast::FloatLit>(t, v); }
inline E var(const std::string &n, const Type &t) { return make<ast::VarRef>(t, n); }
inline E cast(const Type &t, E e) { return e.e->type == t ? e : E(make<ast::Cast>(t, e.e)); }
inline E bin(const Type &t, ast::BinaryOp op, E a, E b) {
  if (!(a.e->type == b.e->type) && ast::isa<ast::IntLit>(b.e)) b = lit(a.e->type, ast::as<ast::IntLit>(b.e)->value);
  return make<ast::Binary>(t, op, a.e, b.e);
}
inline E operator+(E a, E b) { return bin(a.e->type, ast::BinaryOp::Add, a, b); }
inline E operator-(E a, E b) { return bin(a.e->type, ast::BinaryOp::Sub, a, b); }
inline E operator*(E a, E b) { return bin(a.e->type, ast::BinaryOp::Mul, a, b); }
inline E operator/(E a, E b) { return bin(a.e->type, ast::BinaryOp::Div, a, b); }
inline E operator%(E a, E b) { return bin(a.e->type, ast::BinaryOp::Rem, a, b); }
inline E operator<(E a, E b) { return bin(B, ast::BinaryOp::Lt, a, b); }
inline E operator>(E a, E b) { return bin(B, ast::BinaryOp::Gt, a, b); }
inline E operator<=(E a, E b) { return bin(B, ast::BinaryOp::Le, a, b); }
inline E operator>=(E a, E b) { return bin(B, ast::BinaryOp::Ge, a, b); }
inline E operator==(E a, E b) { return bin(B, ast::BinaryOp::Eq, a, b); }
inline E operator!=(E a, E b) { return bin(B, ast::BinaryOp::Ne, a, b); }
inline E both(E a, E b) { return bin(B, ast::BinaryOp::LogicalAnd, a, b); }
inline E either(E a, E b) { return bin(B, ast::BinaryOp::LogicalOr, a, b); }
inline E comma(E a, E b) { return make<ast::Binary>(b.e->type, ast::BinaryOp::Comma, a.e, b.e); }
inline E negated(E a) { return make<ast::Unary>(B, ast::UnaryOp::Not, a.e); }
inline E inc(E a) { return make<ast::Unary>(a.e->type, ast::UnaryOp::PreInc, a.e); }
inline E postInc(E a) { return make<ast::Unary>(a.e->type, ast::UnaryOp::PostInc, a.e); }
inline E select(E c, E a, E b) { return make<ast::Conditional>(a.e->type, c.e, a.e, b.e); }
inline E assign(E t, E v, ast::AssignOp op = ast::AssignOp::Set) {
  if (!(t.e->type == v.e->type) && ast::isa<ast::IntLit>(v.e)) v = lit(t.e->type, ast::as<ast::IntLit>(v.e)->value);
  return make<ast::Assign>(t.e->type, op, t.e, v.e);
}
inline E at(E c, Es index, const Type &t) { return make<ast::Subscript>(t, c.e, raw(index)); }
inline E size(E c) { return make<ast::Size>(U64, c.e, static_cast<const ast::Expr *>(nullptr)); }
inline E size(E c, int d) { return make<ast::Size>(U64, c.e, lit(U32, d).e); }
inline E laneId() { return make<ast::CoopIdx>(U32); }
inline E laneCount() { return make<ast::CoopDim>(U32); }

inline const ast::Sequence *seq(E a) {
  const ast::Expr *none = nullptr;
  return make<ast::Sequence>(V, none, cast(U64, a).e, none, none);
}
inline const ast::Sequence *seq(E a, E i, E e) {
  const ast::Expr *none = nullptr;
  return make<ast::Sequence>(V, none, cast(U64, a).e, cast(U64, i).e, cast(U64, e).e);
}
inline const ast::Sequence *seq(E c, E a, E i, E e) {
  return make<ast::Sequence>(V, c.e, cast(U64, a).e, cast(U64, i).e, cast(U64, e).e);
}
using Q = const ast::Sequence *;
inline E partition(E c, E n, Q s, Q i, Q e) {
  return make<ast::Partition>(A1(c.e->type), c.e, raw({cast(U64, n)}), std::vector<Q>{s}, std::vector<Q>{i},
                              std::vector<Q>{e});
}
inline E partition(E c, E n0, Q s0, Q i0, Q e0, E n1, Q s1, Q i1, Q e1) {
  return make<ast::Partition>(Type::array(2, c.e->type), c.e, raw({cast(U64, n0), cast(U64, n1)}),
                              std::vector<Q>{s0, s1}, std::vector<Q>{i0, i1}, std::vector<Q>{e0, e1});
}

inline const ast::Block *block(const Ss &s) { return make<ast::Block>(s); }
inline S let(const std::string &n, const Type &t, E init, bool isConst = false) {
  return make<ast::Declare>(n, t, isConst, false, std::vector<const ast::Expr *>{},
                            static_cast<const ast::Tunable *>(nullptr), cast(t, init).e);
}
inline S local(const std::string &n, const Type &t, Es extents, bool shared = false) {
  return make<ast::Declare>(n, t, false, shared, raw(extents), static_cast<const ast::Tunable *>(nullptr),
                            static_cast<const ast::Expr *>(nullptr));
}
inline S tunable(const std::string &n, const Type &t, int value) {
  return make<ast::Declare>(
      n, t, false, false, std::vector<const ast::Expr *>{},
      make<ast::Tunable>(std::int64_t{1}, std::int64_t{0}, std::int64_t{1}, std::vector<std::int64_t>{}, std::string()),
      lit(t, value).e);
}
inline S run(E e) { return make<ast::Evaluate>(e.e); }
inline S set(E t, E v) { return run(assign(t, v)); }
inline S add(E t, E v) { return run(assign(t, v, ast::AssignOp::Add)); }
inline S when(E c, Ss a) { return make<ast::If>(c.e, block(a), static_cast<const ast::Block *>(nullptr)); }
inline S when(E c, Ss a, Ss b) { return make<ast::If>(c.e, block(a), block(b)); }
inline S loop(S init, E c, E step, Ss body) { return make<ast::For>(init, c.e, step.e, block(body)); }
inline S loop(const std::string &i, E n, Ss body) {
  return loop(let(i, U32, 0), var(i, U32) < n, inc(var(i, U32)), std::move(body));
}
inline S whileLoop(E c, Ss body) { return make<ast::While>(c.e, block(body)); }
inline S doWhile(Ss body, E c) { return make<ast::DoWhile>(block(body), c.e); }
inline const ast::Case *option(Es labels, Ss body) { return make<ast::Case>(raw(labels), labels.empty(), block(body)); }
inline S choose(E v, std::vector<const ast::Case *> cases) { return make<ast::Switch>(v.e, cases); }
inline S leave() { return make<ast::Break>(); }
inline S next() { return make<ast::Continue>(); }
inline S ret(E v) { return make<ast::Return>(v.e); }
inline S ret() { return make<ast::Return>(static_cast<const ast::Expr *>(nullptr)); }

inline const ast::Param *in(const std::string &n, const Type &t) { return make<ast::Param>(n, t, Access::In); }
inline const ast::Param *inOut(const std::string &n, const Type &t) { return make<ast::Param>(n, t, Access::InOut); }
using Ps = std::vector<const ast::Param *>;
inline const ast::Codelet *codelet(const std::string &n, Ps params, Ss body, bool coop = false) {
  return make<ast::Codelet>(n, std::string(), std::string(), coop, false, ast::Texts{}, ast::Texts{}, ast::Assumed{},
                            params, std::vector<const ast::Expr *>{}, block(body));
}
inline const ast::SpectrumCall *call(const std::string &spectrum, const Type &result, const ast::Codelet *c,
                                     const std::string &level, Es args, ast::Texts devolved = {}) {
  return make<ast::SpectrumCall>(result, spectrum, raw(args), level, devolved, ast::Counts{},
                                 c->coop ? ast::Capability::Vector : ast::Capability::Scalar, c,
                                 std::vector<const ast::Expr *>{}, static_cast<const ast::SpectrumCall *>(nullptr));
}
inline const ast::SpectrumCall *guarded(const ast::SpectrumCall *c, Es guard, const ast::SpectrumCall *fallback) {
  return arena->derive(c, [&](ast::SpectrumCall &copy) {
    copy.guard = raw(guard);
    copy.fallback = fallback;
  });
}
inline const ast::Map *map(Policy policy, const std::string &level, const ast::SpectrumCall *c, Es args,
                           unsigned rank = 1) {
  Type type = c->type.isVoid() ? V : Type::array(rank, c->type);
  return make<ast::Map>(type, c->spectrum, raw(args), policy, level, ast::Counts{},
                        static_cast<const ast::Expr *>(nullptr), static_cast<const ast::Expr *>(nullptr),
                        static_cast<const ast::Map *>(nullptr), c);
}
inline const ast::Map *split(const std::string &level, int factor, const ast::Map *inner, int grain = 0) {
  return make<ast::Map>(inner->type, inner->spectrum, inner->args, Policy::Split, level, ast::Counts{},
                        lit(U64, factor).e, grain > 0 ? lit(U64, grain).e : nullptr, inner,
                        static_cast<const ast::SpectrumCall *>(nullptr));
}
inline const ast::Function *function(const std::string &n, const Type &result, Ps params, Ss body) {
  return make<ast::Function>(n, result, params, block(body));
}
inline const ast::Spectrum *spectrum(const std::string &n, const Type &result, Ps params) {
  return make<ast::Spectrum>(n, result, params, std::vector<const ast::Expr *>{}, std::vector<const ast::Codelet *>{});
}
/// A module with one kernel for `top`, whose arguments are the parameters of its codelet.
inline const ast::Module *module(const ast::SpectrumCall *top, std::vector<const ast::Spectrum *> spectrums,
                                 std::vector<const ast::Function *> functions = {}) {
  std::vector<const ast::Expr *> args;
  for (const ast::Param *p : top->codelet->params) args.push_back(var(p->name, p->type).e);
  const ast::SpectrumCall *c = arena->derive(top, [&](ast::SpectrumCall &copy) { copy.args = args; });
  S body = c->type.isVoid() ? run(c) : ret(c);
  const ast::Kernel *kernel = make<ast::Kernel>(
      c->spectrum, c->spectrum, std::string("plan"), c->type, c->codelet->params, std::vector<const ast::Expr *>{},
      std::vector<const ast::Param *>{}, std::vector<const ast::Expr *>{}, block({body}));
  return make<ast::Module>(std::vector<const ast::Struct *>{}, functions, spectrums,
                           std::vector<const ast::Kernel *>{kernel});
}

} // namespace tangram::test::program
