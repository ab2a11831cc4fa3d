// Tunes a spectrum for several sizes, and makes one plan of the plans that are fast for some of them.
#pragma once

#include "tangram/tune/Dispatch.h"
#include "tangram/tune/Tuner.h"
#include "tangram/verify/Shapes.h"

namespace tangram::tune {

/// What stands for a point of the grid on the command line: N=1024, M=16.
using Variables = std::map<std::string, std::uint64_t>;

/// What a spectrum is called with at a point.
struct GridCall {
  Problem problem; // as tune() wants it
  std::vector<runtime::Value> arguments;
  runtime::Shape shape; // of the parameters
  ExpectedSizes expected;
  std::map<std::string, runtime::ArgumentSpec> specs; // as TuneOptions
};

struct GridOptions {
  TuneOptions tune;        // its budget is for everything
  double tolerance = 0.02; // plans are left out as long as another one is within so much of the best at each point
  std::vector<Variables> points;
  /// Arguments of a point. May throw DiagnosticError: of the points above that ends it all, others are left out.
  std::function<GridCall(const Variables &)> call;
};

struct GridPoint {
  Variables variables;
  std::string sizes;
  std::vector<double> features;   // values of GridReport::features
  std::vector<double> seconds;    // medians of GridReport::plans; infinite: it cannot be used, or was not timed
  std::optional<double> pick;     // of what the heuristic picks for these sizes
  std::optional<double> dispatch; // of the plan that is the result, called with these sizes
  bool between = false;           // measured to find a switch
  std::string failure;            // why nothing is known of it; empty: something is
};

struct GridReport {
  std::string spectrum, target;
  Machine machine;
  std::string device; // as of TuneReport
  Plan plan;          // the result: with cases, where one plan alone is not enough
  std::vector<Plan> plans;
  std::vector<std::size_t> bundle; // those of `plans` that were kept
  std::vector<SizeRatio> features; // what conditions may speak of: what differs from point to point
  std::vector<GridPoint> points;   // those that were asked for, then those between
  DispatchFit fit;
  std::size_t tried = 0; // plans, at all points
  double seconds = 0, budget = 0;
  bool interrupted = false;
  std::string faulty; // why the result is not to be used; empty: it was right wherever it was called
};

/// Sizes and ratios of a spectrum's arguments that differ between the shapes, each at all of them; of those that say
/// the same about these shapes the simplest one. `whole`: of each, whether it is a whole number.
std::vector<SizeRatio> sizeFeatures(const ast::Spectrum &spectrum, const std::vector<runtime::Shape> &shapes,
                                    std::vector<bool> &whole);
/// What a ratio is for a shape; nothing divided by nothing is 0.
double featureOf(const SizeRatio &ratio, const ast::Spectrum &spectrum, const runtime::Shape &shape);

/// The plan that follows `plans` in the regions of a fit. A plan without cases where there is one region.
Plan dispatchPlan(const DispatchFit &fit, const std::vector<Plan> &plans, const std::vector<SizeRatio> &features);

/// Searches at each point for a share of the budget, times the best of all points at all of them, measures between
/// points at which one plan takes over from another, and calls what comes out of it at each point. Throws
/// DiagnosticError as tune() does, where nothing was found at any point.
GridReport tuneGrid(Session &session, const std::string &spectrum, Database &database, const GridOptions &options);

} // namespace tangram::tune
