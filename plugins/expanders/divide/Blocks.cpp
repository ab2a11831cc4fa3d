#include "Blocks.h"

#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Codelets.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/Schedule.h"
#include "tangram/nest/Write.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tangram::divide {

using namespace ast;
using nest::Carried;
using nest::Item;
using Stmts = std::vector<const Stmt *>;

namespace {

/// How many loops stand in each other.
std::size_t depthOf(const Item &item) {
  std::size_t most = 0;
  for (const auto *items : {&item.body, &item.otherwise})
    for (const Item &inner : *items) most = std::max(most, depthOf(inner));
  return most + (item.kind == Item::Kind::Loop);
}

/// Makes spectrums of the loops of a block.
class Parts {
public:
  Parts(const Spectrum &spectrum, const nest::Nest &nest, const Item &loop, const std::string &name, Names &names,
        Arena &arena)
      : spectrum_(spectrum), nest_(nest), loop_(loop), name_(name), names_(names), arena_(arena) {}

  std::optional<Blocks> run(std::string &why) {
    Blocks result;
    const auto *outer = static_cast<const For *>(nest_.loops[loop_.index].node);
    std::map<const Stmt *, const Stmt *> calls;
    for (const Item &item : loop_.body) {
      if (!nest::hasLoop(item)) continue;
      const Stmt *s = item.kind == Item::Kind::Loop ? static_cast<const Stmt *>(nest_.loops[item.index].node)
                                                    : nest_.guards[item.index].node;
      const Stmt *call = outlined(item, s, result.spectrums, why);
      if (!call) return std::nullopt;
      calls[s] = call;
    }
    Stmts stmts;
    for (const Stmt *s : outer->body->stmts) stmts.push_back(calls.count(s) ? calls[s] : s);
    const Block *body = arena_.derive(outer->body, [&](Block &b) { b.stmts = std::move(stmts); });
    const For *changed = arena_.derive(outer, [&](For &f) { f.body = body; });
    Stmts all;
    for (const Stmt *s : nest_.codelet->body->stmts) all.push_back(s == outer ? changed : s);
    result.codelet = arena_.derive(nest_.codelet, [&](Codelet &c) {
      c.name = c.tag = name_;
      c.body = arena_.derive(nest_.codelet->body, [&](Block &b) { b.stmts = std::move(all); });
    });
    return result;
  }

private:
  const Stmt *outlined(const Item &item, const Stmt *s, std::vector<const Spectrum *> &made, std::string &why) {
    std::optional<Captures> captures = capturesOf(nest_, {s}, {}, {}, arena_, why);
    if (!captures) return nullptr;
    nest::Codelets make(arena_, s->range);
    Names own;
    own.reserveAll(nest_.codelet);
    std::map<std::string, std::string> elsewhere; // names of what is only read of containers
    const std::set<const Node *> apart = readElsewhere(item);
    for (const Node *node : apart) {
      const auto *container = as<VarRef>(as<Subscript>(node)->base);
      if (!elsewhere.emplace(container->name, "").second) continue;
      std::string &other = elsewhere[container->name] = own.fresh(container->name + "_elsewhere");
      captures->params.push_back(arena_.make<Param>(container->range, other, container->type, Access::In));
      captures->arguments.push_back(arena_.make<VarRef>(container->range, container->type, container->name));
    }
    s = substituted(
        arena_, s, [](const VarRef *v) -> const Expr * { return v; },
        [&](const Subscript *sub) -> const Expr * {
          if (!apart.count(sub)) return nullptr;
          const auto *container = as<VarRef>(sub->base);
          return arena_.derive(sub, [&](Subscript &copy) {
            copy.base = arena_.make<VarRef>(container->range, container->type, elsewhere[container->name]);
          });
        });
    const Codelet *codelet = withTables(make.codelet("loops", captures->params, {s}), *nest_.codelet, arena_);
    made.push_back(make.spectrum(names_.fresh(spectrum_.name + "_" + name_), Type(), captures->params, {codelet}));
    return make.run(make.call(made.back()->name, Type(), captures->arguments));
  }

