// Primitives become what they compute: reductions and scans of a segment, scatters of one. Only sorting is a spectrum
// of the library.
#include "FunctionChecker.h"
#include "Messages.h"
#include "Primitives.h"
#include "Types.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::hidp {

using ast::Scalar;
using ast::Type;

namespace {

using Syntax = syntax::Expr;

enum class Form : std::uint8_t {
  Size,    // the first elements, once
  Ranges,  // from low to high, for each iteration of the map block or each element of low and high
  Regular, // segments of one size, so many of them
};

struct Primitive {
  std::string_view name;
  std::size_t arguments;
  Form form;
  bool values = false; // a second pair of arrays goes with the keys
  std::string_view written;
};

constexpr Primitive kPrimitives[] = {
    {"reduce", 4, Form::Size, false, "reduce(\"+\", in, out, size)"},
    {"reduce", 5, Form::Ranges, false, "reduce(\"+\", in, out, low, high)"},
    {"reg_reduce", 5, Form::Regular, false, "reg_reduce(\"+\", in, out, seg_size, num_seg)"},
    {"scan", 3, Form::Size, false, "scan(in, out, size)"},
    {"scan", 4, Form::Ranges, false, "scan(in, out, low, high)"},
    {"reg_scan", 4, Form::Regular, false, "reg_scan(in, out, seg_size, num_seg)"},
    {"scan_inclusive", 3, Form::Size, false, "scan_inclusive(in, out, size)"},
    {"scan_inclusive", 4, Form::Ranges, false, "scan_inclusive(in, out, low, high)"},
    {"reg_scan_inclusive", 4, Form::Regular, false, "reg_scan_inclusive(in, out, seg_size, num_seg)"},
    {"reverse", 3, Form::Size, false, "reverse(in, out, size)"},
    {"reverse", 4, Form::Ranges, false, "reverse(in, out, low, high)"},
    {"reg_reverse", 4, Form::Regular, false, "reg_reverse(in, out, seg_size, num_seg)"},
    {"reverse_inplace", 2, Form::Size, false, "reverse_inplace(inout, size)"},
    {"reverse_inplace", 3, Form::Ranges, false, "reverse_inplace(inout, low, high)"},
    {"reg_reverse", 3, Form::Regular, false, "reg_reverse(inout, seg_size, num_seg)"},
    {"reg_min", 4, Form::Regular, false, "reg_min(in, out, seg_size, num_seg)"},
    {"reg_max", 4, Form::Regular, false, "reg_max(in, out, seg_size, num_seg)"},
    {"sort", 4, Form::Size, false, "sort(in, out, size, dir)"},
    {"sort", 6, Form::Size, true, "sort(in_key, out_key, [in_value, out_value], size, dir)"},
    {"sort", 5, Form::Ranges, false, "sort(in_key, out_key, low, high, dir)"},
    {"sort", 7, Form::Ranges, true, "sort(in_key, out_key, [in_value, out_value], low, high, dir)"},
    {"reg_sort", 5, Form::Regular, false, "reg_sort(in_key, out_key, seg_size, num_seg, dir)"},
    {"reg_sort", 7, Form::Regular, true, "reg_sort(in_key, out_key, [in_value, out_value], seg_size, num_seg, dir)"},
    {"partition", 5, Form::Size, false, "_n = partition(in, out, pivot, size, function)"},
    {"partition", 7, Form::Size, true, "_n = partition(in_key, out_key, [in_value, out_value], pivot, size, function)"},
    {"partition", 8, Form::Ranges, false, "partition(in, out, low, pivots, high, out_low, out_high, function)"},
    {"partition", 10, Form::Ranges, true,
     "partition(in, out, [in_value, out_value], low, pivots, high, out_low, out_high, function)"},
};

/// Those with a value: of numbers, where they stand for one of a segment.
constexpr Primitive kValues[] = {
    {"min", 2, Form::Size, false, "_m = min(in, size)"},
    {"min", 3, Form::Ranges, false, "_m = min(in, low, high)"},
    {"max", 2, Form::Size, false, "_m = max(in, size)"},
    {"max", 3, Form::Ranges, false, "_m = max(in, low, high)"},
    {"min_place", 2, Form::Size, false, "_i = min_place(in, size)"},
    {"min_place", 3, Form::Ranges, false, "_i = min_place(in, low, high)"},
    {"max_place", 2, Form::Size, false, "_i = max_place(in, size)"},
    {"max_place", 3, Form::Ranges, false, "_i = max_place(in, low, high)"},
};

} // namespace

