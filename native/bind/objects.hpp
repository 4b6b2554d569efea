// What the text functions of the kernel share: documents with their owner.
#pragma once
#include <nanobind/nanobind.h>

#include "documents.hpp"

namespace tb::bind {

/// Documents with the Python object that their memory belongs to.
struct PyDocuments : Documents {
  PyDocuments(Documents&& documents, nanobind::object owner)
      : Documents(std::move(documents)), owner(std::move(owner)) {}
  nanobind::object owner;
};

}  // namespace tb::bind
