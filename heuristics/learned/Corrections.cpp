#include "Corrections.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace tangram::learned {
namespace {

constexpr std::size_t kLeast = 30; // samples ...
constexpr std::size_t kOfPart = 4; // ... and so many for each part
constexpr double kBetter = 0.95;   // of the model's error what is left must be less
constexpr double kMostFactor = 20; // a correction is no more than that, nor less than one by that
constexpr double kStrengths[] = {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100};

double total(const std::map<std::string, double> &shares) {
  double sum = 0;
  for (const auto &[_, seconds] : shares) sum += seconds;
  return sum;
}

struct Data {
  std::vector<std::string> parts;
  Eigen::MatrixXd x; // shares, less their means
  Eigen::VectorXd y; // logarithms, less their means
  double meanBias = 0;
  std::vector<double> meanShares;
  std::size_t problems = 0;
};

Data centred(const std::vector<const tune::Sample *> &samples) {
  Data data;
  std::set<std::string> parts;
  std::map<std::int64_t, std::vector<Eigen::Index>> problems;
  for (const tune::Sample *sample : samples)
    for (const auto &[part, _] : sample->shares) parts.insert(part);
  data.parts.assign(parts.begin(), parts.end());
  const auto n = static_cast<Eigen::Index>(samples.size()), k = static_cast<Eigen::Index>(parts.size());
  data.x = Eigen::MatrixXd::Zero(n, k);
  data.y = Eigen::VectorXd::Zero(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const tune::Sample &sample = *samples[static_cast<std::size_t>(i)];
    const double predicted = total(sample.shares);
    data.y(i) = std::log(sample.seconds / predicted);
    for (Eigen::Index j = 0; j < k; ++j) {
      auto share = sample.shares.find(data.parts[static_cast<std::size_t>(j)]);
      if (share != sample.shares.end()) data.x(i, j) = share->second / predicted;
    }
    problems[sample.problem].push_back(i);
  }
  data.meanBias = data.y.mean();
  for (Eigen::Index j = 0; j < k; ++j) data.meanShares.push_back(data.x.col(j).mean());
  data.problems = problems.size();
  for (const auto &[_, rows] : problems) {
    double y = 0;
    Eigen::RowVectorXd x = Eigen::RowVectorXd::Zero(k);
    for (Eigen::Index i : rows) y += data.y(i), x += data.x.row(i);
    const auto count = static_cast<double>(rows.size());
    for (Eigen::Index i : rows) data.y(i) -= y / count, data.x.row(i) -= x / count;
  }
  return data;
}

} // namespace

double Corrections::factor(const std::map<std::string, double> &shares) const {
  const double predicted = total(shares);
  double sum = bias;
  if (predicted > 0)
    for (const auto &[part, weight] : weights)
      if (auto share = shares.find(part); share != shares.end()) sum += weight * share->second / predicted;
  return std::exp(std::clamp(sum, bias - std::log(kMostFactor), bias + std::log(kMostFactor)));
}

std::optional<Corrections> fit(const std::vector<tune::Sample> &samples, std::string &why) {
  std::map<std::int64_t, std::size_t> each;
  std::set<std::string> parts;
  auto isUsable = [](const tune::Sample &s) {
    return std::isfinite(s.seconds) && s.seconds > 0 && std::isfinite(total(s.shares)) && total(s.shares) > 0;
  };
  for (const tune::Sample &sample : samples)
    if (isUsable(sample)) ++each[sample.problem];
  std::vector<const tune::Sample *> used; // that there is another one of the same problem to compare with
  for (const tune::Sample &sample : samples)
    if (isUsable(sample) && each[sample.problem] > 1) {
      used.push_back(&sample);
      for (const auto &[part, _] : sample.shares) parts.insert(part);
    }
  const std::size_t least = std::max(kLeast, kOfPart * parts.size());
  if (used.size() < least) {
    why = fmt::format("there is too little to learn from: {} timed plans of problems with several, and it takes {}",
                      used.size(), least);
    return {};
  }
  const Data data = centred(used);
  const auto n = static_cast<double>(data.y.size());
  const Eigen::MatrixXd square = data.x.transpose() * data.x;
  const auto unit = Eigen::MatrixXd::Identity(square.rows(), square.cols());
  Corrections best;
  best.after = HUGE_VAL;
  Eigen::VectorXd weights;
  for (double strength : kStrengths) {
    const Eigen::LDLT<Eigen::MatrixXd> solver(square + strength * unit);
    const Eigen::VectorXd w = solver.solve(data.x.transpose() * data.y);
    // A sample's error had it been left out (Golub, Heath and Wahba 1979).
    const Eigen::MatrixXd projected = solver.solve(data.x.transpose());
    double sum = 0;
    for (Eigen::Index i = 0; i < data.y.size(); ++i) {
      const double leverage = std::min(0.999, data.x.row(i).dot(projected.col(i)));
      const double error = (data.y(i) - data.x.row(i).dot(w)) / (1 - leverage);
      sum += error * error;
    }
    const double error = std::sqrt(sum / n);
    if (!std::isfinite(error) || error >= best.after) continue;
    best.after = error;
    weights = w;
  }
  best.before = std::sqrt(data.y.squaredNorm() / n);
  best.samples = used.size();
  best.problems = data.problems;
  if (!(best.after < kBetter * best.before)) {
    why = fmt::format(
        "corrections to the model's parts do not help: of {} timed plans the typical error stays at {:.0f} %",
        used.size(), 100 * (std::exp(best.before) - 1));
    return {};
  }
  best.bias = data.meanBias;
  for (std::size_t j = 0; j < data.parts.size(); ++j) {
    best.weights[data.parts[j]] = weights(static_cast<Eigen::Index>(j));
    best.bias -= weights(static_cast<Eigen::Index>(j)) * data.meanShares[j];
  }
  return best;
}

} // namespace tangram::learned
