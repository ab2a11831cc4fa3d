#include "Impl.h"

#include "tangram/ast/Text.h"

#include <fstream>
#include <iterator>

namespace tangram {

namespace {

std::string readWhole(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

Session::Session(SessionOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {
  std::vector<std::filesystem::path> folders;
  for (const std::filesystem::path &path : impl_->options.pluginFolders) {
    std::error_code ec;
    if (std::filesystem::is_directory(path, ec))
      folders.push_back(path);
    else // a plugin that is named is wanted: what is wrong with it is an error
      impl_->loader.load(path, impl_->registry);
  }
  impl_->loader.loadAll(PluginLoader::searchPath(folders), impl_->registry, impl_->diags);
}

Session::~Session() = default;

const SessionOptions &Session::options() const { return impl_->options; }

Registry &Session::registry() { return impl_->registry; }

const PluginLoader &Session::plugins() const { return impl_->loader; }

DiagnosticEngine &Session::diags() { return impl_->diags; }

ast::Arena &Session::arena() { return impl_->arena; }

bool Session::hasTarget() const { return impl_->target.has_value(); }

const std::vector<Timing> &Session::timings() const { return impl_->timings; }

void Session::open(std::vector<std::filesystem::path> files, const std::string &target, const std::string &spectrum) {
  impl_->files = std::move(files);
  impl_->spectrum = spectrum;
  if (!target.empty()) impl_->setTarget(hardware::loadTarget(target, impl_->arena), true);
}

void Session::open(std::vector<std::filesystem::path> files, hardware::Target target, const std::string &spectrum) {
  impl_->files = std::move(files);
  impl_->spectrum = spectrum;
  impl_->setTarget(std::move(target), true);
}

void Session::open(const ast::Module *module, const std::string &target) {
  open(module, hardware::loadTarget(target, impl_->arena));
}

void Session::open(const ast::Module *module, hardware::Target target) {
  impl_->module = impl_->written = impl_->current = module;
  impl_->setTarget(std::move(target), false);
}

void Session::setPartial() { impl_->partial = true; }

void Session::setWanted(std::vector<std::string> spectrums) { impl_->wanted = std::move(spectrums); }

void Session::setEntrySuffix(std::string suffix) { impl_->entrySuffix = std::move(suffix); }

void Session::setIncludes(std::vector<std::string> includes, std::vector<std::string> defines) {
  impl_->includes = std::move(includes);
  impl_->defines = std::move(defines);
}

const hardware::Target &Session::target() const {
  impl_->requireTarget();
  return *impl_->target;
}

const ast::Module &Session::module() {
  if (!impl_->module) impl_->parse();
  return *impl_->module;
}

const ast::Module &Session::written() {
  module();
  return *impl_->written;
}

void Session::expand() {
  impl_->requireTarget();
  module();
  impl_->expand();
}

const std::vector<NotExpanded> &Session::notExpanded() {
  module();
  return impl_->notExpanded;
}

const Facts &Session::facts() {
  impl_->requireTarget();
  module();
  if (!impl_->facts) {
    try {
      impl_->analyse();
    } catch (...) {
      impl_->facts.reset();
      throw;
    }
  }
  return *impl_->facts;
}

std::string Session::crashReport() const {
  if (!impl_->reported.empty()) return impl_->reported;
  CrashState state;
  state.step = impl_->step;
  state.passes = impl_->remaining;
  state.spectrum = impl_->spectrum;
  state.plans = impl_->plans;
  state.file = impl_->file.string();
  state.partial = !impl_->isWhole();
  if (impl_->target) state.target = hardware::printRenamed(*impl_->target);
  if (impl_->step.starts_with("frontend ")) state.source = readWhole(impl_->file);
  if (impl_->current) state.module = ast::print(impl_->current, {.locations = true});
  return print(state);
}

} // namespace tangram
