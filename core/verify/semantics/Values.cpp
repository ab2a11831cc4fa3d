#include "Values.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tangram::semantics {

using namespace ast;

namespace {

bool is(const Type &type, ast::Scalar scalar) { return type == Type(scalar); }

} // namespace

Wide sizeNumber(const Scalar &s) { return static_cast<std::uint64_t>(s.i); }

Scalar integer(Type type, std::int64_t value) {
  Scalar result;
  if (type.isBool()) {
    value = value != 0;
  } else if (const unsigned bits = 8 * type.bytes(); bits < 64) {
    std::uint64_t low = static_cast<std::uint64_t>(value) & ((1ull << bits) - 1);
    if (type.isSigned() && (low >> (bits - 1))) low |= ~((1ull << bits) - 1);
    value = static_cast<std::int64_t>(low);
  }
  result.type = std::move(type);
  result.i = value;
  return result;
}

Scalar convert(const Scalar &v, const Type &type) {
  if (type.isVoid()) return {};
  if (type.isStruct() || type.isPointer()) return v;
  if (type.isFloating()) {
    if (v.type.isFloating()) return real(type, v.d);
    return real(type, is(v.type, ast::Scalar::U64) ? static_cast<double>(static_cast<std::uint64_t>(v.i))
                                                   : static_cast<double>(v.i));
  }
  if (!v.type.isFloating()) return integer(type, v.i);
  if (type.isBool()) return integer(type, v.d != 0);
  const int bits = static_cast<int>(8 * type.bytes()) - (type.isSigned() ? 1 : 0);
  const double whole = std::trunc(v.d), end = std::ldexp(1.0, bits);
  if (!(whole < end && whole >= (type.isSigned() ? -end : 0)))
    throw Undefined(fmt::format("{} does not fit {}", v.d, type.cName()));
  return integer(type, is(type, ast::Scalar::U64) ? static_cast<std::int64_t>(static_cast<std::uint64_t>(whole))
                                                  : static_cast<std::int64_t>(whole));
}

Value scalarValue(Scalar s) {
  Value v;
  v.kind = Value::Kind::Scalar;
  v.scalar = std::move(s);
  return v;
}

Value arrayValue(const std::vector<Scalar> &elements, std::vector<std::int64_t> sizes) {
  Value v;
  v.kind = Value::Kind::Array;
  v.array.cells = std::make_shared<std::vector<Scalar>>(elements);
  v.array.strides.assign(sizes.size(), 1);
  for (std::size_t d = sizes.size(); d-- > 1;) v.array.strides[d - 1] = v.array.strides[d] * sizes[d];
  v.array.sizes = std::move(sizes);
  return v;
}

Value variable(Scalar s) {
  Value v;
  v.kind = Value::Kind::Pointer;
  v.cells = std::make_shared<std::vector<Scalar>>();
  v.cells->push_back(std::move(s));
  v.variable = true;
  return v;
}

Scalar zero(const Type &type, const Structs &structs) {
  if (const Struct *s = structs.find(type)) {
    Scalar result;
    result.type = type;
    for (const Param *field : s->fields) result.fields.push_back(zero(field->type, structs));
    return result;
  }
  return type.isFloating() ? real(type, 0) : integer(type, 0);
}

Scalar unset(const Type &type, const Structs &structs) {
  Scalar result = zero(type, structs);
  result.set = false;
  for (std::size_t f = 0; f < result.fields.size(); ++f) result.fields[f] = unset(result.fields[f].type, structs);
  return result;
}

Wide number(const Scalar &s) {
  if (is(s.type, ast::Scalar::U64)) return static_cast<std::uint64_t>(s.i);
  return s.i;
}
bool truth(const Scalar &s) { return s.type.isFloating() ? s.d != 0 : s.i != 0; }

// ---- places ----

