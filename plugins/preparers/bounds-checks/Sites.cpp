#include "Sites.h"

#include "tangram/ast/Walk.h"

#include <fmt/format.h>

namespace tangram::checks {

using namespace ast;

namespace {

constexpr std::string_view kProgram = "{program}";

bool covers(const SourceRange &whole, const SourceRange &part) {
  if (!whole.valid() || whole.file != part.file || part.line < whole.line) return false;
  return whole.endLine == 0 ? part.line == whole.line : part.line <= whole.endLine;
}

} // namespace

Sites::Sites(const Module &module) : module_(module) {
  auto called = [&](const Expr *container, const SourceRange &range) {
    while (const auto *inner = dyn<Subscript>(container)) container = inner->base;
    if (const auto *variable = dyn<VarRef>(container)) containers_[key(range)] = variable->name;
  };
  auto collect = [&](const Node *body) {
    walk(
        body, [&](const Subscript &access) { called(access.base, access.range); },
        [&](const Sequence &bounds) { called(bounds.container, bounds.range); });
  };
  for (const Spectrum *spectrum : module.spectrums)
    for (const Codelet *codelet : spectrum->codelets) collect(codelet->body);
  for (const Function *function : module.functions) collect(function->body);
}

void Sites::begin(const Kernel &kernel) {
  if (!kernel_) {
    ofFunctions_ = numbers_;
    textsOfFunctions_ = texts_;
  }
  kernel_ = &kernel;
  numbers_ = ofFunctions_;
  texts_ = textsOfFunctions_;
}

std::string Sites::container(SourceRange range, const std::string &otherwise) const {
  auto found = containers_.find(key(range));
  return range.valid() && found != containers_.end() ? found->second : otherwise;
}

/// "codelet 'dot(serial)' of ", "function 'f' of ".
std::string Sites::whose(const SourceRange &range) const {
  std::string first;
  for (const Spectrum *spectrum : module_.spectrums)
    for (const Codelet *codelet : spectrum->codelets) {
      if (!covers(codelet->range, range)) continue;
      const std::string &name = codelet->tag.empty() ? codelet->name : codelet->tag;
      std::string text = fmt::format("codelet '{}({})' of ", spectrum->name, name);
      // Instances of one template stand at one place: the one that the plan names is meant.
      bool named = kernel_ && (spectrum->name == kernel_->spectrum ||
                               kernel_->plan.find(":" + spectrum->name) != std::string::npos);
      if (named) return text;
      if (first.empty()) first = text;
    }
  if (!first.empty()) return first;
  for (const Function *function : module_.functions)
    if (covers(function->range, range)) return fmt::format("function '{}' of ", function->name);
  return "";
}

Int Sites::add(SourceRange range, const std::string &what) {
  if (!range.valid() && kernel_) range = kernel_->range;
  std::string place = range.valid() ? fmt::format("{}:{}:{}: ", *range.file, range.line, range.column) : "";
  std::string text = fmt::format("{}{}program '{}' {}", place, whose(range), kProgram, what);
  auto [known, isNew] = numbers_.emplace(text, static_cast<Int>(texts_.size()) + 1);
  if (isNew) texts_.push_back(text);
  return known->second;
}

std::vector<std::string> Sites::texts() const {
  std::vector<std::string> result = texts_;
  for (std::string &text : result)
    if (std::size_t at = text.find(kProgram); at != std::string::npos)
      text.replace(at, kProgram.size(), kernel_->spectrum);
  return result;
}

} // namespace tangram::checks
