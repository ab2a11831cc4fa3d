// One translation unit and one header for all kernels of a module.
#include "Backend.h"
#include "ReferenceExpressions.h"
#include "Statements.h"

#include "tangram/c-family/Entries.h"

#include "tangram/ast/Walk.h"

#include <algorithm>
#include <utility>

namespace tangram::openmp {

using namespace ast;
using namespace c_family;

namespace {

constexpr DiagnosticKind kNoKernels{"openmp.no-kernels", DiagnosticClass::Bug, "there is no kernel to write",
                                    "compose a plan first"};

constexpr std::string_view kBuffer =
    R"(// A temporary that is too large for the stack. Its data is null where there is no memory for it.
template <class T> class Buffer {
public:
  explicit Buffer(std::initializer_list<size_t> extents) {
    size_t count = 1;
    bool overflow = false;
    for (size_t extent : extents) overflow |= __builtin_mul_overflow(count, extent, &count);
    if (!overflow && count <= (PTRDIFF_MAX - 64) / sizeof(T))
      data_ = static_cast<T *>(std::aligned_alloc(64, (count * sizeof(T) + 64) / 64 * 64));
  }
  ~Buffer() { std::free(data_); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  T *data() const { return data_; }

private:
  T *data_ = nullptr;
};
)";

constexpr std::string_view kAtomics = R"(// Each returns the value before.
namespace tangram_atomic {
template <class T> using same = std::common_type_t<T>; // the type of the place, whatever a literal's is
template <class T, class F> T update(T *place, F change) {
  T before, after;
  __atomic_load(place, &before, __ATOMIC_RELAXED);
  do {
    after = change(before);
    // What stays as it is needs no write, which would take the line from all others.
    if (std::memcmp(&before, &after, sizeof(T)) == 0) return before;
  } while (!__atomic_compare_exchange(place, &before, &after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return before;
}
template <class T> [[maybe_unused]] T add(T *place, same<T> value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    return __atomic_fetch_add(place, value, __ATOMIC_RELAXED);
  else
    return update(place, [=](T old) { return T(old + value); });
}
template <class T> [[maybe_unused]] T sub(T *place, same<T> value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    return __atomic_fetch_sub(place, value, __ATOMIC_RELAXED);
  else
    return update(place, [=](T old) { return T(old - value); });
}
template <class T> [[maybe_unused]] T min(T *place, same<T> value) {
  return update(place, [=](T old) { return value < old ? value : old; });
}
template <class T> [[maybe_unused]] T max(T *place, same<T> value) {
  return update(place, [=](T old) { return old < value ? value : old; });
}
template <class T> [[maybe_unused]] T bit_and(T *place, same<T> value) {
  return update(place, [=](T old) { return T(old & value); });
}
template <class T> [[maybe_unused]] T bit_or(T *place, same<T> value) {
  return update(place, [=](T old) { return T(old | value); });
}
template <class T> [[maybe_unused]] T bit_xor(T *place, same<T> value) {
  return update(place, [=](T old) { return T(old ^ value); });
}
template <class T> [[maybe_unused]] T exchange(T *place, same<T> value) {
  return update(place, [=](T) { return value; });
}
template <class T> [[maybe_unused]] T compare_exchange(T *place, same<T> expected, same<T> value) {
  return update(place, [=](T old) { return old == expected ? value : old; });
}
} // namespace tangram_atomic
)";

/// How many parallel regions stand within each other.
unsigned regions(const Node *tree, const hardware::Hardware &hardware) {
  unsigned deepest = 0;
  walk(tree, [&](const Loop &loop) {
    const hardware::Level *level = hardware.find(loop.level);
    bool parallel =
        level && loop.policy == Policy::Distribute && !level->vector && !hardware::areIterations(level->sync);
    unsigned below = regions(loop.body, hardware) + (parallel ? 1 : 0);
    deepest = std::max(deepest, below);
    return WalkResult::Skip;
  });
  return deepest;
}

class Emitter {
public:
  Emitter(const Module &module, EmitContext &context) : module_(module), context_(context) {
    for (const Kernel *kernel : module.kernels) signatures_.push_back(signatureOf(module, *kernel));
    constants_ = context.options.text("constants");
    reference_ = context.options.flag("reference");
  }

  OutputFile header() { return hostHeader(signatures_, context_); }

