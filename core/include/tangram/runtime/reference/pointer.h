// Pointers to numbers that are followed.
#pragma once

#include <tangram/runtime/reference/shadow.h>

#include <cstddef>
#include <type_traits>

namespace tangram::reference {

/// A pointer to numbers. Elements keep what is known of them in the shadow.
template <class T> class Pointer {
public:
  using Number = std::remove_const_t<T>;
  Pointer(T *p = nullptr) : p_(p) {}
  operator Pointer<const Number>() const { return p_; }
  decltype(auto) operator[](std::ptrdiff_t i) const {
    if constexpr (std::is_const_v<T>)
      return shadow<Number>.get(p_ + i);
    else
      return (shadow<Number>.at(p_ + i));
  }
  decltype(auto) operator*() const { return (*this)[0]; }
  friend Pointer operator+(Pointer p, std::ptrdiff_t i) { return p.p_ + i; }
  friend Pointer operator-(Pointer p, std::ptrdiff_t i) { return p.p_ - i; }
  friend bool operator==(Pointer p, std::nullptr_t) { return p.p_ == nullptr; }
  T *raw() const { return p_; }

private:
  T *p_;
};

template <class T> struct PointerTo {
  using type = std::conditional_t<isNumber<std::remove_const_t<T>>, Pointer<T>, T *>;
};

/// A pointer to elements of another type: a window on the fields of structs.
template <class To, class From> typename PointerTo<To>::type pointer_cast(From *p) { return reinterpret_cast<To *>(p); }
template <class To, class From> typename PointerTo<To>::type pointer_cast(Pointer<From> p) {
  return pointer_cast<To>(p.raw());
}

} // namespace tangram::reference
