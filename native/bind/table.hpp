// A score table as Python holds it: checked and laid out once, then read by every call without another look.
#pragma once
#include <string>

#include "arrays.hpp"
#include "checks.hpp"
#include "score.hpp"

namespace tb::bind {

class ScoreTable {
 public:
  ScoreTable(In<double> base, In<double> scale, In<double> unit, In<double> feature, In<double> gain,
             In<int64_t> indptr, In<int32_t> class_index, In<double> delta, bool dense)
      : base_(base), scale_(scale), unit_(unit), feature_(feature), gain_(gain), indptr_(indptr),
        class_index_(class_index), delta_(delta) {
    table_.classes = static_cast<int32_t>(base.size());
    if (base.size() < 1 || base.size() > INT32_MAX) throw std::invalid_argument("a table needs at least one class");
    check_size(scale.size(), base.size(), "scale");
    check_size(unit.size(), base.size(), "unit");
    check_offsets(indptr.data(), indptr.size(), class_index.size(), "indptr");
    check_size(delta.size(), class_index.size(), "delta");
    check_below(class_index.data(), class_index.size(), table_.classes, "class_index");
    table_.features = indptr.size() - 1;
    if (feature.size() > 0) check_size(feature.size(), table_.features, "feature");
    if (gain.size() > 0) check_size(gain.size(), table_.features, "gain");
    table_.base = base.data();
    table_.scale = scale.data();
    table_.unit = unit.data();
    table_.feature = feature.size() > 0 ? feature.data() : nullptr;
    table_.gain = gain.size() > 0 ? gain.data() : nullptr;
    table_.indptr = indptr.data();
    table_.class_index = class_index.data();
    table_.delta = delta.data();
    if (!dense) return;
    nb::gil_scoped_release release;
    rows_ = dense_table(table_.indptr, table_.class_index, table_.delta, table_.features, table_.classes);
    table_.stride = rows_.stride;
    table_.dense = rows_.dense.data();
    table_.row = rows_.row.size() > 0 ? rows_.row.data() : nullptr;
  }

  const Table& table() const { return table_; }
  size_t dense_rows_held() const { return rows_.stride > 0 ? rows_.dense.size() / rows_.stride : 0; }

 private:
  In<double> base_, scale_, unit_, feature_, gain_;  // held so that their memory stays
  In<int64_t> indptr_;
  In<int32_t> class_index_;
  In<double> delta_;
  DenseTable rows_;
  Table table_;
};

inline Value value_named(const std::string& name) {
  if (name == "count") return Value::count;
  if (name == "binary") return Value::binary;
  if (name == "log") return Value::log;
  throw std::invalid_argument("value must be 'count', 'binary' or 'log', got '" + name + "'");
}
}  // namespace tb::bind
