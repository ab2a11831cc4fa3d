#include "ExplainCode.h"

#include "tangram/ast/Walk.h"

#include <filesystem>

namespace tangram::driver {
namespace {

using namespace ast;

/// Gaps of so many lines between lines of a codelet are its own, too: braces and directives.
constexpr std::size_t kGap = 4;

constexpr std::string_view kPlace = "//@ at ";

/// The codelets of the plan, which are found by place. Instances of a template have the same one: the plan's are taken.
class Places {
public:
  explicit Places(const Explanation &e) {
    for (const RuleWork &rule : e.work.rules)
      if (rule.codelet && rule.codelet->range.valid() &&
          std::find(codelets_.begin(), codelets_.end(), rule.codelet) == codelets_.end())
        codelets_.push_back(rule.codelet);
  }

  const Codelet *find(const std::string &file, unsigned line, bool nameOnly = false) const {
    for (const Codelet *codelet : codelets_) {
      const SourceRange &range = codelet->range;
      bool same = nameOnly ? std::filesystem::path(*range.file).filename() == std::filesystem::path(file).filename()
                           : *range.file == file;
      if (same && line >= range.line && line <= range.endLine) return codelet;
    }
    return nullptr;
  }
  const Codelet *find(const SourceRange &range) const {
    return range.valid() ? find(*range.file, range.line) : nullptr;
  }

private:
  std::vector<const Codelet *> codelets_;
};

using Names = std::map<std::string, const Codelet *, std::less<>>;

/// Variables of the lowered kernels, by the codelet that declares them; null where several do.
Names variables(const Module &lowered, const Places &places) {
  Names names;
  auto add = [&](const std::string &name, const SourceRange &range) {
    const Codelet *codelet = places.find(range);
    if (!codelet || name.empty()) return;
    auto [known, fresh] = names.emplace(name, codelet);
    if (!fresh && known->second != codelet) known->second = nullptr;
  };
  for (const Kernel *kernel : lowered.kernels)
    walk(
        kernel->body, [&](const Declare &n) { add(n.name, n.range); }, [&](const Loop &n) { add(n.var, n.range); },
        [&](const View &n) { add(n.name, n.range); }, [&](const Alloc &n) { add(n.name, n.range); },
        [&](const Cooperate &n) { add(n.lane, n.range); });
  return names;
}

const Codelet *mostNamed(std::string_view line, const Names &names) {
  std::vector<std::pair<const Codelet *, unsigned>> found;
  auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = 0; at < line.size();) {
    if (!part(line[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && part(line[end])) ++end;
    if (auto it = names.find(line.substr(at, end - at)); it != names.end() && it->second) {
      auto known = std::find_if(found.begin(), found.end(), [&](const auto &f) { return f.first == it->second; });
      if (known == found.end())
        found.emplace_back(it->second, 1);
      else
        ++known->second;
    }
    at = end;
  }
  const Codelet *most = nullptr;
  unsigned count = 0;
  for (const auto &[codelet, n] : found)
    if (n > count) {
      most = codelet;
      count = n;
    }
  return most;
}

CodeFile attributed(const OutputFile &file, const Names &names, const Places &places) {
  CodeFile result{file.name, {}};
  const Codelet *said = nullptr; // by the last place that the backend wrote
  bool says = false;
  for (std::size_t at = 0; at < file.text.size();) {
    std::size_t end = std::min(file.text.find('\n', at), file.text.size());
    CodeLine line{file.text.substr(at, end - at), nullptr};
    at = end + 1;
    if (std::size_t place = line.text.find(kPlace); place != std::string::npos) {
      std::string_view where = std::string_view(line.text).substr(place + kPlace.size());
      std::size_t colon = where.rfind(':');
      unsigned number = 0;
      for (std::size_t i = colon; colon != where.npos && ++i < where.size() && std::isdigit(where[i]);)
        number = number * 10 + static_cast<unsigned>(where[i] - '0');
      said = colon == where.npos ? nullptr : places.find(std::string(where.substr(0, colon)), number, true);
      says = true;
    }
    if (line.text.starts_with("}")) says = false, said = nullptr;
    const bool comment =
        line.text.compare(std::min(line.text.find_first_not_of(" \t"), line.text.size()), 2, "//") == 0;
    line.from = says ? said : comment ? nullptr : mostNamed(line.text, names);
    result.lines.push_back(std::move(line));
  }
  std::vector<CodeLine> &lines = result.lines;
  for (std::size_t i = 0, last = lines.size(); i < lines.size(); ++i) {
    if (!lines[i].from) continue;
    if (last < i && lines[last].from == lines[i].from && i - last <= kGap + 1)
      for (std::size_t gap = last + 1; gap < i; ++gap) lines[gap].from = lines[i].from;
    last = i;
  }
  return result;
}

} // namespace

GeneratedCode generatedCode(Session &session, const Explanation &e, const std::string &file) {
  GeneratedCode result;
  if (session.target().pipeline.backend.name.empty()) {
    result.none = fmt::format("target '{}' has no backend: it is for plans and explain only", session.target().name);
    return result;
  }
  try {
    Arena arena;
    const Module *lowered = session.lower({e.plan}, arena);
    Places places(e);
    Names names = variables(*lowered, places);
    for (const OutputFile &output : session.emit(*lowered, stemOf(file)))
      result.files.push_back(attributed(output, names, places));
  } catch (const DiagnosticError &error) {
    if (error.diagnostic.cls == DiagnosticClass::Bug) throw;
    result.none = error.diagnostic.message;
  }
  return result;
}

} // namespace tangram::driver