  OutputFile source() {
    std::string name = context_.stem + ".cpp";
    // What stands in front depends on what the kernels turn out to use, and #line directives count lines.
    std::string body = write(name), again = write(name);
    while (again != body) body = std::exchange(again, write(name));
    return {name, OutputFile::Role::Source, body};
  }

private:
  std::string write(const std::string &name) {
    Writer w(name);
    preamble(w);
    ReferenceExpressions followed;
    VectorExpressions plain;
    VectorExpressions &expressions = reference_ ? static_cast<VectorExpressions &>(followed) : plain;
    for (const Function *f : module_.functions) expressions.functions.insert(f->name);
    for (const Struct *s : structuresWithin(module_, signatures_)) defineStructure(w, *s, expressions);
    if (!module_.functions.empty()) functions(w, expressions);
    for (const Signature &s : signatures_) kernel(w, s, expressions);
    needs_.vectors |= expressions.usesVectors;
    needs_.limits |= expressions.usesLimits;
    needs_.atomics |= expressions.usesAtomics;
    needs_.checks |= expressions.usesChecks;
    needs_.half |= expressions.usesHalf;
    w.line("} // namespace");
    w.blank();
    w.line("extern \"C\" {");
    for (const Signature &s : signatures_) {
      w.blank();
      defineEntry(w, s, run(s), openmp::Statements::canFail(*s.kernel, statementOptions()));
    }
    w.blank();
    w.line("} // extern \"C\"");
    table(w);
    return w.take();
  }

  StatementOptions statementOptions() const {
    // What is known of elements beside their bytes goes by pages of memory: reference kernels have no small
    // temporaries.
    std::int64_t stack = reference_ ? 0 : context_.options.integer("stack-bytes");
    return {context_.options.flag("line"), static_cast<std::uint64_t>(stack)};
  }

  void preamble(Writer &w) {
    w.comment(fmt::format("Generated by Tangram for target {}; {}.h says how to call it.", context_.target.name,
                          context_.stem));
    if (!context_.options.flag("fma")) {
      w.directive("#if defined(__clang__)");
      w.directive("#pragma clang fp contract(off)");
      w.directive("#elif defined(__GNUC__)");
      w.directive("#pragma GCC optimize(\"fp-contract=off\")");
      w.directive("#endif");
    }
    // Of loops that copy and clear several parts of one array, g++ 12 clears before it has copied.
    w.directive("#if defined(__GNUC__) && !defined(__clang__)");
    w.directive("#pragma GCC optimize(\"no-tree-loop-distribute-patterns\") // wrong code otherwise");
    w.directive("#endif");
    w.directive(fmt::format("#include \"{}.h\"", context_.stem));
    w.blank();
    w.directive("#include <tangram/runtime/kernel_abi.h>");
    if (reference_) w.directive("#include <tangram/runtime/error_analysis.h>");
    if (needs_.half) w.directive("#include <tangram/runtime/float16.h>");
    if (needs_.vectors && !context_.options.flag("vector-math")) w.directive("#define TANGRAM_VEC_MATH_LIBRARY 0");
    if (needs_.vectors) w.directive("#include <tangram/runtime/vec.h>");
    if (needs_.checks)
      w.directive(fmt::format("#include <tangram/runtime/{}.h>", needs_.vectors ? "vec/checked" : "checked"));
    w.blank();
    w.directive("#include <algorithm>");
    w.directive("#include <cmath>");
    w.directive("#include <cstdarg>");
    w.directive("#include <cstdio>");
    if (needs_.heap) w.directive("#include <cstdlib>");
    if (needs_.atomics) w.directive("#include <cstring>");
    if (needs_.heap) w.directive("#include <initializer_list>");
    if (needs_.limits) w.directive("#include <limits>");
    if (needs_.atomics) w.directive("#include <type_traits>");
    w.blank();
    if (needs_.threads) {
      w.directive("#if defined(_OPENMP)");
      w.directive("#include <omp.h>");
      w.directive("#elif !defined(TANGRAM_SERIAL)");
      w.directive("#error \"without OpenMP this would run in one thread: compile it with -fopenmp, or define "
                  "TANGRAM_SERIAL to have it so\"");
      w.directive("#endif");
      w.blank();
    }
    if (needs_.simd || needs_.independent) {
      w.directive("#if defined(__clang__)");
      w.directive(
          "#pragma clang diagnostic ignored \"-Wpass-failed\" // a loop that stays scalar is right all the same");
      if (needs_.independent) {
        w.directive("#define TANGRAM_INDEPENDENT _Pragma(\"clang loop vectorize(assume_safety)\")");
        w.directive("#else");
        w.directive("#define TANGRAM_INDEPENDENT _Pragma(\"GCC ivdep\") // iterations touch nothing of each other's");
      }
      w.directive("#endif");
      w.blank();
    }
    w.line("namespace {");
    w.blank();
    defineFail(w);
    if (reference_) {
      w.blank();
      w.line("template <class T> using Buffer = tangram::reference::Buffer<T>;");
      w.line("namespace tangram_atomic = tangram::reference::atomic;");
    }
    if (needs_.heap && !reference_) {
      w.blank();
      w.verbatim(kBuffer);
    }
    if (needs_.atomics && !reference_) {
      w.blank();
      w.verbatim(kAtomics);
    }
    w.blank();
  }

