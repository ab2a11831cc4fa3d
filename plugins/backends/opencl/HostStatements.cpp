#include "Statements.h"

#include "tangram/ast/Walk.h"
#include "tangram/c-family/Entries.h"

#include <fmt/format.h>

namespace tangram::opencl {

using namespace ast;

namespace {

/// What the type of a parameter of a device function is called on the host.
std::string hostType(const Type &type) {
  static constexpr std::string_view names[] = {"",         "cl_uchar",  "cl_char", "cl_short", "cl_int",   "cl_long",
                                               "cl_uchar", "cl_ushort", "cl_uint", "cl_ulong", "cl_float", "cl_double"};
  return std::string(names[static_cast<std::size_t>(type.scalar())]);
}

} // namespace

void HostStatements::describe(const Launch &launch, const Kernel &kernel) {
  const std::string &function = functions_.at(&launch);
  w_.line(fmt::format("constexpr tangram_opencl::Launch tangram_launch_{} = {{\"{}\", \"{}\", {}, {}}};", function,
                      kernel.name, function, c_family::stringLiteral(kernel.plan), launch.threads));
}

void HostStatements::kernel(const Kernel &kernel, const std::string &stream) {
  entry_ = kernel.name;
  stream_ = stream;
  // The device's halves are written elsewhere; here only what they are given is used.
  KnownValues known(kernel);
  body(*kernel.body, known);
  w_.line("return TANGRAM_OK;");
}

void HostStatements::effect(const Expr *e) {
  if (!fetchFromDevice(e, "tangram_opencl::fetch", entry_, stream_)) c_family::Statements::effect(e);
}

void HostStatements::other(const Stmt *s) {
  if (isa<Alloc>(s)) return; // the workspace, which the caller gives
  if (isa<Sync>(s)) return;  // a queue runs one launch after the other
  if (const auto *n = dyn<Loop>(s)) return plainLoop(*n);
  if (const auto *n = dyn<Launch>(s)) return start(*n);
  if (const auto *n = dyn<Report>(s)) return reportFromDevice(*n, "tangram_opencl::report", entry_, stream_);
  c_family::Statements::other(s);
}

std::string HostStatements::argument(const Expr *value, const Type &type) {
  if (type.isPointer()) return e_.print(value);
  bool same = isa<VarRef>(value) && value->type == type && !type.isBool();
  return same ? e_.print(value) : fmt::format("{}({})", hostType(type), e_.print(value, type));
}

void HostStatements::start(const Launch &launch) {
  std::string args;
  for (std::size_t i = 0; i < launch.params.size(); ++i)
    args += ", " + argument(launch.args.at(i), launch.params[i]->type);
  w_.line(fmt::format("if (int tangram_status = tangram_program.launch({}_kernel::last_error, "
                      "tangram_launch_{}, {}, {}{})) return tangram_status;",
                      entry_, functions_.at(&launch), stream_, e_.print(launch.groups, Scalar::U64), args));
}

} // namespace tangram::opencl
