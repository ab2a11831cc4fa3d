#include "tangram/verify/ArgumentConditions.h"

namespace tangram::runtime {

Shape::Argument shapeOf(const Value &value) {
  Shape::Argument argument;
  argument.sizes = value.sizes();
  if (value.rank() > 0 || value.type().isStruct()) return argument;
  if (value.isFloating())
    argument.real = value.real(0);
  else
    argument.scalar = value.integer(0);
  return argument;
}

bool meetConditions(const ast::Spectrum &spectrum, std::vector<Value> &values, const std::vector<bool> &fixed) {
  Shape shape;
  for (std::size_t i = 0; i < spectrum.params.size(); ++i) shape.arguments.push_back(shapeOf(values[i]));
  if (!meetByReals(spectrum, shape, fixed)) return false;
  for (std::size_t i = 0; i < spectrum.params.size(); ++i)
    if (const std::optional<double> &real = shape.arguments[i].real; real && *real != values[i].real(0))
      values[i].setReal(0, *real);
  return true;
}

} // namespace tangram::runtime
