#include "Setting.h"

#include "tangram/plugin/Plugin.h"
#include "tangram/process/Children.h"
#include "tangram/tune/Tuner.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <regex>
#include <string_view>

namespace tangram::tune {

using namespace runtime;

namespace {

constexpr DiagnosticKind kNoDevice{
    "targets.not-at-hand", DiagnosticClass::User, "the device of target '{0}' is not at hand{1}",
    "do this on a machine that has it, or for another target; what `tangram verify -o DIR` "
    "builds here `tangram check DIR` calls there"};
constexpr DiagnosticKind kNoBackend{"targets.no-code", DiagnosticClass::Limitation,
                                    "target '{0}' has no backend: there are plans for it, but no code to call",
                                    "use `tangram explain`, or a target with one, which `tangram targets` lists"};
constexpr double kDeviceSilence = 60; // seconds in which a device, and a compiler, say what they are

/// The line in which `compiler --version` says its version; the compiler's name where it says none.
std::string versionOf(const std::string &compiler) {
  std::string command = "'";
  for (char c : compiler) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
  const std::unique_ptr<FILE, int (*)(FILE *)> pipe(popen((command + "' --version 2>/dev/null").c_str(), "r"), pclose);
  static const std::regex number("[0-9]+\\.[0-9]+");
  char line[256];
  while (pipe && std::fgets(line, sizeof line, pipe.get())) {
    line[std::strcspn(line, "\r\n")] = '\0';
    if (std::regex_search(line, number)) return line;
  }
  return compiler;
}

/// FNV-1a.
class Hash {
public:
  void add(const void *data, std::size_t bytes) {
    const auto *at = static_cast<const unsigned char *>(data);
    for (std::size_t i = 0; i < bytes; ++i) value_ = (value_ ^ at[i]) * 0x100000001b3;
  }
  void add(std::string_view text) { add(text.data(), text.size()); }
  std::uint64_t value() const { return value_; }

private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

} // namespace

void requireBackend(const Session &session) {
  if (session.target().pipeline.backend.name.empty()) fail(kNoBackend, {}, session.target().name);
}

namespace {

/// `missing`: why there is no device.
Machine look(Session &session, const std::string &version, std::string &missing) {
  const hardware::Target &target = session.target();
  const hardware::Step &step = target.pipeline.backend;
  requireBackend(session);
  const BackendDescriptor &d = session.registry().backends.get(step.name, step.range);
  const OptionValues values = checkOptions(d.options, step.options, fmt::format("backend '{}'", d.name), step.range);
  Machine machine;
  machine.tangram = fmt::format("{} ({})", version, coreBuildId());
  runChild(
      [&](const Send &send) {
        hardware::Hardware hardware = target.hardware;
        const std::unique_ptr<Backend> backend = d.create(values);
        const Detection found = backend->detect(hardware);
        send({"device", found.device, found.missing});
        const bool runsOne =
            std::any_of(d.options.begin(), d.options.end(), [](const OptionSpec &o) { return o.name == "compiler"; });
        std::string compiler = runsOne ? versionOf(values.text("compiler")) : "";
        // Folders of headers are not what code depends on.
        for (const std::string &flag : backend->compilerFlags(values))
          if (!flag.starts_with("-I")) compiler += " " + flag;
        send({"compiler", compiler});
      },
      [&](const Message &m) {
        if (m[0] == "device") machine.device = m[1], missing = m[2];
        if (m[0] == "compiler") machine.compiler = m[1];
      },
      kDeviceSilence);
  return machine;
}

} // namespace

Machine machineAtHand(Session &session, const std::string &version) {
  std::string missing;
  return look(session, version, missing);
}

Machine describeMachine(Session &session, const std::string &version) {
  std::string missing;
  Machine machine = look(session, version, missing);
  if (machine.device.empty()) fail(kNoDevice, {}, session.target().name, missing.empty() ? "" : ": " + missing);
  return machine;
}

void requireDevice(Session &session) {
  std::string missing;
  const Machine machine = look(session, "", missing);
  if (machine.device.empty() && !missing.empty()) fail(kNoDevice, {}, session.target().name, ": " + missing);
}

std::string describeTarget(const hardware::Target &target) {
  Hash hash;
  hash.add(hardware::printRenamed(target));
  return fmt::format("{} {:016x}", target.name, hash.value());
}

std::uint64_t hashOf(const std::vector<Value> &values) {
  Hash hash;
  for (const Value &value : values)
    for (std::size_t f = 0; f < value.type().fields.size(); ++f) {
      const Value field = value.field(f); // without the padding between them
      for (std::uint64_t i = 0; i < field.count(); ++i) hash.add(field.address(i), bytes(field.element()));
    }
  return hash.value();
}

} // namespace tangram::tune
