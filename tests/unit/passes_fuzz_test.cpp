// Random composed programs: each must compute the same in every form. TANGRAM_FUZZ=N runs N of them,
// TANGRAM_FUZZ_SEED=S begins with S.
#include "passes/Harness.h"

#include "tangram/verify/KernelLibrary.h"

#include <cstdlib>
#include <filesystem>
#include <random>

using namespace tangram;
using namespace tangram::test;
using namespace tangram::test::program;

namespace {

/// Writes a program i32 f(int n, Array<1,int> out, const Array<1,int> in) of nested control flow with returns, calls
/// within expressions, and maps over partitions. A seed is the same program everywhere: C++ leaves open in what order
/// arguments are evaluated, so that what draws is never one of several arguments, but a statement or in braces.
class Generator {
public:
  explicit Generator(unsigned seed) : random_(seed) {}

  const ast::Module *program() {
    Ps params{in("n", I32), inOut("out", A1(I32)), in("in", A1(I32))};
    Ss stmts = body(1 + pick(3));
    return module(call("f", I32, codelet("f", params, stmts), "process", {}),
                  {spectrum("f", I32, params), spectrum("g", I32, gParams()), spectrum("s", I32, sParams())});
  }

private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  std::string fresh(const char *base) { return base + std::to_string(counter_++); }

  static Ps gParams() { return {in("x", I32), inOut("out", A1(I32)), in("in", A1(I32))}; }
  static Ps sParams() { return {in("in", A1(I32)), in("n", I32)}; }
  E slot(E index) {
    E wrapped = (index % 12 + 12) % 12;
    return at(var("out", A1(I32)), {cast(U64, wrapped)}, I32);
  }
  E variable() { return var(variables_[static_cast<std::size_t>(pick(static_cast<int>(variables_.size())))], I32); }
  E assignable() {
    return locals_.empty() || !mayWrite_
               ? E(nullptr)
               : var(locals_[static_cast<std::size_t>(pick(static_cast<int>(locals_.size())))], I32);
  }

  struct Pair {
    E a, b;
  };
  Pair numbers(int depth) { return {number(depth), number(depth)}; }
  Pair truths(int depth) { return {truth(depth), truth(depth)}; }
  E below(int depth) {
    auto [a, b] = numbers(depth);
    return a < b;
  }

  E number(int depth) {
    if (depth <= 0 || --budget_ < 0) return pick(3) ? variable() : E(pick(9) - 3);
    switch (pick(14)) {
    case 0:
    case 1: {
      auto [a, b] = numbers(depth - 1);
      return pick(2) ? a + b : a - b;
    }
    case 2: {
      E factor = pick(4);
      return number(depth - 1) * factor;
    }
    case 3: {
      E cond = truth(depth - 1);
      auto [then, otherwise] = numbers(depth - 1);
      return select(cond, then, otherwise);
    }
    case 4: return mayWrite_ ? slot(number(depth - 1)) : number(depth - 1);
    case 5:
    case 6: return composed(depth);
    case 7: return mapped(depth);
    case 8: {
      auto [first, second] = numbers(depth - 1);
      return comma(first, second);
    }
    case 9: {
      E v = assignable();
      return v.e ? assign(v, number(depth - 1)) : number(depth - 1);
    }
    case 10: {
      E v = assignable();
      return v.e ? (pick(2) ? inc(v) : postInc(v)) : number(depth - 1);
    }
    case 11: return cast(I32, truth(depth - 1));
    case 12: {
      if (!mayWrite_) return number(depth - 1);
      auto [index, value] = numbers(depth - 1);
      return assign(slot(index), value);
    }
    default: return number(0);
    }
  }
  E truth(int depth) {
    if (depth <= 0 || --budget_ < 0) {
      E limit = pick(7);
      return variable() < limit;
    }
    switch (pick(5)) {
    case 0:
    case 1: {
      auto [a, b] = truths(depth - 1);
      return pick(2) ? both(a, b) : either(a, b);
    }
    case 2: return negated(truth(depth - 1));
    case 3: {
      auto [a, b] = numbers(depth - 1);
      return a == b;
    }
    default: return below(depth - 1);
    }
  }

  /// Runs `write` for the body of another codelet.
  template <class F> auto inCodelet(std::vector<std::string> names, bool mayWrite, F write) {
    auto outer = std::tuple(std::exchange(variables_, std::move(names)), std::exchange(locals_, {}),
                            std::exchange(mayWrite_, mayWrite), std::exchange(breakable_, 0));
    auto result = write();
    std::tie(variables_, locals_, mayWrite_, breakable_) = std::move(outer);
    return result;
  }

