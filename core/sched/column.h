// A growing array in pieces: growing never copies, so a million rows are written once and touch their pages once, and
// references stay valid.
#ifndef PYSOLATE_SCHED_COLUMN_H_
#define PYSOLATE_SCHED_COLUMN_H_

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace pysolate::sched {

template <typename T>
class Column {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  size_t size() const { return size_; }
  T& operator[](size_t i) { return *At(i); }
  const T& operator[](size_t i) const { return *At(i); }
  void push_back(const T& row) {
    if (size_ == pieces_.size() * kPiece) Grow();
    new (At(size_++)) T(row);
  }
  void emplace_back() { push_back(T{}); }
  void reserve(size_t rows) {
    while (pieces_.size() * kPiece < rows) Grow();
  }
  size_t bytes() const { return pieces_.size() * kPiece * sizeof(T); }

 private:
  static constexpr size_t kPiece = 1024;
  // Raw memory: a row is written when it is added, not before.
  struct alignas(T) Room {
    std::byte bytes[sizeof(T)];
  };
  T* At(size_t i) const { return std::launder(reinterpret_cast<T*>(&pieces_[i / kPiece][i % kPiece])); }
  // make_unique would clear it, and the libc++ of Emscripten 3.1.6 has no make_unique_for_overwrite.
  void Grow() { pieces_.push_back(std::unique_ptr<Room[]>(new Room[kPiece])); }

  std::vector<std::unique_ptr<Room[]>> pieces_;
  size_t size_ = 0;
};

}  // namespace pysolate::sched

#endif  // PYSOLATE_SCHED_COLUMN_H_
