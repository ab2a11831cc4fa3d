#include "tangram/c-family/DeviceEntries.h"

#include "tangram/ast/Names.h"
#include "tangram/c-family/Expressions.h"
#include "tangram/c-family/Statements.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::c_family {

using namespace ast;

namespace {

/// Of last_error, which is longer than tangram_error's message.
constexpr const char *kCut = "%.511s";

std::string joined(const std::string &a, const std::string &b) { return a.empty() || b.empty() ? a + b : a + ", " + b; }

/// A parameter list without void.
std::string bare(const std::string &parameters) { return parameters == "void" ? "" : parameters; }

bool isOnDevice(const Argument &a) { return a.rank > 0 || a.access == Access::Out; }

/// Scalars that a kernel changes on the host are passed by address wherever the data lies.
std::function<std::string(const Argument &)> dataOf(const DeviceStyle &style) {
  return [&style](const Argument &a) { return isOnDevice(a) ? style.data(a) : pointer(a); };
}

std::string declared(const std::string &type, const std::string &name) {
  return type + (type.ends_with('*') ? "" : " ") + name;
}

std::string deviceParameters(const Signature &s, const DeviceStyle &style) {
  DeviceNames extra = deviceNames(s);
  return joined(bare(parameters(s, dataOf(style))),
                fmt::format("{}, size_t {}, {}", declared(style.memory, extra.workspace), extra.bytes,
                            declared(style.stream, extra.stream)));
}

FromPointer handleOf(const DeviceStyle &style) {
  return [&style](const Argument &a, const std::string &p) {
    return isOnDevice(a) ? style.handle(a, p) : hostPointer(a, p);
  };
}

std::string list(const std::vector<std::string> &items) {
  std::string text;
  for (const std::string &item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

} // namespace

DeviceNames deviceNames(const Signature &s) {
  Names taken;
  for (const Param *p : s.kernel->params) taken.reserve(p->name);
  taken.reserveAll(s.kernel->body);
  const Alloc *workspace = workspaceOf(*s.kernel);
  DeviceNames names;
  names.workspace = workspace ? workspace->name : taken.fresh("workspace");
  names.bytes = taken.fresh(names.workspace + "_bytes");
  names.stream = taken.fresh("stream");
  return names;
}

const Alloc *workspaceOf(const Kernel &kernel) {
  if (kernel.body->stmts.empty()) return nullptr;
  return dyn<Alloc>(kernel.body->stmts.front());
}

namespace {

void declareDeviceEntries(Writer &w, const Signature &s, const DeviceStyle &style) {
  w.comment("Data, result and workspace in memory of the device. Starts the kernel and does not wait for it.");
  w.line(fmt::format("int {}({});", s.entry, deviceParameters(s, style)));
  w.comment(fmt::format("Bytes of workspace that {} needs; calls that overlap in time need one each.", s.entry));
  w.line(fmt::format("size_t {}_workspace({});", s.entry, sizeParameters(s)));
  w.comment("Data in host memory: copies it, runs the kernel, waits, copies what it wrote.");
  declareEntry(w, s, s.entry + "_host");
  declareError(w, s);
}

void declareDeviceWrapper(Writer &w, const Signature &s, const DeviceStyle &style) {
  DeviceNames extra = deviceNames(s);
  w.open(fmt::format("inline void {}({})", s.entry, deviceParameters(s, style)));
  w.line(fmt::format("if (::{}({}) != 0) throw std::runtime_error(::{}_error());", s.entry,
                     joined(names(s), extra.workspace + ", " + extra.bytes + ", " + extra.stream), s.entry));
  w.close();
}

} // namespace

OutputFile deviceHeader(const std::vector<Signature> &signatures, const DeviceStyle &style, const EmitContext &context,
                        const std::string &include) {
  Writer w(context.stem + ".h");
  openHeader(w, context.stem, context.target.name, signatures);
  w.verbatim(include);
  w.blank();
  w.directive("#ifdef __cplusplus");
  w.directive("extern \"C\" {");
  w.directive("#endif");
  declareStructures(w, signatures);
  for (const Signature &s : signatures) {
    w.blank();
    w.comment(fmt::format("{}, composed by the plan", s.spectrum));
    w.comment("  " + s.kernel->plan);
    declareDeviceEntries(w, s, style);
  }
  openWrappers(w);
  for (const Signature &s : signatures) {
    w.blank();
    declareWrapper(w, s, s.entry + "_host");
  }
  w.blank();
  w.comment("With data in memory of the device; they do not wait for the kernel.");
  w.line("namespace device {");
  for (const Signature &s : signatures) {
    w.blank();
    declareDeviceWrapper(w, s, style);
  }
  w.blank();
  w.line("} // namespace device");
  closeHeader(w);
  return {context.stem + ".h", OutputFile::Role::Header, w.take()};
}

void defineCheck(Writer &w, const Signature &s, const DeviceStyle &style) {
  auto data = [](const Argument &a) {
    return isOnDevice(a) ? "const void *" + a.data : "const " + a.element.cName() + " *" + a.data;
  };
  std::string params = bare(parameters(s, data));
  // What nothing is to be said of is not used.
  std::string marked;
  for (std::size_t at = 0; at < params.size();) {
    std::size_t end = std::min(params.find(", ", at), params.size());
    marked += (marked.empty() ? "" : ", ") + ("[[maybe_unused]] " + params.substr(at, end - at));
    at = end + 2;
  }
  w.open(fmt::format("int check({})", marked));
  checkArguments(w, s);
  if (style.addresses)
    for (const Argument &a : s.arguments)
      if (isOnDevice(a) && a.element.bytes() > 1)
        w.line(fmt::format("if (reinterpret_cast<uintptr_t>({}) % {} != 0) return tangram_fail(last_error, "
                           "TANGRAM_BAD_ARGUMENT, {});",
                           a.data, a.element.bytes(),
                           c_family::stringLiteral(fmt::format("{}: '{}' is not aligned to its elements of {} bytes",
                                                               s.entry, a.name, a.element.bytes()))));
  w.line("return TANGRAM_OK;");
  w.close();
}

namespace {

/// Of structs in the device's memory; what is in host memory is copied to where it is aligned.
void checkAccessAlignment(Writer &w, const Signature &s) {
  for (const Argument &a : s.arguments)
    if (const std::uint64_t to = accessAlignment(a.bytes); isOnDevice(a) && !a.fields.empty() && to > 1)
      w.line(fmt::format("if (reinterpret_cast<uintptr_t>({}) % {} != 0) return tangram_fail({}_kernel::last_error, "
                         "TANGRAM_BAD_ARGUMENT, {});",
                         a.data, to, s.entry,
                         c_family::stringLiteral(fmt::format(
                             "{}: '{}' does not start at a multiple of {} bytes, as the device accesses elements of {}",
                             s.entry, a.name, to, a.bytes))));
}

void defineWorkspace(Writer &w, const Signature &s) {
  const Alloc *workspace = workspaceOf(*s.kernel);
  Expressions expressions;
  std::string bytes = workspace ? expressions.print(workspace->extents.at(0), Scalar::U64) : "0";
  w.open(fmt::format("size_t {}_workspace({})", s.entry, sizeParameters(s)));
  for (const Argument &a : s.arguments) {
    if (a.rank == 0 && a.access == Access::In) w.line(fmt::format("(void){};", a.data));
    for (const std::string &size : a.sizes) w.line(fmt::format("(void){};", size));
    for (const std::string &stride : a.strides) w.line(fmt::format("(void){};", stride));
  }
  // Tunables are constants of the kernel's own namespace.
  if (workspace) w.line(fmt::format("using namespace {}_kernel;", s.entry));
  w.line(fmt::format("return {};", bytes));
  w.close();
}

void defineForDevice(Writer &w, const Signature &s, const DeviceStyle &style) {
  w.open(fmt::format("int {}({})", s.entry, deviceParameters(s, style)));
  w.line(fmt::format("{}_kernel::last_error[0] = '\\0';", s.entry));
  DeviceNames extra = deviceNames(s);
  w.line(fmt::format("if (int tangram_status = {}_kernel::check({})) return tangram_status;", s.entry, names(s)));
  if (style.addresses) checkAccessAlignment(w, s);
  w.line(fmt::format("const size_t tangram_needed = {}_workspace({});", s.entry, sizeNames(s)));
  w.open(fmt::format("if ({0} < tangram_needed || ({1} == nullptr && tangram_needed != 0))", extra.bytes,
                     extra.workspace));
  w.line(fmt::format(
      "return tangram_fail({}_kernel::last_error, TANGRAM_BAD_ARGUMENT, {}, {} == nullptr ? 0 : {}, "
      "tangram_needed);",
      s.entry,
      c_family::stringLiteral(fmt::format("{0}: the workspace has %zu bytes, but {0}_workspace() says %zu", s.entry)),
      extra.workspace, extra.bytes));
  w.close();
  std::string args;
  for (const Param *p : s.kernel->params) args = joined(args, passed(s, *p, !style.addresses));
  w.line(fmt::format("return {}_kernel::run({});", s.entry, joined(args, extra.workspace + ", " + extra.stream)));
  w.close();
}

void defineForHost(Writer &w, const Signature &s, const DeviceStyle &style) {
  w.open(fmt::format("int {}_host({})", s.entry, parameters(s)));
  w.line(fmt::format("{}_kernel::last_error[0] = '\\0';", s.entry));
  w.line(fmt::format("if (int tangram_status = {}_kernel::check({})) return tangram_status;", s.entry, names(s)));
  w.line(fmt::format("tangram_entry::HostCall tangram_call({}, \"{}\", {}_kernel::last_error);", style.device, s.entry,
                     s.entry));
  std::string args;
  for (const Argument &a : s.arguments) {
    std::string name = a.data;
    if (isOnDevice(a)) {
      name = "tangram_data_" + a.data; // no parameter is called so
      std::string bytes = a.rank == 0 ? fmt::format("sizeof({})", a.element.cName())
                                      : fmt::format("tangram_entry::bytes(sizeof({}), {{{}}}, {{{}}})",
                                                    a.element.cName(), list(a.sizes), list(a.strides));
      // What lies between the rows of an array stays as it is.
      bool whole = a.access == Access::Out && a.rank < 2;
      w.line(fmt::format("void *const {} = tangram_call.{}({}, {});", name,
                         a.access == Access::In ? "in"
                         : whole                ? "out"
                                                : "inout",
                         a.data, bytes));
      name = style.handle(a, name);
    }
    args = joined(args, name);
    for (const std::string &size : a.sizes) args = joined(args, size);
    for (const std::string &stride : a.strides) args = joined(args, stride);
  }
  w.line(fmt::format("const size_t tangram_bytes = {}_workspace({});", s.entry, sizeNames(s)));
  w.line("void *const tangram_workspace = tangram_call.memory(tangram_bytes);");
  w.line("if (!tangram_call.ok()) return tangram_call.finish();");
  w.line(fmt::format("return tangram_call.finish({}({}));", s.entry,
                     joined(args, fmt::format("static_cast<{}>(tangram_workspace), tangram_bytes, {}", style.memory,
                                              style.defaultStream))));
  w.close();
}

/// NAME_invoke, NAME_bytes, NAME_launch and NAME_kernel_descriptor.
void defineDeviceDescriptor(Writer &w, const Signature &s, const DeviceStyle &style, const std::string &target) {
  defineCall(w, s, {"invoke", "", s.entry + "_host", "", kCut});
  w.blank();
  std::string sizes;
  w.open(fmt::format("uint64_t {}_bytes([[maybe_unused]] void *const *args)", s.entry));
  for (std::size_t i = 0; i < s.arguments.size(); ++i) {
    const Argument &a = s.arguments[i];
    if (a.rank == 0 && a.access == Access::In) sizes = joined(sizes, "*" + hostPointer(a, fmt::format("args[{}]", i)));
    if (a.rank == 0) continue;
    w.line(fmt::format("const tangram_array &array{0} = *static_cast<const tangram_array *>(args[{0}]);", i));
    for (unsigned d = 0; d < a.rank; ++d) sizes = joined(sizes, fmt::format("array{}.size[{}]", i, d));
    for (unsigned d = 0; d + 1 < a.rank; ++d) sizes = joined(sizes, fmt::format("array{}.stride[{}]", i, d));
  }
  w.line(fmt::format("return {}_workspace({});", s.entry, sizes));
  w.close();
  w.blank();
  std::string more =
      fmt::format("static_cast<{}>(workspace), {}_bytes(args), {}", style.memory, s.entry, style.defaultStream);
  defineCall(w, s, {"launch", "void *workspace, ", s.entry, more, kCut, handleOf(style)});
  w.blank();
  defineDescriptor(w, s, target, fmt::format(", &{}, {}_bytes, {}_launch", style.device, s.entry, s.entry));
}

} // namespace

void openDeviceSource(Writer &w, const EmitContext &context, const std::vector<std::string> &includes, bool limits,
                      const std::vector<std::string> &directives) {
  w.comment(
      fmt::format("Generated by Tangram for target {}; {}.h says how to call it.", context.target.name, context.stem));
  w.directive(fmt::format("#include \"{}.h\"", context.stem));
  w.blank();
  for (const std::string &header : includes) w.directive("#include " + header);
  w.directive("#include <tangram/runtime/host_call.h>");
  w.blank();
  for (const char *header : {"algorithm", "cmath", "cstdarg", "cstdio"})
    w.directive(fmt::format("#include <{}>", header));
  if (limits) w.directive("#include <limits>");
  w.blank();
  for (const std::string &directive : directives) w.directive(directive);
  if (!directives.empty()) w.blank();
  w.line("namespace {");
  w.blank();
  defineFail(w);
  w.blank();
}

void closeDeviceSource(Writer &w, const std::vector<Signature> &signatures, const DeviceStyle &style,
                       const std::string &target) {
  w.line("} // namespace");
  w.blank();
  w.line("extern \"C\" {");
  for (const Signature &s : signatures) {
    w.blank();
    defineError(w, s);
    w.blank();
    defineWorkspace(w, s);
    w.blank();
    defineForDevice(w, s, style);
    w.blank();
    defineForHost(w, s, style);
  }
  w.blank();
  w.line("} // extern \"C\"");
  defineTable(w, signatures, [&](const Signature &s) { defineDeviceDescriptor(w, s, style, target); });
}

} // namespace tangram::c_family
