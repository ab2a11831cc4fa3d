#include "tangram/nest/Write.h"

#include "Declarations.h"
#include "Expressions.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

#include <isl/ast_build.h>
#include <isl/map.h>

namespace tangram::nest {

using namespace ast;

namespace {

constexpr Int kLargestScalar = Int{1} << 48;

/// Whether its expression is not there in front of the codelet.
bool isLocal(const Nest &nest, const Parameter &p) {
  return any<VarRef>(p.expr, [&](const VarRef &v) {
    return std::none_of(nest.codelet->params.begin(), nest.codelet->params.end(),
                        [&](const Param *given) { return given->name == v.name; });
  });
}

/// Scalars of 64 bits are to be such that what is computed of them fits 64 bits.
void bound(const Nest &nest, const std::set<std::string> &used, Arena &arena, std::vector<const Expr *> &conditions) {
  std::vector<const Expr *> result;
  for (const Parameter &p : nest.parameters) {
    if (!used.count(p.id) || isa<Size>(p.expr) || p.expr->type.bytes() < 8) continue;
    if (isLocal(nest, p)) throw NotWritten{"'" + p.name + "' may be too large, which callers cannot be asked"};
    Build build(arena, p.expr->range);
    result.push_back(build.binary(BinaryOp::Le, p.expr, build.integer(p.expr->type, kLargestScalar)));
    if (p.expr->type.isSigned())
      result.push_back(build.binary(BinaryOp::Ge, p.expr, build.integer(p.expr->type, -kLargestScalar)));
  }
  conditions.insert(conditions.begin(), result.begin(), result.end());
}

/// i of i_1_2: what was written before is written again.
std::string withoutNumbers(const std::string &name) {
  std::size_t end = name.size();
  for (;;) {
    const std::size_t digits = name.find_last_not_of("0123456789", end - 1);
    if (digits == std::string::npos || digits + 1 == end || name[digits] != '_' || digits == 0)
      return name.substr(0, end);
    end = digits;
  }
}

class Writer {
public:
  Writer(const Schedule &schedule, Arena &arena)
      : schedule_(schedule), nest_(schedule.nest()), arena_(arena), expressions_(nest_, arena) {
    names_.reserveAll(nest_.codelet);
  }

  Written run() {
    std::vector<const Stmt *> stmts;
    const std::vector<Schedule::Node> &outermost = schedule_.root().children;
    std::vector<bool> changed(nest_.items.size(), false);
    std::function<bool(const Schedule::Node &)> touched = [&](const Schedule::Node &n) {
      return n.changed || std::any_of(n.children.begin(), n.children.end(), touched);
    };
    std::function<void(const Schedule::Node &)> writtenAnew = [&](const Schedule::Node &n) {
      changed[n.top] = true;
      std::ranges::for_each(n.children, writtenAnew); // a fused loop has what stood behind it
    };
    for (const Schedule::Node &n : outermost)
      if (touched(n)) writtenAnew(n);
    std::size_t next = 0;
    auto original = [&](std::size_t upTo) {
      for (; next < upTo; ++next)
        if (!changed[next]) stmts.push_back(sourceOf(nest_, {nest_.items[next]}, arena_)[0]);
    };
    for (const Schedule::Node &n : outermost) {
      original(n.top);
      if (!changed[n.top]) continue;
      generate(n, stmts);
    }
    original(nest_.items.size());
    Build build(arena_, nest_.codelet->body->range);
    Written written;
    written.body = placeDeclarations(arena_, build.block(std::move(stmts)));
    std::optional<std::vector<const Expr *>> needed = conditions(nest_, arena_);
    if (!needed) throw NotWritten{"what the sizes have to be for nothing to wrap around cannot be said"};
    written.conditions = *needed;
    bound(nest_, expressions_.used(), arena_, written.conditions);
    return written;
  }

private:
  void generate(const Schedule::Node &top, std::vector<const Stmt *> &out) {
    std::vector<unsigned> units;
    std::function<void(const Schedule::Node &)> collect = [&](const Schedule::Node &n) {
      if (n.kind == Schedule::Node::Kind::Unit) units.push_back(n.unit);
      for (const Schedule::Node &c : n.children) collect(c);
    };
    collect(top);
    namesOf(top);
    isl::union_map when = isl::union_map::empty(nest_.isl.get());
    times_ = schedule_.times(schedule_.root());
    for (unsigned u : units)
      when = when.unite(schedule_.timeMap(u, times_[u]).set_domain_tuple(fmt::format("U{}", u)).to_union_map());
    const std::vector<unsigned> all = nest_.allLoops();
    isl::ast_build build = isl::ast_build::from_context(nest_.without(nest_.assumed, all));
    node(build.node_from_schedule_map(when), out);
  }

