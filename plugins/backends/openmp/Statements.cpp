#include "Statements.h"

#include "tangram/ast/Build.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"
#include "tangram/c-family/WrittenOut.h"
#include "tangram/diag/Diagnostic.h"

#include <algorithm>

namespace tangram::openmp {

using namespace ast;

namespace {

constexpr DiagnosticKind kCooperate{
    "openmp.cooperate", DiagnosticClass::User, "a cooperative codelet at level '{}' reached the backend",
    "put the pass 'lockstep' into the target's pipeline: it turns cooperating lanes into vector code"};
constexpr DiagnosticKind kSync{
    "openmp.sync", DiagnosticClass::Limitation,
    "level '{}' gives work to '{}' and synchronises it by '{}', which this backend cannot make",
    "a level of the target synchronises by 'join' or 'barrier' (threads), 'close-loop' (unrolled iterations), or has "
    "the capability 'vector' (SIMD lanes)"};
constexpr DiagnosticKind kUnknownLevel{"openmp.unknown-level", DiagnosticClass::User,
                                       "a loop runs at level '{}', which target '{}' does not have",
                                       "compile it for the target that it was composed for"};

constexpr DiagnosticKind kLargeArray{"openmp.large-array", DiagnosticClass::Limitation,
                                     "the local array '{}' has {} bytes, and a thread's stack has room for {}",
                                     "work on fewer elements at a time"};

constexpr std::uint64_t kMostLocalBytes = 1 << 20; // of one array

/// Whether iterations that are independent can be told so to a compiler: an array of an iteration's own is the same
/// memory in all of them.
bool mayBeVectors(const Block &body) {
  return !contains<For>(&body) && !contains<Loop>(&body) && !contains<While>(&body) && !contains<DoWhile>(&body) &&
         !contains<Atomic>(&body) && !any<Declare>(&body, [](const Declare &d) { return !d.extents.empty(); });
}

/// Bytes of a temporary or local array where its extents are known; nothing where they are not.
std::optional<std::uint64_t> bytesOf(const Type &element, const std::vector<const Expr *> &extents,
                                     const KnownValues &known) {
  std::uint64_t bytes = c_family::elementBytes(element);
  for (const Expr *extent : extents) {
    if (!known.isConstantExpression(extent)) return {};
    std::optional<Int> value = known.value(extent);
    if (!value || *value < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(*value), &bytes)) return {};
  }
  return bytes;
}

std::optional<std::uint64_t> bytesOf(const Alloc &a, const KnownValues &known) {
  return bytesOf(a.element, a.extents, known);
}

/// Whether a temporary below `node` comes from the heap.
bool hasHeap(const Node *node, const KnownValues &known, const StatementOptions &options) {
  return any<Alloc>(node, [&](const Alloc &a) {
    std::optional<std::uint64_t> bytes = bytesOf(a, known);
    return !bytes || *bytes > options.stackBytes;
  });
}

} // namespace

Statements::Statements(Writer &writer, VectorExpressions &expressions, const Module &module,
                       const hardware::Hardware &hardware, StatementOptions options)
    : c_family::Statements(writer, expressions, module, options.line), vectors_(expressions), hardware_(hardware),
      options_(options) {}

bool Statements::canFail(const Kernel &kernel, const StatementOptions &options) {
  return contains<Report>(kernel.body) || hasHeap(kernel.body, KnownValues(kernel), options);
}

void Statements::assertStack(const Kernel &kernel, Arena &arena) {
  KnownValues known(kernel);
  auto check = [&](const std::string &name, const Type &element, const std::vector<const Expr *> &given,
                   std::uint64_t most) {
    std::vector<const Expr *> extents;
    for (const Expr *extent : given) extents.push_back(known.inlined(extent, arena));
    if (std::none_of(extents.begin(), extents.end(), [](const Expr *e) { return contains<VarRef>(e); })) return;
    w_.line(
        fmt::format("static_assert(({}) * sizeof({}) <= {}, \"{} does not fit the stack: set the tunables lower, or "
                    "compile a plan with the values that you want (tangram compile --plan)\");",
                    elements(extents), e_.type(element), most, name));
  };
  walk(
      kernel.body,
      [&](const Alloc &a) {
        std::optional<std::uint64_t> bytes = bytesOf(a, known);
        if (bytes && *bytes <= options_.stackBytes) check(a.name, a.element, a.extents, options_.stackBytes);
      },
      [&](const Declare &d) {
        std::optional<std::uint64_t> bytes = bytesOf(d.type, d.extents, known);
        if (d.extents.empty() || !bytes) return;
        if (*bytes > kMostLocalBytes) fail(kLargeArray, d.range, d.name, *bytes, kMostLocalBytes);
        check(d.name, d.type, d.extents, kMostLocalBytes);
      });
}

