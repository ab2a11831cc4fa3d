#include "Statements.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Tables.h"
#include "tangram/ast/Walk.h"
#include "tangram/c-family/Aliases.h"
#include "tangram/c-family/Entries.h"
#include "tangram/c-family/Signature.h"
#include "tangram/c-family/WrittenOut.h"
#include "tangram/diag/Diagnostic.h"
#include "tangram/loops/Counted.h"
#include "tangram/loops/Loads.h"

namespace tangram::cuda {

using namespace ast;

namespace {

constexpr DiagnosticKind kSync{"cuda.sync", DiagnosticClass::Bug,
                               "units of '{}' wait for each other, which are neither the threads of a group nor of a "
                               "warp",
                               "barrier-insertion places Syncs of these levels only"};

constexpr std::uint64_t kAlignment = 16; // each array begins where any type may
// Bytes of a group's memory beyond which a launch has to ask for it; every device gives as much without.
constexpr std::uint64_t kStaticScratchpad = 48 * 1024;

/// Bytes of a group's memory that the arrays of a launch take.
std::uint64_t scratchpadBytes(const Launch &launch, const KnownValues &known) {
  std::uint64_t all = 0;
  walk(launch.body, [&](const Alloc &a) {
    if (a.memory != "scratchpad") return;
    std::uint64_t bytes = a.element.bytes();
    for (const Expr *extent : a.extents) bytes *= static_cast<std::uint64_t>(known.value(extent).value_or(0));
    all += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  });
  return all;
}

/// The type of all of them, of a launch that asks for its memory.
std::string scratchpadType(const std::string &function) { return function + "_scratchpad"; }

class WithoutScratchpad final : public Mutator {
public:
  using Mutator::Mutator;

private:
  const Node *mutateAlloc(const Alloc *a) override { return a->memory == "scratchpad" ? nullptr : a; }
};

} // namespace

bool DeviceStatements::launch(const Launch &launch, const Kernel &kernel, const std::string &name) {
  const Block *simple = c_family::simplified(launch.body, arena_);
  assigned_ = assignedVariables(simple);
  std::vector<const Declare *> tables = constantTables(*simple);
  const Block *written = withoutConstantTables(arena_, simple);
  Kernel shell;
  shell.constants = kernel.constants;
  shell.defaults = kernel.defaults;
  shell.body = written;
  KnownValues known(shell);
  bool asks = scratchpadBytes(launch, known) > kStaticScratchpad;
  scratchpad_.clear();
  privates_.clear();
  wide_.clear();
  const auto wide = [&](const Expr *place) {
    if (const VarRef *root = rootVariable(place)) wide_.insert(root->name);
  };
  walk(
      written,
      [&](const Assign &a) {
        if (isa<Transfer>(a.value)) wide(a.target);
      },
      [&](const VectorLoad &load) { wide(load.base); }, [&](const VectorStore &store) { wide(store.base); },
      [&](const Alloc &a) {
        if (a.memory == "scratchpad") scratchpad_.insert(a.name);
      },
      [&](const Declare &d) {
        if (!d.extents.empty() && !d.shared) privates_.insert(d.name);
      });
  std::vector<const Alloc *> arrays;
  if (asks) {
    walk(written, [&](const Alloc &a) {
      if (a.memory == "scratchpad") arrays.push_back(&a);
    });
    known_ = &known;
    w_.open("struct " + scratchpadType(name));
    for (const Alloc *a : arrays) {
      std::vector<const Expr *> extents; // outside of the kernel, whose variables are not there
      for (const Expr *extent : a->extents) extents.push_back(known.inlined(extent, arena_));
      w_.line(fmt::format("alignas({}) {};", kAlignment, array(*a, extents)));
    }
    w_.close(";");
    w_.blank();
    written = c_family::simplified(WithoutScratchpad(arena_)(written), arena_);
  }
  if (!tables.empty()) {
    w_.open("namespace " + name + "_tables");
    const std::set<std::string> alike = readAlike(tables, *written);
    for (const Declare *table : tables)
      w_.line((alike.count(table->name) ? "__constant__ " : "__device__ ") + declaration(*table) + ";");
    w_.close();
    w_.blank();
  }
  const std::string resident = launch.resident > 1 ? fmt::format(", {}", launch.resident) : "";
  w_.open(fmt::format("__global__ void __launch_bounds__({}{}) {}({})", launch.threads, resident, name,
                      parameters(launch, *written)));
  alignStructs(launch, *written);
  if (asks) {
    w_.line(fmt::format("extern __shared__ __align__({}) unsigned char tangram_scratchpad[];", kAlignment));
    w_.line(fmt::format("auto &tangram_arrays = *reinterpret_cast<{} *>(tangram_scratchpad);", scratchpadType(name)));
  }
  for (const Alloc *a : arrays)
    w_.line(fmt::format("{} *const {} = tangram_arrays.{};", e_.type(a->element), a->name, a->name));
  for (const Declare *table : tables)
    w_.line(fmt::format("const auto &{} = {}_tables::{};", table->name, name, table->name));
  body(*written, known);
  w_.close();
  return asks;
}

std::string DeviceStatements::parameters(const Launch &launch, const Block &written) {
  std::map<std::string, unsigned> used = c_family::mentions(&written);
  const bool exchanged = c_family::exchangesValues(module_, launch);
  std::string params;
  for (std::size_t i = 0; i < launch.params.size(); ++i) {
    const Param *p = launch.params[i];
    std::string text = used.count(p->name) ? "" : unused();
    if (p->type.isPointer()) {
      bool readOnly = p->access == Access::In;
      text += e_.type(Type::pointer(p->type.element(), readOnly || p->type.toConst()));
      text += (readOnly || (!exchanged && c_family::isOnlyPointerTo(launch, i)) ? "__restrict__ " : "") + p->name;
    } else {
      text += e_.type(p->type) + " " + p->name;
    }
    params += (params.empty() ? "" : ", ") + text;
  }
  return params;
}

/// The entry has checked it; nvcc then accesses fields side by side at once.
void DeviceStatements::alignStructs(const Launch &launch, const Block &written) {
  constexpr std::uint64_t kScalar = 4; // up to here fields are accessed one by one
  std::map<std::string, unsigned> used = c_family::mentions(&written);
  for (const Param *p : launch.params) {
    if (!p->type.isPointer() || !p->type.element().isStruct() || !used.count(p->name)) continue;
    const std::uint64_t to = c_family::accessAlignment(structs_.bytes(p->type.element()));
    if (to <= kScalar) continue;
    const Type type = Type::pointer(p->type.element(), p->access == Access::In || p->type.toConst());
    w_.line(fmt::format("{0} = static_cast<{1}>(__builtin_assume_aligned({0}, {2}));", p->name, e_.type(type), to));
  }
}

void DeviceStatements::other(const Stmt *s) {
  if (const auto *n = dyn<Loop>(s)) return loop(*n);
  if (const auto *n = dyn<Sync>(s)) return sync(*n);
  if (const auto *n = dyn<Await>(s)) return w_.line(device_.await(*n));
  if (const auto *n = dyn<VectorStore>(s)) return w_.line(device_.store(*n));
  if (const auto *n = dyn<Alloc>(s)) return alloc(*n);
  c_family::Statements::other(s);
}

/// nvcc writes out loops that it does not know the length of: where one iteration has loads enough, or few iterations
/// are left, these only take more registers.
void DeviceStatements::begins(const Stmt &s) {
  const auto *loop = dyn<For>(&s);
  // Elements of a worker's own arrays are in registers where no loop variable says which.
  const bool writtenOut =
      loop && known_ &&
      (c_family::isWrittenOut(*known_, *loop, scratchpad_) ||
       (c_family::turnsThrough(*known_, *loop, privates_) && c_family::countsElements(*loop, privates_)));
  if (writtenOut) return w_.directive("#pragma unroll");
  if (!loop || !loops::isLeaf(loop->body)) return;
  // At the ends of containers: what is asked there would take registers from the loop around.
  if (any<Transfer>(loop->body, [](const Transfer &t) { return t.cond != nullptr; }))
    return w_.directive("#pragma unroll 1");
  const auto *init = dyn<Declare>(loop->init);
  bool few = init && loops::goesOn(init->init, assigned_);
  if (!few && loops::loads(loop->body) < loops::kLoadsTogether) return;
  const auto *test = dyn<Binary>(loop->cond);
  bool fixed = test && test->op == BinaryOp::Lt && known_ && known_->value(test->rhs);
  if (!fixed) w_.directive("#pragma unroll 1");
}

std::string DeviceStatements::array(const Alloc &a, const std::vector<const Expr *> &extents) {
  std::string count = elements(extents);
  // There are no arrays of no elements.
  if (a.extents.size() == 1 && known_->value(a.extents[0]) == 0) count = "1";
  return fmt::format("{} {}[{}]", e_.type(a.element), a.name, count);
}

void DeviceStatements::alloc(const Alloc &a) {
  const std::string shared = wide_.count(a.name) ? fmt::format("__shared__ __align__({}) ", kAlignment) : "__shared__ ";
  w_.line((a.memory == "registers" ? "" : shared) + array(a, a.extents) + ";");
}

void DeviceStatements::loop(const Loop &loop) {
  if (loop.policy == Policy::Unroll) w_.directive("#pragma unroll");
  plainLoop(loop);
}

void DeviceStatements::sync(const Sync &sync) {
  std::uint64_t workers = levels_.workers(sync.level);
  if (workers == levels_.groupWorkers) return w_.line("__syncthreads();");
  if (!levels_.subgroup(sync.level)) fail(kSync, sync.range, sync.level);
  const std::string threads = unitMask(levels_, sync.level, sync.range);
  w_.line(workers == kWarp ? "__syncwarp();" : fmt::format("__syncwarp({});", threads));
}

void HostStatements::kernel(const Kernel &kernel, const std::string &stream) {
  entry_ = kernel.name;
  stream_ = stream;
  body(*kernel.body, KnownValues(kernel));
  w_.line("return TANGRAM_OK;");
}

void HostStatements::effect(const Expr *e) {
  if (!fetchFromDevice(e, "tangram_cuda::fetch", entry_, stream_)) c_family::Statements::effect(e);
}

void HostStatements::other(const Stmt *s) {
  if (isa<Alloc>(s)) return; // the workspace, which the caller gives
  if (isa<Sync>(s)) return;  // a stream runs one launch after the other
  if (const auto *n = dyn<Loop>(s)) return plainLoop(*n);
  if (const auto *n = dyn<Launch>(s)) return start(*n);
  if (const auto *n = dyn<Report>(s)) return reportFromDevice(*n, "tangram_cuda::report", entry_, stream_);
  c_family::Statements::other(s);
}

void HostStatements::start(const Launch &launch) {
  const std::string &function = functions_.at(&launch);
  std::string args;
  for (std::size_t i = 0; i < launch.params.size(); ++i)
    args += (args.empty() ? "" : ", ") + e_.print(launch.args.at(i), launch.params[i]->type);
  std::string error = fmt::format("{}_kernel::last_error, tangram_launch_{}", entry_, function);
  // Nothing to do is no error, but a grid of no groups is one.
  w_.open(
      fmt::format("if (const uint64_t tangram_groups = {}; tangram_groups > 0)", e_.print(launch.groups, Scalar::U64)));
  w_.line(
      fmt::format("if (int tangram_status = tangram_cuda::fits({}, tangram_groups)) return tangram_status;", error));
  std::string bytes = "0";
  if (asking_.count(&launch)) {
    bytes = "sizeof(" + scratchpadType(function) + ")";
    w_.line(fmt::format("if (int tangram_status = tangram_cuda::reserve({}, {}, {})) return tangram_status;", error,
                        function, bytes));
  }
  w_.line(fmt::format("{}<<<static_cast<unsigned>(tangram_groups), {}, {}, {}>>>({});", function, launch.threads, bytes,
                      stream_, args));
  w_.line(fmt::format("if (int tangram_status = tangram_cuda::launched({})) return tangram_status;", error));
  w_.close();
}

} // namespace tangram::cuda
