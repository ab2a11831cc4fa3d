#include "Expressions.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Builtins.h"
#include "tangram/diag/Diagnostic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace tangram::cuda {

using namespace ast;
using Base = c_family::Expressions;

namespace {

constexpr DiagnosticKind kAtomicElement{"cuda.atomic-element", DiagnosticClass::Limitation,
                                        "atomic {} on an element of type {}, for which CUDA has no atomic operation",
                                        "use int, unsigned, float, or their 64-bit forms"};

constexpr DiagnosticKind kMatrix{
    "cuda.matrix", DiagnosticClass::Limitation,
    "the threads of a unit of level '{0}' are no warp of 32, which multiply matrices together",
    "list the shapes of 'matrix' at the level whose units are warps"};
constexpr DiagnosticKind kMatrixShape{"cuda.matrix-shape", DiagnosticClass::Limitation,
                                      "there is no instruction for products of {0} x {1} x {2} of type {3}",
                                      "list one of 8 x 8 x 4, 16 x 8 x 4, 16 x 8 x 8 and 16 x 8 x 16 for f64, 16 x 8 x "
                                      "16 for f16 and bf16, 16 x 8 x 32 for i8 and u8"};
constexpr DiagnosticKind kShuffle{"cuda.shuffle", DiagnosticClass::Limitation,
                                  "lanes of '{}' exchange registers, which the target does not say that they can",
                                  "say 'shuffle: true' at that level of the target, if its devices do"};

constexpr DiagnosticKind kSubgroup{
    "cuda.subgroup", DiagnosticClass::Limitation,
    "a unit of level '{}' has {} threads, and is no part of the {} that the device keeps together",
    "let a unit of that level have so many threads, or a power of two below"};

} // namespace

std::string unitMask(const hardware::LaunchLevels &levels, const std::string &level, const SourceRange &range) {
  const std::uint64_t workers = levels.workers(level);
  if (workers > kWarp || kWarp % workers != 0) fail(kSubgroup, range, level, workers, kWarp);
  if (workers == kWarp) return "0xffffffffu";
  return fmt::format("{:#x}u << (threadIdx.x & {}u)", (std::uint64_t{1} << workers) - 1, (kWarp - 1) & ~(workers - 1));
}

std::string DeviceExpressions::infinity(const Type &t) { return t.bytes() == 8 ? "double(INFINITY)" : "INFINITY"; }

std::string DeviceExpressions::notANumber(const Type &t) { return t.bytes() == 8 ? "double(NAN)" : "NAN"; }

Base::Text DeviceExpressions::extremum(bool minimum, const Expr *a, const Expr *b, const Type &) {
  // min and max are no constant expressions.
  std::string lhs = operand(a, kLess + 1, {}), rhs = operand(b, kLess + 1, {});
  return {fmt::format("{} {} {} ? {} : {}", lhs, minimum ? "<" : ">", rhs, lhs, rhs), kTernary};
}

Base::Text DeviceExpressions::call(const Call *e) {
  if (!isHalfConversion(e->callee)) return Expressions::call(e);
  usesHalf = true;
  return {fmt::format("tangram_cuda::{}({})", e->callee.substr(std::string_view("tangram_").size()), arguments(e))};
}

Base::Text DeviceExpressions::atomic(const Atomic *e) {
  const Type &type = e->target->type;
  bool bitwise = e->op == AtomicOp::And || e->op == AtomicOp::Or || e->op == AtomicOp::Xor;
  if (type.bytes() < 4 || (bitwise && type.isFloating())) fail(kAtomicElement, e->range, name(e->op), type.text());
  return Expressions::atomic(e);
}

Base::Text DeviceExpressions::workerIndex(const WorkerIndex *e) {
  std::uint64_t unit = levels_.workers(e->level), whole = levels_.workers(e->within);
  auto inGroup = [&](std::uint64_t width) -> Text {
    bool part = width && width < levels_.groupWorkers;
    std::string text = part ? fmt::format("threadIdx.x % {}", width) : "threadIdx.x";
    if (unit > 1) text = fmt::format("{} / {}", part ? "(" + text + ")" : text, unit);
    return {text, text == "threadIdx.x" ? kPostfix : 13};
  };
  if (whole) return unit < whole ? inGroup(whole) : Text{"0u"};
  if (unit == levels_.groupWorkers) return {"blockIdx.x"};
  return {fmt::format("blockIdx.x * {} + {}", levels_.groupWorkers / unit, inGroup(0).text), 12};
}

Base::Text DeviceExpressions::workerCount(const WorkerCount *e) {
  std::uint64_t unit = levels_.workers(e->level), whole = levels_.workers(e->within);
  if (whole) return {std::to_string(whole / unit) + "u"};
  if (unit == levels_.groupWorkers) return {"gridDim.x"};
  return {fmt::format("gridDim.x * {}", levels_.groupWorkers / unit), 13};
}

