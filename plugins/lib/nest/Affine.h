// Integer expressions of a codelet as affine functions of iterators and parameters.
#pragma once

#include "tangram/nest/Nest.h"

#include <map>
#include <set>

namespace tangram::nest {

/// An index of one dimension as one of several.
struct Delinearized {
  std::vector<std::string> extents;              // of all dimensions but the first, by their text
  std::vector<isl::pw_aff> index;                // one more
  std::vector<std::optional<isl::pw_aff>> sizes; // of the extents
  Access::Place::Written written;
};

class Affine {
public:
  /// Of the codelet of which the nest is read; the module has the functions that it calls.
  Affine(Nest &nest, const ast::Codelet &codelet, const ast::Module &module);

  /// The iterations in which what is asked for is evaluated: values that wrap around elsewhere do no harm.
  isl::set domain;

  /// The value; nothing where it is not affine, or wraps around wherever it is evaluated.
  std::optional<isl::pw_aff> value(const ast::Expr *e);
  /// The value as an index: one of 64 bits that wraps around is none of any container.
  std::optional<isl::pw_aff> index(const ast::Expr *e);
  /// Adds what an index chooses among by conditions, and by functions that are expressions, and what these compare: as
  /// indices, where they are such without further conditions. Nothing of an index without choices.
  void choices(const ast::Expr *index, Leaves &leaves);
  /// An index of one dimension as one of several, where it is `(i * n + j) * m + k` with a j below n and a k below m.
  std::optional<Delinearized> delinearized(const ast::Expr *index);
  /// Where a condition holds.
  std::optional<isl::set> condition(const ast::Expr *e);

  /// The same where that is known for all sizes, and depends on no data.
  std::optional<isl::set> conditionAsIs(const ast::Expr *e);

  /// The iterator of a loop that is read now.
  void enter(unsigned loop);
  void leave(unsigned loop);
  /// A local variable behind its declaration, of which `loops` stand around.
  void declare(const ast::Declare &d, const std::vector<unsigned> &loops);
  /// Whether the variable is assigned anywhere in the codelet behind its declaration.
  bool assigned(const std::string &variable) const { return assigned_.count(variable) != 0; }
  bool isIterator(const std::string &variable) const { return iterators_.count(variable) != 0; }
  /// A parameter of the codelet, or a table, that nobody writes.
  bool readOnly(const std::string &container) const { return readOnly_.count(container) != 0; }

  isl::pw_aff constant(const std::string &number) const;
  isl::pw_aff parameter(const std::string &id) const;
  /// lo..hi of a type, as numbers for isl.
  static std::pair<std::string, std::string> limits(const ast::Type &type);
  /// The values of a parameter, or of an iterator, that its type has.
  isl::set within(const std::string &id, const ast::Type &type) const;

  /// What runs in `bad` leaves what is described here. With `undefined` such a program is undefined by the language.
  /// False where nothing would be left.
  bool exclude(const isl::set &bad, bool undefined);
  /// f() with its conditions on parameters, or neither where it has no result or asks too much of isl.
  template <class F> auto transaction(F &&f) -> std::invoke_result_t<F> {
    isl::set context = nest_.context, assumed = nest_.assumed, outer = domain;
    const auto remainders = nest_.remainders;
    auto result = nest_.isl.limited(f);
    if (result && *result) return *result;
    nest_.context = context.intersect(ranges_); // of parameters that were made meanwhile
    nest_.assumed = assumed.intersect(ranges_);
    domain = outer.intersect(ranges_);
    for (auto &[node, times] : nest_.remainders) // what was assumed for them is not
      if (const auto before = remainders.find(node); before == remainders.end() || before->second != times) times = 0;
    calls_.clear();
    return std::nullopt;
  }

private:
  void leaves(const ast::Expr *e, bool chosen, Leaves &all);
  /// exact: the value itself; else one that is equal to it modulo 2 to the width of the type.
  struct Integer {
    isl::pw_aff value;
    bool exact = true;
  };
  std::optional<Integer> integer(const ast::Expr *e);
  std::optional<Integer> binary(const ast::Binary &e);
  /// `times` is set where it is a remainder as Nest::remainders has them.
  std::optional<Integer> arithmetic(const ast::Binary &e, unsigned &times);
  /// x % n, of numbers that are their values.
  std::optional<Integer> remainder(const isl::pw_aff &x, const isl::pw_aff &n, unsigned &times) const;
  std::optional<Integer> cast(const ast::Cast &e);
  std::optional<Integer> choice(const ast::Conditional &e);
  /// The least or the greatest of two, of which each is looked at once.
  std::optional<Integer> extreme(const ast::Conditional &e);
  /// Of a function that is an expression, of its arguments: std::min of what is no variable, and whatever else.
  std::optional<Integer> call(const ast::Call &e);
  std::optional<isl::set> holds(const ast::Expr *e);
  std::optional<isl::set> comparison(const ast::Binary &e);
  /// The value itself, where it does not leave the type.
  std::optional<isl::pw_aff> observed(const Integer &v, const ast::Type &type);
  std::optional<isl::pw_aff> observedValue(const ast::Expr *e);
  /// A number of its own for an expression of things that stand still.
  std::optional<Integer> fixed(const ast::Expr *e);
  bool standsStill(const ast::Expr *e, std::set<unsigned> &loops) const;
  /// Says by how much the parameter, which stands for the expression, grows where it is an iterator times a number.
  void strides(const ast::Expr *e, const std::string &id);
  void quotients(const ast::Expr *e, const std::string &id);
  void know(const isl::set &holds);
  isl::pw_aff withoutPieces(const ast::Expr *e, const isl::pw_aff &value);
  /// What is added up to an index.
  struct Term {
    const ast::Expr *expr = nullptr;
    int sign = 1;
    std::optional<isl::pw_aff> value{}; // instead: how far an iterator is from the first value of its loop ...
    std::string below{};                // ... which is never so much: the text of that
  };
  bool addTerms(const ast::Expr *e, int sign, std::vector<Term> &terms, unsigned depth);
  bool addTerms(unsigned loop, const ast::VarRef *iterator, int sign, std::vector<Term> &terms, unsigned depth);
  std::optional<Delinearized> delinearized(const std::vector<Term> &terms, const ast::Type &type, unsigned depth);
  /// What multiplies a dimension's extent in a term; null: it is no multiple of that.
  const ast::Expr *timesExtent(const ast::Expr *term, const ast::Expr *extent) const;
  /// The terms added up, in this type; null where one has no expression.
  const ast::Expr *sumOf(const std::vector<Term> &terms, const ast::Type &type) const;
  static bool isNextMultiple(const ast::Expr *end, const ast::Expr *block, const ast::Expr *extent);
  bool excludeProduct(const std::vector<isl::pw_aff> &rows, const ast::Expr *columns);
  /// An integer that no loop changes, and that is no number.
  bool isExtent(const ast::Expr *e) const;
  std::string idOf(const ast::Expr *e, std::vector<unsigned> loops);

  Nest &nest_;
  const ast::Module &module_;
  std::set<std::string> assigned_, readOnly_, scalars_;
  std::map<std::string, unsigned> iterators_;
  struct Local {
    std::optional<Integer> value;
    std::vector<unsigned> loops;
    const ast::Expr *init = nullptr; // of an integer
  };
  std::map<std::string, Local> locals_;
  std::vector<std::map<std::string, Integer>> calls_; // of functions that are being evaluated: their parameters
  std::map<std::string, std::string> ids_;            // of parameters, by the text of their expression
  isl::set ranges_;                                   // of all parameters
  unsigned depth_ = 0;
};

} // namespace tangram::nest
