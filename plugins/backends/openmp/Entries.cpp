#include "Entries.h"

#include "tangram/ast/Walk.h"
#include "tangram/diag/Diagnostic.h"
#include "tangram/runtime/kernel_abi.h"

namespace tangram::openmp {

using namespace ast;

namespace {

constexpr DiagnosticKind kRank{"openmp.rank", DiagnosticClass::Limitation,
                               "parameter '{}' of '{}' has {} dimensions; a kernel's parameters have at most {}",
                               "pass it as several containers of fewer dimensions"};
constexpr DiagnosticKind kElement{"openmp.element", DiagnosticClass::Limitation,
                                  "parameter '{}' of '{}' has elements of type {}, which cannot be passed to a kernel",
                                  "pass one container for each member"};

std::string pointer(const Argument &a) {
  return (a.access == Access::In ? "const " : "") + a.element.cName() + " *" + a.data;
}

std::string elementConstant(const Type &type) {
  std::string text = type.text();
  for (char &c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return "TANGRAM_" + text;
}

/// A condition in the words of the source: sizes as in.size(), no conversions.
class InSourceWords {
public:
  explicit InSourceWords(const Signature &signature) {
    for (const Argument &a : signature.arguments) {
      for (std::size_t d = 0; d < a.sizes.size(); ++d)
        words_.spelling[a.sizes[d]] = a.rank == 1 ? a.name + ".size()" : fmt::format("{}.size({})", a.name, d);
      for (std::size_t d = 0; d < a.strides.size(); ++d)
        words_.spelling[a.strides[d]] = fmt::format("the stride of dimension {} of {}", d, a.name);
    }
  }
  std::string operator()(const Expr *e) { return words_.print(bare(e), Type(Scalar::U64)); }

private:
  const Expr *bare(const Expr *e) {
    if (const auto *cast = dyn<Cast>(e)) return bare(cast->operand);
    if (const auto *b = dyn<Binary>(e))
      return scratch_.derive(b, [&](Binary &copy) {
        copy.lhs = bare(b->lhs);
        copy.rhs = bare(b->rhs);
      });
    if (const auto *u = dyn<Unary>(e)) return scratch_.derive(u, [&](Unary &copy) { copy.operand = bare(u->operand); });
    if (const auto *l = dyn<IntLit>(e); l && l->value >= 0 && !l->type.isBool())
      return scratch_.derive(l, [&](IntLit &copy) { copy.type = Scalar::I32; });
    return e;
  }
  Arena scratch_;
  Expressions words_;
};

std::string product(const std::vector<std::string> &factors, std::string_view separator) {
  std::string text;
  for (const std::string &factor : factors) text += (text.empty() ? "" : std::string(separator)) + factor;
  return text;
}

} // namespace

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += static_cast<char>(c);
    else if (c == '\n')
      out += "\\n";
    else if (c < 0x20 || c == 0x7f || c == '?')
      out += fmt::format("\\{:03o}", c);
    else
      out += static_cast<char>(c);
  }
  return out + '"';
}

Signature signatureOf(const Module &module, const Kernel &kernel) {
  Signature s;
  s.kernel = &kernel;
  s.entry = kernel.name;
  s.spectrum = kernel.spectrum;
  const Spectrum *spectrum = nullptr;
  for (const Spectrum *candidate : module.spectrums)
    if (candidate->name == kernel.spectrum) spectrum = candidate;
  if (!spectrum) failBug(kernel.range, "openmp", fmt::format("kernel '{}' has no spectrum", kernel.name));

  std::size_t next = 0;
  auto take = [&]() -> const Param * {
    if (next == kernel.params.size())
      failBug(kernel.range, "openmp", fmt::format("kernel '{}' has too few parameters", kernel.name));
    return kernel.params[next++];
  };
  auto element = [&](const std::string &name, const Type &type) {
    if (!type.isScalar()) fail(kElement, spectrum->range, name, spectrum->name, type.text());
    return type;
  };
  for (const Param *p : spectrum->params) {
    Argument a;
    a.name = p->name;
    a.access = p->access;
    a.rank = p->type.rank();
    a.element = element(p->name, p->type.isArray() ? p->type.element() : p->type);
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
    a.element = element("result", spectrum->result);
    a.data = take()->name;
    s.arguments.push_back(std::move(a));
  }
  if (next != kernel.params.size())
    failBug(kernel.range, "openmp", fmt::format("kernel '{}' has too many parameters", kernel.name));
  return s;
}

