// Corrections to the parts of a model, fitted to times that were measured.
#pragma once

#include "tangram/tune/Database.h"

#include <optional>

namespace tangram::learned {

/// A plan takes what the model says times exp(the sum of each part's weight times its share of what the model says).
struct Corrections {
  double bias = 0;
  std::map<std::string, double> weights; // of parts
  std::size_t samples = 0, problems = 0;
  double before = 0, after = 0; // typical error of the logarithm within a problem: the model's; of left-out samples
  double factor(const std::map<std::string, double> &shares) const;
};

/// Ridge regression (Hoerl and Kennard 1970) of log(measured / predicted) on the shares of parts, both less their means
/// in each problem: which plan of a problem is faster is what counts. The strength is the one that predicts samples
/// best that were left out. Nothing, with the reason in `why`, where there are too few samples, or where what is left
/// out is not predicted better than by the model.
std::optional<Corrections> fit(const std::vector<tune::Sample> &samples, std::string &why);

} // namespace tangram::learned
