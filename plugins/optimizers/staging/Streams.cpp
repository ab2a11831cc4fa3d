#include "Streams.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::staging {

using namespace ast;

namespace {

/// The same in all iterations, and without memory: nothing that a loop's body could change.
bool keeps(const Expr *e, const std::set<std::string> &changed) {
  return speculable(e) && !any<VarRef>(e, [&](const VarRef &v) { return changed.count(v.name) != 0; });
}

class Finder {
public:
  Finder(Arena &arena, const Addresses &addresses, const Counted &loop, const std::string &worker)
      : arena_(arena), addresses_(addresses), loop_(loop), worker_(worker), changed_(assignedVariables(loop.body)),
        declared_(declaredIn(loop.body)) {
    changed_.insert(loop.variable);
    changed_.merge(declaredIn(loop.body));
  }

  std::vector<Stream> run() {
    for (const Storage::Access &access : addresses_.storage().accesses(loop_.body)) add(access);
    std::vector<Stream> result;
    for (Stream &stream : found_) {
      if (spoilt_.count(stream.buffer) && (stream.stores || written_.count(stream.buffer))) continue;
      bool others = std::any_of(found_.begin(), found_.end(), [&](const Stream &other) {
        return &other != &stream && other.buffer == stream.buffer && (other.stores || stream.stores);
      });
      if (!others && !(stream.stores && stream.shared)) result.push_back(std::move(stream));
    }
    return result;
  }

private:
  void add(const Storage::Access &access) {
    if (access.writes) written_.insert(access.buffer);
    std::optional<Stream> stream = streamOf(access);
    if (!stream || (access.writes && !always(access))) {
      spoilt_.insert(access.buffer);
      return;
    }
    const auto *place = as<Subscript>(access.place);
    for (Stream &known : found_) {
      if (known.buffer != stream->buffer || !equal(known.start, stream->start)) continue;
      known.loads |= !access.writes;
      known.stores |= access.writes;
      known.places.push_back(place);
      return;
    }
    (access.writes ? stream->stores : stream->loads) = true;
    stream->places = {place};
    found_.push_back(std::move(*stream));
  }

  std::optional<Stream> streamOf(const Storage::Access &access) const {
    const auto *place = dyn<Subscript>(access.place);
    if (!place || access.atomic || !place->type.isScalar() ||
        addresses_.storage().kind(access.buffer) != Storage::Kind::Param)
      return {};
    const Expr *flat = addresses_.flat(place);
    std::optional<Affine> index = flat ? affine(arena_, flat, loop_.variable) : std::nullopt;
    if (!index || !isLiteral(index->slope, 1) || !keeps(index->base, changed_)) return {};
    Build b(arena_, place->range);
    Stream s;
    s.buffer = access.buffer;
    s.element = place->type;
    s.start = b.add(index->base, b.cast(Scalar::U64, loop_.begin));
    s.shared = addresses_.uniform(s.start);
    if (s.shared) return s;
    const Expr *over = addresses_.over(s.start, worker_);
    if (over && alikeForMost(over)) return {}; // of all that load one element one asks the memory
    std::optional<Affine> byWorker = over && speculable(over) ? affine(arena_, over, worker_) : std::nullopt;
    if (!byWorker || !addresses_.uniform(byWorker->base) || !addresses_.uniform(byWorker->slope)) return s;
    if (isLiteral(byWorker->slope, 1)) return {}; // neighbouring workers touch neighbouring elements: as it should be
    s.first = byWorker->base;
    s.distance = byWorker->slope;
    return s;
  }

  /// Whether workers are told apart by quotients alone: of q / n, neighbours have different values a few times.
  bool alikeForMost(const Expr *e) const {
    constexpr Int kMany = 32;
    return walk(e, [&](const Expr &part) {
      const auto *quotient = dyn<Binary>(&part);
      if (quotient && quotient->op == BinaryOp::Div && addresses_.uniform(quotient->rhs) &&
          literal(quotient->rhs).value_or(kMany) >= kMany)
        return WalkResult::Skip;
      const auto *v = dyn<VarRef>(&part);
      return v && v->name == worker_ ? WalkResult::Stop : WalkResult::Advance;
    });
  }

  /// Each iteration does it once: a statement of the body itself.
  bool always(const Storage::Access &access) const {
    return std::any_of(loop_.body->stmts.begin(), loop_.body->stmts.end(), [&](const Stmt *s) {
      const auto *evaluate = dyn<Evaluate>(s);
      const auto *assign = evaluate ? dyn<Assign>(evaluate->expr) : nullptr;
      return assign && assign->target == access.place;
    });
  }

  Arena &arena_;
  const Addresses &addresses_;
  const Counted &loop_;
  const std::string &worker_;
  std::set<std::string> changed_, declared_;
  std::vector<Stream> found_;
  std::set<std::string> written_, spoilt_; // buffers; spoilt: touched otherwise too
};

} // namespace

std::optional<Counted> counted(Arena &arena, const Stmt *s) {
  std::optional<Counted> c = loops::counted(arena, s);
  // Workers ask for bounds of loops that they do not get to themselves.
  if (!c || !c->begin || !speculable(c->begin) || !speculable(c->end) || !speculable(c->step)) return {};
  return c;
}

std::vector<Stream> streams(Arena &arena, const Addresses &addresses, const Counted &loop, const std::string &worker) {
  return Finder(arena, addresses, loop, worker).run();
}

} // namespace tangram::staging
