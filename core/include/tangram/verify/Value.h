// Arguments of a kernel in host memory, typed at run time.
#pragma once

#include "tangram/ast/Structs.h"
#include "tangram/runtime/kernel_abi.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tangram::runtime {

std::size_t bytes(tangram_element element);
std::string_view name(tangram_element element); // "i32"
std::optional<tangram_element> elementOf(std::string_view name);
/// Nothing for what the ABI has no element for.
std::optional<tangram_element> elementOf(const ast::Type &type);
bool isFloating(tangram_element element);
/// Whether it is an element, and no struct.
bool isNumber(int element);
/// Of a floating one: how many bits its mantissa has, the implied one included.
int mantissaBits(tangram_element element);

/// What one element of an argument is: a number, or a struct of numbers.
struct Element {
  struct Field {
    std::string name; // "position.x"; empty: the number itself
    tangram_element kind = TANGRAM_I32;
    std::uint64_t offset = 0; // in bytes
    bool operator==(const Field &) const = default;
  };
  Element(tangram_element number);
  /// Nothing for what the ABI has no element for.
  static std::optional<Element> of(const ast::Type &type, const ast::Structs &structs);
  /// Of a parameter of a kernel whose descriptor is right.
  static Element of(const tangram_kernel &kernel, std::uint32_t param);

  tangram_element kind; // TANGRAM_STRUCT: see the fields
  std::uint64_t bytes = 0;
  std::vector<Field> fields;
  bool isStruct() const { return kind == TANGRAM_STRUCT; }
  std::string text() const; // "f32", "struct of distance, index"
  bool operator==(const Element &) const = default;
};

/// Which numbers an argument may have, as far as whole ones that are put in their place keep to it.
enum class Signs : std::uint8_t { Any, NotNegative, Positive, NotPositive, Negative };
/// `number` or what is as far from zero; 1 or -1 where zero is none of them.
std::int64_t withSigns(std::int64_t number, Signs signs);

/// How a container lies in memory: what a correct kernel must not care about.
struct Layout {
  std::uint64_t padding = 0; // elements between the end of a row and the start of the next
  std::uint64_t shift = 0;   // elements by which the start is off a cache line
};

/// A scalar, or a row-major container. What lies outside its elements (before, behind, between rows) holds a known
/// pattern, so that a stray write is found.
class Value {
public:
  static Value scalar(Element element);
  /// Throws std::bad_alloc where there is no memory for it.
  static Value array(Element element, std::vector<std::uint64_t> sizes, Layout layout = {});

  Value(Value &&) = default;
  Value &operator=(Value &&) = default;
  Value copy() const;
  /// All of its memory, what lies around elements as well.
  std::byte *memory() { return memory_.get(); }
  const std::byte *memory() const { return memory_.get(); }
  std::uint64_t memoryBytes() const { return total_; }
  /// The elements of another value of the same sizes.
  void assign(const Value &other);

  const Element &type() const { return type_; }
  tangram_element element() const { return type_.kind; }
  bool isFloating() const { return runtime::isFloating(element()); }
  /// One field of all elements, as numbers in the same memory, which must live on; of numbers, themselves.
  Value field(std::size_t i);
  const Value field(std::size_t i) const { return const_cast<Value *>(this)->field(i); }
  unsigned rank() const { return static_cast<unsigned>(sizes_.size()); }
  const std::vector<std::uint64_t> &sizes() const { return sizes_; }
  std::uint64_t count() const { return count_; } // of elements; 1 for a scalar

  /// Elements by position in row-major order. Of structs only text() is there.
  double real(std::uint64_t position) const;
  std::int64_t integer(std::uint64_t position) const; // the bits of a u64; a floating value is truncated
  void setReal(std::uint64_t position, double value);
  void setInteger(std::uint64_t position, std::int64_t value);
  /// Puts what `by` makes of each number in its place, in order.
  void changeReals(const std::function<double(double)> &by);
  std::string text(std::uint64_t position) const; // enough digits to tell it from its neighbours
  std::vector<std::uint64_t> index(std::uint64_t position) const;
  const void *address(std::uint64_t position) const { return at(position); }

  /// What tangram_kernel::invoke takes for this argument; valid as long as the value is not moved.
  void *argument();
  void *data() { return start_; }
  const void *data() const { return start_; }
  Signs signs() const { return signs_; }
  void setSigns(Signs signs) { signs_ = signs; }
  bool contiguous() const { return layout_.padding == 0 || sizes_.size() < 2; }

  /// Where a byte outside the elements was written; empty: nowhere.
  std::string strayWrite() const;

private:
  class Pattern; // of bytes that are no elements
  Value() = default;
  Pattern pattern() const;
  const std::byte *at(std::uint64_t position) const;
  std::byte *at(std::uint64_t position) {
    return const_cast<std::byte *>(static_cast<const Value *>(this)->at(position));
  }

  struct Free {
    void operator()(std::byte *p) const;
  };
  Element type_ = TANGRAM_I32;
  std::uint64_t step_ = 0; // bytes from one element to the next
  std::vector<std::uint64_t> sizes_;
  Layout layout_;
  Signs signs_ = Signs::Any;
  std::uint64_t count_ = 1, rowLength_ = 1, pitch_ = 1; // of the last dimension, in elements
  std::uint64_t total_ = 0;                             // bytes of memory
  std::unique_ptr<std::byte[], Free> memory_;
  std::byte *start_ = nullptr;
  tangram_array array_{};
};

} // namespace tangram::runtime