bool isPrimitive(std::string_view name) {
  auto named = [&](const Primitive &p) { return p.name == name; };
  return std::any_of(std::begin(kPrimitives), std::end(kPrimitives), named) ||
         std::any_of(std::begin(kValues), std::end(kValues), named);
}

std::vector<std::string> primitiveNames() {
  std::vector<std::string> names;
  auto add = [&](const Primitive &p) {
    if (std::find(names.begin(), names.end(), p.name) == names.end()) names.emplace_back(p.name);
  };
  std::for_each(std::begin(kPrimitives), std::end(kPrimitives), add);
  std::for_each(std::begin(kValues), std::end(kValues), add);
  return names;
}

/// What one call of a primitive becomes, as statements.
class PrimitiveCall {
public:
  PrimitiveCall(FunctionChecker &checker, const Syntax &call, const Syntax *target)
      : c_(checker), call_(call), target_(target) {}

  bool run(Stmts &out) {
    const Primitive *p = find();
    if (!p) return false;
    const bool inside = !c_.scope_.iterators.empty();
    if (inside && p->form != Form::Ranges) fail(kPrimitiveInside, c_.at(call_.piece), call_.text, p->written);
    if (p->form == Form::Size || inside) {
      if (p->form == Form::Size) {
        low_ = literal(0);
        high_ = bound(p->arguments - trailing(*p) - 1);
      }
      statements(*p, out);
      return true;
    }
    around(*p, out);
    return true;
  }

private:
  using Kind = Expr::Kind;

  /// The primitive that is meant; null where it is another function. An error where no form has as many arguments.
  const Primitive *find() const {
    const bool value = call_.text == "min" || call_.text == "max";
    // Of numbers it is C's; of an array's elements it is a primitive.
    if (value && (!target_ || call_.args.empty() || !c_.isArray(*call_.args[0]))) return nullptr;
    if (value && call_.args.size() == 2 && (!c_.scope_.iterators.empty() || c_.isArray(*target_))) return nullptr;
    std::string forms;
    auto look = [&](const auto &all) -> const Primitive * {
      for (const Primitive &p : all) {
        if (p.name != call_.text) continue;
        if (p.arguments == call_.args.size()) return &p;
        forms += (forms.empty() ? "" : ", or ") + std::string(p.written);
      }
      return nullptr;
    };
    const Primitive *p = look(kPrimitives);
    if (!p) p = look(kValues);
    if (!p && !forms.empty())
      fail(kArguments, c_.at(call_.piece), call_.text, "other arguments", fmt::format("{}", call_.args.size()),
           "write " + forms);
    if (!p) return nullptr;
    const bool gives =
        std::any_of(std::begin(kValues), std::end(kValues), [&](const Primitive &v) { return v.name == p->name; }) ||
        (p->name == "partition" && p->form == Form::Size);
    if (target_ && !gives) fail(kPrimitiveValue, c_.at(call_.piece), call_.text, p->written);
    if (!target_ && gives && p->name != "partition") fail(kPrimitiveTarget, c_.at(call_.piece), call_.text, p->written);
    return p;
  }

  /// How many arguments stand behind the last bound.
  static std::size_t trailing(const Primitive &p) {
    if (p.name == "sort" || p.name == "reg_sort") return 1; // dir
    if (p.name == "partition") return p.form == Form::Ranges ? 3 : 1;
    return 0;
  }

  // ---- expressions ----
  const Expr *make(Kind kind, std::string text, Type type, std::vector<const Expr *> args) {
    return c_.make(kind, std::move(text), std::move(type), call_.piece, std::move(args));
  }
  const Expr *literal(long long n) { return make(Kind::Literal, fmt::format("{}", n), Scalar::I64, {}); }
  const Expr *wide(const char *op, const Expr *a, const Expr *b) { return make(Kind::Binary, op, Scalar::I64, {a, b}); }
  const Expr *sum(const Expr *a, const Expr *b) {
    if (a->kind == Kind::Literal && a->text == "0") return b;
    return wide("+", a, b);
  }
  const Expr *difference(const Expr *a, const Expr *b) {
    if (b->kind == Kind::Literal && b->text == "0") return a;
    return wide("-", a, b);
  }
  const Expr *use(const Variable *v) { return c_.reference(v, call_.piece); }
  const Expr *element(const Variable *array, const Expr *index) { return c_.indexed(array, {index}, call_.piece); }
  const Expr *bound(std::size_t i) { return c_.wide(*call_.args[i], "a bound"); }