void Statements::kernel(const Kernel &kernel, Arena &arena) {
  const Block *clean = c_family::simplified(kernel.body, arena);
  const Kernel *written = arena.derive(&kernel, [&](Kernel &copy) { copy.body = clean; });
  KnownValues known(*written);
  arrays_.clear();
  walk(clean, [&](const Declare &d) {
    if (!d.extents.empty()) arrays_.insert(d.name);
  });
  ofVectors_.clear();
  auto ofVectors = [&](const Expr *base) {
    if (const auto *v = dyn<VarRef>(base)) ofVectors_.insert(v->name);
  };
  walk(
      clean, [&](const VectorLoad &load) { ofVectors(load.base); },
      [&](const VectorStore &store) { ofVectors(store.base); });
  vectors_.fields = fieldPointers(*clean, module_);
  records_ = recordStores(*clean, vectors_.fields, arena);
  level_ = hardware_.levels.empty() ? nullptr : &hardware_.top();
  bool fails = canFail(*written, options_);
  bool flag = fails && any<Loop>(clean, [&](const Loop &l) {
                const hardware::Level *level = hardware_.find(l.level);
                return level && l.policy == Policy::Distribute && !level->vector &&
                       !hardware::areIterations(level->sync) && hasHeap(l.body, known, options_);
              });
  if (flag) w_.line("bool out_of_memory = false;");
  body(*clean, known);
  if (fails) w_.line("return TANGRAM_OK;");
}

std::size_t Statements::sizeUnrolled(const Node &node) const {
  std::size_t nodes = 1;
  for (const Node *child : children(node)) nodes += sizeUnrolled(*child);
  const auto *loop = dyn<For>(&node);
  std::optional<Int> turns = loop ? c_family::turnsThrough(*known_, *loop, arrays_) : std::nullopt;
  return turns ? nodes * static_cast<std::size_t>(*turns) : nodes;
}

void Statements::begins(const Stmt &s) {
  constexpr std::size_t kMostNodes = 4000; // beyond it a compiler takes minutes, and registers have long run out
  const auto *loop = dyn<For>(&s);
  std::optional<Int> turns = loop ? c_family::turnsThrough(*known_, *loop, arrays_) : std::nullopt;
  if (turns && sizeUnrolled(s) <= kMostNodes) w_.directive(fmt::format("#pragma GCC unroll {}", *turns));
  if (loop && loop->independent == Flag::Yes && mayBeVectors(*loop->body)) {
    usesIndependent = true;
    w_.line("TANGRAM_INDEPENDENT");
  }
}

void Statements::other(const Stmt *s) {
  if (isa<Sync>(s)) return; // threads join at the end of their region, lanes are in step
  if (const auto *n = dyn<Loop>(s)) return loop(*n);
  if (const auto *n = dyn<Alloc>(s)) return alloc(*n);
  if (const auto *n = dyn<Report>(s))
    return report(*n, fmt::format("tangram_checked::report(last_error, {}, tangram_sites)", e_.print(n->record)));
  if (const auto *n = dyn<VectorStore>(s)) return store(*n);
  if (const auto *n = dyn<Cooperate>(s)) fail(kCooperate, s->range, n->level);
  c_family::Statements::other(s);
}

void Statements::declare(const Declare &d) {
  // A vector in two lines of a cache takes twice as long.
  const bool aligned = !d.extents.empty() && ofVectors_.count(d.name) != 0;
  // One element is what lanes leave for all: compilers do not see that some lane does.
  const bool cell = d.extents.size() == 1 && isLiteral(d.extents[0], 1) && !d.init && !d.type.isStruct();
  w_.line((aligned ? "alignas(64) " : "") + declaration(d) + (cell ? " = {}" : "") + ";");
}