  void functions(Writer &w, VectorExpressions &expressions) {
    for (const Function *f : module_.functions) {
      openmp::Statements statements(w, expressions, module_, context_.target.hardware, statementOptions());
      statements.define(*f, "inline");
      note(statements);
    }
  }

  void note(const openmp::Statements &statements) {
    needs_.heap |= statements.usesHeap;
    needs_.threads |= statements.usesThreads;
    needs_.simd |= statements.usesSimd;
    needs_.independent |= statements.usesIndependent;
  }

  std::string macro(const Signature &s, const Param &constant) const {
    return macroName(s.entry + "_" + constant.name);
  }

  std::string run(const Signature &s) const {
    bool templated = constants_ == "template" && !s.kernel->constants.empty();
    return s.entry + "_kernel::run" + (templated ? "<>" : "");
  }

  void kernel(Writer &w, const Signature &s, VectorExpressions &expressions) {
    const Kernel &kernel = *s.kernel;
    w.comment(fmt::format("The plan: {}", kernel.plan));
    w.line(fmt::format("namespace {}_kernel {{", s.entry));
    w.blank();
    w.line("thread_local char last_error[512];");
    w.blank();
    expressions.spelling.clear();
    std::string templates;
    for (std::size_t i = 0; i < kernel.constants.size(); ++i) {
      const Param &constant = *kernel.constants[i];
      std::string value = expressions.print(kernel.defaults[i], constant.type);
      std::string type = expressions.type(constant.type), name = macro(s, constant);
      if (constants_ == "template") {
        templates += (templates.empty() ? "" : ", ") + fmt::format("{} {} = {}", type, constant.name, value);
        continue;
      }
      if (i == 0) w.comment("Tunables: another value is set by -D.");
      w.directive("#ifndef " + name);
      w.directive(fmt::format("#define {} {}", name, value));
      w.directive("#endif");
      if (constants_ == "macro")
        expressions.spelling[constant.name] = name;
      else
        w.line(fmt::format("[[maybe_unused]] constexpr {} {} = {};", type, constant.name, name));
    }
    Arena arena;
    openmp::Statements statements(w, expressions, module_, context_.target.hardware, statementOptions());
    auto asserts = [&] {
      assertConstants(w, s, expressions);
      statements.assertStack(kernel, arena);
    };
    if (constants_ != "template") asserts();
    if (!kernel.constants.empty() && constants_ != "template") w.blank();
    if (!templates.empty()) w.line(fmt::format("template <{}>", templates));

    std::map<std::string, unsigned> mentions = c_family::mentions(c_family::simplified(kernel.body, arena));
    std::string params;
    for (const Param *p : kernel.params) {
      std::string text = mentions.count(p->name) ? "" : "[[maybe_unused]] ";
      if (p->type.isPointer()) {
        bool readOnly = p->access == Access::In && !p->type.toConst();
        text += expressions.type(readOnly ? Type::pointer(p->type.element(), true) : p->type) + p->name;
      } else {
        text += expressions.type(p->type) + (p->access == Access::In ? " " : " &") + p->name;
      }
      params += (params.empty() ? "" : ", ") + text;
    }
    w.open(fmt::format("{} run({})", openmp::Statements::canFail(kernel, statementOptions()) ? "int" : "void", params));
    if (constants_ == "template") asserts();
    if (reference_) w.line("const tangram::reference::KernelCall tangram_call;");
    unsigned nested = regions(kernel.body, context_.target.hardware);
    if (nested > 1) {
      w.directive("#if defined(_OPENMP)");
      w.line(fmt::format("if (omp_get_max_active_levels() < {0}) omp_set_max_active_levels({0});", nested));
      w.directive("#endif");
    }
    statements.kernel(kernel, arena);
    w.close();
    note(statements);
    expressions.spelling.clear();
    w.blank();
    w.line(fmt::format("}} // namespace {}_kernel", s.entry));
    w.blank();
  }

  void table(Writer &w) {
    defineTable(w, signatures_, [&](const Signature &s) {
      defineCall(w, s, {"invoke", "", s.entry, ""});
      w.blank();
      defineDescriptor(w, s, context_.target.name);
    });
  }

  const Module &module_;
  EmitContext &context_;
  std::vector<Signature> signatures_;
  std::string constants_;
  bool reference_ = false;
  struct {
    bool vectors = false, limits = false, heap = false, threads = false, atomics = false, simd = false,
         independent = false, checks = false, half = false;
  } needs_;
};

} // namespace

std::vector<OutputFile> OpenMPBackend::emit(const Module &module, EmitContext &context) {
  if (module.kernels.empty()) fail(kNoKernels, module.range);
  if (!context.options.flag("reference")) requireLegalTypes(module); // those are followed in their own types
  Emitter emitter(module, context);
  return {emitter.source(), emitter.header()};
}

} // namespace tangram::openmp
