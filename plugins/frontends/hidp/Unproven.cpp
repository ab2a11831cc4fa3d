#include "Unproven.h"

#include "Messages.h"
#include "Walk.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Read.h"

#include <algorithm>
#include <tuple>

namespace tangram::hidp {
namespace {

/// Where a loop begins, and its iterator.
using Place = std::tuple<unsigned, unsigned, std::string>;

/// Nests of the program: loops of other statements are as they are written.
std::map<Place, std::pair<std::size_t, std::string>> nestsOf(const Program &program, const Source &source) {
  std::map<Place, std::pair<std::size_t, std::string>> result;
  // Of those that were made on the way, too: of what is fused.
  for (const Stmt &s : program.stmts)
    for (const Loop &l : s.loops) {
      const ast::SourceRange range = source.range(s.piece);
      result[{range.line, range.column, l.iterator->text}] = {s.piece.begin, l.iterator->text};
    }
  return result;
}

} // namespace

Mapped unproven(const ast::Module &module, const Program &program, const Source &source, DiagnosticEngine &diags) {
  const auto nests = nestsOf(program, source);
  Mapped result;
  std::set<Place> said;
  for (const ast::Spectrum *spectrum : module.spectrums) {
    // The last one of loops alone is the one whose nests are mapped.
    const ast::Codelet *plain = nullptr;
    bool composed = false;
    for (const ast::Codelet *c : spectrum->codelets) {
      if (c->name == "serial" || c->name == "fused") plain = c;
      composed |= c->name == "composed";
    }
    if (!plain || composed) continue;
    const std::unique_ptr<nest::Nest> nest = nest::read(module, *plain);
    if (!nest) continue;
    const nest::Dependences dependences(*nest);
    for (unsigned i = 0; i < nest->loops.size(); ++i) {
      const nest::Loop &loop = nest->loops[i];
      const Place place{loop.node->range.line, loop.node->range.column, loop.variable};
      const auto found = nests.find(place);
      if (found == nests.end()) continue;
      const nest::Carried carried = dependences.carried(i);
      if (carried.kind != nest::Carried::Kind::Dependence) continue;
      const bool container = carried.dependence && nest->variables[carried.dependence->first->variable].rank > 0;
      if (!carried.dependence || !carried.dependence->certain)
        result.insert(found->second);
      else if (container && said.insert(place).second)
        diags.report(kConflict, loop.node->range, nest::describe(*nest, *carried.dependence, i));
    }
  }
  return result;
}

} // namespace tangram::hidp