  E composed(int depth) {
    if (nesting_ >= 2) return number(0);
    ++nesting_;
    E result = nullptr;
    if (mayWrite_ && pick(3)) {
      E argument = number(depth - 1);
      const ast::Codelet *c = written("g", {"x"}, true, gParams(), 2);
      result = call("g", I32, c, "thread", {argument, var("out", A1(I32)), var("in", A1(I32))});
    } else {
      E argument = number(depth - 1);
      result = call("s", I32, reader(), "thread", {var("in", A1(I32)), argument});
    }
    --nesting_;
    return result;
  }
  const ast::Codelet *written(const char *base, std::vector<std::string> names, bool mayWrite, Ps params, int depth) {
    return inCodelet(std::move(names), mayWrite, [&] {
      std::string name = fresh(base);
      Ss stmts = body(depth);
      return codelet(name, std::move(params), stmts);
    });
  }
  const ast::Codelet *reader() {
    return inCodelet({"n"}, false, [&] {
      std::string i = fresh("i"), accum = fresh("a");
      E A = var(accum, I32), I = var(i, U32), IN = var("in", A1(I32));
      Ss stmts{let(accum, I32, cast(I32, size(IN))),
               loop(i, cast(U32, size(IN)), {set(A, A * 3 + at(IN, {I}, I32)), when(A == 17, {ret(A)})})};
      variables_.push_back(accum);
      if (pick(2)) {
        E cond = truth(1);
        stmts.push_back(when(cond, {ret(number(1))}));
      }
      stmts.push_back(ret(A));
      return codelet(pick(2) ? "s" : "t", sParams(), stmts);
    });
  }

  Q boundary(E size) {
    auto simple = [&]() -> E {
      switch (pick(4)) {
      case 0: return cast(I32, size);
      case 1: return cast(I32, size) / E(2);
      case 2: return variable();
      default: return E(pick(7) - 1);
      }
    };
    if (pick(3) == 0) return seq(simple());
    E operands[] = {simple(), simple(), simple()};
    if (pick(6) == 0) return seq(var("in", A1(I32)), operands[0], operands[1], operands[2]);
    return seq(operands[0], operands[1], operands[2]);
  }
  E mapped(int depth) {
    if (nesting_ >= 2) return number(0);
    ++nesting_;
    E IN = var("in", A1(I32));
    E count = 1 + pick(4);
    if (pick(2)) count = select(variable() < E(2), count, E(1));
    Q starts = boundary(size(IN)), incs = pick(2) ? seq(1) : seq(variable()), ends = boundary(size(IN));
    E parts = partition(IN, count, starts, incs, ends);
    const ast::Codelet *element = pick(3) ? reader() : written("c", {"n"}, false, sParams(), 1);
    const ast::SpectrumCall *each = call("s", I32, element, "thread", {});
    if (pick(4) == 0) {
      E fits = size(var("in", A1(I32))) <= cast(U64, laneCount());
      each = guarded(each, {fits}, call("s", I32, reader(), "thread", {}));
    }
    Policy policies[] = {Policy::Serialize, Policy::Distribute, Policy::Unroll};
    E extra = number(depth - 1);
    const ast::Map *m = map(policies[pick(3)], "process", each, {parts, extra});
    if (pick(4) == 0) m = split("process", 1 + pick(4), m, pick(2) * (1 + pick(5)));
    E result = at(m, {0}, I32);
    if (pick(2)) {
      E argument = variable();
      result = call("s", I32, reader(), "process", {m, argument});
    }
    --nesting_;
    return result;
  }

