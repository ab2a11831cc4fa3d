// Upper bounds on the sizes of containers in a codelet's body, as far as they are provable: a small abstract
// evaluator over variables that are set once.
#pragma once

#include "tangram/ast/Casts.h"
#include "tangram/ast/Node.h"
#include "tangram/compose/CodeletSource.h"
#include "tangram/compose/Expected.h"
#include "tangram/compose/Interval.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tangram {

/// Of a container's number of elements; nothing where none is known.
using SizeBound = std::optional<std::uint64_t>;

/// What is known of one site's arguments.
struct SiteBounds {
  std::vector<SizeBound> arguments; // as the called codelet gets them: of one part for a mapped container
  SizeBound elements;               // of a map: how many calls it makes
  SizeBound work;                   // of a map over partitions: of all elements in all parts together
};

/// The spectrum of a name, or null.
const ast::Spectrum *findSpectrum(const ast::Module &module, const std::string &name);

/// Values of tunables as a plan sets them, and of parameters.
std::map<std::string, Interval> exactly(const Scalars &values);

class Sizes {
public:
  /// `bounds`: of the codelet's arguments; `known`: tunables and parameters, exactly or between what; `lanes`:
  /// coopDim(), where it is known; `source`: of the codelet, where it has been looked at before.
  Sizes(const ast::Module *module, const ast::Codelet &codelet, std::vector<SizeBound> bounds,
        std::map<std::string, Interval> known = {}, std::optional<std::uint64_t> lanes = {},
        std::shared_ptr<const CodeletSource> source = {});
  virtual ~Sizes() = default;

  Interval value(const ast::Expr *expr);
  SizeBound size(const ast::Expr *container);
  SiteBounds site(const ast::Expr *mapOrCall);
  /// Whole numbers that it passes and that are known, by the callee's parameters.
  Scalars scalars(const ast::Expr *mapOrCall);

protected:
  virtual Interval sizeOf(const ast::Size &size);
  /// Of a variable that is set other than where it is declared: nothing is known.
  virtual Interval changing(const std::string &name);
  /// Of an element of a container: nothing is known.
  virtual Interval element(const ast::Subscript &subscript);
  using Values = std::unordered_map<std::string, Interval>;
  /// Of variables that keep their value, as found so far.
  Values &values() { return known_; }
  /// Of a variable that is set there and nowhere else; null where there is none.
  const ast::Declare *declaration(const std::string &name) const;
  /// The same of a variable that may be set again.
  const ast::Declare *declared(const std::string &name) const;
  const ast::Codelet &codelet() const { return codelet_; }
  const CodeletSource &source() const { return *source_; }
  const ast::Module &module() const { return *module_; }

private:
  Interval variable(const std::string &name);

  const ast::Module *module_;
  const ast::Codelet &codelet_;
  std::vector<SizeBound> bounds_;
  std::map<std::string, Interval> given_;
  std::optional<std::uint64_t> lanes_;
  std::shared_ptr<const CodeletSource> source_;
  Values known_;
  static constexpr std::size_t kCalls = 8;             // within calls
  std::vector<std::map<std::string, Interval>> calls_; // of functions that are being evaluated: their parameters
};

/// What a spectrum asks of every call holds in all of them: `in.size() <= 64` bounds an argument, and
/// `in.size() == out.size()` makes a bound of one hold for the other. Resizes `bounds` to one a parameter.
void limitByConditions(const ast::Spectrum &spectrum, std::vector<SizeBound> &bounds);

/// Variables of a tree whose value is set other than by their declaration.
std::set<std::string> changedVariables(const ast::Node *tree);

} // namespace tangram
