// The descriptor of tangram/runtime/kernel_abi.h.
#include "tangram/c-family/Entries.h"

#include <fmt/format.h>

namespace tangram::c_family {

using namespace ast;

namespace {

std::string elementConstant(const Type &type) {
  if (type.isStruct()) return "TANGRAM_STRUCT";
  std::string text = type.text();
  for (char &c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return "TANGRAM_" + text;
}

} // namespace

std::string hostPointer(const Argument &a, const std::string &pointer) {
  return fmt::format("static_cast<{}{} *>({})", a.access == Access::In ? "const " : "", a.element.cName(), pointer);
}

std::string unpackArguments(Writer &w, const Signature &s, const FromPointer &convert) {
  std::string args;
  std::vector<std::string> checks;
  for (std::size_t i = 0; i < s.arguments.size(); ++i) {
    const Argument &a = s.arguments[i];
    if (!args.empty()) args += ", ";
    if (a.rank == 0) {
      std::string element = fmt::format("args[{}]", i);
      args += a.access == Access::In ? "*" + hostPointer(a, element) : convert(a, element);
      continue;
    }
    std::string array = fmt::format("array{}", i);
    w.line(fmt::format("const tangram_array &{} = *static_cast<const tangram_array *>(args[{}]);", array, i));
    args += convert(a, array + ".data");
    for (unsigned d = 0; d < a.rank; ++d) args += fmt::format(", {}.size[{}]", array, d);
    for (unsigned d = 0; d + 1 < a.rank; ++d) args += fmt::format(", {}.stride[{}]", array, d);
    checks.push_back(
        fmt::format("if (status == TANGRAM_OK && {0}.size[{1}] > 1 && {0}.stride[{1}] != 1)", array, a.rank - 1));
    checks.push_back(
        fmt::format("  status = tangram_fail({}_kernel::last_error, TANGRAM_BAD_ARGUMENT, {});", s.entry,
                    stringLiteral(fmt::format("{}: the elements of '{}' do not lie side by side in its last dimension",
                                              s.entry, a.name))));
  }
  w.line("int status = TANGRAM_OK;");
  for (const std::string &check : checks) w.line(check);
  return args;
}

void defineCall(Writer &w, const Signature &s, const EntryCall &call) {
  w.open(fmt::format("int {}_{}([[maybe_unused]] void *const *args, {}tangram_error *error)", s.entry, call.what,
                     call.extra));
  std::string args = unpackArguments(w, s, call.convert);
  if (!args.empty() && !call.more.empty()) args += ", ";
  w.line(fmt::format("if (status == TANGRAM_OK) status = {}({}{});", call.called, args, call.more));
  w.open("if (error != nullptr)");
  w.line("error->status = status;");
  w.line(fmt::format("std::snprintf(error->message, sizeof error->message, \"{}\", status == TANGRAM_OK ? \"\" : "
                     "{}_kernel::last_error);",
                     call.message, s.entry));
  w.close();
  w.line("return status;");
  w.close();
}

namespace {

/// Which fields the arguments have that are structs.
void defineStructTable(Writer &w, const Signature &s) {
  std::string table;
  for (std::size_t i = 0; i < s.arguments.size(); ++i) {
    const Argument &a = s.arguments[i];
    table += i ? ", " : "";
    if (!a.element.isStruct()) {
      table += "nullptr";
      continue;
    }
    std::string name = fmt::format("{}_struct{}", s.entry, i);
    w.open(fmt::format("constexpr tangram_field {}_fields[] =", name));
    for (const Structs::Leaf &leaf : a.fields)
      w.line(fmt::format("{{{}, {}, {}}},", stringLiteral(leaf.name()), elementConstant(leaf.type), leaf.offset));
    w.close(";");
    w.line(fmt::format("constexpr tangram_struct {0} = {{{1}, {2}, {0}_fields}};", name, a.bytes, a.fields.size()));
    w.line(fmt::format("static_assert(sizeof({}) == {}, \"another layout than the kernel's\");", a.element.cName(),
                       a.bytes));
    table += "&" + name;
  }
  w.line(fmt::format("constexpr const tangram_struct *{}_structs[] = {{{}}};", s.entry, table));
}

} // namespace

void defineDescriptor(Writer &w, const Signature &s, const std::string &target, const std::string &more) {
  if (!s.arguments.empty()) {
    w.open(fmt::format("constexpr tangram_param {}_params[] =", s.entry));
    for (const Argument &a : s.arguments) {
      static constexpr std::string_view access[] = {"TANGRAM_IN", "TANGRAM_INOUT", "TANGRAM_OUT"};
      w.line(fmt::format("{{{}, {}, {}, {}}},", stringLiteral(a.name), elementConstant(a.element), a.rank,
                         access[static_cast<std::size_t>(a.access)]));
    }
    w.close(";");
  }
  std::string last = more;
  if (!s.structs.empty()) {
    defineStructTable(w, s);
    last = fmt::format("{}, {}_structs", more.empty() ? ", nullptr, nullptr, nullptr" : more, s.entry);
  }
  w.line(fmt::format(
      "constexpr tangram_kernel {}_kernel_descriptor = {{sizeof(tangram_kernel), TANGRAM_KERNEL_ABI, {}, {}, {}, {}, "
      "{}, {}, {}_invoke{}}};",
      s.entry, stringLiteral(s.entry), stringLiteral(s.spectrum), stringLiteral(s.kernel->plan), stringLiteral(target),
      s.arguments.size(), s.arguments.empty() ? "nullptr" : s.entry + "_params", s.entry, last));
}

void defineTable(Writer &w, const std::vector<Signature> &signatures,
                 const std::function<void(const Signature &)> &descriptor) {
  w.blank();
  w.comment("Descriptors for callers that read signatures at run time. Only one file of a program can have them.");
  w.directive("#ifndef TANGRAM_NO_KERNEL_TABLE");
  w.line("namespace {");
  for (const Signature &s : signatures) {
    w.blank();
    descriptor(s);
  }
  w.blank();
  w.line("} // namespace");
  w.blank();
  std::string list;
  for (const Signature &s : signatures) list += (list.empty() ? "&" : ", &") + s.entry + "_kernel_descriptor";
  w.open("extern \"C\" __attribute__((visibility(\"default\"))) const tangram_kernel *const "
         "*tangram_kernel_table(uint32_t *count)");
  w.line(fmt::format("static constexpr const tangram_kernel *kernels[] = {{{}}};", list));
  w.line(fmt::format("*count = {};", signatures.size()));
  w.line("return kernels;");
  w.close();
  w.directive("#endif");
}

} // namespace tangram::c_family