std::string parameters(const Signature &signature) {
  std::string text;
  for (const Argument &a : signature.arguments) {
    if (!text.empty()) text += ", ";
    text += a.rank || a.access != Access::In ? pointer(a) : a.element.cName() + " " + a.data;
    for (const std::string &size : a.sizes) text += ", size_t " + size;
    for (const std::string &stride : a.strides) text += ", size_t " + stride;
  }
  return text.empty() ? "void" : text;
}

void declareEntry(Writer &w, const Signature &s) {
  w.line(fmt::format("int {}({});", s.entry, parameters(s)));
  w.comment(fmt::format("Why the last call of {} in this thread failed; empty where it did not.", s.entry));
  w.line(fmt::format("const char *{}_error(void);", s.entry));
}

// ---- the wrapper for C++ -------------------------------------------------------------------------------

namespace {

enum class Form { Pointers, Dense, Containers };

void wrapper(Writer &w, const Signature &s, Form form) {
  std::string params, templates, args, call;
  std::string result = "void";
  for (const Argument &a : s.arguments) {
    bool isResult = s.hasResult && &a == &s.arguments.back();
    if (isResult) {
      result = a.element.cName();
      args += (args.empty() ? "&" : ", &") + a.data;
      continue;
    }
    if (!params.empty()) params += ", ";
    if (!args.empty()) args += ", ";
    if (a.rank == 0) {
      params += a.element.cName() + (a.access == Access::In ? " " : " &") + a.data;
      args += (a.access == Access::In ? "" : "&") + a.data;
    } else if (form == Form::Containers) {
      std::string type = "T_" + a.data;
      templates += (templates.empty() ? "class " : ", class ") + type;
      params += (a.access == Access::In ? "const " + type + " &" : type + " &&") + a.data;
      args += fmt::format("std::data({0}), std::size({0})", a.data);
    } else {
      params += pointer(a);
      args += a.data;
      for (const std::string &size : a.sizes) {
        params += ", size_t " + size;
        args += ", " + size;
      }
      for (std::size_t d = 0; d < a.strides.size(); ++d) {
        if (form == Form::Pointers) params += ", size_t " + a.strides[d];
        std::vector<std::string> inner(a.sizes.begin() + static_cast<std::ptrdiff_t>(d) + 1, a.sizes.end());
        args += ", " + (form == Form::Pointers ? a.strides[d] : product(inner, " * "));
      }
    }
  }
  if (form == Form::Containers) {
    // Forwards to the form with pointers, so that it is there only for containers of the right element.
    std::string forwarded = args.substr(0, s.hasResult ? args.rfind(", &") : args.size());
    w.line(fmt::format("template <{}> inline auto {}({}) -> decltype({}({})) {{ return {}({}); }}", templates, s.entry,
                       params, s.entry, forwarded, s.entry, forwarded));
    return;
  }
  w.open(fmt::format("inline {} {}({})", result, s.entry, params));
  if (s.hasResult) w.line(fmt::format("{} {}{{}};", result, s.arguments.back().data));
  w.line(fmt::format("if (::{}({}) != 0) throw std::runtime_error(::{}_error());", s.entry, args, s.entry));
  if (s.hasResult) w.line(fmt::format("return {};", s.arguments.back().data));
  w.close();
}

} // namespace