  const Variable *array(std::size_t i, bool written = false) {
    const Syntax &e = *call_.args[i];
    const Variable *v = c_.whole(e, fmt::format("argument {} of '{}'", i + 1, call_.text))->variable;
    if (v->rank != 1) fail(kPassed, c_.at(e.piece), v->name, dimensions(v->rank), "1 dimension");
    if (written) c_.checkWritable(v, e.piece);
    return v;
  }
  const Variable *numbers(std::size_t i) {
    const Variable *v = array(i);
    if (!v->type.isScalar()) fail(kConvert, c_.at(call_.args[i]->piece), v->name, spelled(v->type), "a number");
    return v;
  }
  void sameType(const Variable *a, const Variable *b, std::size_t i) {
    if (a->type != b->type) fail(kConvert, c_.at(call_.args[i]->piece), b->name, spelled(b->type), spelled(a->type));
  }

  // ---- statements ----
  const Stmt *at(Stmt s) { return c_.statementAt(call_.piece, std::move(s)); }
  const Stmt *assign(const Expr *to, const Expr *value, const char *op = "=") {
    Stmt s;
    s.kind = Stmt::Kind::Assign;
    s.op = op;
    s.target = to;
    s.value = value;
    return at(std::move(s));
  }
  const Variable *fresh(const std::string &wanted, Type type, Variable::Kind kind = Variable::Kind::Scalar) {
    Variable v;
    v.kind = kind;
    v.name = c_.scope_.fresh(wanted);
    v.type = std::move(type);
    v.piece = call_.piece;
    v.flow = Flow::InOut;
    v.depth = c_.scope_.block.depth;
    return c_.scope_.declare(std::move(v));
  }
  const Variable *declared(const std::string &wanted, Type type, const Expr *value, Stmts &out) {
    const Variable *v = fresh(wanted, std::move(type));
    Stmt s;
    s.kind = Stmt::Kind::Declare;
    s.variable = v;
    s.value = value;
    out.push_back(at(std::move(s)));
    return v;
  }
  const Variable *iterator(const std::string &wanted) { return fresh(wanted, Scalar::I64, Variable::Kind::Iterator); }
  Stmt nest(const Variable *iterator, const Expr *low, const Expr *high, Stmts body) {
    Stmt s;
    s.kind = Stmt::Kind::Nest;
    s.loops.push_back({iterator, low, high});
    s.body = std::move(body);
    return s;
  }
  const Stmt *reduction(Reducer op, const Variable *e, const Expr *value, const Expr *to) {
    Stmt s = nest(e, low_, high_, {});
    s.reduction = Reduction{op, to, value, call_.piece};
    return at(std::move(s));
  }
  /// for (e = low; e < high; e += 1): one element after the other.
  const Stmt *serial(const Variable *e, Stmts body) {
    Stmt s, init;
    init.kind = Stmt::Kind::Declare;
    init.variable = e;
    init.value = low_;
    s.kind = Stmt::Kind::For;
    s.init = at(std::move(init));
    s.value = make(Kind::Binary, "<", Scalar::Bool, {use(e), high_});
    s.step = assign(use(e), literal(1), "+=");
    s.body = std::move(body);
    return at(std::move(s));
  }

