// Checked code finds calls of one map that touch an element, one of them writing it without atomics: where the analysis
// of races could not decide that, each element of the container has words that say which calls have touched it since
// the map began. All calls see them, so they are changed by atomics alone.
#include "MapSite.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

namespace tangram::flatten {

using namespace ast;

namespace {

/// What is kept of an element: calls, from 1; 0: none.
enum Word : Int { kWriter, kReader, kAnotherReader, kWords };

const std::set<unsigned> *watchedArguments(const Facts &facts, const Map &map) {
  // A composed map is a copy of the one that was analysed: where it stands tells it apart.
  auto same = [](const SourceRange &a, const SourceRange &b) {
    return a.file == b.file && a.line == b.line && a.column == b.column;
  };
  for (const auto &[known, arguments] : facts.races.watched)
    if (known->spectrum == map.spectrum && map.range.valid() && same(known->range, map.range)) return &arguments;
  return nullptr;
}

const Expr *withoutFields(const Expr *place) {
  while (const auto *member = dyn<Member>(place)) place = member->base;
  return place;
}

} // namespace

void Flattener::noteTouches(const Codelet *codelet) {
  if (!checked_) return;
  walk(
      codelet->body, [](const Codelet &) { return WalkResult::Skip; },
      [&](const Assign &a) { touches_[withoutFields(a.target)] = Touch::Write; },
      [&](const Atomic &a) { touches_[withoutFields(a.target)] = Touch::Atomic; },
      [&](const Unary &u) {
        bool writes = changesOperand(u.op);
        if (writes) touches_[withoutFields(u.operand)] = Touch::Write;
      });
}

void Flattener::watch(MapSite &site) {
  const std::set<unsigned> *arguments = checked_ ? watchedArguments(context_.facts, *site.map) : nullptr;
  bool distributes = site.map->policy == Policy::Distribute || site.map->policy == Policy::Split;
  // One worker of many that does the calls one after the other would need words of its own.
  if (!arguments || (atOnce_ && !distributes)) return;
  std::map<std::string, std::shared_ptr<const Container>> known; // by the container
  for (unsigned i : *arguments) {
    if (i >= site.args.size()) continue;
    Container &argument = site.args[i].container;
    auto watched = [&](Container &c) {
      std::shared_ptr<const Container> &mine = known[c.name];
      if (!mine) mine = words(c, distributes);
      c.watches.push_back({mine, site.map, nullptr});
    };
    if (argument.parts) {
      auto parts = std::make_shared<Parts>(*argument.parts);
      watched(parts->base);
      argument.parts = std::move(parts);
    } else if (!argument.name.empty()) {
      watched(argument);
    }
  }
}

std::shared_ptr<const Container> Flattener::words(const Container &of, bool distributes) {
  std::vector<const Expr *> extents = of.sizes;
  for (const Expr *&extent : extents) extent = simple(extent, "count");
  extents.push_back(b().u64(kWords));
  Container made = temporary(named("touched"), Scalar::U32, extents);
  const Expr *all = extents[0];
  for (std::size_t d = 1; d < extents.size(); ++d) all = b().mul(all, extents[d]);
  Container row = window(made, Type::array(1, Scalar::U32), b().u64(0), {all}, {b().u64(1)}, false, named("touches"));
  if (distributes) sync(level_);
  bool unrolls = distributes && hardware::areIterations(levelOf(level_).sync);
  loop(named("w"), b().u64(0), row.sizes[0], distributes && !unrolls ? Policy::Distribute : Policy::Serialize, {},
       [&](const Expr *w) {
         emit(b().assign(b().element(reference(row), {w}, Scalar::U32), b().integer(Scalar::U32, 0)));
       });
  if (distributes) sync(level_);
  return std::make_shared<const Container>(std::move(made));
}

Container Flattener::within(const Container &c, const Map *map, const Expr *call) const {
  auto enter = [&](Container &each) {
    for (Watch &w : each.watches)
      if (w.map == map && !w.call) w.call = call;
  };
  Container result = c;
  enter(result);
  if (c.parts) {
    auto parts = std::make_shared<Parts>(*c.parts);
    enter(parts->base);
    result.parts = std::move(parts);
  }
  return result;
}

std::vector<Watch> Flattener::watchesOf(const Container &base, const std::vector<const Expr *> &starts,
                                        const std::vector<const Expr *> &steps, const std::vector<const Expr *> &sizes,
                                        const std::string &hint) {
  std::vector<Watch> result;
  for (const Watch &w : base.watches) {
    const Container &all = *w.words;
    const Expr *offset = b().u64(0);
    for (std::size_t d = 0; d < starts.size(); ++d) offset = b().add(offset, b().mul(starts[d], all.strides[d]));
    // Rows lose the dimensions that they are taken from.
    std::size_t first = steps.empty() ? starts.size() : 0;
    std::vector<const Expr *> strides(all.strides.begin() + static_cast<std::ptrdiff_t>(first), all.strides.end());
    for (std::size_t d = 0; d < steps.size(); ++d) strides[d] = b().mul(steps[d], strides[d]);
    std::vector<const Expr *> extents = sizes;
    extents.push_back(b().u64(kWords));
    Type type = Type::array(static_cast<unsigned>(extents.size()), Scalar::U32);
    Container part = window(all, type, offset, std::move(extents), std::move(strides), false, hint + "_touched");
    result.push_back({std::make_shared<const Container>(std::move(part)), w.map, w.call});
  }
  return result;
}

void Flattener::touch(const Container &c, std::vector<const Expr *> &indices, Touch how, const std::string &called,
                      SourceRange where) {
  const Expr *inside = b().boolean(true), *element = nullptr;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    indices[d] = simple(b().cast(Scalar::U64, indices[d]), "i");
    inside = b().both(inside, b().less(indices[d], c.sizes[d]));
    element = element ? b().add(b().mul(element, c.sizes[d]), indices[d]) : indices[d];
  }
  static constexpr const char *does[] = {"reads", "writes", "changes"};
  for (const Watch &w : c.watches) {
    if (!w.call) continue;
    auto word = [&](Int which) {
      std::vector<const Expr *> at = indices;
      at.push_back(b().u64(which));
      return b().element(reference(*w.words), std::move(at), Scalar::U32);
    };
    auto atomic = [&](AtomicOp op, Int which, std::vector<const Expr *> operands) {
      return arena_.make<Atomic>(where, Type(Scalar::U32), op, word(which), std::move(operands));
    };
    const Expr *none = b().integer(Scalar::U32, 0);
    auto looked = [&](Int which, const char *name) {
      return constant(named(name), atomic(AtomicOp::Or, which, {none}));
    };
    auto foreign = [&](const Expr *call) {
      return b().both(b().binary(BinaryOp::Ne, call, none), b().binary(BinaryOp::Ne, call, w.call));
    };
    Stmts stmts = collect([&] {
      const Expr *other = nullptr;
      if (how == Touch::Write) {
        const Expr *writer = constant(named("writer"), atomic(AtomicOp::Exchange, kWriter, {w.call}));
        const Expr *reader = looked(kReader, "reader"), *another = looked(kAnotherReader, "reader");
        other = b().select(foreign(reader), reader, b().select(foreign(another), another, none));
        other = b().select(foreign(writer), writer, other);
      } else {
        const Expr *reader = constant(named("reader"), atomic(AtomicOp::CompareExchange, kReader, {none, w.call}));
        emit(b().when(foreign(reader),
                      {arena_.make<Evaluate>(where, atomic(AtomicOp::Exchange, kAnotherReader, {w.call}))}));
        const Expr *writer = looked(kWriter, "writer");
        other = b().select(foreign(writer), writer, none);
      }
      other = constant(named("other"), other);
      // Both calls in one number that is no index of anything (runtime/report.h).
      const Expr *one = b().integer(Scalar::U32, 1);
      auto numbered = [&](const Expr *call) { return b().cast(Scalar::U64, b().sub(call, one)); };
      const Expr *both = b().add(b().mul(numbered(w.call), b().u64(1ll << 31)), numbered(other));
      both = b().add(both, b().u64(std::numeric_limits<Int>::min()));
      const Expr *index = b().select(b().equal(other, none), b().u64(0), both);
      std::string what =
          fmt::format("{} element {{last}} of '{}'{} in call {{call}} of the map in line {}, and call {{other}} of it "
                      "{} that element, "
                      "too",
                      does[static_cast<int>(how)], called, indices.size() > 1 ? ", counted along its rows," : "",
                      w.map->range.line, how == Touch::Write ? "touches" : "writes");
      const Expr *check = arena_.make<Check>(where, Type(Scalar::Bool), index, b().add(element, b().u64(1)), what,
                                             nullptr, nullptr, Int{0});
      // Once it is known, nobody needs to hear of it again.
      emit(b().when(b().logicalNot(check),
                    {arena_.make<Evaluate>(where, atomic(AtomicOp::Exchange, kWriter, {w.call}))}));
    });
    emit(b().when(inside, std::move(stmts)));
  }
}

} // namespace tangram::flatten
