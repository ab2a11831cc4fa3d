#include "Atomics.h"

#include "tangram/diag/Diagnostic.h"

namespace tangram::opencl {

using namespace ast;

namespace {

constexpr DiagnosticKind kElement{"opencl.atomic-element", DiagnosticClass::Limitation,
                                  "atomic {} on an element of type {}, for which OpenCL has no atomic operations",
                                  "use int, unsigned, float, or their 64-bit forms"};

struct Words {
  std::string type, bits, zero; // as OpenCL C spells the element, and the integer of its size
};

Words wordsOf(const Type &type) {
  switch (type.scalar()) {
  case Scalar::I32: return {"int", "int", "0"};
  case Scalar::U32: return {"uint", "uint", "0u"};
  case Scalar::F32: return {"float", "uint", "0u"};
  case Scalar::I64: return {"long", "long", "0L"};
  case Scalar::U64: return {"ulong", "ulong", "0UL"};
  case Scalar::F64: return {"double", "ulong", "0UL"};
  default: return {};
  }
}

/// The new value of `old` with `value`, for floats.
std::string_view updated(AtomicOp op) {
  switch (op) {
  case AtomicOp::Add: return "old.value + value";
  case AtomicOp::Sub: return "old.value - value";
  case AtomicOp::Min: return "value < old.value ? value : old.value";
  case AtomicOp::Max: return "old.value < value ? value : old.value";
  case AtomicOp::CompareExchange: return "old.value == expected ? value : old.value";
  case AtomicOp::Exchange:
  case AtomicOp::And: // floats have none of these
  case AtomicOp::Or:
  case AtomicOp::Xor:
  case AtomicOp::OrderedAdd: break;
  }
  return "value";
}

} // namespace

std::string Atomics::use(const Atomic &e, Space space) {
  static constexpr std::string_view builtIn[] = {"add", "sub", "min", "max", "and", "or", "xor", "xchg", "cmpxchg"};
  const Type &type = e.target->type;
  Words words = wordsOf(type);
  bool bitwise = e.op == AtomicOp::And || e.op == AtomicOp::Or || e.op == AtomicOp::Xor;
  if (words.type.empty() || (bitwise && type.isFloating())) fail(kElement, e.range, ast::name(e.op), type.text());
  bool wide = type.bytes() == 8;
  if (wide) {
    bool extended = !type.isFloating() && (bitwise || e.op == AtomicOp::Min || e.op == AtomicOp::Max);
    std::string extension = extended ? "cl_khr_int64_extended_atomics" : "cl_khr_int64_base_atomics";
    extensions_.emplace(extension, fmt::format("atomic {} on {}", ast::name(e.op), words.type));
  }
  std::string prefix = wide ? "atom_" : "atomic_";
  if (!type.isFloating()) return prefix + std::string(builtIn[static_cast<std::size_t>(e.op)]);

  std::string function = fmt::format("tangram_{}_{}_{}", ast::name(e.op), words.type, name(space));
  for (char &c : function)
    if (c == '-') c = '_';
  bool compares = e.op == AtomicOp::CompareExchange;
  // The first look is an atomic operation too: comparing with 0 and setting 0 changes nothing.
  functions_[function] =
      fmt::format("{type} {function}(volatile {space} {type} *place, {expected}{type} value) {{\n"
                  "  union {{\n    {bits} bits;\n    {type} value;\n  }} old, next;\n"
                  "  volatile {space} {bits} *word = (volatile {space} {bits} *)place;\n"
                  "  {bits} seen = {prefix}cmpxchg(word, {zero}, {zero});\n"
                  "  do {{\n    old.bits = seen;\n    next.value = {update};\n"
                  "    seen = {prefix}cmpxchg(word, old.bits, next.bits);\n  }} while (seen != old.bits);\n"
                  "  return old.value;\n}}\n",
                  fmt::arg("type", words.type), fmt::arg("function", function), fmt::arg("space", name(space)),
                  fmt::arg("expected", compares ? words.type + " expected, " : ""), fmt::arg("bits", words.bits),
                  fmt::arg("prefix", prefix), fmt::arg("zero", words.zero), fmt::arg("update", updated(e.op)));
  return function;
}

std::string Atomics::functions() const {
  std::string text;
  for (const auto &[name, definition] : functions_) text += definition + "\n";
  return text;
}

} // namespace tangram::opencl
