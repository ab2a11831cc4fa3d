#include "Subjects.h"

#include "tangram/ast/Text.h"
#include "tangram/ast/Verify.h"
#include "tangram/pass/DeepStack.h"
#include "tangram/session/Session.h"

#include <fstream>
#include <iterator>

namespace tangram::fuzz {
namespace {

namespace fs = std::filesystem;

const char *const kTargets[] = {"cpu-simple", "cpu-openmp", "gpu"};

std::string read(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> readAll(const std::vector<fs::path> &folders, const std::string &ending) {
  std::vector<fs::path> files;
  for (const fs::path &folder : folders)
    for (const auto &entry : fs::recursive_directory_iterator(folder))
      if (entry.path().string().ends_with(ending)) files.push_back(entry.path());
  std::sort(files.begin(), files.end()); // the same order on every file system
  std::vector<std::string> result;
  for (const fs::path &file : files) result.push_back(read(file));
  return result;
}

/// Each error says what, where and what to do; what a C++ compiler says of C++ is left to it. Of another language it
/// has nothing to say: what that accepts, it accepts.
std::string faultOf(const Diagnostic &d, bool cpp) {
  if (!cpp && d.id == "frontend.clang") return "it is about C++";
  if (d.cls == DiagnosticClass::Bug) return "it is called a bug of ours";
  if (d.message.empty()) return "it has no message";
  if (d.advice.empty() && d.id != "frontend.clang") return "it has no advice";
  if (!d.range.valid()) return "it has no place";
  return "";
}

/// Does `work` and judges what it says as the driver would.
Verdict judge(Session &session, const std::function<void()> &work, bool cpp = true) {
  Verdict verdict;
  auto take = [&](const Diagnostic &d) {
    if (d.severity != Severity::Error) return;
    verdict.exitCode = std::max(verdict.exitCode, exitCode(d.cls));
    std::string text = render(d, false);
    if (verdict.said.empty()) verdict.said = text;
    if (std::string fault = faultOf(d, cpp); !fault.empty() && verdict.complaint.empty())
      verdict.complaint = fault + ": " + text;
  };
  auto reported = [&] {
    for (const Diagnostic &d : session.diags().take()) take(d);
  };
  try {
    work();
    reported();
  } catch (const DiagnosticError &error) {
    reported();
    take(error.diagnostic);
  } catch (const ErrorsReported &) {
    reported();
    if (verdict.exitCode == 0) verdict.complaint = "errors were reported, and there are none";
  } catch (const std::bad_alloc &) {
    verdict.exitCode = 2;
  } catch (const std::exception &error) {
    verdict.exitCode = 3;
    verdict.complaint = std::string("an exception escapes: ") + error.what();
  }
  return verdict;
}

/// All that the compiler does from plans on.
void lower(Session &session, const std::vector<Plan> &plans) {
  ast::Arena arena;
  if (session.target().pipeline.backend.name.empty()) {
    for (const Plan &plan : plans) notation(plan, session.module(), session.target().hardware);
    return;
  }
  const ast::Module &lowered = *session.lower(plans, arena);
  session.emit(lowered, "fuzzed");
  // The same by the other backend for a processor, where it was built.
  const BackendDescriptor *other = session.registry().backends.find("llvm-cpu");
  if (!other || session.target().pipeline.backend.name != "openmp") return;
  OptionValues values = checkOptions(other->options, {}, other->name);
  EmitContext context{session.target(), values, session.diags(), "fuzzed"};
  onDeepStack([&] { other->create(values)->emit(lowered, context); });
}

/// From the module on; of many entries, one.
void compile(Session &session, std::optional<std::uint64_t> one = {}) {
  std::vector<Plan> plans;
  std::vector<std::string> entries = session.entrySpectrums();
  if (one && !entries.empty()) entries = {entries[*one % entries.size()]};
  for (const std::string &spectrum : entries) {
    HeuristicContext context;
    plans.push_back(session.choose(spectrum, context).at(0));
  }
  lower(session, plans);
}

const char *const kSum = R"(#include <tangram/tangram.h>
__spectrum int sum(const Array<1,int> in);
__codelet int sum(const Array<1,int> in) {
  int accum = 0;
  for (unsigned i = 0; i < in.size(); ++i) accum += in[i];
  return accum;
}
__codelet __coop __tag(kog) int sum(const Array<1,int> in) {
  __shared int tmp[coopDim()];
  tmp[coopIdx()] = coopIdx() < in.size() ? in[coopIdx()] : 0;
  for (unsigned s = 1; s < coopDim(); s *= 2)
    if (coopIdx() >= s) tmp[coopIdx()] += tmp[coopIdx() - s];
  return tmp[coopDim() - 1];
}
__codelet __tag(tiled) int sum(const Array<1,int> in) {
  __tunable unsigned p;
  unsigned len = in.size(), tile = (len + p - 1) / p;
  return sum(map(sum, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len))));
}
)";