void declareWrapper(Writer &w, const Signature &s) {
  bool containers = false, strided = false;
  for (const Argument &a : s.arguments) {
    containers |= a.rank > 0;
    strided |= a.rank > 1;
  }
  wrapper(w, s, Form::Pointers);
  if (strided) {
    w.comment("Dense: rows follow each other without a gap.");
    wrapper(w, s, Form::Dense);
  } else if (containers) {
    w.comment("From whatever has data() and size(): std::vector, std::array, std::span.");
    wrapper(w, s, Form::Containers);
  }
}

// ---- the entry -----------------------------------------------------------------------------------------

namespace {

void checkArgument(Writer &w, const Signature &s, const Argument &a) {
  std::string fail = fmt::format("return tangram_fail({}_kernel::last_error, TANGRAM_BAD_ARGUMENT, ", s.entry);
  if (a.rank == 0) {
    if (a.access == Access::In) return;
    w.line(fmt::format("if ({} == nullptr) {}{});", a.data, fail,
                       quoted(fmt::format("{}: '{}' is null", s.entry, a.name))));
    return;
  }
  std::string some, format, values;
  for (const std::string &size : a.sizes) {
    some += fmt::format(" && {} != 0", size);
    format += format.empty() ? "%zu" : " x %zu";
    values += ", " + size;
  }
  w.line(fmt::format("if ({} == nullptr{}) {}{}{});", a.data, some, fail,
                     quoted(fmt::format("{}: '{}' is null, but it has {} elements", s.entry, a.name, format)), values));
  for (std::size_t d = 0; d < a.strides.size(); ++d) {
    // A row and all that it holds lie within its stride.
    bool last = d + 1 == a.strides.size();
    std::string extent = last ? a.sizes[d + 1] : fmt::format("{} * {}", a.sizes[d + 1], a.strides[d + 1]);
    w.line(fmt::format("if ({} > 1{} && {} < {}) {}{}, {}, {});", a.sizes[d], some, a.strides[d], extent, fail,
                       quoted(fmt::format("{}: stride {} of '{}' is %zu, less than the %zu elements that it steps over",
                                          s.entry, d, a.name)),
                       a.strides[d], extent));
  }
}

} // namespace

void defineEntry(Writer &w, const Signature &s, const std::string &run, bool canFail) {
  w.line(fmt::format("const char *{}_error(void) {{ return {}_kernel::last_error; }}", s.entry, s.entry));
  w.blank();
  w.open(fmt::format("int {}({})", s.entry, parameters(s)));
  w.line(fmt::format("{}_kernel::last_error[0] = '\\0';", s.entry));
  for (const Argument &a : s.arguments) checkArgument(w, s, a);

  std::string fail = fmt::format("return tangram_fail({}_kernel::last_error, TANGRAM_BAD_ARGUMENT, ", s.entry);
  InSourceWords words(s);
  Expressions expressions;
  for (const Expr *condition : s.kernel->conditions) {
    // Quotes, percent signs: the words of a condition are data.
    std::string text = fmt::format("{}: {} does not hold", s.entry, words(condition));
    w.line(fmt::format("if (!({})) {}\"%s\", {});", expressions.print(condition), fail, quoted(text)));
  }
  std::set<std::string> sizes;
  for (const Argument &a : s.arguments) sizes.insert(a.sizes.begin(), a.sizes.end());
  Arena arena;
  for (const SizeLimit &limit : sizeLimits(*s.kernel, sizes, arena)) {
    std::string value = expressions.print(limit.value);
    std::string text = fmt::format("{}: {} is %zu, but its codelets count it in 32 bits: at most {}", s.entry,
                                   words(limit.value), limit.most);
    w.line(fmt::format("if ({} > {}u) {}{}, {});", isa<VarRef>(limit.value) ? value : "size_t(" + value + ")",
                       limit.most, fail, quoted(text), value));
  }

  std::string args;
  for (const Param *p : s.kernel->params) {
    bool dereferences = !p->type.isPointer() && p->access != Access::In && p->type.isScalar();
    args += (args.empty() ? "" : ", ") + std::string(dereferences ? "*" : "") + p->name;
  }
  if (canFail) {
    w.line(fmt::format("if ({}({}) != TANGRAM_OK)", run, args));
    w.line(fmt::format("  return tangram_fail({}_kernel::last_error, TANGRAM_OUT_OF_MEMORY, {});", s.entry,
                       quoted(s.entry + ": no memory for temporaries")));
  } else {
    w.line(fmt::format("{}({});", run, args));
  }
  w.line("return TANGRAM_OK;");
  w.close();
}

