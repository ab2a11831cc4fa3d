// Calls of functions and spectrums, maps, partitions and ranges.
#include "Interpreter.h"

#include "tangram/ast/Builtins.h"

#include <algorithm>
#include <utility>

namespace tangram::semantics {

using namespace ast;

namespace {

constexpr int kDeepestCalls = 200;
constexpr Wide kMostParts = 1'000'000;

/// What a parameter is given: a scalar is a variable of the callee's own.
Value passed(const Value &v, const Type &type) {
  return v.kind == Value::Kind::Scalar ? variable(convert(v.scalar, type)) : v;
}

} // namespace

Interpreter::Interpreter(const Module &module, const hardware::Hardware &hardware, std::uint64_t steps)
    : machine_(hardware), structs_(module), steps_(steps) {
  for (const Function *f : module.functions) functions_[f->name] = f;
}

Value Interpreter::call(const Call *n, std::size_t lane) {
  auto found = functions_.find(n->callee);
  if (found == functions_.end()) {
    if (isSineAndCosine(n->callee)) {
      const Scalar x = scalar(n->args.at(0), lane);
      const char *suffix = x.type == Type(ast::Scalar::F32) ? "f" : "";
      write(pointer(n->args.at(1), lane), mathFunction(fmt::format("sin{}", suffix), x.type, {x}));
      write(pointer(n->args.at(2), lane), mathFunction(fmt::format("cos{}", suffix), x.type, {x}));
      return {};
    }
    std::vector<Scalar> args;
    for (const Expr *arg : n->args) args.push_back(scalar(arg, lane));
    return scalarValue(mathFunction(n->callee, n->type, args));
  }
  Frame frame;
  const Function *f = found->second;
  if (n->args.size() != f->params.size())
    throw Failure(fmt::format("'{}' with a wrong number of arguments", n->callee));
  for (std::size_t i = 0; i < n->args.size(); ++i) {
    const Param &param = *f->params[i];
    Value v;
    if (param.type.isPointer()) {
      v = pointer(n->args[i], lane);
      v.variable = false;
    } else if (param.access != Access::In && !param.type.isArray()) {
      v = place(n->args[i], lane);
      v.variable = true;
    } else {
      v = eval(n->args[i], lane);
    }
    frame.lanes[0][param.name] = passed(v, param.type);
  }
  if (++depth_ > kDeepestCalls) throw TooLong("functions call each other too deeply");
  body(f->body, frame);
  --depth_;
  return n->type.isVoid() ? Value{} : scalarValue(convert(frame.returned[0], n->type));
}

std::size_t Interpreter::lanesAt(const std::string &level) {
  const hardware::Level *found = machine_->find(level);
  if (!found) throw Failure(fmt::format("there is no level '{}'", level));
  return std::max<std::size_t>(1, machine_->lanes(*found));
}

Value Interpreter::spectrumCall(const SpectrumCall *n, std::size_t lane) {
  if (!n->codelet) throw Unknown(fmt::format("a call of '{}' that no plan has composed", n->spectrum));
  std::vector<Value> args;
  for (std::size_t i = 0; i < n->args.size(); ++i) {
    const bool byPlace = n->codelet->params[i]->access != Access::In && !n->args[i]->type.isArray();
    args.push_back(byPlace ? place(n->args[i], lane) : eval(n->args[i], lane));
    if (byPlace) args.back().variable = true;
  }
  return spectrum(n, args);
}

Value Interpreter::spectrum(const SpectrumCall *n, const std::vector<Value> &args) {
  const hardware::Configured::Scope scope(machine_, n->units);
  const Codelet *c = n->codelet;
  const std::string level = n->devolved.empty() ? n->level : n->devolved.back();
  Frame frame;
  frame.level = level;
  frame.constants = frame_->constants;
  const std::size_t width = c->coop ? lanesAt(level) : 1;
  frame.lanes.resize(width);
  frame.returned.resize(width);
  for (std::size_t l = 0; l < width; ++l)
    for (std::size_t i = 0; i < args.size(); ++i)
      frame.lanes[l][c->params[i]->name] = passed(args[i], c->params[i]->type);
  const bool promoted = c->params.size() == args.size() + 1;
  Value result;
  if (promoted) {
    result = variable(unset(c->params.back()->type, structs_));
    for (auto &lane : frame.lanes) lane[c->params.back()->name] = result;
  }
  guardLevel_ = &level;
  const bool holds =
      std::all_of(n->guard.begin(), n->guard.end(), [&](const Expr *g) { return truth(evalIn(frame, g)); });
  guardLevel_ = nullptr;
  if (!holds) return spectrum(n->fallback, args);
  if (++depth_ > kDeepestCalls) throw TooLong("codelets call each other too deeply");
  body(c->body, frame);
  --depth_;
  if (promoted) return scalarValue(read(result));
  if (frame.returned[0].type.isVoid()) return {};
  return scalarValue(frame.returned[0]);
}

Value Interpreter::map(const Map *n, std::size_t lane) {
  const hardware::Configured::Scope scope(machine_, n->units);
  const Map *innermost = n;
  while (!innermost->call && innermost->inner) innermost = innermost->inner;
  const SpectrumCall *call = innermost->call;
  if (!call || !call->codelet) throw Unknown(fmt::format("a map of '{}' that no plan has composed", n->spectrum));
  std::vector<Value> args;
  std::vector<std::size_t> dims;
  std::vector<std::int64_t> extents;
  for (std::size_t i = 0; i < n->args.size(); ++i) {
    const Type &a = n->args[i]->type, &p = call->codelet->params[i]->type;
    const bool byPlace = call->codelet->params[i]->access != Access::In && !a.isArray();
    args.push_back(byPlace ? place(n->args[i], lane) : eval(n->args[i], lane));
    if (byPlace) args.back().variable = true;
    const std::size_t d = a == p || !a.isArray() ? 0 : a.element() == p ? a.rank() : a.rank() - p.rank();
    dims.push_back(d);
    if (!d) continue;
    std::vector<std::int64_t> sizes = sizesOf(args.back().array);
    sizes.resize(d);
    if (extents.empty()) extents = sizes;
    for (std::size_t k = 0; k < d; ++k) extents[k] = std::min(extents[k], sizes[k]);
  }
  std::vector<std::int64_t> index(extents.size(), 0);
  std::vector<Scalar> results;
  std::int64_t total = 1;
  for (std::int64_t e : extents) total *= e;
  for (std::int64_t k = 0; k < total; ++k) {
    std::int64_t rest = k;
    for (std::size_t d = extents.size(); d-- > 0; rest /= extents[d]) index[d] = rest % extents[d];
    std::vector<Value> own = args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (!dims[i]) continue;
      own[i] = elementOf(args[i].array, index);
      if (own[i].kind != Value::Kind::Pointer) continue;
      if (call->codelet->params[i]->access == Access::In)
        own[i] = scalarValue(read(own[i]));
      else
        own[i].variable = true;
    }
    const Value r = spectrum(call, own);
    if (r.kind == Value::Kind::Scalar) results.push_back(r.scalar);
  }
  if (n->type.isVoid()) return {};
  return arrayValue(results, extents);
}

