#include "tangram/c-family/Signature.h"

#include "tangram/ast/Walk.h"
#include "tangram/diag/Diagnostic.h"
#include "tangram/runtime/kernel_abi.h"

namespace tangram::c_family {

using namespace ast;

namespace {

constexpr DiagnosticKind kRank{"c-family.rank", DiagnosticClass::Limitation,
                               "parameter '{}' of '{}' has {} dimensions; a kernel's parameters have at most {}",
                               "pass it as several containers of fewer dimensions"};
constexpr DiagnosticKind kElement{"c-family.element", DiagnosticClass::Limitation,
                                  "parameter '{}' of '{}' has elements of type {}, which cannot be passed to a kernel",
                                  "pass one container for each number"};

constexpr DiagnosticKind kHalf{
    "c-family.half", DiagnosticClass::User, "a value of type {} reached the backend",
    "add type-legalization behind special-function to the target's passes, as those in hw/ have it"};

} // namespace

void requireLegalTypes(const Module &module) {
  auto check = [](const Node &n) {
    Type type;
    if (isa<Expr>(&n)) type = static_cast<const Expr &>(n).type.leaf();
    if (const auto *declared = dyn<Declare>(&n)) type = declared->type.leaf();
    if (type.isHalf()) fail(kHalf, n.range, type.text());
  };
  for (const Kernel *kernel : module.kernels) walk(kernel, check);
  for (const Function *function : module.functions) walk(function, check);
}

std::uint64_t accessAlignment(std::uint64_t bytes) {
  constexpr std::uint64_t kWidest = 16; // an access of one worker
  std::uint64_t alignment = 1;
  while (alignment < kWidest && bytes && bytes % (2 * alignment) == 0) alignment *= 2;
  return alignment;
}

std::string pointer(const Argument &a) {
  return (a.access == Access::In ? "const " : "") + a.element.cName() + " *" + a.data;
}

Signature signatureOf(const Module &module, const Kernel &kernel) {
  Signature s;
  s.kernel = &kernel;
  s.entry = kernel.name;
  s.spectrum = kernel.spectrum;
  const Spectrum *spectrum = nullptr;
  for (const Spectrum *candidate : module.spectrums)
    if (candidate->name == kernel.spectrum) spectrum = candidate;
  if (!spectrum) failBug(kernel.range, "c-family", fmt::format("kernel '{}' has no spectrum", kernel.name));

  std::size_t next = 0;
  auto take = [&]() -> const Param * {
    if (next == kernel.params.size())
      failBug(kernel.range, "c-family", fmt::format("kernel '{}' has too few parameters", kernel.name));
    return kernel.params[next++];
  };
  const Structs structs(module);
  std::set<std::string> used;
  auto use = [&](auto &&self, const Type &type) -> void {
    const Struct *structure = structs.find(type);
    if (!structure || !used.insert(structure->name).second) return;
    for (const Param *field : structure->fields) self(self, field->type);
    s.structs.push_back(structure);
  };
  auto element = [&](Argument &a, const Type &type) {
    bool known = type.isStruct() && structs.find(type);
    if (!type.isScalar() && !known) fail(kElement, spectrum->range, a.name, spectrum->name, type.text());
    a.element = type;
    if (!known) return;
    a.fields = structs.leaves(type);
    a.bytes = structs.bytes(type);
    use(use, type);
  };
  for (const Param *p : spectrum->params) {
    Argument a;
    a.name = p->name;
    a.access = p->access;
    a.rank = p->type.rank();
    element(a, p->type.isArray() ? p->type.element() : p->type);
    if (a.rank > TANGRAM_MAX_RANK) fail(kRank, p->range, p->name, spectrum->name, a.rank, TANGRAM_MAX_RANK);
    a.data = take()->name;
    for (unsigned d = 0; d < a.rank; ++d) a.sizes.push_back(take()->name);
    for (unsigned d = 0; d + 1 < a.rank; ++d) a.strides.push_back(take()->name);
    s.arguments.push_back(std::move(a));
  }
  s.hasResult = !spectrum->result.isVoid();
  if (s.hasResult) {
    Argument a;
    a.name = "result";
    a.access = Access::Out;
    element(a, spectrum->result);
    a.data = take()->name;
    s.arguments.push_back(std::move(a));
  }
  if (next != kernel.params.size())
    failBug(kernel.range, "c-family", fmt::format("kernel '{}' has too many parameters", kernel.name));
  return s;
}

namespace {

void append(std::string &list, const std::string &item) { list += (list.empty() ? "" : ", ") + item; }

bool isValue(const Argument &a) { return a.rank == 0 && a.access == Access::In; }

} // namespace

std::string parameters(const Signature &signature, const std::function<std::string(const Argument &)> &data) {
  std::string text;
  for (const Argument &a : signature.arguments) {
    append(text, isValue(a) ? a.element.cName() + " " + a.data : data(a));
    for (const std::string &size : a.sizes) append(text, "size_t " + size);
    for (const std::string &stride : a.strides) append(text, "size_t " + stride);
  }
  return text.empty() ? "void" : text;
}

std::string names(const Signature &signature) {
  std::string text;
  for (const Argument &a : signature.arguments) {
    append(text, a.data);
    for (const std::string &size : a.sizes) append(text, size);
    for (const std::string &stride : a.strides) append(text, stride);
  }
  return text;
}

std::string passed(const Signature &signature, const Param &param, bool handles) {
  const Argument *argument = nullptr;
  for (const Argument &a : signature.arguments)
    if (a.data == param.name) argument = &a;
  bool bits = argument && argument->element.isHalf() && !param.type.leaf().isHalf();
  if (param.type.isPointer()) {
    if (!bits || handles) return param.name;
    return fmt::format("reinterpret_cast<{}uint16_t *>({})", argument->access == Access::In ? "const " : "",
                       param.name);
  }
  bool dereferences = param.access != Access::In && param.type.isScalar();
  if (bits) return param.name + (dereferences ? "->bits" : ".bits");
  return (dereferences ? "*" : "") + param.name;
}

std::string sizeParameters(const Signature &signature) {
  std::string text;
  for (const Argument &a : signature.arguments) {
    if (isValue(a)) append(text, a.element.cName() + " " + a.data);
    for (const std::string &size : a.sizes) append(text, "size_t " + size);
    for (const std::string &stride : a.strides) append(text, "size_t " + stride);
  }
  return text.empty() ? "void" : text;
}

std::string sizeNames(const Signature &signature) {
  std::string text;
  for (const Argument &a : signature.arguments) {
    if (isValue(a)) append(text, a.data);
    for (const std::string &size : a.sizes) append(text, size);
    for (const std::string &stride : a.strides) append(text, stride);
  }
  return text;
}

} // namespace tangram::c_family