  /// What loops at each depth of the time are called.
  void namesOf(const Schedule::Node &top) {
    wanted_.clear();
    std::function<void(const Schedule::Node &, std::size_t)> go = [&](const Schedule::Node &n, std::size_t depth) {
      if (n.kind == Schedule::Node::Kind::Loop) {
        wanted_.resize(std::max(wanted_.size(), depth + 1));
        if (wanted_[depth].empty()) wanted_[depth] = n.name;
      }
      for (const Schedule::Node &c : n.children) go(c, depth + 1);
    };
    go(top, 1); // behind the position among the outermost
  }

  /// Whether a loop goes through iterations of one that counts down in the source, for all units in it.
  bool countsDown(const isl::ast_node &n, std::size_t depth) const {
    if (n.isa<isl::ast_node_block>()) {
      const isl::ast_node_list children = n.as<isl::ast_node_block>().children();
      for (int i = 0; i < static_cast<int>(children.size()); ++i)
        if (!countsDown(children.at(i), depth)) return false;
      return true;
    }
    if (n.isa<isl::ast_node_if>()) {
      const isl::ast_node_if choice = n.as<isl::ast_node_if>();
      return countsDown(choice.then_node(), depth) &&
             (!choice.has_else_node() || countsDown(choice.else_node(), depth));
    }
    if (n.isa<isl::ast_node_for>()) return countsDown(n.as<isl::ast_node_for>().body(), depth);
    if (!n.isa<isl::ast_node_user>()) return false;
    const unsigned u = unitOf(n.as<isl::ast_node_user>());
    const std::vector<unsigned> &loops = schedule_.units()[u].loops;
    return std::any_of(loops.begin(), loops.end(), [&](unsigned l) {
      return nest_.loops[l].step < 0 && times_[u][depth].plain_is_equal(schedule_.iterationOf(l));
    });
  }

  void node(const isl::ast_node &n, std::vector<const Stmt *> &out) {
    if (n.isa<isl::ast_node_block>()) {
      isl::ast_node_list children = n.as<isl::ast_node_block>().children();
      for (int i = 0; i < static_cast<int>(children.size()); ++i) node(children.at(i), out);
    } else if (n.isa<isl::ast_node_if>()) {
      isl::ast_node_if choice = n.as<isl::ast_node_if>();
      std::vector<const Stmt *> then, otherwise;
      node(choice.then_node(), then);
      if (choice.has_else_node()) node(choice.else_node(), otherwise);
      Build build(arena_);
      out.push_back(build.when(expressions_.condition(choice.cond()), std::move(then), std::move(otherwise)));
    } else if (n.isa<isl::ast_node_for>()) {
      loop(n.as<isl::ast_node_for>(), out);
    } else if (n.isa<isl::ast_node_user>()) {
      user(n.as<isl::ast_node_user>(), out);
    } else {
      throw NotWritten{"isl made a statement that the AST has not"};
    }
  }

