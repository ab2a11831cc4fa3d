// Gives changed input files to the compiler: whatever they hold, it ends in time with exit code 0, 1 or 2, and each
// error says what, where and what to do.
//
//   tangram-fuzz SUBJECT [--seconds S] [--cases N] [--seed K] [--only CASE]
//
// SUBJECT: source, tilek, target, plan or ast. Case i of a seed is the same everywhere; how many are done depends on
// the time. A case that fails is kept in the current folder, and its number printed: --only replays it.
#include "Mutate.h"
#include "Subjects.h"

#include "tangram/process/Children.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sys/resource.h>

using namespace tangram;
using namespace tangram::fuzz;
namespace fs = std::filesystem;

namespace {

struct Arguments {
  std::string subject;
  double seconds = 15;
  std::uint64_t cases = 1000000, seed = 1;
  std::int64_t only = -1;
};

bool parse(int argc, char **argv, Arguments &a) {
  if (argc < 2) return false;
  a.subject = argv[1];
  for (int i = 2; i + 1 < argc; i += 2) {
    std::string flag = argv[i];
    if (flag == "--seconds")
      a.seconds = std::atof(argv[i + 1]);
    else if (flag == "--cases")
      a.cases = std::strtoull(argv[i + 1], nullptr, 10);
    else if (flag == "--seed")
      a.seed = std::strtoull(argv[i + 1], nullptr, 10);
    else if (flag == "--only")
      a.only = std::atoll(argv[i + 1]);
    else
      return false;
  }
  return argc % 2 == 0;
}

// ASan reserves much more than it uses. GCC and Clang say differently that it is there.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kLimitsMemory = false;
#elif defined(__has_feature)
constexpr bool kLimitsMemory = !__has_feature(address_sanitizer);
#else
constexpr bool kLimitsMemory = true;
#endif

void limitMemory() {
  rlimit limit{4ul << 30, 4ul << 30};
  if (kLimitsMemory) setrlimit(RLIMIT_AS, &limit);
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fprintf(stderr,
                 "usage: tangram-fuzz source|tilek|target|plan|ast [--seconds S] [--cases N] [--seed K] [--only I]\n");
    return 1;
  }
  const Subject *subject = nullptr;
  std::vector<Subject> all = subjects(TANGRAM_SOURCE_DIR, TANGRAM_BINARY_DIR "/lib/tangram/plugins");
  for (const Subject &candidate : all)
    if (candidate.name == arguments.subject) subject = &candidate;
  if (!subject || subject->seeds.empty()) {
    std::fprintf(stderr, "error: there is no subject '%s', or it has no seeds\n", arguments.subject.c_str());
    return 1;
  }
  Mutator mutator(subject->seeds);
  fs::path file = fs::current_path() / ("fuzz-" + subject->name + subject->ending);

  // Seconds for one input. Sanitized code looks at all choices of a nest of three loops in some minutes.
  constexpr double patience = TANGRAM_FUZZ_PATIENCE;
  std::map<std::string, int> ends;
  int failures = 0;
  std::uint64_t done = 0;
  auto start = std::chrono::steady_clock::now();
  auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  std::uint64_t first = arguments.only >= 0 ? static_cast<std::uint64_t>(arguments.only) : 0;
  std::uint64_t last = arguments.only >= 0 ? first + 1 : arguments.cases;
  for (std::uint64_t i = first; i < last && failures < 10 && (done == 0 || seconds() < arguments.seconds);
       ++i, ++done) {
    std::ofstream(file, std::ios::binary) << mutator.make(arguments.seed * 1000003 + i);
    std::string complaint = "it sent no verdict", said, code;
    runtime::ChildEnd end = runtime::runChild(
        [&](const runtime::Send &send) {
          limitMemory();
          Verdict verdict = subject->work(file, i);
          send({std::to_string(verdict.exitCode), verdict.complaint, verdict.said});
        },
        [&](const runtime::Message &message) { code = message[0], complaint = message[1], said = message[2]; },
        patience);
    if (!end.done()) complaint = fmt::format("it {}\n{}", end.text(), end.said);
    ++ends[code];
    if (arguments.only >= 0) std::printf("exit code %s\n%s\n", code.c_str(), said.c_str());
    if (complaint.empty()) continue;
    ++failures;
    fs::path kept = fs::current_path() / fmt::format("{}-{}-{}{}", subject->name, arguments.seed, i, subject->ending);
    std::error_code ec;
    fs::copy_file(file, kept, fs::copy_options::overwrite_existing, ec);
    std::printf("case %llu of seed %llu, kept in %s:\n  %s\n", static_cast<unsigned long long>(i),
                static_cast<unsigned long long>(arguments.seed), kept.c_str(), complaint.c_str());
  }
  std::error_code ec;
  fs::remove(file, ec);
  std::printf("%s: %llu inputs in %.1f s (accepted %d, user errors %d, limitations %d), %d failures\n",
              subject->name.c_str(), static_cast<unsigned long long>(done), seconds(), ends["0"], ends["1"], ends["2"],
              failures);
  // Nothing but refusals, or nothing but acceptance, would test little.
  if (arguments.only < 0 && done >= 200 && (ends["0"] == 0 || ends["1"] == 0)) {
    std::printf("error: the inputs are all of one kind\n");
    return 1;
  }
  return failures ? 1 : 0;
}
