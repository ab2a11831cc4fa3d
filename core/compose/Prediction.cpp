#include "tangram/compose/Prediction.h"

#include <algorithm>

namespace tangram {
namespace {

void add(const Prediction &node, std::map<std::string, double> &result) {
  double own = node.all;
  for (const Prediction &child : node.children) {
    own -= child.all;
    add(child, result);
  }
  own = std::max(own, 0.0);
  double squares = 0;
  for (const Prediction::Part &part : node.parts) squares += part.seconds * part.seconds;
  if (squares <= 0) {
    result["rules"] += own;
    return;
  }
  for (const Prediction::Part &part : node.parts) result[part.name] += own * part.seconds * part.seconds / squares;
}

} // namespace

std::map<std::string, double> shares(const Prediction &prediction) {
  std::map<std::string, double> result;
  add(prediction, result);
  return result;
}

} // namespace tangram