  /// A map block around it: of each segment.
  void around(const Primitive &p, Stmts &out) {
    const Scope::BlockOf outer = c_.scope_.block;
    const Scope::Inner inner(c_.scope_);
    const Expr *count = nullptr, *size = nullptr;
    const std::size_t last = p.arguments - trailing(p) - 1; // num_seg, or high
    if (p.form == Form::Regular) {
      size = bound(last - 1);
      count = bound(last);
    } else {
      const std::size_t low = p.name == "partition" ? last - 2 : last - 1;
      count = array(low)->extents[0];
    }
    const Variable *s = iterator("s");
    c_.scope_.iterators.push_back(s);
    Stmts hoisted, body;
    c_.scope_.block = {&call_, c_.scope_.level(), outer.depth + 1, &hoisted};
    if (size) {
      low_ = use(declared("_low", Scalar::I64, wide("*", use(s), size), body));
      high_ = sum(low_, size);
    }
    statements(p, body);
    c_.scope_.iterators.pop_back();
    c_.scope_.block = outer;
    hoisted.insert(hoisted.end(), body.begin(), body.end());
    for (const Stmt *d : arrays_) out.push_back(d);
    out.push_back(at(nest(s, literal(0), count, std::move(hoisted))));
  }

  /// Ends of the segment, where arguments say them.
  void ends(std::size_t low, std::size_t high, Stmts &out) {
    if (low_) return;
    low_ = use(declared("_low", Scalar::I64, bound(low), out));
    high_ = use(declared("_high", Scalar::I64, bound(high), out));
  }

  void statements(const Primitive &p, Stmts &out) {
    const std::string_view name = p.name.starts_with("reg_") ? p.name.substr(4) : p.name;
    if (name == "reduce") return reduce(out);
    if (name == "scan" || name == "scan_inclusive") return scan(name == "scan_inclusive", out);
    if (name == "min" || name == "max") return extreme(p, name == "min", out);
    if (name == "min_place" || name == "max_place") return place(name == "min_place", out);
    if (name == "reverse_inplace" || (p.name == "reg_reverse" && p.arguments == 3)) return reverseInPlace(out);
    if (name == "reverse") return reverse(out);
    if (name == "partition") return partition(p, out);
    sort(p, out);
  }

  void reduce(Stmts &out) {
    const Syntax &op = *call_.args[0];
    if (op.kind != Syntax::Kind::Operator) fail(kReducer, c_.at(op.piece), shown(c_.written(op.piece)));
    const Variable *in = numbers(1);
    ends(3, 4, out);
    const Type type = promoted(in->type);
    const Expr *to = c_.place(*call_.args[2], &type, false, &out, nullptr);
    const Variable *e = iterator("e");
    out.push_back(reduction(c_.reducer(op.text, op.piece), e, element(in, use(e)), to));
  }

  void scan(bool inclusive, Stmts &out) {
    const Variable *in = numbers(0), *to = array(1, true);
    ends(2, 3, out);
    const Type type = promoted(in->type);
    const Variable *total = declared("_total", type, make(Kind::Literal, "0", Scalar::I32, {}), out);
    const Variable *e = fresh("_e", Scalar::I64);
    const Stmt *store = assign(element(to, use(e)), use(total));
    Stmts body;
    if (inclusive || in != to) {
      const Stmt *add = assign(use(total), element(in, use(e)), "+=");
      body = inclusive ? Stmts{add, store} : Stmts{store, add};
    } else {
      const Variable *value = declared("_value", type, element(in, use(e)), body);
      body.push_back(store);
      body.push_back(assign(use(total), use(value), "+="));
    }
    out.push_back(serial(e, std::move(body)));
  }

  void extreme(const Primitive &p, bool least, Stmts &out) {
    const Variable *in = numbers(0);
    const bool regular = p.form == Form::Regular;
    if (!regular) ends(1, 2, out);
    const Syntax &given = regular ? *call_.args[1] : *target_;
    const Type type = promoted(in->type);
    const Expr *to = c_.place(given, &type, false, &out, nullptr);
    const Variable *e = iterator("e");
    out.push_back(reduction(least ? Reducer::Min : Reducer::Max, e, element(in, use(e)), to));
  }

  /// The first place of the least: where no other is less, the smallest number. Behind the last where there is none.
  void place(bool least, Stmts &out) {
    const Variable *in = numbers(0);
    ends(1, 2, out);
    const Type type = promoted(in->type), number = Scalar::I64;
    const Variable *best = declared("_best", type, make(Kind::Literal, "0", Scalar::I32, {}), out);
    const Variable *e = iterator("e"), *f = iterator("f");
    out.push_back(reduction(least ? Reducer::Min : Reducer::Max, e, element(in, use(e)), use(best)));
    const Expr *same = make(Kind::Binary, "==", Scalar::Bool, {element(in, use(f)), use(best)});
    const Expr *at = make(Kind::Conditional, "?", number, {same, use(f), high_});
    const Variable *first = declared("_first", number, high_, out);
    out.push_back(reduction(Reducer::Min, f, at, use(first)));
    const Expr *to = c_.place(*target_, &number, false, &out, nullptr);
    const Expr *found = make(Kind::Binary, "<", Scalar::Bool, {use(first), high_});
    out.push_back(assign(to, make(Kind::Conditional, "?", number, {found, use(first), high_})));
  }

