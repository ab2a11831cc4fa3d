#include "Interpreter.h"

#include <algorithm>

namespace tangram::semantics {

using namespace ast;

namespace {

/// The kernel's parameters bound to the spectrum's arguments, in either form: as containers, or as pointers and sizes.
Interpreter::Frame bound(const Kernel &kernel, const std::vector<Value> &args, const Structs &structs, Value &result) {
  Interpreter::Frame frame;
  std::size_t p = 0;
  auto &vars = frame.lanes[0];
  for (const Value &arg : args) {
    const Param *param = kernel.params.at(p++);
    if (arg.kind == Value::Kind::Array && param->type.isPointer()) {
      Value pointer;
      pointer.kind = Value::Kind::Pointer;
      pointer.cells = arg.array.cells;
      pointer.offset = arg.array.offset;
      vars[param->name] = pointer;
      auto extra = [&](std::int64_t v) { vars[kernel.params.at(p++)->name] = variable(integer(ast::Scalar::U64, v)); };
      for (std::int64_t s : arg.array.sizes) extra(s);
      for (std::size_t d = 0; d + 1 < arg.array.strides.size(); ++d) extra(arg.array.strides[d]);
    } else if (arg.kind == Value::Kind::Scalar) {
      vars[param->name] = variable(arg.scalar);
    } else {
      vars[param->name] = arg;
    }
  }
  if (p < kernel.params.size()) {
    const Param *param = kernel.params[p];
    result = variable(unset(kernel.result, structs));
    result.variable = !param->type.isPointer();
    vars[param->name] = result;
  }
  return frame;
}

/// What was being done stands in what is thrown.
template <class F> auto placed(const Interpreter &interpreter, F &&f) {
  try {
    return f();
  } catch (Failure &failure) {
    if (!failure.range.valid()) failure.range = interpreter.place();
    throw;
  }
}

} // namespace

Scalar run(const Module &module, const Kernel &kernel, const hardware::Hardware &hardware,
           const std::vector<Value> &args, std::uint64_t steps) {
  Interpreter interpreter(module, hardware, steps);
  return placed(interpreter, [&]() -> Scalar {
    Value result;
    Interpreter::Frame frame = bound(kernel, args, interpreter.structs(), result);
    for (std::size_t i = 0; i < kernel.constants.size(); ++i)
      frame.constants[kernel.constants[i]->name] = scalarValue(interpreter.evalIn(frame, kernel.defaults[i]));
    frame.level = hardware.top().name;
    interpreter.body(kernel.body, frame);
    if (kernel.result.isVoid()) return {};
    return result.cells ? (*result.cells)[0] : convert(frame.returned[0], kernel.result);
  });
}

bool accepts(const Module &module, const Kernel &kernel, const hardware::Hardware &hardware,
             const std::vector<Value> &args) {
  Interpreter interpreter(module, hardware, kManySteps);
  return placed(interpreter, [&] {
    Value result;
    Interpreter::Frame frame = bound(kernel, args, interpreter.structs(), result);
    return std::all_of(kernel.conditions.begin(), kernel.conditions.end(),
                       [&](const Expr *c) { return truth(interpreter.evalIn(frame, c)); });
  });
}

} // namespace tangram::semantics
