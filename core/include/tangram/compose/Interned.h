// Values that are kept once each: what is made of them is compared by number.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tangram {

template <class T> class Interned {
public:
  using Id = std::uint32_t;
  /// Of the first value: what a default-constructed T is.
  static constexpr Id kNone = 0;
  Interned() { id({}); }

  Id id(T value) {
    auto [it, fresh] = ids_.try_emplace(std::move(value), static_cast<Id>(ids_.size()));
    if (fresh) values_.push_back(&it->first);
    return it->second;
  }
  const T &operator[](Id id) const { return *values_[id]; }

private:
  std::map<T, Id> ids_;
  std::vector<const T *> values_;
};

} // namespace tangram