  const Expr *mirrored(const Variable *e) { return difference(wide("-", sum(low_, high_), literal(1)), use(e)); }

  void reverse(Stmts &out) {
    const Variable *in = array(0), *to = array(1, true);
    sameType(in, to, 1);
    if (in == to) fail(kSameArray, c_.at(call_.args[1]->piece), to->name, "reverse_inplace");
    ends(2, 3, out);
    const Variable *e = iterator("e");
    out.push_back(at(nest(e, low_, high_, {assign(element(to, use(e)), element(in, mirrored(e)))})));
  }

  void reverseInPlace(Stmts &out) {
    const Variable *a = array(0, true);
    ends(1, 2, out);
    const Variable *e = iterator("e");
    Stmts body;
    const Variable *kept = declared("_kept", a->type, element(a, use(e)), body);
    body.push_back(assign(element(a, use(e)), element(a, mirrored(e))));
    body.push_back(assign(element(a, mirrored(e)), use(kept)));
    const Expr *middle = sum(low_, wide("/", difference(high_, low_), literal(2)));
    out.push_back(at(nest(e, low_, middle, std::move(body))));
  }

  /// Stable: elements of which the function is true in front of the others, each kind in its order.
  void partition(const Primitive &p, Stmts &out) {
    const Variable *in = array(0), *to = array(1, true), *values = nullptr, *toValues = nullptr;
    sameType(in, to, 1);
    if (in == to) fail(kSameArray, c_.at(call_.args[1]->piece), to->name, "another array");
    std::size_t next = 2;
    if (p.values) {
      values = array(2);
      toValues = array(3, true);
      sameType(values, toValues, 3);
      next = 4;
    }
    const bool segments = p.form == Form::Ranges;
    const Expr *pivot = nullptr;
    if (segments) {
      ends(next, next + 2, out);
      pivot = c_.expr(*call_.args[next + 1]);
    } else {
      pivot = c_.expr(*call_.args[next]);
    }
    // A comparison of the file, of the element and the pivot.
    const Syntax &given = *call_.args.back();
    const Function *compare = nullptr;
    if (given.kind == Syntax::Kind::Name)
      if (auto found = c_.globals_.functions.find(given.text); found != c_.globals_.functions.end())
        compare = found->second;
    if (!compare || !compare->scalar || !compare->result || compare->arguments.size() != 3)
      fail(kComparison, c_.at(given.piece), shown(c_.written(given.piece)));
    c_.globals_.calls[&c_.made_].insert(compare);
    auto first = [&](const Expr *x) {
      std::vector<const Expr *> args{x, pivot};
      std::size_t i = 0;
      for (const Variable *parameter : compare->arguments) {
        if (parameter == compare->result) continue;
        args[i] = c_.converted(args[i], parameter->type, given.piece);
        ++i;
      }
      return make(Kind::Call, compare->name, compare->result->type, std::move(args));
    };
    const Variable *pivotOnce = declared("_pivot", pivot->type, pivot, out);
    pivot = use(pivotOnce);
    // How many of those before it are of the first kind.
    Variable ranks;
    ranks.kind = Variable::Kind::Array;
    ranks.name = c_.scope_.fresh("ranks");
    ranks.type = Scalar::I64;
    ranks.rank = 1;
    ranks.extents = in->extents;
    ranks.piece = call_.piece;
    ranks.flow = Flow::InOut;
    const Variable *rank = c_.scope_.declare(std::move(ranks));
    Stmt declaration;
    declaration.kind = Stmt::Kind::Declare;
    declaration.variable = rank;
    const Stmt *around = at(std::move(declaration));
    if (c_.scope_.block.depth > 0)
      arraysAround(around);
    else
      out.push_back(around);
    const Variable *count = declared("_count", Scalar::I64, literal(0), out);
    const Variable *e = fresh("_e", Scalar::I64), *f = iterator("f");
    const Expr *one = make(Kind::Conditional, "?", Scalar::I64, {first(element(in, use(e))), literal(1), literal(0)});
    out.push_back(serial(e, {assign(element(rank, use(e)), use(count)), assign(use(count), one, "+=")}));
    const Expr *behind = difference(sum(sum(low_, use(count)), difference(use(f), low_)), element(rank, use(f)));
    Stmts body;
    const Variable *where = declared("_to", Scalar::I64,
                                     make(Kind::Conditional, "?", Scalar::I64,
                                          {first(element(in, use(f))), sum(low_, element(rank, use(f))), behind}),
                                     body);
    body.push_back(assign(element(to, use(where)), element(in, use(f))));
    if (values) body.push_back(assign(element(toValues, use(where)), element(values, use(f))));
    out.push_back(at(nest(f, low_, high_, std::move(body))));
    if (segments) {
      if (c_.scope_.iterators.size() != 1) fail(kOneIterator, c_.at(call_.piece), call_.text);
      const Variable *newLow = array(next + 3, true), *newHigh = array(next + 4, true);
      const Expr *s = use(c_.scope_.iterators[0]);
      const Expr *twice = wide("*", literal(2), s), *other = wide("+", twice, literal(1));
      const Expr *middle = sum(low_, use(count));
      out.push_back(assign(element(newLow, twice), low_));
      out.push_back(assign(element(newHigh, twice), middle));
      out.push_back(assign(element(newLow, other), middle));
      out.push_back(assign(element(newHigh, other), high_));
    } else if (target_) {
      const Type number = Scalar::I64;
      const Expr *to2 = c_.place(*target_, &number, false, &out, nullptr);
      out.push_back(assign(to2, use(count)));
    }
  }

