// SPDX-License-Identifier: Apache-2.0
// A JSON text as events with paths: ".results[].in_place.time" and its scalar. Nothing is kept but the path, in
// bounded memory. An array of documents at the top is read as those documents, one after the other. One thread.
#pragma once

#include <string>

#include "cli/read/json_row.h"
#include "cli/read/line_source.h"

namespace polyrail::read {

class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  // An object begins or ends; the path of a whole document is empty.
  virtual void onOpen(const std::string& path) = 0;
  virtual void onClose(const std::string& path) = 0;
  virtual void onListEnd(const std::string& path) = 0;  // with its "[]"
  virtual void onScalar(const std::string& path, const JsonScalar& scalar) = 0;
};

// Reads one value from where `source` stands. Returns "" or, when the text is cut or is no JSON, what is wrong and
// where; what came before was reported.
std::string readJsonPaths(LineSource& source, JsonEvents& events);

}  // namespace polyrail::read
