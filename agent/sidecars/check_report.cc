#include "sidecars/check_report.h"

#include <algorithm>

#include "text/escape.h"

namespace longshore::sidecars {

void CheckReport::tell(std::string_view kind, std::string_view sentences) {
  while (!sentences.empty()) {
    const std::string_view sentence = sentences.substr(0, sentences.find('\n'));
    output_ << kind << ": " << text::escaped(sentence) << '\n';
    sentences.remove_prefix(std::min(sentence.size() + 1, sentences.size()));
  }
  // Who waits for an answer that does not come sees for what.
  output_.flush();
}

}  // namespace longshore::sidecars