  void loop(const isl::ast_node_for &n, std::vector<const Stmt *> &out) {
    Build build(arena_, nest_.codelet->body->range);
    std::string id = n.iterator().as<isl::ast_expr_id>().id().name();
    std::size_t depth = id.size() > 1 && id[0] == 'c' ? std::stoul(id.substr(1)) : 0;
    std::string wanted = depth < wanted_.size() && !wanted_[depth].empty() ? wanted_[depth] : "t";
    std::string name = names_.fresh(withoutNumbers(wanted));
    const bool down = countsDown(n.body(), depth);
    const Expr *begin = expressions_.integer(n.init());
    if (down) begin = expressions_.negated(begin);
    expressions_.bind(id, name, down);
    std::vector<const Stmt *> body;
    const Expr *iterator = build.var(name, kInteger);
    if (n.is_degenerate()) {
      out.push_back(build.declare(name, kInteger, begin));
      node(n.body(), out);
      return;
    }
    const Expr *cond = expressions_.condition(n.cond());
    // -i < end: i > -end
    if (const auto *b = dyn<Binary>(cond); down && b && (b->op == BinaryOp::Lt || b->op == BinaryOp::Le))
      cond = build.binary(mirrored(b->op), expressions_.negated(b->lhs), expressions_.negated(b->rhs));
    const Expr *step = expressions_.integer(n.inc());
    node(n.body(), body);
    const Expr *next =
        isLiteral(step, 1)
            ? static_cast<const Expr *>(
                  arena_.make<Unary>(step->range, kInteger, down ? UnaryOp::PreDec : UnaryOp::PreInc, iterator))
            : arena_.make<Assign>(step->range, kInteger, down ? AssignOp::Sub : AssignOp::Add, iterator, step);
    out.push_back(arena_.make<For>(nest_.codelet->body->range, build.declare(name, kInteger, begin, false), cond, next,
                                   build.block(std::move(body))));
  }

  static unsigned unitOf(const isl::ast_node_user &n) {
    const std::string name = n.expr().as<isl::ast_expr_op>().arg(0).as<isl::ast_expr_id>().id().name();
    return static_cast<unsigned>(std::stoul(name.substr(1)));
  }

  void user(const isl::ast_node_user &n, std::vector<const Stmt *> &out) {
    const isl::ast_expr_op call = n.expr().as<isl::ast_expr_op>();
    const Schedule::Unit &unit = schedule_.units()[unitOf(n)];
    std::map<std::string, const Expr *> values;
    for (std::size_t i = 0; i < unit.loops.size(); ++i) {
      const Loop &l = nest_.loops[unit.loops[i]];
      const Expr *value = expressions_.integer(call.arg(static_cast<int>(i) + 1));
      values[l.variable] = Build(arena_, l.node->range).exactCast(l.type, value);
    }
    const Stmt *s = sourceOf(nest_, {*unit.item}, arena_)[0];
    s = as<Stmt>(substitutedNode(arena_, s,
                                 [&](const VarRef *v) -> const Expr * {
                                   auto it = values.find(v->name);
                                   return it == values.end() ? v : it->second;
                                 },
                                 {}));
    // A second copy has variables of its own, but for what is declared for others as well.
    if (!copied_.insert(unit.item).second && !isa<Declare>(s)) s = as<Stmt>(withOwnNames(arena_, s, names_));
    out.push_back(s);
  }

