#include "tools/longshorectl/paint.h"

#include <map>

namespace longshore::ctl {
namespace {

const char* escape_of(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kAttention:
      return "\x1b[33m";
    case Tone::kBad:
      return "\x1b[31m";
    case Tone::kFaint:
      return "\x1b[2m";
    case Tone::kHeading:
      return "\x1b[1m";
    case Tone::kPlain:
      break;
  }
  return "";
}

}  // namespace

PrintedText Paint::operator()(Tone tone, PrintedText text) const {
  if (!enabled_ || tone == Tone::kPlain || text.empty()) return text;
  text.bytes_ = escape_of(tone) + text.bytes_ + "\x1b[0m";
  return text;
}

bool wants_colours(std::string_view choice, const ColourSurroundings& surroundings) {
  if (choice != "auto") return choice == "always";
  return surroundings.is_terminal && surroundings.no_color.empty() &&
         surroundings.terminal != "dumb";
}

Tone tone_of(std::string_view word) {
  static const std::map<std::string_view, Tone> tones = {
      {"serving", Tone::kGood},       {"OK", Tone::kGood},
      {"finished", Tone::kPlain},     {"running", Tone::kAttention},
      {"waiting", Tone::kAttention},  {"starting", Tone::kAttention},
      {"draining", Tone::kAttention}, {"stopped", Tone::kAttention},
      {"created", Tone::kAttention},  {"warning", Tone::kAttention},
      {"degraded", Tone::kAttention}, {"quarantined", Tone::kBad},
      {"failed", Tone::kBad},         {"overdue", Tone::kBad},
      {"error", Tone::kBad},          {"debug", Tone::kFaint},
      {"info", Tone::kPlain},         {"", Tone::kPlain}};
  const auto found = tones.find(word);
  if (found != tones.end()) return found->second;
  // What is written so is a status, and every status but OK is a failure.
  return word.find_first_of("abcdefghijklmnopqrstuvwxyz") == word.npos ? Tone::kBad : Tone::kPlain;
}

}  // namespace longshore::ctl
