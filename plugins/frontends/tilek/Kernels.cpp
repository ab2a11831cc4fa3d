#include "Kernels.h"

#include "Tiled.h"

#include "tangram/nest/OwnScalars.h"

#include <algorithm>

namespace tangram::tilek {

using namespace ast;

namespace {

constexpr const char *kSerial = "serial";

/// Without the declarations of how many threads, gangs and workers there are, which `counts` gets.
const Codelet *withoutCounts(const Codelet *serial, const KernelDirective &kernel,
                             std::map<std::string, const Expr *> &counts, Arena &arena) {
  std::vector<std::string> names;
  if (kernel.threads) names.push_back(countName("threads", 0));
  for (const auto &[d, _] : kernel.gangs) names.push_back(countName("gangs", d));
  for (const auto &[d, _] : kernel.workers) names.push_back(countName("workers", d));
  std::vector<const Stmt *> kept;
  for (const Stmt *s : serial->body->stmts) {
    const auto *d = dyn<Declare>(s);
    if (d && d->init && std::find(names.begin(), names.end(), d->name) != names.end())
      counts.emplace(d->name, d->init);
    else
      kept.push_back(s);
  }
  if (counts.empty()) return serial;
  return arena.derive(
      serial, [&](Codelet &c) { c.body = arena.derive(serial->body, [&](Block &b) { b.stmts = std::move(kept); }); });
}

} // namespace

const Module *withKernels(const Module *module, const Source &source, Arena &arena, DiagnosticEngine &diags) {
  Names names;
  for (const Spectrum *s : module->spectrums) names.reserve(s->name);
  for (const Function *f : module->functions) names.reserve(f->name);
  std::vector<const Spectrum *> spectrums = module->spectrums, added;
  bool failed = false;
  for (const Spectrum *&spectrum : spectrums) {
    auto kernel = std::find_if(source.kernels.begin(), source.kernels.end(),
                               [&](const Kernel &k) { return k.name == spectrum->name; });
    if (kernel == source.kernels.end()) continue;
    std::vector<const Codelet *> codelets = spectrum->codelets;
    auto serial = std::find_if(codelets.begin(), codelets.end(), [](const Codelet *c) { return c->name == kSerial; });
    if (serial == codelets.end()) continue;
    std::map<std::string, const Expr *> counts;
    *serial = nest::withOwnScalars(*module, *withoutCounts(*serial, kernel->directive, counts, arena), arena);
    try {
      if (!kernel->loops.empty() || !counts.empty()) {
        Tiled made = tiled(*kernel, *module, **serial, counts, names, arena, diags);
        added.insert(added.end(), made.spectrums.begin(), made.spectrums.end());
        if (!kernel->loops.empty()) codelets.push_back(made.codelet);
      }
    } catch (DiagnosticError &error) {
      diags.add(std::move(error.diagnostic));
      failed = true;
    }
    spectrum = arena.derive(spectrum, [&](Spectrum &s) { s.codelets = std::move(codelets); });
  }
  if (failed) return nullptr;
  spectrums.insert(spectrums.end(), added.begin(), added.end());
  return arena.derive(module, [&](Module &m) { m.spectrums = std::move(spectrums); });
}

} // namespace tangram::tilek