  Ss body(int depth) {
    Ss stmts;
    std::size_t variables = variables_.size(), locals = locals_.size();
    int count = 1 + pick(4);
    for (int i = 0; i < count; ++i) stmts.push_back(statement(depth));
    stmts.push_back(ret(number(2)));
    variables_.resize(variables);
    locals_.resize(locals);
    return stmts;
  }
  Ss nested(int depth) {
    Ss stmts;
    std::size_t variables = variables_.size(), locals = locals_.size();
    int count = 1 + pick(3);
    for (int i = 0; i < count; ++i) stmts.push_back(statement(depth - 1));
    if (pick(5) == 0)
      stmts.push_back(ret(number(1)));
    else if (breakable_ && pick(5) == 0)
      stmts.push_back(leave());
    variables_.resize(variables);
    locals_.resize(locals);
    return stmts;
  }
  S declared() {
    std::string name = fresh("v");
    S s = let(name, I32, number(2));
    variables_.push_back(name);
    if (pick(2)) locals_.push_back(name);
    return s;
  }
  S statement(int depth) {
    if (depth <= 0 || budget_ < 0) {
      E v = assignable();
      if (v.e && pick(2)) return pick(2) ? set(v, number(2)) : add(v, number(2));
      if (!mayWrite_ || pick(2)) return run(number(2));
      E target = slot(number(1));
      return pick(2) ? set(target, number(2)) : add(target, number(2));
    }
    switch (pick(9)) {
    case 0:
    case 1: return declared();
    case 2:
    case 3: {
      E cond = truth(2);
      Ss then = nested(depth);
      return pick(2) ? when(cond, then) : when(cond, then, nested(depth));
    }
    case 4:
    case 5: return looped(depth);
    case 6: {
      ++breakable_;
      std::vector<const ast::Case *> cases{option({0, 2}, nested(depth)), option({1}, nested(depth)),
                                           option({}, nested(depth))};
      --breakable_;
      return choose(number(2), cases);
    }
    case 7: return block(nested(depth));
    default: return statement(0);
    }
  }
  /// A loop that ends: a counter nobody else changes.
  S looped(int depth) {
    std::string i = fresh("k");
    E I = var(i, I32);
    variables_.push_back(i);
    ++breakable_;
    Ss inner = nested(depth);
    if (pick(4) == 0) {
      int place = pick(static_cast<int>(inner.size()));
      inner.insert(inner.begin() + place, when(truth(1), {next()}));
    }
    E limit = I < E(1 + pick(4));
    if (pick(3) == 0) limit = both(limit, truth(1));
    E step = pick(4) ? E(inc(I)) : comma(inc(I), number(1));
    --breakable_;
    variables_.pop_back();
    switch (pick(3)) {
    case 0: return loop(let(i, I32, pick(2) ? E(0) : select(truth(1), E(0), E(2))), limit, step, inner);
    case 1: inner.insert(inner.begin(), run(inc(I))); return block({let(i, I32, 0), whileLoop(limit, inner)});
    default: inner.insert(inner.begin(), run(inc(I))); return block({let(i, I32, 0), doWhile(inner, limit)});
    }
  }

  std::mt19937 random_;
  std::vector<std::string> variables_{"n"}, locals_;
  bool mayWrite_ = true;
  int breakable_ = 0, nesting_ = 0, counter_ = 0;
  int budget_ = 150; // many small programs find more than a few large ones
};

using PassesFuzz = PassHarness;

/// What programs compute as the backend llvm-cpu's code, several in a library: what is left of them behind the passes
/// is what it gets.
class Compiled {
public:
  Compiled() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tangram-fuzz-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    loader_.load(std::string(TANGRAM_BINARY_DIR) + "/lib/tangram/plugins/libtangram-llvm-cpu.so", registry_);
  }
  ~Compiled() { std::filesystem::remove_all(folder_); }

  runtime::KernelLibrary library(const ast::Module &module, const hardware::Target &target, unsigned seed) {
    const BackendDescriptor &backend = registry_.backends.get("llvm-cpu");
    OptionValues given;
    given.set("quick", seed % 2 == 0);
    OptionValues options = checkOptions(backend.options, given, "llvm-cpu");
    std::string stem = fmt::format("seed{}", seed);
    DiagnosticEngine diags;
    EmitContext emitting{target, options, diags, stem};
    std::vector<OutputFile> files = backend.create(options)->emit(module, emitting);
    BuildContext building{target, options, diags, folder_, stem, [] { return false; }};
    return runtime::KernelLibrary(backend.create(options)->build(files, building));
  }

  /// The result, and what the arrays of `args` are then.
  static std::pair<std::int32_t, std::vector<std::vector<std::int32_t>>> call(const runtime::KernelLibrary &library,
                                                                              const std::vector<Value> &args) {
    std::vector<std::vector<std::int32_t>> arrays;
    std::vector<tangram_array> described(args.size());
    std::vector<std::int32_t> scalars(args.size() + 1);
    std::vector<void *> pointers;
    for (const Value &v : args)
      if (v.kind == Value::Kind::Array) {
        arrays.emplace_back();
        for (const Scalar &s : *v.array.cells) arrays.back().push_back(static_cast<std::int32_t>(s.i));
        arrays.back().push_back(-77); // behind the end
      }
    std::size_t next = 0;
    for (std::size_t i = 0; i < args.size(); ++i) {
      scalars[i] = static_cast<std::int32_t>(args[i].scalar.i);
      pointers.push_back(&scalars[i]);
      if (args[i].kind != Value::Kind::Array) continue;
      std::vector<std::int32_t> &array = arrays[next++];
      described[i] = {array.data(), {array.size() - 1}, {1}};
      pointers.back() = &described[i];
    }
    pointers.push_back(&scalars.back());
    tangram_error error{};
    EXPECT_EQ(library.kernels()[0]->invoke(pointers.data(), &error), TANGRAM_OK) << error.message;
    for (std::vector<std::int32_t> &array : arrays) {
      EXPECT_EQ(array.back(), -77);
      array.pop_back();
    }
    return {scalars.back(), arrays};
  }

private:
  std::filesystem::path folder_;
  PluginLoader loader_; // outlives what the plugins registered
  Registry registry_;
};

