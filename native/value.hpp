// What a row's entry counts as.
#pragma once
#include <cmath>

namespace tb {

/// Occurrences, present or not, or 1 + ln(tf).
enum class Value { count, binary, log };

inline double value_of(double x, Value value, double threshold) {
  switch (value) {
    case Value::binary:
      return x > threshold ? 1.0 : 0.0;
    case Value::log:
      return x > 0 ? 1.0 + std::log(x) : 0.0;
    default:
      return x;
  }
}

}  // namespace tb
