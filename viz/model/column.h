// A growing table of plain rows: std::vector's interface as far as it is used here, on realloc.
//
// Why: a trace's tables are large and grow by doubling. realloc lets the system move pages instead of copying rows, so
// that each page is touched once; std::vector touches about three times as much, and first touches are what loading a
// trace costs most.
// Thread rule: one thread at a time. Out of memory ends the program, as std::vector does without exceptions.
#ifndef PYSOLATE_VIZ_MODEL_COLUMN_H_
#define PYSOLATE_VIZ_MODEL_COLUMN_H_

#include <cstddef>
#include <cstdlib>
#include <type_traits>
#include <utility>

namespace pysolate::viz {

template <class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  ~Column() { std::free(data_); }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;
  Column(Column&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Column& operator=(Column&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  void push_back(const T& value) {
    if (size_ == capacity_) {
      const T copy = value;  // it may be one of ours
      Grow(size_ + 1);
      data_[size_++] = copy;
      return;
    }
    data_[size_++] = value;
  }
  T& emplace_back() {
    push_back(T{});
    return back();
  }
  // `n` rows from elsewhere.
  void append(const T* values, size_t n) {
    if (size_ + n > capacity_) Grow(size_ + n);
    for (size_t i = 0; i < n; ++i) data_[size_ + i] = values[i];
    size_ += n;
  }
  void resize(size_t n, const T& value = T{}) {
    if (n > capacity_) Grow(n);
    for (; size_ < n; ++size_) data_[size_] = value;
    size_ = n;
  }
  void clear() { size_ = 0; }

 private:
  void Grow(size_t least) {
    size_t wanted = capacity_ + capacity_ / 2 + 16;
    if (wanted < least) wanted = least;
    void* grown = std::realloc(static_cast<void*>(data_), wanted * sizeof(T));
    if (grown == nullptr) std::abort();
    data_ = static_cast<T*>(grown);
    capacity_ = wanted;
  }

  T* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_COLUMN_H_
