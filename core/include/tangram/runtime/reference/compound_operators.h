// Operators of numbers that follow from others.
#pragma once

namespace tangram::reference {

/// A base of `Number`, which has add() and, of two, * and /.
template <class Number> struct CompoundOperators {
  friend Number operator+(const Number &x) { return x; }
  friend Number operator+(const Number &x, const Number &y) {
    Number r = x;
    r.add(y);
    return r;
  }
  friend Number operator-(const Number &x, const Number &y) {
    Number r = -y;
    r.add(x);
    return r;
  }
  friend Number &operator+=(Number &x, const Number &y) {
    x.add(y);
    return x;
  }
  friend Number &operator-=(Number &x, const Number &y) { return x += -y; }
  friend Number &operator*=(Number &x, const Number &y) { return x = x * y; }
  friend Number &operator/=(Number &x, const Number &y) { return x = x / y; }
  friend Number &operator++(Number &x) { return x += Number(1); }
  friend Number &operator--(Number &x) { return x -= Number(1); }
  friend Number operator++(Number &x, int) {
    Number before = x;
    ++x;
    return before;
  }
  friend Number operator--(Number &x, int) {
    Number before = x;
    --x;
    return before;
  }
};

} // namespace tangram::reference