Parts::Sequence Interpreter::sequence(const Sequence *n, std::size_t lane) {
  Parts::Sequence s;
  if (n->container) {
    s.hasThrough = true;
    s.through = eval(n->container, lane).array;
  }
  s.start = sizeNumber(scalar(n->start, lane));
  if (n->inc) {
    s.moves = true;
    s.inc = sizeNumber(scalar(n->inc, lane));
    s.end = sizeNumber(scalar(n->end, lane));
  }
  return s;
}

Value Interpreter::partition(const Partition *n, std::size_t lane) {
  auto parts = std::make_shared<Parts>();
  parts->base = eval(n->container, lane).array;
  for (const Expr *count : n->counts) {
    const Expr *written = count; // a number below 0 is no part, and no large number
    while (isa<Cast>(written) && written->type == Type(ast::Scalar::U64) &&
           as<Cast>(written)->operand->type.isInteger())
      written = as<Cast>(written)->operand;
    const Wide c = number(scalar(written, lane));
    if (c > kMostParts) throw TooLong("too many parts");
    parts->counts.push_back(static_cast<std::int64_t>(std::max<Wide>(c, 0)));
  }
  for (const Sequence *s : n->starts) parts->starts.push_back(sequence(s, lane));
  for (const Sequence *s : n->incs) parts->incs.push_back(sequence(s, lane));
  for (const Sequence *s : n->ends) parts->ends.push_back(sequence(s, lane));
  Value v;
  v.kind = Value::Kind::Array;
  v.array.parts = std::move(parts);
  return v;
}

Value Interpreter::range(const Sequence *n, std::size_t lane) {
  if (n->container || !n->inc || !n->end) throw Failure("a range that has no end, or goes through a container");
  const Wide start = number(scalar(n->start, lane)), end = number(scalar(n->end, lane));
  const Wide step = std::max<Wide>(sizeNumber(scalar(n->inc, lane)), 1);
  Value v;
  v.kind = Value::Kind::Array;
  v.array.offset = static_cast<std::int64_t>(start);
  v.array.sizes = {static_cast<std::int64_t>(end > start ? (end - start - 1) / step + 1 : 0)};
  v.array.strides = {static_cast<std::int64_t>(step)};
  v.array.number = n->type.leaf().scalar();
  return v;
}

} // namespace tangram::semantics