Base::Text DeviceExpressions::shuffle(const Shuffle *e) {
  const hardware::Level *level = levels_.subgroup(e->level);
  if (!level || !level->shuffle) fail(kShuffle, e->range, e->level);
  const std::uint64_t together = levels_.workers(e->level);
  const Type &type = e->type;
  std::string value = type.bytes() < 4 ? "int(" + print(e->operand) + ")" : operand(e->operand, kAssign, {});
  std::string width = together < kWarp ? fmt::format(", {}", together) : "";
  std::string text = fmt::format("__shfl_sync({}, {}, {}{})", unitMask(levels_, e->level, e->range), value,
                                 converted(Scalar::I32, print(e->lane)), width);
  return {type.bytes() < 4 ? converted(type, text) : text};
}

Base::Text DeviceExpressions::matrixMultiply(const MatrixMultiply *e) {
  const hardware::Level *level = levels_.subgroup(e->level);
  if (!level || levels_.workers(e->level) != hardware::MatrixShape::kLanes) fail(kMatrix, e->range, e->level);
  const Scalar type = e->operand.scalar();
  using Shape = std::array<Int, 3>;
  std::vector<Shape> shapes{{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}};
  if (type == Scalar::F16 || type == Scalar::BF16) shapes = {{16, 8, 16}};
  if (type == Scalar::I8 || type == Scalar::U8) shapes = {{16, 8, 32}};
  if (std::find(shapes.begin(), shapes.end(), Shape{e->m, e->n, e->k}) == shapes.end())
    fail(kMatrixShape, e->range, e->m, e->n, e->k, e->operand.text());
  usesMatrices = true;
  std::string operands;
  auto add = [&](const std::string &text) { operands += (operands.empty() ? "" : ", ") + text; };
  for (const Expr *place : e->c) add(print(place));
  for (const auto *list : {&e->a, &e->b}) {
    const std::size_t rows = list == &e->a ? static_cast<std::size_t>(e->m / hardware::MatrixShape::kRows) : 1;
    for (const auto &word : hardware::wordsOfOperand(list->size(), rows, e->operand.bytes())) {
      std::string text;
      for (std::size_t element : word) text += (text.empty() ? "" : ", ") + print(list->at(element));
      add(word.size() == 1 ? text : "tangram_cuda::word(" + text + ")");
    }
  }
  const std::string of = type == Scalar::F64 ? "" : e->operand.text() + "_";
  return {fmt::format("tangram_cuda::multiply_{}{}x{}x{}({})", of, e->m, e->n, e->k, operands)};
}

Base::Text DeviceExpressions::assign(const Assign *e) {
  const auto *transfer = dyn<Transfer>(e->value);
  if (!transfer) return Expressions::assign(e);
  usesTransfers = true;
  const std::string both = fmt::format("{}, {}", print(e->target), print(transfer->source));
  if (transfer->cond) return {fmt::format("tangram_cuda::transfer_if({}, {})", print(transfer->cond), both)};
  return {fmt::format("tangram_cuda::transfer<{}>({})", transfer->count, both)};
}

/// Vectors are CUDA's own, of 2 or 4 elements: int4, uchar2.
std::string DeviceExpressions::type(const Type &t) {
  if (!t.isVector()) return Expressions::type(t);
  static constexpr std::array<std::string_view, 4> kWhole{"char", "short", "int", "long"};
  const Type element = t.element();
  if (element.isFloating()) return fmt::format("{}{}", Expressions::type(element), t.lanes());
  const auto width = static_cast<std::size_t>(std::countr_zero(element.bytes()));
  return fmt::format("{}{}{}", element.isSigned() ? "" : "u", kWhole.at(width), t.lanes());
}

Base::Text DeviceExpressions::initList(const InitList *e) {
  const Text plain = Expressions::initList(e);
  return e->type.isVector() ? Text{type(e->type) + plain.text} : plain;
}

std::string DeviceExpressions::store(const VectorStore &s) {
  usesWideStores = true;
  return fmt::format("tangram_cuda::store({}, {});", address(s.base, s.index), print(s.value));
}

std::string DeviceExpressions::await(const Await &s) {
  usesTransfers = true;
  return fmt::format("tangram_cuda::await<{}>();", operand(s.pending, 12, {})); // no > that would end the list
}

Base::Text DeviceExpressions::other(const Expr *e, const Type &wanted) {
  if (const auto *n = dyn<WorkerIndex>(e)) return workerIndex(n);
  if (const auto *n = dyn<WorkerCount>(e)) return workerCount(n);
  if (const auto *n = dyn<Shuffle>(e)) return shuffle(n);
  if (const auto *n = dyn<MatrixMultiply>(e)) return matrixMultiply(n);
  if (const auto *n = dyn<VectorLoad>(e))
    return {fmt::format("*reinterpret_cast<const {} *>({})", type(e->type), address(n->base, n->index)), kPrefix};
  if (const auto *n = dyn<VectorLane>(e))
    return {fmt::format("{}.{}", operand(n->operand, kPostfix, {}), "xyzw"[ast::literal(n->lane).value_or(0)])};
  return Expressions::other(e, wanted);
}

} // namespace tangram::cuda
