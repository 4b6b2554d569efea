// Scores of rows of the training data with their own counts taken out first: what a model that never saw the row would say,
// without making it. Counts, class totals, class sizes and (where features are words) the vocabulary are all corrected: a
// feature that only this row has is then unknown and counts nowhere.
//
// Whole counts below 2^53 subtract exactly, so the corrected counts are those of the smaller tally, bit for bit. The scores
// are the likelihood part; the prior is the caller's.
#pragma once
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "csr.hpp"
#include "parallel.hpp"

namespace tb {

enum class EventModel { multinomial, complement, bernoulli };

struct CountTable {
  int32_t classes = 0;
  size_t features = 0;
  const int64_t* indptr = nullptr;
  const int32_t* class_index = nullptr;
  const double* counts = nullptr;
  const double* class_count = nullptr;  // [classes], rows of each class
};

struct LeaveOneOutOptions {
  EventModel event_model;
  double alpha;
  bool norm;    // complement: weights divided by their sum
  bool vanish;  // features that nothing else has leave the vocabulary
  int threads;
};

/// log, with log 0 taken as 0: factors that are zero are counted instead.
inline double log_or_zero(double value) { return value > 0 ? std::log(value) : 0.0; }

template <class Index>
class LeaveOneOut {
 public:
  LeaveOneOut(const CountTable& tally, const LeaveOneOutOptions& options) : tally_(tally), options_(options) {
    const auto k = static_cast<size_t>(tally.classes);
    class_totals_.assign(k, 0.0);
    rest_logs_.assign(k, 0.0);
    class_cells_.resize(k);
    feature_totals_.assign(tally.features, 0.0);
    for (size_t i = 0; i < tally.features; ++i)
      for (int64_t p = tally.indptr[i]; p < tally.indptr[i + 1]; ++p) {
        feature_totals_[i] += tally.counts[p];
        class_totals_[tally.class_index[p]] += tally.counts[p];
        class_cells_[tally.class_index[p]].push_back(tally.counts[p]);
      }
    for (size_t i = 0; i < tally.features; ++i) {
      feature_logs_ += log_or_zero(feature_totals_[i] + options.alpha);
      for (int64_t p = tally.indptr[i]; p < tally.indptr[i + 1]; ++p)
        rest_logs_[tally.class_index[p]] += rest_log(feature_totals_[i], tally.counts[p]);
    }
    for (const double total : class_totals_) total_ += total;
    for (size_t c = 0; c < k; ++c) absent_.push_back(absent_of(c, tally.class_count[c]));
  }

  /// Entry values are what the row added to its class's counts, per unit of its weight.
  void score(const CsrView<Index>& rows, const int32_t* classes, const double* weights, double* out) const {
    constexpr size_t rows_per_chunk = 64;
    run_chunks(options_.threads, (rows.rows + rows_per_chunk - 1) / rows_per_chunk, [&](size_t chunk, int) {
      CsrReader<Index> reader(rows, 0.0);
      Row row(static_cast<size_t>(tally_.classes));
      for (size_t r = chunk * rows_per_chunk; r < std::min(rows.rows, (chunk + 1) * rows_per_chunk); ++r) {
        const auto entries = reader.read(static_cast<int64_t>(r), true);
        if (reader.facts().bad) throw std::invalid_argument("row " + std::to_string(r) + " has an entry that cannot be");
        row.clear();
        row.own = classes[r];
        row.weight = weights != nullptr ? weights[r] : 1.0;
        for (size_t j = 0; j < entries.size; ++j)
          if (entries.values[j] > 0) add(row, static_cast<size_t>(entries.columns[j]), entries.values[j], r);
        finish(row, out + r * static_cast<size_t>(tally_.classes));
      }
    });
  }

 private:
  struct Absent {  // sum over a class's cells of log(N - n + alpha), and how many of these are log 0
    double sum = 0, zeros = 0;
  };
  struct OfClass {
    double seen = 0;      // x of the row's features that the class has
    double logs = 0;      // multinomial, Bernoulli: sum x log(n' + alpha); complement: sum x log((T' + alpha) / rest')
    double zeros = 0;     // factors that are zero (complement: weights that are infinite)
    double cells = 0;     // the row's features among the class's cells
    double absent = 0, absent_zeros = 0;  // their part of Absent
    double rest_logs = 0;                 // change of rest_logs_
  };
  struct Row {
    explicit Row(size_t classes) : of(classes) {}
    void clear() {
      std::fill(of.begin(), of.end(), OfClass{});
      size = kept = vanished = taken = feature_logs = row_logs = 0;
    }
    std::vector<OfClass> of;
    int32_t own = 0;
    double weight = 1;
    double size = 0, kept = 0, vanished = 0;  // |x| and number of the features that stay; number of those that do not
    double taken = 0;                         // what is taken out of the own class's total
    double feature_logs = 0;                  // change of feature_logs_
    double row_logs = 0;                      // sum x log(T' + alpha)
  };

