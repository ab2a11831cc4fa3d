// Functions of <bit>, and builtins for the same, as functions of words, by idioms of which GCC and LLVM make
// instructions.
#include "Body.h"

#include <fmt/format.h>

namespace tangram::frontend {

using namespace ast;

namespace {

/// A function of one word being written: constants one after the other, then its result.
class WordFunction {
public:
  WordFunction(Arena &arena, SourceRange where, Type word)
      : arena_(arena), build_(arena, where), where_(where), word_(word), x_(build_.var("x", word)) {}

  const Expr *x() const { return x_; }
  const Expr *word(std::uint64_t value) const { return build_.integer(word_, static_cast<Int>(value)); }
  const Expr *op(BinaryOp o, const Expr *a, const Expr *b) const { return build_.binary(o, a, b); }
  const Expr *down(const Expr *a, unsigned by) const { return op(BinaryOp::Shr, a, word(by)); }
  const Expr *inverted(const Expr *a) const { return op(BinaryOp::Xor, a, word(~std::uint64_t{0})); }
  /// Every `bits` bits of a word the same ones.
  const Expr *repeated(std::uint64_t pattern, unsigned bits) const {
    std::uint64_t all = 0;
    for (unsigned at = 0; at < bits_(); at += bits) all |= pattern << at;
    return word(all);
  }
  const Expr *kept(const std::string &name, const Expr *value) {
    stmts_.push_back(build_.declare(name, word_, value));
    return build_.var(name, word_);
  }
  const Function *function(const std::string &name, const Expr *result) {
    stmts_.push_back(arena_.make<Return>(where_, build_.cast(Scalar::I32, result)));
    std::vector<const Param *> params{arena_.make<Param>(where_, "x", word_, Access::In)};
    return arena_.make<Function>(where_, name, Type(Scalar::I32), std::move(params), build_.block(std::move(stmts_)));
  }

  /// Of set bits: sums of neighbours, twice as many bits at a time (Warren, Hacker's Delight, section 5-1).
  const Expr *population() {
    const Expr *twos = kept("twos", op(BinaryOp::Sub, x_, op(BinaryOp::And, down(x_, 1), repeated(1, 2))));
    const Expr *fours = kept("fours", op(BinaryOp::Add, op(BinaryOp::And, twos, repeated(3, 4)),
                                         op(BinaryOp::And, down(twos, 2), repeated(3, 4))));
    const Expr *bytes = kept("bytes", op(BinaryOp::And, op(BinaryOp::Add, fours, down(fours, 4)), repeated(15, 8)));
    return down(op(BinaryOp::Mul, bytes, repeated(1, 8)), bits_() - 8);
  }
  /// The bits below the highest one are set as well.
  const Expr *filled() {
    const Expr *all = x_;
    for (unsigned by = 1; by < bits_(); by *= 2)
      all = kept(fmt::format("filled_{}", by), op(BinaryOp::Or, all, down(all, by)));
    return all;
  }

private:
  unsigned bits_() const { return word_.bytes() * 8; }

  Arena &arena_;
  Build build_;
  SourceRange where_;
  Type word_;
  const Expr *x_;
  std::vector<const Stmt *> stmts_;
};

} // namespace

template <typename Result>
const Expr *Body::ofWord(const char *name, const Expr *word, SourceRange where, Result result) {
  const std::string function =
      program_.synthesized(fmt::format("{}_{}", name, word->type.text()), [&](const std::string &made) {
        WordFunction f(arena(), where, word->type);
        return f.function(made, result(f));
      });
  return arena().make<Call>(where, Type(Scalar::I32), function, std::vector<const Expr *>{word});
}

const Expr *Body::populationCount(const Expr *word, SourceRange where) {
  return ofWord("popcount", word, where, [](WordFunction &f) { return f.population(); });
}

const Expr *Body::leadingZeros(const Expr *word, SourceRange where) {
  return ofWord("leading_zeros", word, where,
                [&](WordFunction &f) { return populationCount(f.kept("above", f.inverted(f.filled())), where); });
}

const Expr *Body::trailingZeros(const Expr *word, SourceRange where) {
  return ofWord("trailing_zeros", word, where, [&](WordFunction &f) {
    const Expr *less = f.op(BinaryOp::Sub, f.x(), f.word(1));
    return populationCount(f.kept("below", f.op(BinaryOp::And, f.inverted(f.x()), less)), where);
  });
}

const Expr *Body::bitFunction(const clang::CallExpr *e, std::string name, bool standard) {
  const SourceRange where = range(e->getSourceRange());
  if (!standard) { // of unsigned, unsigned long and unsigned long long
    while (name.ends_with('l')) name.pop_back();
    if (name == "clz")
      name = "countl_zero";
    else if (name == "ctz")
      name = "countr_zero";
    else if (name != "popcount")
      return nullptr;
  }
  const bool ones = name.ends_with("_one");
  if (name != "popcount" && name != "countl_zero" && name != "countr_zero" && name != "countl_one" &&
      name != "countr_one" && name != "bit_width" && name != "has_single_bit")
    return nullptr;
  if (e->getNumArgs() != 1) return nullptr;
  const Expr *x = expr(e->getArg(0));
  if (!x->type.isInteger()) return nullptr;
  const int bits = static_cast<int>(x->type.bytes()) * 8, wide = bits == 64 ? 64 : 32;
  const Build make(arena(), where);
  const Type unsignedType = wide == 64 ? Scalar::U64 : Scalar::U32;
  // Of the type that the function is called for, without the sign that a smaller one's promotion has.
  const Expr *word = make.cast(unsignedType, x);
  const auto number = [&](Int value) { return make.integer(Scalar::I32, value); };
  if (ones) {
    const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    word = make.binary(BinaryOp::Xor, word, make.integer(unsignedType, static_cast<Int>(all)));
  }
  if (name == "popcount") return populationCount(word, where);
  if (name == "has_single_bit") return make.equal(populationCount(word, where), number(1));
  if (name == "bit_width") return make.sub(number(wide), leadingZeros(word, where));
  if (name.starts_with("countl")) return make.sub(leadingZeros(word, where), number(wide - bits));
  // No more than the type has.
  if (bits < wide) word = make.binary(BinaryOp::Or, word, make.integer(unsignedType, Int{1} << bits));
  return trailingZeros(word, where);
}

} // namespace tangram::frontend