/// Short enough that all forms of it, each of more steps than the last, can be run many times.
constexpr std::uint64_t kSteps = 2'000;

TEST_F(PassesFuzz, ComputeTheSame) {
  const char *count = std::getenv("TANGRAM_FUZZ"), *first = std::getenv("TANGRAM_FUZZ_SEED");
  unsigned begin = first ? static_cast<unsigned>(std::atoi(first)) : 1,
           programs = count ? static_cast<unsigned>(std::atoi(count)) : 400;
  unsigned tried = 0;
  for (unsigned seed = begin; seed < begin + programs && !HasFailure(); ++seed) {
    ast::Arena own;
    program::arena = &own;
    const ast::Module *program = Generator(seed).program();
    std::vector<std::vector<Value>> calls;
    for (int n : {-2, 0, 1, 3, 6})
      for (std::size_t size : {0u, 1u, 5u}) {
        std::vector<Value> args{i32(n), vector(12, I32, n + 9), vector(size, I32, static_cast<int>(seed))};
        try {
          outcome(program, args, kSteps);
        } catch (const Failure &) {
          continue; // reads an element that is not there, or runs too long
        }
        calls.push_back(args);
      }
    tried += !calls.empty();
    SCOPED_TRACE(fmt::format("seed {}", seed));
    checkLowering(program, calls);
    program::arena = &arena_;
  }
  if (!first) {
    EXPECT_GT(tried, programs / 2);
  }
}

TEST_F(PassesFuzz, ComputeTheSameWhenCompiled) {
  if (!std::filesystem::exists(std::string(TANGRAM_BINARY_DIR) + "/lib/tangram/plugins/libtangram-llvm-cpu.so"))
    GTEST_SKIP() << "the backend llvm-cpu was not built";
  const char *count = std::getenv("TANGRAM_FUZZ"), *first = std::getenv("TANGRAM_FUZZ_SEED");
  unsigned begin = first ? static_cast<unsigned>(std::atoi(first)) : 1,
           programs = (count ? static_cast<unsigned>(std::atoi(count)) : 400) / 8 + 1;
  unsigned called = 0;
  Compiled compiled;
  for (unsigned seed = begin; seed < begin + programs && !HasFailure(); ++seed) {
    ast::Arena own;
    program::arena = &own;
    const ast::Module *program = Generator(seed).program(), *lowered = lower(program);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    runtime::KernelLibrary library = compiled.library(*lowered, target_, seed);
    for (int n : {-2, 0, 1, 3, 6})
      for (std::size_t size : {0u, 1u, 5u}) {
        std::vector<Value> args{i32(n), vector(12, I32, n + 9), vector(size, I32, static_cast<int>(seed))};
        Outcome expected;
        try {
          expected = outcome(program, args, kSteps);
        } catch (const Failure &) {
          continue; // reads an element that is not there, or runs too long
        }
        ++called;
        auto [result, arrays] = Compiled::call(library, args);
        EXPECT_EQ(result, expected.result.i) << n << " " << size;
        for (std::size_t a = 0; a < arrays.size(); ++a)
          for (std::size_t i = 0; i < arrays[a].size(); ++i)
            EXPECT_EQ(arrays[a][i], expected.arrays[a][i].i) << n << " " << size << " " << a << " " << i;
        if (HasFailure()) {
          ADD_FAILURE() << ast::print(lowered->kernels[0]);
          break;
        }
      }
    program::arena = &arena_;
  }
  if (!first) {
    EXPECT_GT(called, programs);
  }
}

TEST_F(PassesFuzz, CheckedCodeSaysWhatIsOutOfRange) {
  const char *count = std::getenv("TANGRAM_FUZZ"), *first = std::getenv("TANGRAM_FUZZ_SEED");
  unsigned begin = first ? static_cast<unsigned>(std::atoi(first)) : 1,
           programs = count ? static_cast<unsigned>(std::atoi(count)) : 400, stray = 0;
  for (unsigned seed = begin; seed < begin + programs && !HasFailure(); ++seed) {
    ast::Arena own;
    program::arena = &own;
    std::vector<std::vector<Value>> calls;
    for (int n : {-2, 0, 1, 3, 6})
      for (std::size_t size : {0u, 1u, 5u}) // `out` has 12 elements where all is well
        for (std::size_t room : {12u, 7u})
          calls.push_back({i32(n), vector(room, I32, n + 9), vector(size, I32, static_cast<int>(seed))});
    SCOPED_TRACE(fmt::format("seed {}", seed));
    checkChecked(Generator(seed).program(), calls, stray);
    program::arena = &arena_;
  }
  if (!first) {
    EXPECT_GT(stray, programs / 2);
  }
}

} // namespace