// ---- the descriptor ------------------------------------------------------------------------------------

void defineDescriptor(Writer &w, const Signature &s, const std::string &target) {
  w.open(fmt::format("int {}_invoke([[maybe_unused]] void *const *args, tangram_error *error)", s.entry));
  std::string args, checks;
  std::vector<std::string> strideChecks;
  for (std::size_t i = 0; i < s.arguments.size(); ++i) {
    const Argument &a = s.arguments[i];
    std::string type = (a.access == Access::In ? "const " : "") + a.element.cName();
    if (!args.empty()) args += ", ";
    if (a.rank == 0) {
      std::string pointer = fmt::format("static_cast<{} *>(args[{}])", type, i);
      args += a.access == Access::In ? "*" + pointer : pointer;
      continue;
    }
    std::string array = fmt::format("array{}", i);
    w.line(fmt::format("const tangram_array &{} = *static_cast<const tangram_array *>(args[{}]);", array, i));
    args += fmt::format("static_cast<{} *>({}.data)", type, array);
    for (unsigned d = 0; d < a.rank; ++d) args += fmt::format(", {}.size[{}]", array, d);
    for (unsigned d = 0; d + 1 < a.rank; ++d) args += fmt::format(", {}.stride[{}]", array, d);
    strideChecks.push_back(
        fmt::format("if (status == TANGRAM_OK && {0}.size[{1}] > 1 && {0}.stride[{1}] != 1)", array, a.rank - 1));
    strideChecks.push_back(
        fmt::format("  status = tangram_fail({}_kernel::last_error, TANGRAM_BAD_ARGUMENT, {});", s.entry,
                    quoted(fmt::format("{}: the elements of '{}' do not lie side by side in its last dimension",
                                       s.entry, a.name))));
  }
  w.line("int status = TANGRAM_OK;");
  for (const std::string &check : strideChecks) w.line(check);
  w.line(fmt::format("if (status == TANGRAM_OK) status = {}({});", s.entry, args));
  w.open("if (error != nullptr)");
  w.line("error->status = status;");
  w.line(fmt::format("std::snprintf(error->message, sizeof error->message, \"%s\", status == TANGRAM_OK ? \"\" : "
                     "{}_kernel::last_error);",
                     s.entry));
  w.close();
  w.line("return status;");
  w.close();
  w.blank();
  std::string list;
  if (!s.arguments.empty()) {
    w.open(fmt::format("constexpr tangram_param {}_params[] =", s.entry));
    for (const Argument &a : s.arguments) {
      static constexpr std::string_view access[] = {"TANGRAM_IN", "TANGRAM_INOUT", "TANGRAM_OUT"};
      w.line(fmt::format("{{{}, {}, {}, {}}},", quoted(a.name), elementConstant(a.element), a.rank,
                         access[static_cast<std::size_t>(a.access)]));
    }
    w.close(";");
  }
  w.line(fmt::format(
      "constexpr tangram_kernel {}_kernel_descriptor = {{sizeof(tangram_kernel), TANGRAM_KERNEL_ABI, {}, {}, {}, {}, "
      "{}, {}, {}_invoke}};",
      s.entry, quoted(s.entry), quoted(s.spectrum), quoted(s.kernel->plan), quoted(target), s.arguments.size(),
      s.arguments.empty() ? "nullptr" : s.entry + "_params", s.entry));
}

} // namespace tangram::openmp
