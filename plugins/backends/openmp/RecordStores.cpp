#include "RecordStores.h"
#include "Indices.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::openmp {

using namespace ast;

namespace {

constexpr std::size_t kMostFields = 4;

/// A store whose lanes are a record apart.
struct FieldStore {
  const VectorStore *store;
  std::string array; // that the records are in
  Strided lanes;
  std::vector<const Expr *> first; // of the first lane's place, terms that are no number ...
  Int field = 0;                   // ... and the number
};

void addTerms(const Expr *e, FieldStore &to) {
  if (const auto *sum = dyn<Binary>(e); sum && sum->op == BinaryOp::Add) {
    addTerms(sum->lhs, to);
    addTerms(sum->rhs, to);
  } else if (const std::optional<Int> n = number(e)) {
    to.field += *n;
  } else {
    to.first.push_back(e);
  }
}

bool same(const Expr *a, const Expr *b) { return a == b || (a && b && equal(a, b)); }

/// Whether both are in the same records, maybe in another field.
bool inOneRecord(const FieldStore &a, const FieldStore &b) {
  return a.array == b.array && a.lanes.step == b.lanes.step && same(a.lanes.stride, b.lanes.stride) &&
         same(a.store->mask, b.store->mask) && a.store->value->type == b.store->value->type &&
         std::equal(a.first.begin(), a.first.end(), b.first.begin(), b.first.end(), same);
}

class Finder {
public:
  Finder(const std::map<std::string, Field> &fields, Arena &arena) : fields_(fields), arena_(arena) {}
  RecordStores result;

  void block(const Block &body) {
    open_.clear();
    for (const Stmt *s : body.stmts) {
      const auto *store = dyn<VectorStore>(s);
      std::optional<FieldStore> found = store ? fieldStore(*store) : std::nullopt;
      if (found) {
        if (!open_.empty() && !inOneRecord(open_.front(), *found)) close();
        if (loads(s)) close();
        open_.push_back(std::move(*found));
      } else if (const auto *d = dyn<Declare>(s); !d || (d->init && hasEffects(d->init)) || loads(s)) {
        close();
      }
    }
    close();
  }

private:
  std::optional<FieldStore> fieldStore(const VectorStore &store) {
    const auto *base = dyn<VarRef>(store.base);
    const std::optional<Strided> lanes = store.index->type.isVector() ? strided(store.index, arena_) : std::nullopt;
    if (!base || !lanes || lanes->each > 1 || lanes->step < 1 || (!lanes->stride && lanes->step < 2)) return {};
    if (lanes->stride && lanes->step != 1) return {};
    if (base->type.element().isBool()) return {};
    FieldStore result{&store, base->name, *lanes, {}, 0};
    if (auto field = fields_.find(base->name); field != fields_.end())
      result.array = field->second.array, result.field = field->second.offset;
    if (lanes->first) addTerms(lanes->first, result);
    return result;
  }

  /// From where the stores that are open may go to, by another name as well: not from what is only read.
  bool loads(const Node *s) const {
    const auto mayBeThere = [](const Expr *base) { return !base->type.isPointer() || !base->type.toConst(); };
    return !open_.empty() && (any<VectorLoad>(s, [&](const VectorLoad &load) { return mayBeThere(load.base); }) ||
                              any<Subscript>(s, [&](const Subscript &element) { return mayBeThere(element.base); }));
  }

  void close() {
    std::vector<FieldStore> open = std::move(open_);
    open_.clear();
    const std::size_t n = open.size();
    if (n < 2 || n > kMostFields || (!open[0].lanes.stride && open[0].lanes.step != static_cast<Int>(n))) return;
    const VectorStore *last = open.back().store;
    std::sort(open.begin(), open.end(), [](const FieldStore &a, const FieldStore &b) { return a.field < b.field; });
    for (std::size_t i = 1; i < n; ++i)
      if (open[i].field != open[0].field + static_cast<Int>(i)) return;
    for (const FieldStore &one : open) {
      result.records[last].push_back(one.store);
      if (one.store != last) result.others.insert(one.store);
    }
  }

  const std::map<std::string, Field> &fields_;
  Arena &arena_;
  std::vector<FieldStore> open_; // of one record
};

} // namespace

RecordStores recordStores(const Block &body, const std::map<std::string, Field> &fields, Arena &arena) {
  Finder finder(fields, arena);
  finder.block(body);
  walk(&body, [&](const Block &inner) { finder.block(inner); });
  return std::move(finder.result);
}

} // namespace tangram::openmp
