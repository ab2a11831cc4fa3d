// What an entry checks before anything runs.
#include "tangram/c-family/Entries.h"

#include "tangram/ast/Builtins.h"
#include "tangram/ast/Walk.h"
#include "tangram/c-family/SizeLimits.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::c_family {

using namespace ast;

namespace {

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
    if (const auto *call = dyn<ast::Call>(e); call && isHalfConversion(call->callee)) return bare(call->args[0]);
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

void checksOf(const Signature &s, const Argument &a, std::vector<EntryCheck> &checks) {
  using What = EntryCheck::What;
  if (a.rank == 0) {
    if (a.access != Access::In)
      checks.push_back({What::Null, &a, 0, nullptr, 0, fmt::format("{}: '{}' is null", s.entry, a.name)});
    return;
  }
  std::string format;
  for (std::size_t d = 0; d < a.sizes.size(); ++d) format += d ? " x %zu" : "%zu";
  checks.push_back({What::Null, &a, 0, nullptr, 0,
                    fmt::format("{}: '{}' is null, but it has {} elements", s.entry, a.name, format)});
  for (std::size_t d = 0; d < a.strides.size(); ++d)
    checks.push_back({What::Stride, &a, d, nullptr, 0,
                      fmt::format("{}: stride {} of '{}' is %zu, less than the %zu elements that it steps over",
                                  s.entry, d, a.name)});
}

/// Whether it is known when the code is compiled: made of the kernel's constants.
bool ofConstants(const Expr *condition, const Kernel &kernel) {
  auto isConstant = [&](const VarRef &v) {
    return std::any_of(kernel.constants.begin(), kernel.constants.end(),
                       [&](const Param *constant) { return constant->name == v.name; });
  };
  return any<VarRef>(condition, isConstant) && !any<VarRef>(condition, [&](const VarRef &v) { return !isConstant(v); });
}

} // namespace

void assertConstants(Writer &w, const Signature &s, Expressions &e) {
  InSourceWords words(s);
  for (const Expr *condition : s.kernel->conditions) {
    if (!ofConstants(condition, *s.kernel)) continue;
    std::string macros;
    for (const Param *constant : s.kernel->constants)
      if (mentions(condition, constant->name)) macros += (macros.empty() ? "" : ", ") + constantMacro(s, *constant);
    std::string text =
        fmt::format("{}: the code was made for {} only: set {} so, or compile a plan with the value that "
                    "you want (tangram compile --plan)",
                    s.entry, words(condition), macros);
    w.line(fmt::format("static_assert({}, {});", e.print(condition), stringLiteral(text)));
  }
}

void defineError(Writer &w, const Signature &s) {
  w.line(fmt::format("const char *{}_error(void) {{ return {}_kernel::last_error; }}", s.entry, s.entry));
}

std::vector<EntryCheck> entryChecks(const Signature &s, Arena &arena) {
  using What = EntryCheck::What;
  std::vector<EntryCheck> checks;
  for (const Argument &a : s.arguments) checksOf(s, a, checks);
  InSourceWords words(s);
  for (const Expr *condition : s.kernel->conditions)
    if (!ofConstants(condition, *s.kernel)) // assertConstants()
      checks.push_back(
          {What::Condition, nullptr, 0, condition, 0, fmt::format("{}: {} does not hold", s.entry, words(condition))});
  std::set<std::string> sizes;
  for (const Argument &a : s.arguments) sizes.insert(a.sizes.begin(), a.sizes.end());
  for (const SizeLimit &limit : sizeLimits(*s.kernel, sizes, arena))
    checks.push_back({What::Limit, nullptr, 0, limit.value, limit.most,
                      fmt::format("{}: {} is %zu, but its codelets count it in 32 bits: at most {}", s.entry,
                                  words(limit.value), limit.most)});
  return checks;
}

void checkArguments(Writer &w, const Signature &s) {
  std::string fail = fmt::format("return tangram_fail({}_kernel::last_error, TANGRAM_BAD_ARGUMENT, ", s.entry);
  Expressions expressions;
  Arena arena;
  for (const EntryCheck &check : entryChecks(s, arena)) {
    std::string some, values;
    if (check.argument)
      for (const std::string &size : check.argument->sizes) {
        some += fmt::format(" && {} != 0", size);
        values += ", " + size;
      }
    switch (check.what) {
    case EntryCheck::What::Null:
      w.line(fmt::format("if ({} == nullptr{}) {}{}{});", check.argument->data, some, fail,
                         stringLiteral(check.message), values));
      break;
    case EntryCheck::What::Stride: {
      // A row and all that it holds lie within its stride.
      const Argument &a = *check.argument;
      const std::size_t d = check.dimension;
      bool last = d + 1 == a.strides.size();
      std::string extent = last ? a.sizes[d + 1] : fmt::format("{} * {}", a.sizes[d + 1], a.strides[d + 1]);
      w.line(fmt::format("if ({} > 1{} && {} < {}) {}{}, {}, {});", a.sizes[d], some, a.strides[d], extent, fail,
                         stringLiteral(check.message), a.strides[d], extent));
      break;
    }
    case EntryCheck::What::Condition: // quotes, percent signs: its words are data
      w.line(
          fmt::format("if (!({})) {}\"%s\", {});", expressions.print(check.value), fail, stringLiteral(check.message)));
      break;
    case EntryCheck::What::Limit: {
      std::string value = expressions.print(check.value);
      w.line(fmt::format("if ({} > {}u) {}{}, {});", isa<VarRef>(check.value) ? value : "size_t(" + value + ")",
                         check.most, fail, stringLiteral(check.message), value));
      break;
    }
    }
  }
}

void defineEntry(Writer &w, const Signature &s, const std::string &run, bool canFail) {
  defineError(w, s);
  w.blank();
  w.open(fmt::format("int {}({})", s.entry, parameters(s)));
  w.line(fmt::format("{}_kernel::last_error[0] = '\\0';", s.entry));
  checkArguments(w, s);
  std::string args;
  for (const Param *p : s.kernel->params) args += (args.empty() ? "" : ", ") + passed(s, *p);
  if (contains<Report>(s.kernel->body)) {
    w.line(fmt::format("const int tangram_status = {}({});", run, args));
    w.line(fmt::format("if (tangram_status == TANGRAM_OUT_OF_MEMORY) return tangram_fail({}_kernel::last_error, "
                       "tangram_status, {});",
                       s.entry, stringLiteral(s.entry + ": no memory for temporaries")));
    w.line("return tangram_status;");
    return w.close();
  }
  if (canFail) {
    w.line(fmt::format("if ({}({}) != TANGRAM_OK)", run, args));
    w.line(fmt::format("  return tangram_fail({}_kernel::last_error, TANGRAM_OUT_OF_MEMORY, {});", s.entry,
                       stringLiteral(s.entry + ": no memory for temporaries")));
  } else {
    w.line(fmt::format("{}({});", run, args));
  }
  w.line("return TANGRAM_OK;");
  w.close();
}

} // namespace tangram::c_family
