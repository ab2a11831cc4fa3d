// Whole numbers of a codelet as sums of what stands still, and what is known of these sums.
#pragma once

#include "tangram/ast/Node.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tangram::nest {

__extension__ using Wide = __int128; // of values of 64 bits, and of their sums and products

/// A sum of terms with factors, by the names that LinearForms gives to them, and a constant.
struct LinearForm {
  std::map<std::string, Wide> terms;
  Wide constant = 0;

  static LinearForm of(Wide constant) { return {{}, constant}; }
  static LinearForm term(const std::string &name) { return {{{name, 1}}, 0}; }
  std::optional<Wide> value() const { return terms.empty() ? std::optional(constant) : std::nullopt; }
  Wide factor(const std::string &name) const;
  LinearForm without(const std::string &name) const;
  bool operator==(const LinearForm &) const = default;
};
LinearForm operator+(LinearForm a, const LinearForm &b);
LinearForm operator*(LinearForm a, Wide by);
inline LinearForm operator-(LinearForm a, const LinearForm &b) { return std::move(a) + b * Wide{-1}; }

/// What a type holds.
struct TypeLimits {
  Wide least = 0, greatest = 0;
  static TypeLimits of(const ast::Type &type);
};

/// What has to be at least 0 for a computation to give what it gives without wrap-around.
struct LinearNeed {
  LinearForm form;
  unsigned bytes = 0; // of the type whose limits these are
};

class LinearForms {
public:
  /// What the spectrum and the codelet require is known.
  LinearForms(const ast::Spectrum &spectrum, const ast::Codelet &codelet, ast::Arena &arena);

  /// For what is read from here on: names of variables that do not stand still. Forgets what was supposed.
  void within(std::set<std::string> changing);
  /// For what is read from here on: what some of these variables are.
  void take(std::map<std::string, LinearForm> values) { values_ = std::move(values); }

  /// An integer without wrap-around, which is so where `needs` hold. Without `needs`: what needs something is a term.
  /// Nothing of what does not stand still.
  std::optional<LinearForm> form(const ast::Expr *e, std::vector<LinearNeed> *needs = nullptr);
  /// The value of an expression that stands still, as a term of its own.
  std::optional<LinearForm> term(const ast::Expr *e);
  /// The sum, computed in this type.
  const ast::Expr *expression(const LinearForm &form, const ast::Type &type) const;
  /// The one thing that the form is, if it is one.
  const ast::Expr *single(const LinearForm &form) const;
  /// Whether a term of it is a number of 64 bits without a sign.
  bool hasUnsigned64(const LinearForm &form) const;

  /// Whether all of it stands still, and whether it is made of parameters and literals alone.
  bool standsStill(const LinearForm &form) const;
  bool isGiven(const LinearForm &form) const;
  /// Least and greatest value by types.
  std::optional<TypeLimits> limits(const LinearForm &form) const;
  /// Whether it is known to be at least 0.
  bool holds(const LinearForm &form) const;
  /// The same, or becomes a condition of the codelet; false where it cannot.
  bool require(const LinearForm &form);
  /// All that is computed of the form in 64 bits is exact.
  bool requireSmall(const LinearForm &form);
  /// Known for what is read until within() is called again.
  void suppose(const LinearForm &form) { supposed_.push_back(form); }

  /// Conditions that have been required, but for those that follow from others.
  std::vector<const ast::Expr *> conditions() const;
  struct Mark {
    std::size_t facts = 0, conditions = 0;
  };
  Mark mark() const { return {facts_.size(), conditions_.size()}; }
  void undo(const Mark &mark) { facts_.resize(mark.facts), conditions_.resize(mark.conditions); }

private:
  struct Term {
    const ast::Expr *expr = nullptr;
    bool given = false; // of parameters alone, so that a condition may ask for it
    TypeLimits limits;
  };
  std::optional<LinearForm> bounded(const LinearForm &form, const ast::Type &type, const ast::Expr *e,
                                    std::vector<LinearNeed> *needs);
  bool standsStill(const ast::Expr *e) const;
  bool isGiven(const ast::Expr *e) const;
  const ast::Expr *resolved(const ast::Expr *e, unsigned depth = 0) const;
  void learn(const ast::Expr *condition);

  ast::Arena &arena_;
  std::set<std::string> params_;                  // that nobody assigns
  std::map<std::string, const ast::Expr *> kept_; // what scalars that nobody assigns are
  std::map<std::string, Term> terms_;
  std::set<std::string> changing_;
  std::map<std::string, LinearForm> values_;
  std::vector<LinearForm> facts_, supposed_;
  struct Condition {
    LinearForm form;
    const ast::Expr *expr = nullptr;
  };
  std::vector<Condition> conditions_;
};

} // namespace tangram::nest
