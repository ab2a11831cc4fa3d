// Which codelet a line of PTX comes from, as comments: what the host's code says where the driver rejects a line.
#include "CompileDevice.h"

#include <charconv>

namespace tangram::ptx {

using namespace ast;

namespace {

/// "sum: codelet a at sum.tg.cpp:12"
std::string origin(const Module &module, const std::string &file, unsigned line) {
  std::string place = fmt::format("{}:{}", std::filesystem::path(file).filename().string(), line);
  for (const Spectrum *spectrum : module.spectrums)
    for (const Codelet *codelet : spectrum->codelets) {
      const SourceRange &r = codelet->range;
      if (!r.valid() || line < r.line || line > std::max(r.line, r.endLine) || *r.file != file) continue;
      const std::string &name = codelet->tag.empty() ? codelet->name : codelet->tag;
      return fmt::format("{}: codelet {} at {}", spectrum->name, name, place);
    }
  return "at " + place;
}

bool number(std::string_view &text, unsigned &value) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return wrong == std::errc();
}

/// Calls `f` with each line.
void lines(std::string_view text, const std::function<void(std::string_view)> &f) {
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    f(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool isDebugLabel(std::string_view line) {
  return line.ends_with(':') && (line.starts_with("$L__tmp") || line.starts_with("$L__func_"));
}

} // namespace

std::string withOrigins(const std::string &ptx, const Module &module, bool keep) {
  std::map<unsigned, std::string> files;
  lines(ptx, [&](std::string_view line) {
    unsigned which = 0;
    if (!line.starts_with("\t.file\t")) return;
    line.remove_prefix(6);
    std::size_t open = line.find('"'), close = line.rfind('"');
    if (number(line, which) && open != std::string_view::npos && close > open)
      files[which] =
          ptx.substr(static_cast<std::size_t>(line.data() - ptx.data()) + line.find('"') + 1, close - open - 1);
  });
  std::string out, told;
  lines(ptx, [&](std::string_view line) {
    if (line.starts_with("\t.loc\t")) {
      std::string_view rest = line.substr(5);
      unsigned file = 0, row = 0;
      bool known = number(rest, file) && number(rest, row) && row != 0 && files.count(file);
      if (keep) (out += line.substr(0, line.find("//"))) += '\n';
      if (!known) return;
      std::string text = origin(module, files.at(file), row);
      if (text == told) return;
      out += fmt::format("\t//@ {}\n", text);
      told = std::move(text);
      return;
    }
    bool debug = line.starts_with("\t.file\t") || line.starts_with("\t.section\t.debug") || isDebugLabel(line);
    if (debug && !keep) return;
    if (line == "}") told.clear();
    (out += line) += '\n';
  });
  return out;
}

} // namespace tangram::ptx
