#include "tangram/verify/Value.h"

#include "tangram/runtime/float16.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <new>

namespace tangram::runtime {
namespace {

struct Info {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array<Info, 15> kElements{{{"", 0},
                                          {"bool", 1},
                                          {"i8", 1},
                                          {"i16", 2},
                                          {"i32", 4},
                                          {"i64", 8},
                                          {"u8", 1},
                                          {"u16", 2},
                                          {"u32", 4},
                                          {"u64", 8},
                                          {"f32", 4},
                                          {"f64", 8},
                                          {"struct", 0},
                                          {"f16", 2},
                                          {"bf16", 2}}};
constexpr std::size_t kLine = 64, kGuard = 256; // bytes
/// Calls f with a zero of the element's C++ type.
template <class F> decltype(auto) withType(tangram_element element, F &&f) {
  switch (element) {
  case TANGRAM_BOOL: return f(false);
  case TANGRAM_I8: return f(std::int8_t{});
  case TANGRAM_I16: return f(std::int16_t{});
  case TANGRAM_I32: return f(std::int32_t{});
  case TANGRAM_I64: return f(std::int64_t{});
  case TANGRAM_U8: return f(std::uint8_t{});
  case TANGRAM_U16: return f(std::uint16_t{});
  case TANGRAM_U32: return f(std::uint32_t{});
  case TANGRAM_U64: return f(std::uint64_t{});
  case TANGRAM_F32: return f(float{});
  case TANGRAM_F16: return f(tangram_f16{});
  case TANGRAM_BF16: return f(tangram_bf16{});
  case TANGRAM_F64:
  case TANGRAM_STRUCT: break;
  }
  return f(double{});
}

template <class T> T load(const std::byte *p) {
  // A bool that a kernel wrote is any byte; only 0 is false.
  if constexpr (std::is_same_v<T, bool>) return *p != std::byte{0};
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

template <class T> void store(std::byte *p, T value) { std::memcpy(p, &value, sizeof value); }

/// The fewest digits that are no other number of its type.
template <class T> std::string shortest(T value) {
  std::string text;
  for (int digits = 1; digits <= 9; ++digits) {
    text = fmt::format("{:.{}g}", static_cast<float>(value), digits);
    if (T(std::strtof(text.c_str(), nullptr)).bits == value.bits) break;
  }
  return text;
}

} // namespace

std::size_t bytes(tangram_element element) { return kElements[element].bytes; }
std::string_view name(tangram_element element) { return kElements[element].name; }
bool isFloating(tangram_element element) { return isNumber(element) && element >= TANGRAM_F32; }
bool isNumber(int element) { return element >= TANGRAM_BOOL && element <= TANGRAM_BF16 && element != TANGRAM_STRUCT; }

int mantissaBits(tangram_element element) {
  switch (element) {
  case TANGRAM_F16: return 11;
  case TANGRAM_BF16: return 8;
  case TANGRAM_F32: return 24;
  default: return 53;
  }
}

std::optional<tangram_element> elementOf(std::string_view name) {
  for (std::size_t i = TANGRAM_BOOL; i < kElements.size(); ++i)
    if (isNumber(static_cast<int>(i)) && kElements[i].name == name) return static_cast<tangram_element>(i);
  return std::nullopt;
}

std::optional<tangram_element> elementOf(const ast::Type &type) {
  ast::Type leaf = type.leaf();
  return leaf.isScalar() ? elementOf(leaf.text()) : std::nullopt;
}

Element::Element(tangram_element number) : kind(number), bytes(runtime::bytes(number)), fields{{"", number, 0}} {}

std::optional<Element> Element::of(const ast::Type &type, const ast::Structs &structs) {
  if (std::optional<tangram_element> number = elementOf(type)) return *number;
  if (!structs.find(type.leaf())) return std::nullopt;
  Element element(TANGRAM_STRUCT);
  element.bytes = structs.bytes(type.leaf());
  element.fields.clear();
  for (const ast::Structs::Leaf &leaf : structs.leaves(type.leaf()))
    element.fields.push_back({leaf.name(), *elementOf(leaf.type), leaf.offset});
  return element;
}

Element Element::of(const tangram_kernel &kernel, std::uint32_t param) {
  Element element(static_cast<tangram_element>(kernel.params[param].element));
  if (!element.isStruct()) return element;
  const tangram_struct &made = *kernel.structs[param];
  element.bytes = made.bytes;
  element.fields.clear();
  for (std::uint32_t i = 0; i < made.num_fields; ++i)
    element.fields.push_back(
        {made.fields[i].name, static_cast<tangram_element>(made.fields[i].element), made.fields[i].offset});
  return element;
}

std::string Element::text() const {
  if (!isStruct()) return std::string(name(kind));
  std::string list;
  for (const Field &field : fields) list += (list.empty() ? "" : ", ") + field.name;
  return "struct of " + list;
}

void Value::Free::operator()(std::byte *p) const { std::free(p); }

/// What lies around elements, other bytes in each value and at each place: what is read there and written behind
/// another one's elements, or further behind its own, must show. `seed` stands in front of it all.
class Value::Pattern {
public:
  Pattern(std::uint64_t seed, bool whole) : seed_(seed), whole_(whole) {}
  std::byte at(std::size_t offset) const {
    std::uint64_t mixed = (seed_ + 1) * 0x9E3779B97F4A7C15 + offset * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ mixed >> 31) * 0x94D049BB133111EB;
    mixed >>= 40;
    if (whole_) return std::byte(mixed & 0xFF);
    // Of every floating-point type no number, so that it shows where it is read, too.
    return std::byte(offset % 2 ? 0xFF : 0xF1 + mixed % 15);
  }

private:
  std::uint64_t seed_;
  bool whole_; // integers: any bytes
};

Value Value::scalar(Element element) { return array(std::move(element), {}, {}); }

Value Value::array(Element element, std::vector<std::uint64_t> sizes, Layout layout) {
  Value value;
  value.layout_ = layout;
  std::uint64_t size = element.bytes, rows = 1;
  value.type_ = std::move(element);
  value.step_ = size;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (__builtin_mul_overflow(value.count_, sizes[d], &value.count_)) throw std::bad_alloc();
    if (d + 1 < sizes.size()) rows *= sizes[d];
  }
  value.rowLength_ = sizes.empty() ? 1 : sizes.back();
  value.pitch_ = value.rowLength_ + (sizes.size() > 1 ? layout.padding : 0);
  std::uint64_t elements = 0;
  if (__builtin_mul_overflow(rows, value.pitch_, &elements) ||
      __builtin_mul_overflow(elements + layout.shift, size, &value.total_) || value.total_ > (1ull << 60))
    throw std::bad_alloc();
  value.total_ = (value.total_ + 2 * kGuard + kLine - 1) / kLine * kLine;
  value.memory_.reset(static_cast<std::byte *>(std::aligned_alloc(kLine, value.total_)));
  if (!value.memory_) throw std::bad_alloc();
  static std::atomic<std::uint64_t> seeds = 0;
  const std::uint64_t seed = seeds++;
  std::byte *const first = value.memory_.get(), *const last = first + value.total_;
  std::memcpy(first, &seed, sizeof seed);
  const Pattern pattern = value.pattern();
  std::byte *next = first + sizeof seed;
  auto fill = [&](std::byte *to) {
    for (; next < to; ++next) *next = pattern.at(static_cast<std::size_t>(next - first));
  };
  value.start_ = first + kGuard + layout.shift * size;
  value.sizes_ = std::move(sizes);
  for (std::uint64_t row = 0; value.count_ && row < rows; ++row) {
    fill(value.start_ + row * value.pitch_ * size);
    std::memset(next, 0, value.rowLength_ * size);
    next += value.rowLength_ * size;
  }
  fill(last);
  return value;
}

std::int64_t withSigns(std::int64_t number, Signs signs) {
  if (signs == Signs::Any) return number;
  const bool isNegative = signs == Signs::NotPositive || signs == Signs::Negative;
  std::int64_t size = number < 0 ? -number : number;
  if (size == 0 && (signs == Signs::Positive || signs == Signs::Negative)) size = 1;
  return isNegative ? -size : size;
}

Value Value::copy() const {
  Value value = array(type_, sizes_, layout_);
  std::memcpy(value.memory_.get(), memory_.get(), total_);
  value.signs_ = signs_;
  return value;
}

void Value::assign(const Value &other) {
  bool same = other.type_ == type_;
  if (same && other.contiguous() && contiguous()) {
    std::memcpy(start_, other.start_, count_ * step_);
    return;
  }
  for (std::uint64_t i = 0; i < count_; ++i)
    if (same)
      std::memcpy(at(i), other.at(i), type_.bytes);
    else if (isFloating())
      setReal(i, other.real(i));
    else
      setInteger(i, other.integer(i));
}

const std::byte *Value::at(std::uint64_t position) const {
  if (pitch_ != rowLength_) position = position / rowLength_ * pitch_ + position % rowLength_;
  return start_ + position * step_;
}

Value Value::field(std::size_t i) {
  Value view;
  view.type_ = type_.fields.at(i).kind;
  view.step_ = step_;
  view.sizes_ = sizes_;
  view.layout_ = layout_;
  view.count_ = count_;
  view.rowLength_ = rowLength_;
  view.pitch_ = pitch_;
  view.start_ = start_ + type_.fields[i].offset;
  return view;
}

double Value::real(std::uint64_t position) const {
  return withType(element(), [&](auto zero) { return static_cast<double>(load<decltype(zero)>(at(position))); });
}

std::int64_t Value::integer(std::uint64_t position) const {
  return withType(element(), [&](auto zero) { return static_cast<std::int64_t>(load<decltype(zero)>(at(position))); });
}

void Value::setReal(std::uint64_t position, double value) {
  withType(element(), [&](auto zero) { store(at(position), static_cast<decltype(zero)>(value)); });
}

void Value::setInteger(std::uint64_t position, std::int64_t value) {
  withType(element(), [&](auto zero) { store(at(position), static_cast<decltype(zero)>(value)); });
}

void Value::changeReals(const std::function<double(double)> &by) {
  withType(element(), [&](auto zero) {
    using T = decltype(zero);
    for (std::uint64_t row = 0; row < count_; row += rowLength_) {
      std::byte *p = at(row);
      for (std::uint64_t i = 0; i < rowLength_; ++i, p += step_)
        store(p, static_cast<T>(by(static_cast<double>(load<T>(p)))));
    }
  });
}

std::string Value::text(std::uint64_t position) const {
  if (type_.isStruct()) {
    std::string all;
    for (std::size_t i = 0; i < type_.fields.size(); ++i) all += (i ? ", " : "") + field(i).text(position);
    return "{" + all + "}";
  }
  return withType(element(), [&](auto zero) {
    using T = decltype(zero);
    T value = load<T>(at(position));
    if constexpr (std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t>)
      return fmt::format("{}", static_cast<int>(value));
    else if constexpr (std::is_same_v<T, tangram_f16> || std::is_same_v<T, tangram_bf16>)
      return shortest(value);
    else
      return fmt::format("{}", value);
  });
}

std::vector<std::uint64_t> Value::index(std::uint64_t position) const {
  std::vector<std::uint64_t> result(sizes_.size());
  for (std::size_t d = sizes_.size(); d-- > 0;) {
    result[d] = position % sizes_[d];
    position /= sizes_[d];
  }
  return result;
}

void *Value::argument() {
  if (sizes_.empty()) return start_;
  array_ = {};
  array_.data = start_;
  std::uint64_t stride = 1;
  for (std::size_t d = sizes_.size(); d-- > 0;) {
    array_.size[d] = sizes_[d];
    array_.stride[d] = stride;
    stride *= d + 1 == sizes_.size() ? pitch_ : sizes_[d];
  }
  return &array_;
}

Value::Pattern Value::pattern() const {
  std::uint64_t seed = 0;
  std::memcpy(&seed, memory_.get(), sizeof seed);
  const bool whole = element() != TANGRAM_STRUCT && !isFloating();
  return {seed, whole};
}

std::string Value::strayWrite() const {
  const std::byte *first = memory_.get(), *front = first + sizeof(std::uint64_t), *last = first + total_, *end = start_;
  if (count_) end = at(count_ - 1) + step_;
  auto find = [first, pattern = pattern()](const std::byte *from, const std::byte *to) {
    while (from != to && *from == pattern.at(static_cast<std::size_t>(from - first))) ++from;
    return from;
  };
  if (find(front, start_) != start_)
    return fmt::format("{} bytes before its first element", start_ - find(front, start_));
  if (const std::byte *p = find(end, last); p != last) return fmt::format("{} bytes behind its last element", p - end);
  if (pitch_ != rowLength_ && count_)
    for (std::uint64_t row = 0; row + 1 < count_ / rowLength_; ++row) {
      const std::byte *from = start_ + (row * pitch_ + rowLength_) * step_;
      const std::byte *to = start_ + (row + 1) * pitch_ * step_;
      if (find(from, to) != to) return fmt::format("between row {} and row {}", row, row + 1);
    }
  return "";
}

} // namespace tangram::runtime