  /// An array for all segments stands in front of the map block.
  void arraysAround(const Stmt *declaration) {
    if (c_.scope_.block.key == &call_)
      arrays_.push_back(declaration);
    else
      c_.inFront_.push_back(declaration);
  }

  void sort(const Primitive &p, Stmts &out) {
    const Variable *in = numbers(0), *to = array(1, true), *values = nullptr, *toValues = nullptr;
    sameType(in, to, 1);
    std::size_t next = 2;
    if (p.values) {
      values = array(2);
      toValues = array(3, true);
      sameType(values, toValues, 3);
      next = 4;
    }
    const std::size_t bounds = next;
    ends(bounds, bounds + 1, out);
    const Expr *dir = c_.integer(*call_.args.back(), "the direction");
    Stmt s;
    s.kind = Stmt::Kind::Primitive;
    s.op = values ? fmt::format("segment_sort_values<{}, {}>", spelled(in->type), spelled(values->type))
                  : fmt::format("segment_sort<{}>", spelled(in->type));
    auto pass = [&](const Variable *v, bool changed) {
      Expr whole;
      whole.kind = Kind::Whole;
      whole.variable = v;
      whole.type = v->type;
      whole.piece = call_.piece;
      s.args.push_back(c_.program_.make(std::move(whole)));
      s.changes.push_back(changed);
    };
    auto number = [&](const Expr *e) {
      s.args.push_back(e);
      s.changes.push_back(false);
    };
    // What is sorted is sorted where it ends up.
    for (auto [from, into] : {std::pair{in, to}, std::pair{values, toValues}}) {
      if (!from || from == into) continue;
      const Variable *e = iterator("e");
      out.push_back(at(nest(e, low_, high_, {assign(element(into, use(e)), element(from, use(e)))})));
    }
    pass(to, true);
    if (values) pass(toValues, true);
    number(low_);
    number(high_);
    number(c_.converted(dir, Scalar::I32, dir->piece));
    out.push_back(at(std::move(s)));
  }

  FunctionChecker &c_;
  const Syntax &call_;
  const Syntax *target_;
  const Expr *low_ = nullptr, *high_ = nullptr;
  Stmts arrays_;
};

bool FunctionChecker::primitive(const Syntax &call, const Syntax *target, Stmts &out, bool) {
  if (globals_.functions.count(call.text)) return false;
  return PrimitiveCall(*this, call, target).run(out);
}

} // namespace tangram::hidp