/// The sum program, read once; children inherit it.
class Program {
public:
  explicit Program(const SessionOptions &options) : session_(options) {
    fs::path folder = fs::temp_directory_path() / fmt::format("tangram-fuzz-{}", ::getpid());
    fs::create_directories(folder);
    std::ofstream(folder / "sum.tg.cpp") << kSum;
    session_.open({folder / "sum.tg.cpp"}, "");
    module_ = &session_.module();
    std::error_code ec;
    fs::remove_all(folder, ec);
  }
  const ast::Module *module() const { return module_; }

private:
  Session session_;
  const ast::Module *module_ = nullptr;
};

/// Plans of the sum program on a target, and their composed ASTs.
struct Composed {
  std::vector<std::string> plans, asts;
};

Composed composed(const SessionOptions &options, const Program &program, const char *target) {
  Composed result;
  Session session(options);
  session.open(program.module(), target);
  const Forest &forest = session.forest("sum");
  std::mt19937_64 random(7);
  for (int i = 0; i < 6; ++i) {
    Plan plan = i ? forest.sample(random) : *forest.plainest();
    std::string text = print(plan);
    if (text.size() > 3000) continue;
    result.plans.push_back(text);
    if (session.target().pipeline.backend.name.empty()) continue;
    ast::Arena arena;
    result.asts.push_back(ast::print(session.compose({plan}, arena)));
  }
  return result;
}

} // namespace

std::vector<Subject> subjects(const fs::path &sources, const fs::path &plugins) {
  SessionOptions options;
  options.pluginFolders = {plugins};
  auto program = std::make_shared<Program>(options);

  Subject source{"source", ".tg.cpp", {}, {}};
  source.seeds = readAll({sources / "apps", sources / "tests" / "lit"}, ".tg.cpp");
  std::erase_if(source.seeds, [](const std::string &text) { return text.find("#include \"") != std::string::npos; });
  source.work = [=](const fs::path &file, std::uint64_t number) {
    Session session(options);
    return judge(session, [&] {
      session.open({file}, kTargets[number % std::size(kTargets)]);
      compile(session);
    });
  };

  // Directives of TileK: what is wrong with most of them is found before plans are made.
  Subject tilek{"tilek",
                ".tk.c",
                readAll({sources / "apps" / "family" / "tilek", sources / "tests" / "lit" / "tilek",
                         sources / "tests" / "programs" / "tilek"},
                        ".tk.c"),
                {}};
  tilek.work = source.work;
  Subject hidp{"hidp",
               ".hidp",
               readAll({sources / "apps" / "family" / "hidp", sources / "tests" / "lit" / "hidp",
                        sources / "tests" / "programs" / "hidp"},
                       ".hidp"),
               {}};
  hidp.work = [=](const fs::path &file, std::uint64_t number) {
    Session session(options);
    return judge(
        session,
        [&] {
          session.open({file}, kTargets[number % std::size(kTargets)]);
          compile(session, number / std::size(kTargets));
        },
        false);
  };

  Subject target{"target", ".yaml", readAll({sources / "hw"}, ".yaml"), {}};
  target.work = [=](const fs::path &file, std::uint64_t) {
    Session session(options);
    return judge(session, [&] {
      session.open(program->module(), file.string());
      hardware::checkPipeline(session.target(), session.registry());
      compile(session);
    });
  };

  Subject plan{"plan", ".plan", {}, {}}, text{"ast", ".ast", {}, {}};
  for (const char *name : kTargets) {
    Composed seeds = composed(options, *program, name);
    plan.seeds.insert(plan.seeds.end(), seeds.plans.begin(), seeds.plans.end());
    text.seeds.insert(text.seeds.end(), seeds.asts.begin(), seeds.asts.end());
  }
  plan.work = [=](const fs::path &file, std::uint64_t number) {
    Session session(options);
    return judge(session, [&] {
      std::string name = kTargets[number % std::size(kTargets)], text = read(file); // mostly, the plan's own
      for (const char *known : kTargets)
        if (text.starts_with(fmt::format("plan sum for {}\n", known))) name = known;
      session.open(program->module(), name);
      Plan parsed = parsePlan(text, file.string(), session.arena());
      checkPlan(parsed, session.module(), session.target().hardware, session.facts(), session.diags());
      lower(session, {parsed});
    });
  };
  text.work = [=](const fs::path &file, std::uint64_t) {
    Session session(options);
    return judge(session, [&] {
      const ast::Node *node = ast::parse(read(file), session.arena(), file.string());
      const ast::Module *module = ast::dyn<ast::Module>(node);
      if (!module || !ast::verify(*module).empty()) return;
      session.open(module, "cpu-openmp");
      ast::Arena arena;
      session.runPasses(module, session.target().pipeline.passes, arena);
    });
  };
  return {source, tilek, hidp, target, plan, text};
}

} // namespace tangram::fuzz
