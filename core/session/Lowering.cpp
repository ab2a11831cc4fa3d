// From plans to code.
#include "Impl.h"

#include <fstream>

namespace tangram {

namespace {

constexpr DiagnosticKind kCannotWrite{"session.cannot-write", DiagnosticClass::User, "cannot write '{}'",
                                      "name a folder that exists, can be written and has room"};

std::string identifier(const std::string &spectrum) {
  std::string result;
  for (char c : spectrum) {
    bool fits = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    if (fits)
      result += c;
    else if (!result.empty() && result.back() != '_')
      result += '_';
  }
  while (result.size() > 1 && result.back() == '_') result.pop_back();
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0]))) result.insert(0, "k");
  return result;
}

} // namespace

std::vector<std::string> Session::entryNames(const std::vector<Plan> &plans) {
  std::map<std::string, unsigned> many;
  for (const Plan &plan : plans) ++many[plan.spectrum];
  std::set<std::string> taken;
  for (const auto &[spectrum, n] : many)
    if (n == 1) taken.insert(identifier(spectrum));
  std::map<std::string, unsigned> next;
  std::vector<std::string> names;
  std::set<std::string> singles;
  for (const Plan &plan : plans) {
    std::string base = identifier(plan.spectrum), name = base;
    bool single = many[plan.spectrum] == 1 && singles.insert(base).second;
    while (!single && !taken.insert(name = fmt::format("{}_{}", base, ++next[base])).second) {
    }
    names.push_back(name);
  }
  return names;
}

const ast::Module *Session::compose(const std::vector<Plan> &plans, ast::Arena &arena) {
  const Facts &known = facts();
  impl_->plans.clear();
  for (const Plan &plan : plans) impl_->plans += print(plan) + "\n";
  std::vector<std::string> names = entryNames(plans);
  std::vector<ClonedKernel> kernels;
  for (std::size_t i = 0; i < plans.size(); ++i) kernels.push_back({&plans[i], names[i] + impl_->entrySuffix});
  return impl_->run("cloner", "clone", [&] {
    const ast::Module *composed = clone(module(), target().hardware, known, kernels, arena);
    impl_->checkSound(*composed, "the cloner");
    return composed;
  });
}

const ast::Module *Session::runPasses(const ast::Module *module, const std::vector<hardware::Step> &passes,
                                      ast::Arena &arena) {
  const hardware::Target &wanted = target();
  PassContext context{.arena = arena,
                      .diags = impl_->diags,
                      .target = wanted,
                      .facts = facts(),
                      .backend = impl_->registry.backends.find(wanted.pipeline.backend.name)};
  const ast::Module *restored = impl_->current;
  std::map<std::string, std::string> hold;
  if (const PropertyDescriptor *composed = impl_->registry.properties.find("composed");
      impl_->options.verifyProperties && composed && composed->violations(*module, target()).empty())
    hold["composed"] = "the cloner";
  try {
    for (std::size_t i = 0; i < passes.size(); ++i) {
      impl_->current = module;
      impl_->remaining.clear();
      for (std::size_t j = i; j < passes.size(); ++j) impl_->remaining.push_back(passes[j].name);
      module = impl_->pass(module, passes[i], context);
      if (!impl_->options.verifyProperties) continue;
      const PassDescriptor &done = impl_->registry.passes.get(passes[i].name);
      for (const std::string &property : done.destroys) hold.erase(property);
      for (const std::string &property : done.establishes) hold[property] = done.name;
      impl_->checkProperties(*module, hold, done);
    }
  } catch (const DiagnosticError &e) {
    // The caller's arena may be gone by the time a crash file is written.
    if (e.diagnostic.cls == DiagnosticClass::Bug) impl_->reported = crashReport();
    impl_->current = restored;
    throw;
  }
  impl_->remaining.clear();
  impl_->current = restored;
  return module;
}

const ast::Module *Session::lower(const std::vector<Plan> &plans, ast::Arena &arena) {
  if (const ast::Module *kept = keptOf(plans, arena)) return kept;
  return runPasses(compose(plans, arena), target().pipeline.passes, arena);
}

std::vector<OutputFile> Session::emit(const ast::Module &lowered, const std::string &stem) {
  target();
  OptionValues values = impl_->backendOptions();
  EmitContext context{target(), values, impl_->diags, stem};
  const ast::Module *restored = std::exchange(impl_->current, &lowered);
  std::vector<OutputFile> files = impl_->run("backend", target().pipeline.backend.name,
                                             [&] { return impl_->makeBackend()->emit(lowered, context); });
  impl_->current = restored;
  return files;
}

std::filesystem::path Session::build(const std::vector<OutputFile> &files, const std::filesystem::path &folder,
                                     const std::string &stem) {
  target();
  OptionValues values = impl_->backendOptions();
  BuildContext context{target(), values, impl_->diags, folder, stem, [] { return false; }};
  std::error_code ignored; // what cannot be made cannot be written to
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  for (const OutputFile &file : files) {
    std::ofstream out(folder / file.name, std::ios::binary);
    if (!(out << file.text).flush()) fail(kCannotWrite, {}, (folder / file.name).string());
  }
  return impl_->run("build with", target().pipeline.backend.name,
                    [&] { return impl_->makeBackend()->build(files, context); });
}

} // namespace tangram
