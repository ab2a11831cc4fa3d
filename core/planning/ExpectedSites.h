// Expected sizes, followed from the arguments of a codelet to those of the maps and calls in it.
#pragma once

#include "tangram/compose/CodeletSource.h"
#include "tangram/compose/Expected.h"
#include "tangram/compose/Sizes.h"

namespace tangram {

class ExpectedSites : public Sizes {
public:
  ExpectedSites(const ast::Module &module, const ast::Codelet &codelet, std::vector<Extents> arguments,
                const Scalars &known, std::optional<std::uint64_t> lanes = {},
                std::shared_ptr<const CodeletSource> source = {});

  Expected site(const ast::Expr *mapOrCall);
  /// The value where counters of loops are what they are in the mean: half of the way.
  Interval mean(const ast::Expr *expr);
  /// The values of the variable that the codelet's outermost loop of that kind multiplies or divides; none: there is no
  /// such loop, or they are not known.
  const std::vector<std::int64_t> &stages();
  /// From here on, `mean` is that of one of these, or of all.
  void atStage(std::optional<std::size_t> stage);

private:
  /// Of what is loaded, and clamped by a size, as many as there may be: T of `T = std::min(length[i], n)`.
  const Values &atMost();
  std::optional<std::pair<std::int64_t, std::int64_t>> goes(const CodeletSource::Progress &progress);
  Expected siteNow(const ast::Expr *mapOrCall);
  Expected siteBySizes(const ast::Expr *mapOrCall);
  /// Of the least container that a spectrum indexes with the numbers of a range that it is given, also through calls,
  /// how many elements it has in that dimension.
  std::optional<std::uint64_t> counted(const ast::Spectrum &callee, std::size_t param,
                                       const std::vector<Extents> &arguments, unsigned depth);
  /// Of a range from one of rising bounds to the next one, as rows of a sparse matrix have: what it has in the mean, of
  /// the smallest container that `callee` indexes with its numbers.
  std::optional<std::uint64_t> segment(const ast::Expr *range, const ast::Spectrum &callee, std::size_t param,
                                       const std::vector<Extents> &arguments);
  Interval sizeOf(const ast::Size &size) override;
  Interval changing(const std::string &name) override;
  Interval element(const ast::Subscript &subscript) override;
  std::optional<std::uint64_t> number(const ast::Expr *expr);
  /// The same of one that may be below 0, where it is a sum of numbers.
  std::optional<std::int64_t> signedNumber(const ast::Expr *expr);
  Extents extents(const ast::Expr *container);
  /// Of an element of a container of parts: of the first one, as of most.
  Extents part(const ast::Expr *parts);
  /// How many of the divided dimensions' elements, or rows of them, all parts have together; `each` is one part.
  std::optional<std::uint64_t> units(const ast::Expr *parts, const Extents &each);
  /// Where a container of parts comes from; null where that is not here.
  const ast::Partition *partition(const ast::Expr *parts) const;
  /// What a name stands for, and rows of it.
  const ast::Expr *origin(const ast::Expr *container) const;

  /// Of the numbers of a range, or of a part of one, wherever that lies: what its elements are in the mean. It is
  /// passed on by the name of the container.
  std::optional<std::int64_t> middle(const ast::Expr *range);

  std::vector<Extents> arguments_;
  Scalars known_;
  bool inTheMean_ = false;
  std::optional<std::vector<std::int64_t>> stages_;
  std::optional<std::size_t> stage_;
  Values means_;
  std::optional<Values> atMost_;
  std::set<std::string> asked_; // counters whose mean is being found
};

/// From the names of a spectrum's parameters, with what its conditions say of sizes that are equal.
std::vector<Extents> expectedArguments(const ast::Spectrum &spectrum, const ExpectedSizes &sizes);
/// Whole numbers that `sizes` has, and those of which conditions say that they are sizes of these arguments:
/// `a.size(0) == n`.
Scalars expectedScalars(const ast::Spectrum &spectrum, std::vector<Extents> arguments, const ExpectedSizes &sizes);
/// The same for sizes that are known of some arguments: `a.size(1) == x.size()`.
void equateByConditions(const ast::Spectrum &spectrum, std::vector<Extents> &arguments);

} // namespace tangram