  const Schedule &schedule_;
  const Nest &nest_;
  Arena &arena_;
  Expressions expressions_;
  Names names_;
  std::vector<std::string> wanted_;
  std::vector<std::vector<isl::pw_aff>> times_; // of each unit
  std::set<const Item *> copied_;
};

} // namespace

namespace {
isl::set withoutLocal(const Nest &nest, isl::set set) {
  for (const Parameter &p : nest.parameters)
    if (isLocal(nest, p)) set = set.project_out_param(isl::id(nest.isl.get(), p.id));
  return set;
}
} // namespace

std::optional<std::vector<const Expr *>> conditions(const Nest &nest, Arena &arena) {
  const auto isBounded = [&](const Parameter &p) {
    return !isa<Size>(p.expr) && p.expr->type.bytes() == 8 && !isLocal(nest, p);
  };
  /// `bounded`: scalars of 64 bits are asked to be no larger than kLargestScalar, and the rest of these.
  const auto write = [&](bool bounded) {
    std::vector<const Expr *> result;
    const std::vector<unsigned> all = nest.allLoops();
    const isl::set known = nest.without(nest.context, all), context = withoutLocal(nest, known);
    isl::set needed = nest.without(nest.assumed, all);
    if (!context.is_equal(known)) needed = withoutLocal(nest, known.subtract(needed)).complement(); // whatever they are
    isl::set small = context;
    for (const Parameter &p : nest.parameters) {
      if (!bounded || !isBounded(p)) continue;
      const isl::pw_aff value = context.param_pw_aff_on_domain(isl::id(nest.isl.get(), p.id));
      const isl::pw_aff most = context.pw_aff_on_domain(isl::val(nest.isl.get(), kLargestScalar));
      small = small.intersect(value.le_set(most).intersect(value.ge_set(most.neg())));
    }
    needed = needed.gist(small).coalesce();
    const isl::ast_build from(nest.isl.get());
    Expressions expressions(nest, arena);
    if (!nest.unconditional()) result.push_back(expressions.condition(from.expr_from(needed)));
    for (const Nest::Product &p : nest.products) {
      const Build build(arena, p.columns->range);
      const Expr *rows = build.add(expressions.integer(from.expr_from(p.rows)), build.integer(kInteger, 1));
      const Expr *elements = build.mul(build.cast(Scalar::U64, rows), build.cast(Scalar::U64, p.columns));
      result.push_back(build.binary(BinaryOp::Le, elements, build.u64(std::uint64_t{1} << 32)));
    }
    std::set<std::string> used = expressions.used();
    for (const Parameter &p : nest.parameters)
      if (bounded && isBounded(p)) used.insert(p.id);
    bound(nest, used, arena, result);
    return result;
  };
  auto found = nest.isl.limited([&]() -> std::optional<std::vector<const Expr *>> {
    if (nest.unconditional() && nest.products.empty()) return std::vector<const Expr *>();
    for (const bool bounded : {false, true}) try {
        return write(bounded);
      } catch (const NotWritten &) { // numbers near the ends of a type
      }
    return std::nullopt;
  });
  return found ? *found : std::nullopt;
}

std::vector<const Stmt *> sourceOf(const Nest &nest, const std::vector<Item> &items, Arena &arena) {
  std::vector<const Stmt *> stmts;
  for (const Item &item : items) switch (item.kind) {
    case Item::Kind::Statement: stmts.push_back(nest.statements[item.index].node); break;
    case Item::Kind::Loop: stmts.push_back(nest.loops[item.index].node); break;
    case Item::Kind::Guard: {
      const Guard &g = nest.guards[item.index];
      const Build build(arena, g.node->range);
      stmts.push_back(g.skips ? build.when(build.logicalNot(g.cond), sourceOf(nest, item.otherwise, arena)) : g.node);
      break;
    }
    }
  return stmts;
}

const Expr *written(const Nest &nest, const isl::pw_aff &value, Arena &arena) {
  auto look = [&]() -> const Expr * {
    Expressions expressions(nest, arena);
    std::map<std::string, const Expr *> iterators;
    for (const Loop &l : nest.loops) {
      const Build build(arena, l.node->range);
      expressions.bind(l.id, l.variable);
      iterators[l.variable] = build.cast(kInteger, build.var(l.variable, l.type));
    }
    try {
      const Expr *e = expressions.integer(isl::ast_build(nest.isl.get()).expr_from(value));
      return substituted(arena, e, [&](const VarRef *v) -> const Expr * {
        auto it = iterators.find(v->name);
        return it == iterators.end() ? v : it->second;
      });
    } catch (const NotWritten &) {
      return nullptr;
    }
  };
  const auto found = nest.isl.limited(look);
  return found ? *found : nullptr;
}

const Codelet *withWritten(const Codelet *codelet, const Written &written, Arena &arena) {
  return arena.derive(codelet, [&](Codelet &c) {
    c.body = written.body;
    c.conditions.insert(c.conditions.end(), written.conditions.begin(), written.conditions.end());
  });
}

Written write(const Schedule &schedule, Arena &arena) {
  Written failed;
  try {
    std::optional<Written> written = schedule.nest().isl.limited([&] { return Writer(schedule, arena).run(); });
    if (written) return *written;
    failed.problem = "isl takes too long to make loops of it";
  } catch (const NotWritten &n) {
    failed.problem = n.why;
  }
  return failed;
}

} // namespace tangram::nest
