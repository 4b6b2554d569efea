// Threads for one call: started here, joined here, exceptions carried over to the caller. No thread outlives its call.
#pragma once
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tb {

/// Run body(thread) for thread = 0 .. threads-1, thread 0 being the caller's; rethrow the first exception when all ended.
template <class Body>
void run_threads(int threads, Body&& body) {
  if (threads <= 1) {
    body(0);
    return;
  }
  std::exception_ptr failure;
  std::mutex guard;
  auto guarded = [&](int thread) {
    try {
      body(thread);
    } catch (...) {
      std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(threads - 1);
  try {
    for (int thread = 1; thread < threads; ++thread) others.emplace_back(guarded, thread);
  } catch (...) {  // the system has no more threads to give: wait for those that run, then say so
    for (auto& other : others) other.join();
    throw;
  }
  guarded(0);
  for (auto& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

/// Run body(chunk, thread) for every chunk; each thread takes the next chunk that is left.
template <class Body>
void run_chunks(int threads, size_t chunks, Body&& body) {
  if (static_cast<size_t>(threads) > chunks) threads = chunks > 0 ? static_cast<int>(chunks) : 1;
  std::atomic<size_t> next{0};
  run_threads(threads, [&](int thread) {
    for (size_t chunk; (chunk = next.fetch_add(1, std::memory_order_relaxed)) < chunks;) body(chunk, thread);
  });
}

/// Cut [0, n) into `parts` ranges of nearly equal weight: cuts[p] .. cuts[p+1]. before(i) is the weight of all before i.
template <class Before>
std::vector<size_t> balanced_cuts(size_t n, size_t parts, Before&& before) {
  std::vector<size_t> cuts(parts + 1, n);
  cuts[0] = 0;
  const double total = static_cast<double>(before(n));
  for (size_t p = 1; p < parts; ++p) {
    const double wanted = total * static_cast<double>(p) / static_cast<double>(parts);
    size_t low = cuts[p - 1], high = n;
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (static_cast<double>(before(middle)) < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    cuts[p] = low;
  }
  return cuts;
}
}  // namespace tb