void Statements::alloc(const Alloc &a) {
  std::string name = a.name, element = a.element.cName(), count = elements(a.extents);
  std::optional<std::uint64_t> bytes = bytesOf(a, *known_);
  if (bytes && *bytes <= options_.stackBytes) {
    if (*bytes == 0) count = "1";
    // Vectors are loaded from it and stored to it.
    w_.line(fmt::format("alignas(64) {} {}[{}];", element, name, count));
    return;
  }
  usesHeap = true;
  std::string sizes;
  for (const Expr *extent : a.extents) sizes += (sizes.empty() ? "" : ", ") + e_.print(extent, Scalar::U64);
  w_.line(fmt::format("const Buffer<{}> {}_buffer({{{}}});", element, name, sizes));
  w_.line(fmt::format("{}const {} = {}_buffer.data();", e_.type(Type::pointer(a.element)), name, name));
  if (regions_ == 0) {
    w_.line(fmt::format("if ({} == nullptr) return TANGRAM_OUT_OF_MEMORY;", name));
    return;
  }
  w_.open(fmt::format("if ({} == nullptr)", name));
  w_.directive("#pragma omp atomic write");
  w_.line("out_of_memory = true;");
  w_.line("continue;");
  w_.close();
}

void Statements::loop(const Loop &loop) {
  const hardware::Level *level = hardware_.find(loop.level);
  if (!level && !loop.level.empty()) fail(kUnknownLevel, loop.range, loop.level, hardware_.name);
  const hardware::Level *outer = level_;
  bool distributes = loop.policy == Policy::Distribute && level;
  if (distributes && !level->vector && !hardware::areIterations(level->sync)) {
    parallel(loop, *level);
    return;
  }
  if (distributes && hardware_.below(*level)) level_ = hardware_.below(*level);
  bool unrolls = loop.policy == Policy::Unroll || (distributes && hardware::areIterations(level->sync));
  if (unrolls) {
    std::optional<Int> begin = known_->value(loop.begin), end = known_->value(loop.end);
    Int trip = begin && end && *end > *begin ? *end - *begin : 8;
    w_.directive(fmt::format("#pragma GCC unroll {}", std::min<Int>(trip, 32)));
  } else if (distributes && isStraightLine(*loop.body)) {
    usesSimd = true;
    w_.directive("#pragma omp simd");
  }
  plainLoop(loop);
  level_ = outer;
}

void Statements::parallel(const Loop &loop, const hardware::Level &level) {
  const hardware::Level *below = hardware_.below(level);
  if (!below || !hardware::mayBeThreads(level.sync))
    fail(kSync, loop.range, level.name, below ? below->name : "nothing", hardware::name(level.sync));
  const hardware::Level *outer = level_;
  usesThreads = true;
  std::string threads;
  auto asked = loop.units.find(below->name);
  if (asked != loop.units.end())
    threads = fmt::format(" num_threads({})", asked->second);
  else if (!below->workers.automatic)
    threads = fmt::format(" num_threads({})", below->workers.count);
  w_.own();
  w_.directive("#pragma omp parallel for schedule(static)" + threads);
  w_.open(header(loop));
  level_ = below;
  ++regions_;
  block(*loop.body);
  w_.own();
  --regions_;
  w_.close();
  level_ = outer;
  if (regions_ == 0 && hasHeap(loop.body, *known_, options_))
    w_.line("if (out_of_memory) return TANGRAM_OUT_OF_MEMORY;");
}

void Statements::storeRecord(const std::vector<const VectorStore *> &fields) {
  const VectorStore &first = *fields.front();
  const auto apart = vectors_.apart(first.base, first.index);
  std::string values;
  for (const VectorStore *field : fields) values += ", " + e_.print(field->value);
  w_.line(fmt::format("tangram::store_fields({}, {}{}{});", apart->first,
                      apart->constant ? std::to_string(apart->constant) : apart->stride,
                      first.mask ? ", " + e_.print(first.mask) : "", values));
}

void Statements::store(const VectorStore &s) {
  vectors_.usesVectors = true;
  if (records_.others.count(&s)) return; // the last one stands for it
  if (auto record = records_.records.find(&s); record != records_.records.end()) return storeRecord(record->second);
  std::string mask = s.mask ? ", " + e_.print(s.mask) : "", value = e_.print(s.value);
  if (const auto found = vectors_.apart(s.base, s.index)) {
    if (!found->constant)
      return w_.line(fmt::format("tangram::store_strided({}, {}, {}{});", found->first, found->stride, value, mask));
    return w_.line(fmt::format("tangram::store_apart<{}>({}, {}{});", found->constant, found->first, value, mask));
  }
  if (s.index->type.isVector())
    return w_.line(fmt::format("tangram::scatter({}, {}{});", vectors_.elements(s.base, s.index), value, mask));
  w_.line(fmt::format("tangram::store({}, {}{});", vectors_.address(s.base, s.index), value, mask));
}

} // namespace tangram::openmp
