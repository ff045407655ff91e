// Rows with aligned columns, for people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/longshorectl/paint.h"

namespace longshore::ctl {

struct Cell {
  // Not explicit: a row is written as a list of texts, of which some have a tone.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Cell(const std::string& its_text, Tone its_tone = Tone::kPlain)
      : text(its_text), tone(its_tone) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Cell(const char* its_text) : Cell(std::string(its_text)) {}

  PrintedText text;
  Tone tone = Tone::kPlain;
};

// A word for a state, an outcome or a level, in its colour.
inline Cell word_cell(const std::string& word) { return {word, tone_of(word)}; }

class Table {
 public:
  explicit Table(const std::vector<std::string>& header = {});

  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  // The header and the rows, each on a line, without the last line's end.
  PrintedText text(const Paint& paint) const;

 private:
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace longshore::ctl
