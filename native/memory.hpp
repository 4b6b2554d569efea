// Buffers without the zeroing of std::vector, on huge pages where the system has them: a table of many MB that is read at
// random otherwise misses the translation cache at almost every access.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tb {

/// Owns `size` values, not initialised. Movable.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr size_t huge_page = size_t{1} << 21;

  Buffer() = default;
  explicit Buffer(size_t size) : size_(size), capacity_(size) { data_ = allocate(size); }
  Buffer(size_t size, T value) : Buffer(size) { std::fill_n(data_, size, value); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  /// Keep the first `size` values; the rest of the memory stays reserved.
  void truncate(size_t size) { size_ = std::min(size_, size); }
  void reserve(size_t capacity) {
    if (capacity <= capacity_) return;
    T* grown = allocate(capacity);
    if (size_ > 0) std::memcpy(static_cast<void*>(grown), data_, size_ * sizeof(T));
    std::free(data_);
    data_ = grown;
    capacity_ = capacity;
  }
  void append(const T* values, size_t n) {
    if (size_ + n > capacity_) reserve(std::max(size_ + n, 2 * capacity_ + 64));
    if (n > 0) std::memcpy(static_cast<void*>(data_ + size_), values, n * sizeof(T));
    size_ += n;
  }
  void push_back(T value) {
    if (size_ == capacity_) [[unlikely]] reserve(2 * capacity_ + 64);
    data_[size_++] = value;
  }
  void clear() { size_ = 0; }
  /// Hand the memory over; free it with std::free.
  T* release() {
    size_ = capacity_ = 0;
    return std::exchange(data_, nullptr);
  }

 private:
  static T* allocate(size_t size) {
    if (size > (~size_t{0} - huge_page) / sizeof(T)) throw std::bad_alloc();
    const size_t bytes = size * sizeof(T);
    const size_t alignment = bytes >= huge_page ? huge_page : 64;
    void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr && bytes > 0) throw std::bad_alloc();
#if defined(__linux__)
    if (bytes >= huge_page) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void swap(Buffer& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

/// Owns `size` values that are all zero bytes. Large blocks come from the system as zeros: nothing is written twice.
template <class T>
class Zeros {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Zeros() = default;
  explicit Zeros(size_t size) : size_(size) {
    constexpr size_t huge_page = Buffer<T>::huge_page;
    if (size > (~size_t{0} - 2 * huge_page) / sizeof(T)) throw std::bad_alloc();
    const size_t bytes = size * sizeof(T), alignment = bytes >= huge_page ? huge_page : 64;
    memory_.reset(std::calloc(bytes + alignment, 1));
    if (memory_ == nullptr) throw std::bad_alloc();
    const auto address = reinterpret_cast<uintptr_t>(memory_.get());
    data_ = reinterpret_cast<T*>((address + alignment - 1) / alignment * alignment);
#if defined(__linux__)
    if (bytes >= huge_page) madvise(data_, bytes, MADV_HUGEPAGE);
#endif
  }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  T* data_ = nullptr;
  size_t size_ = 0;
};

/// Fetch a cache line that is read soon, or with `far` a good while later: then the second-level cache is near enough, and
/// the few lines that the first level can wait for at a time are left to others.
template <bool far = false>
inline void prefetch(const void* address) {
  __builtin_prefetch(address, 0, far ? 2 : 3);
  // GCC takes a function that does nothing but prefetch to have no effect, and drops the calls to it.
  asm volatile("");
}
}  // namespace tb
