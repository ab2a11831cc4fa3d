#include "Host.h"

#include "tangram/ast/Walk.h"

namespace tangram::ptx {

using namespace ast;

void HostStatements::describe(const Launch &launch) {
  const DeviceFunction &function = *functions_.at(&launch);
  w_.line(fmt::format("constexpr tangram_ptx::Launch tangram_launch_{0} = {{\"{1}\", \"{0}\", {2}, {3}, {4}}};",
                      function.name, function.kernel->name, c_family::stringLiteral(function.kernel->plan),
                      launch.threads, function.scratchpadBytes));
}

void HostStatements::kernel(const Kernel &kernel, const std::string &stream, const std::string &workspace) {
  entry_ = kernel.name;
  stream_ = stream;
  workspace_ = workspace;
  KnownValues known(kernel);
  body(*kernel.body, known);
  w_.line("return TANGRAM_OK;");
}

void HostStatements::effect(const Expr *e) {
  if (!fetchFromDevice(e, "tangram_ptx::fetch", entry_, stream_)) c_family::Statements::effect(e);
}

void HostStatements::other(const Stmt *s) {
  if (const auto *n = dyn<Alloc>(s)) { // the workspace, which the caller gives
    if (n->name != workspace_) e_.spelling[n->name] = workspace_;
    return;
  }
  if (isa<Sync>(s)) return; // a stream runs one launch after the other
  if (const auto *n = dyn<Loop>(s)) return plainLoop(*n);
  if (const auto *n = dyn<Launch>(s)) return start(*n);
  if (const auto *n = dyn<Report>(s)) return reportFromDevice(*n, "tangram_ptx::report", entry_, stream_);
  c_family::Statements::other(s);
}

void HostStatements::start(const Launch &launch) {
  std::string args;
  for (std::size_t i = 0; i < launch.params.size(); ++i) {
    const Expr *value = launch.args.at(i);
    const Type &type = launch.params[i]->type;
    // By its size: what is passed is what lies in memory.
    bool same = type.isPointer() || (isa<VarRef>(value) && value->type == type);
    args += ", " + (same ? e_.print(value) : fmt::format("{}({})", e_.type(type), e_.print(value, type)));
  }
  w_.line(fmt::format("if (int tangram_status = tangram_program.launch({}_kernel::last_error, tangram_launch_{}, {}, "
                      "{}{})) return tangram_status;",
                      entry_, functions_.at(&launch)->name, stream_, e_.print(launch.groups, Scalar::U64), args));
}

} // namespace tangram::ptx