  /// Reads of containers that are written in the item, but never where these read.
  std::set<const Node *> readElsewhere(const Item &item) const {
    const std::vector<unsigned> statements = nest::statementsIn(item);
    auto touched = [&](const nest::Access &a) {
      const std::vector<unsigned> &around = nest_.statements[a.statement].loops;
      return nest_.without(a.elements.intersect_params(nest_.assumed), {around.begin() + 1, around.end()});
    };
    auto look = [&] {
      std::set<const Node *> result;
      std::map<unsigned, isl::set> written;
      for (const unsigned s : statements)
        for (const nest::Access &a : nest_.statements[s].accesses) {
          if (a.kind == nest::AccessKind::Read || !nest_.variables[a.variable].given) continue;
          const auto [entry, fresh] = written.emplace(a.variable, touched(a));
          if (!fresh) entry->second = entry->second.unite(touched(a));
        }
      std::set<const Node *> meets; // copies of a statement share what is the same in them
      for (const unsigned s : statements)
        for (const nest::Access &a : nest_.statements[s].accesses) {
          const auto *sub = dyn<Subscript>(a.node);
          const auto *base = sub ? dyn<VarRef>(sub->base) : nullptr;
          if (!base || base->name != nest_.variables[a.variable].name || !written.count(a.variable)) continue;
          const bool isElsewhere =
              a.kind == nest::AccessKind::Read && touched(a).intersect(written.at(a.variable)).is_empty();
          (isElsewhere ? result : meets).insert(sub);
        }
      for (const Node *node : meets) result.erase(node);
      return result;
    };
    const auto found = nest_.isl.limited(look);
    return found ? *found : std::set<const Node *>();
  }

  const Spectrum &spectrum_;
  const nest::Nest &nest_;
  const Item &loop_;
  const std::string &name_;
  Names &names_;
  Arena &arena_;
};

} // namespace

std::optional<Blocks> blocks(nest::Nests &nests, const Spectrum &spectrum, const Codelet &codelet,
                             const std::string &name, std::int64_t size, Names &names, Arena &arena,
                             std::vector<nest::Remark> &refused) {
  const nest::Nest *const nest = nests.of(*withSizes(codelet, arena));
  if (!nest) return std::nullopt;
  Names own;
  own.reserveAll(nest->codelet);
  for (const Item &item : nest->items) {
    if (item.kind != Item::Kind::Loop || depthOf(item) < 3) continue;
    const nest::Loop &loop = nest->loops[item.index];
    if (nest::Dependences(*nest).carried(item.index).kind != Carried::Kind::Dependence) continue;
    const SourceRange where = loop.node->range;
    const std::string iterator = own.fresh("block");
    nest::Schedule schedule(*nest);
    if (const auto refusal = schedule.apply({nest::Step::Kind::Block, {loop.variable}, size, iterator, where, {}})) {
      refused.push_back({where, refusal->message});
      continue;
    }
    const nest::Written written = nest::write(schedule, arena);
    if (!written.body) {
      refused.push_back({where, written.problem});
      continue;
    }
    const Codelet *changed = nest::withWritten(nest->codelet, written, arena);
    const nest::Nest *const read = nests.of(*changed);
    if (!read) continue;
    const auto blocksLoop = std::find_if(read->items.begin(), read->items.end(), [&](const Item &other) {
      return other.kind == Item::Kind::Loop && read->loops[other.index].variable == iterator;
    });
    if (blocksLoop == read->items.end()) continue;
    std::string why;
    if (auto made = Parts(spectrum, *read, *blocksLoop, name, names, arena).run(why)) return made;
    refused.push_back({where, why});
  }
  return std::nullopt;
}

} // namespace tangram::divide