Scalar &cell(const Value &place) {
  if (!place.cells) throw Failure("what is meant is no place");
  if (place.offset < 0 || place.offset >= static_cast<std::int64_t>(place.cells->size()))
    throw OutOfRange(fmt::format("element {} of {} is meant", place.offset, place.cells->size()));
  Scalar *result = &(*place.cells)[static_cast<std::size_t>(place.offset)];
  for (std::size_t field : place.path) result = &result->fields.at(field);
  return *result;
}
Scalar read(const Value &place) {
  const Scalar &s = cell(place);
  if (!s.set && s.fields.empty()) throw Undefined("something is read that nothing has set");
  return s;
}
void write(const Value &place, const Scalar &s) {
  Scalar &to = cell(place);
  to = s;
}

std::vector<std::int64_t> sizesOf(const Array &a) { return a.parts ? a.parts->counts : a.sizes; }

Wide Parts::Sequence::at(std::int64_t i) const {
  Wide v = start;
  if (moves) v = std::min(start + inc * i, end);
  if (!hasThrough) return v;
  const Wide size = through.sizes[0];
  if (size == 0) return 0;
  const std::int64_t at = through.offset + static_cast<std::int64_t>(std::min<Wide>(v, size - 1)) * through.strides[0];
  if (!through.cells) return static_cast<std::uint64_t>(at);
  Value place;
  place.cells = through.cells;
  place.offset = at;
  return sizeNumber(read(place));
}

Array Parts::part(const std::vector<std::int64_t> &index) const {
  Array a = base;
  for (std::size_t d = 0; d < index.size(); ++d) {
    const Wide size = base.sizes[d];
    const Wide start = std::min(starts[d].at(index[d]), size), end = std::min(ends[d].at(index[d]), size);
    const Wide inc = std::clamp<Wide>(incs[d].at(index[d]), 1, size + 1);
    const Wide length = end > start ? (end - start - 1) / inc + 1 : 0;
    a.sizes[d] = static_cast<std::int64_t>(length);
    a.offset += static_cast<std::int64_t>(start) * base.strides[d];
    a.strides[d] = base.strides[d] * static_cast<std::int64_t>(inc);
  }
  return a;
}

Value elementOf(const Array &a, const std::vector<std::int64_t> &index) {
  Value v;
  if (a.parts) {
    const std::size_t rank = a.parts->counts.size();
    if (index.size() < rank) throw Failure("too few indices for parts");
    const auto middle = index.begin() + static_cast<std::ptrdiff_t>(rank);
    const std::vector<std::int64_t> which(index.begin(), middle), rest(middle, index.end());
    for (std::size_t d = 0; d < rank; ++d)
      if (which[d] < 0 || which[d] >= a.parts->counts[d])
        throw OutOfRange(fmt::format("part {} of {} is meant", which[d], a.parts->counts[d]));
    Array part = a.parts->part(which);
    if (!rest.empty()) return elementOf(part, rest);
    v.kind = Value::Kind::Array;
    v.array = std::move(part);
    return v;
  }
  if (index.size() > a.sizes.size()) throw Failure("too many indices");
  Array rest = a;
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (index[d] < 0 || index[d] >= a.sizes[d])
      throw OutOfRange(index.size() > 1
                           ? fmt::format("index {} of dimension {} is not below {}", index[d], d, a.sizes[d])
                           : fmt::format("index {} is not below {}", index[d], a.sizes[d]));
    rest.offset += index[d] * a.strides[d];
  }
  if (index.size() == a.sizes.size()) {
    if (!a.cells) return scalarValue(integer(a.number, rest.offset));
    if (rest.offset < 0 || rest.offset >= static_cast<std::int64_t>(a.cells->size()))
      throw OutOfRange("a container reaches out of its storage");
    v.kind = Value::Kind::Pointer;
    v.cells = a.cells;
    v.offset = rest.offset;
    return v;
  }
  const auto taken = static_cast<std::ptrdiff_t>(index.size());
  rest.sizes.erase(rest.sizes.begin(), rest.sizes.begin() + taken);
  rest.strides.erase(rest.strides.begin(), rest.strides.begin() + taken);
  v.kind = Value::Kind::Array;
  v.array = std::move(rest);
  return v;
}

} // namespace tangram::semantics
