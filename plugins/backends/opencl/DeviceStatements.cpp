#include "Statements.h"

#include "tangram/ast/Checks.h"
#include "tangram/ast/Tables.h"
#include "tangram/ast/Walk.h"
#include "tangram/c-family/Entries.h"
#include "tangram/diag/Diagnostic.h"

#include <algorithm>

namespace tangram::opencl {

using namespace ast;

namespace {

constexpr DiagnosticKind kSubgroup{"opencl.subgroup", DiagnosticClass::Limitation,
                                   "workers of '{}' wait for each other below a work-group, which OpenCL 1.2 cannot",
                                   "use a target without a level that synchronises by 'warp', such as opencl-gpu"};
constexpr DiagnosticKind kPointerParameter{
    "opencl.function-container", DiagnosticClass::Limitation,
    "function '{}' takes a container, and its memory is a part of the type in OpenCL C 1.2",
    "make it a spectrum, or pass elements"};
constexpr DiagnosticKind kElsewhere{"opencl.function-place", DiagnosticClass::Limitation,
                                    "function '{}' changes an element of a container in place",
                                    "pass a variable, and assign it to the element"};

/// Scratchpad memory, which OpenCL C declares at the beginning of a kernel function.
std::vector<const Alloc *> groupMemory(const Launch &launch) {
  std::vector<const Alloc *> found;
  walk(launch.body, [&](const Alloc &a) {
    if (a.memory != "registers") found.push_back(&a);
  });
  return found;
}

} // namespace

void DeviceStatements::launch(const Launch &launch, const Kernel &kernel, const std::string &name) {
  const Block *simple = c_family::simplified(launch.body, arena_);
  const Block *written = withoutConstantTables(arena_, simple);
  const Launch *clean = arena_.derive(&launch, [&](Launch &copy) { copy.body = written; });
  device_.spaces = Spaces(*clean);
  walk(clean->body, [&](const Call &call) {
    for (const Function *f : module_.functions)
      for (std::size_t i = 0; f->name == call.callee && i < f->params.size() && i < call.args.size(); ++i) {
        bool place = f->params[i]->access != Access::In && !f->params[i]->type.isPointer();
        if (place && device_.spaces.of(call.args[i]) != Space::Private) fail(kElsewhere, call.range, f->name);
      }
  });
  std::string params;
  for (const Param *p : launch.params) {
    std::string text;
    if (p->type.isPointer()) {
      bool readOnly = p->access == Access::In;
      Type pointer = Type::pointer(p->type.element(), readOnly || p->type.toConst());
      text = device_.pointer(Space::Global, pointer) + (readOnly ? "restrict " : "") + p->name;
    } else {
      text = device_.stored(p->type) + " " + p->name;
    }
    params += (params.empty() ? "" : ", ") + text;
  }
  Kernel shell;
  shell.constants = kernel.constants;
  shell.defaults = kernel.defaults;
  shell.body = written;
  KnownValues known(shell);
  known_ = &known;
  // OpenCL has them outside of functions, where all of a program are together.
  std::vector<const Declare *> tables = constantTables(*simple);
  for (const Declare *table : tables)
    w_.line(fmt::format("constant {};", declaration(*arena_.derive(
                                            table, [&](Declare &copy) { copy.name = name + "_" + table->name; }))));
  if (!tables.empty()) w_.blank();
  w_.line(fmt::format("kernel __attribute__((reqd_work_group_size({}, 1, 1)))", launch.threads));
  w_.open(fmt::format("void {}({})", name, params));
  for (const Declare *table : tables)
    w_.line(fmt::format("constant const {} *const {} = {}_{};", device_.stored(table->type), table->name, name,
                        table->name));
  for (const Alloc *a : groupMemory(*clean)) alloc(*a, "local ");
  body(*written, known);
  w_.close();
}

void DeviceStatements::callee(const Function &f) {
  device_.spaces = Spaces();
  std::string params;
  std::vector<std::string> places;
  for (const Param *p : f.params) {
    if (isRecord(f, *p)) { // lies in the workspace
      params += (params.empty() ? "" : ", ") + device_.pointer(Space::Global, p->type) + p->name;
      continue;
    }
    if (p->type.isPointer()) fail(kPointerParameter, p->range, f.name);
    bool place = p->access != Access::In;
    params += (params.empty() ? "" : ", ") + device_.type(p->type) + (place ? " *" : " ") + p->name;
    if (place) places.push_back(p->name);
  }
  w_.open(fmt::format("{} {}({})", device_.type(f.result), device_.function(f.name), params.empty() ? "void" : params));
  for (const std::string &place : places) device_.spelling[place] = "(*" + place + ")";
  function(f);
  for (const std::string &place : places) device_.spelling.erase(place);
  w_.close();
}

void DeviceStatements::begins(const Stmt &s) {
  if (!s.range.valid()) return;
  std::string from = fmt::format("{}:{}", *s.range.file, s.range.line);
  if (origins_.empty() || origins_.back().second != from) origins_.emplace_back(w_.lines() + 1, from);
}

void DeviceStatements::other(const Stmt *s) {
  if (isa<Await>(s)) return; // the barrier behind it is enough
  if (const auto *n = dyn<Loop>(s)) return loop(*n);
  if (const auto *n = dyn<Sync>(s)) return sync(*n);
  if (const auto *n = dyn<VectorStore>(s)) return w_.line(device_.store(*n));
  if (const auto *n = dyn<Alloc>(s)) {
    if (n->memory == "registers") alloc(*n, "");
    return;
  }
  c_family::Statements::other(s);
}

std::string DeviceStatements::variableType(const Declare &d) {
  if (d.type.isPointer() && d.extents.empty()) return device_.pointer(device_.spaces.of(d.name), d.type);
  return d.extents.empty() ? device_.type(d.type) : device_.stored(d.type);
}

std::string DeviceStatements::extent(const Expr *e) {
  return device_.constantExpression(known_->inlined(e, arena_), Scalar::U64);
}

void DeviceStatements::alloc(const Alloc &a, const std::string &space) {
  std::string count;
  for (const Expr *e : a.extents) count += (count.empty() ? "" : " * ") + fmt::format("({})", extent(e));
  if (a.extents.size() == 1) count = extent(a.extents[0]);
  // Of no elements: there are no arrays of none.
  std::optional<Int> known = a.extents.size() == 1 ? known_->value(a.extents[0]) : std::nullopt;
  if (count.empty() || known == 0) count = "1";
  w_.line(fmt::format("{}{} {}[{}];", space, device_.stored(a.element), a.name, count));
}

void DeviceStatements::loop(const Loop &loop) {
  if (loop.policy == Policy::Unroll) w_.directive("#pragma unroll");
  plainLoop(loop);
}

void DeviceStatements::sync(const Sync &sync) {
  if (levels_.workers(sync.level) != levels_.groupWorkers) fail(kSubgroup, sync.range, sync.level);
  w_.line("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
}

} // namespace tangram::opencl
