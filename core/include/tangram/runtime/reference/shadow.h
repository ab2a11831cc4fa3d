// What is known of numbers in memory beside their bytes.
#pragma once

#include <tangram/runtime/reference/real.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace tangram::reference {

/// What the entry points need of a Shadow. They find those of the types that a kernel has, and make no code for others.
class AnyShadow {
public:
  virtual void clear() = 0;
  /// Writes what the kernel gets in its own type.
  virtual void flush() = 0;
  /// False where the kernel has not written the number.
  virtual bool describe(const void *address, tangram_reference_element *number) = 0;

  const tangram_element element;
  AnyShadow *const next;
  inline static AnyShadow *first = nullptr;

protected:
  explicit AnyShadow(tangram_element e) : element(e), next(first) { first = this; }
  ~AnyShadow() = default;
};

/// What is known of numbers in memory beside their bytes, by address. What a kernel has not written is what lies there.
template <class T> class Shadow final : public AnyShadow {
public:
  static constexpr std::uintptr_t page = 4096;

  Shadow() : AnyShadow(Traits<T>::element) {}

  TANGRAM_REFERENCE_CALL Real<T> &at(T *address) {
    Page *&found = slot(address);
    if (!found) found = add(key(address));
    std::size_t i = index(address);
    if (!found->present[i]) {
      found->present[i] = true;
      found->numbers[i] = Real<T>(*address);
    }
    return found->numbers[i];
  }
  TANGRAM_REFERENCE_CALL Real<T> get(const T *address) {
    Page *found = slot(address);
    std::size_t i = index(address);
    return found && found->present[i] ? found->numbers[i] : Real<T>(*address);
  }
  bool describe(const void *at, tangram_reference_element *number) override {
    const T *address = static_cast<const T *>(at);
    auto it = pages_.find(key(address));
    if (it == pages_.end() || !it->second->present[index(address)]) return false;
    *number = reference::describe(it->second->numbers[index(address)]);
    return true;
  }
  /// Forgets what lies in whole pages.
  void forget(const void *begin, std::size_t bytes) {
    auto from = reinterpret_cast<std::uintptr_t>(begin) / page;
    for (std::uintptr_t k = from; k < from + (bytes + page - 1) / page; ++k) {
      if (auto it = pages_.find(k); it != pages_.end()) {
        spare_.push_back(std::move(it->second));
        pages_.erase(it);
      }
      if (recent_[k % kRecent].key == k) recent_[k % kRecent] = {};
    }
  }
  void clear() override {
    for (auto &[_, p] : pages_) spare_.push_back(std::move(p));
    pages_.clear();
    for (Recent &r : recent_) r = {};
  }
  void flush() override {
    for (auto &[k, p] : pages_)
      for (std::size_t i = 0; i < page / sizeof(T); ++i)
        if (p->present[i]) reinterpret_cast<T *>(k * page)[i] = p->numbers[i].own;
  }

private:
  struct Page {
    bool present[page / sizeof(T)] = {};
    Real<T> numbers[page / sizeof(T)];
  };
  struct Recent {
    std::uintptr_t key = 0;
    Page *found = nullptr;
  };
  static constexpr std::size_t kRecent = 256;

  static std::uintptr_t key(const T *address) { return reinterpret_cast<std::uintptr_t>(address) / page; }
  static std::size_t index(const T *address) { return reinterpret_cast<std::uintptr_t>(address) % page / sizeof(T); }
  /// The page of an address, null where there is none yet.
  Page *&slot(const T *address) {
    std::uintptr_t k = key(address);
    Recent &recent = recent_[k % kRecent];
    if (recent.key != k) look(recent, k);
    return recent.found;
  }
  [[gnu::noinline]] void look(Recent &recent, std::uintptr_t k) {
    auto it = pages_.find(k);
    recent = {k, it == pages_.end() ? nullptr : it->second.get()};
  }

  [[gnu::noinline]] Page *add(std::uintptr_t k) {
    std::unique_ptr<Page> made;
    if (spare_.empty()) {
      made = std::make_unique<Page>();
    } else {
      made = std::move(spare_.back());
      spare_.pop_back();
      std::fill(std::begin(made->present), std::end(made->present), false);
    }
    return (pages_[k] = std::move(made)).get();
  }

  std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages_;
  std::vector<std::unique_ptr<Page>> spare_; // of earlier calls: a page is a hundred times as large as what it is about
  Recent recent_[kRecent];
};
template <class T> inline Shadow<T> shadow;

/// What is followed as a Real.
template <class T>
inline constexpr bool isNumber =
    std::is_floating_point_v<T> || std::is_same_v<T, tangram_f16> || std::is_same_v<T, tangram_bf16>;

} // namespace tangram::reference