  double rest_log(double total, double count) const {
    const double rest = total - count + options_.alpha;
    return rest > 0 && count > 0 ? std::log1p(count / rest) : 0.0;
  }
  Absent absent_of(size_t c, double rows) const {
    Absent absent;
    if (options_.event_model != EventModel::bernoulli) return absent;
    for (const double count : class_cells_[c]) {
      const double rest = rows - count + options_.alpha;
      absent.sum += log_or_zero(rest);
      absent.zeros += rest <= 0;
    }
    return absent;
  }

  void add(Row& row, size_t i, double x, size_t r) const {
    const double alpha = options_.alpha, taken = row.weight * x;
    const double total = feature_totals_[i], left = total - taken;
    const bool vanishes = options_.vanish && left == 0;
    row.taken += taken;
    row.feature_logs += (vanishes ? 0.0 : log_or_zero(left + alpha)) - log_or_zero(total + alpha);
    if (vanishes) {
      ++row.vanished;
    } else {
      ++row.kept;
      row.size += x;
      row.row_logs += x * log_or_zero(left + alpha);
    }
    bool own = taken == 0;
    for (int64_t p = tally_.indptr[i]; p < tally_.indptr[i + 1]; ++p) {
      const int32_t c = tally_.class_index[p];
      OfClass& of = row.of[c];
      const double before = tally_.counts[p], count = c == row.own ? before - taken : before;
      if (count < 0) break;
      own |= c == row.own;
      ++of.cells;
      const double rows = tally_.class_count[c] - (c == row.own ? row.weight : 0.0);
      const double absent = rows - before + alpha;  // as in absent_of
      of.absent += log_or_zero(absent);
      of.absent_zeros += absent <= 0;
      of.rest_logs += (vanishes ? 0.0 : rest_log(left, count)) - rest_log(total, before);
      if (vanishes) continue;
      of.seen += options_.event_model == EventModel::bernoulli ? 1.0 : x;
      if (options_.event_model == EventModel::complement) {
        of.logs += x * rest_log(left, count);
        of.zeros += count > 0 && left - count + alpha <= 0;
      } else {
        of.logs += (options_.event_model == EventModel::bernoulli ? 1.0 : x) * log_or_zero(count + alpha);
        of.zeros += count + alpha <= 0;
      }
    }
    if (!own) throw std::invalid_argument("row " + std::to_string(r) + " was not counted: column " + std::to_string(i) + " has less");
  }

  void finish(const Row& row, double* out) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double alpha = options_.alpha, features = static_cast<double>(tally_.features) - row.vanished;
    const double log_alpha = log_or_zero(alpha), total = total_ - row.taken;
    for (int32_t c = 0; c < tally_.classes; ++c) {
      const OfClass& of = row.of[c];
      const bool own = c == row.own;
      const double class_total = class_totals_[c] - (own ? row.taken : 0.0);
      if (options_.event_model == EventModel::complement) {
        const double unit = log_or_zero(total - class_total + alpha * features);
        double score = row.size * unit - row.row_logs + of.logs;
        if (options_.norm) {
          const double sum = features * unit - (feature_logs_ + row.feature_logs) + rest_logs_[c] + of.rest_logs;
          score = std::fabs(sum) > 1e-12 * std::max(1.0, features) ? score / sum : 0.0;
        }
        out[c] = of.zeros > 0 && tally_.classes > 1 ? infinity : score;
        continue;
      }
      double zeros = of.zeros, score;
      if (options_.event_model == EventModel::multinomial) {
        zeros += alpha == 0 && of.seen < row.size;
        score = of.logs + (row.size - of.seen) * log_alpha - row.size * log_or_zero(class_total + alpha * features);
      } else {
        const double rows = tally_.class_count[c] - (own ? row.weight : 0.0);
        const Absent absent = own ? absent_of(static_cast<size_t>(c), rows) : absent_[c];
        const double others = static_cast<double>(class_cells_[c].size()) - of.cells;  // cells the row has no part in
        zeros += absent.zeros - of.absent_zeros + (alpha == 0 ? row.kept - of.seen : 0.0);
        score = (absent.sum - of.absent) + (features - row.kept - others) * log_or_zero(rows + alpha) + of.logs +
                (row.kept - of.seen) * log_alpha - features * log_or_zero(rows + 2 * alpha);
      }
      out[c] = zeros > 0 ? -infinity : score;
    }
  }

  const CountTable& tally_;
  const LeaveOneOutOptions& options_;
  std::vector<double> class_totals_, feature_totals_, rest_logs_;
  std::vector<std::vector<double>> class_cells_;
  std::vector<Absent> absent_;
  double total_ = 0, feature_logs_ = 0;
};
}  // namespace tb
