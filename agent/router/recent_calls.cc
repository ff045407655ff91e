#include "router/recent_calls.h"

#include <algorithm>
#include <utility>

namespace longshore::router {

void RecentCalls::add(const Answered& answered) {
  Digits digits;
  const std::string_view object = find_object(answered.request, *answered.method, digits);
  const Caller* const caller = answered.caller.get();
  const std::string_view identity = caller ? std::string_view(caller->identity) : "";
  const std::string_view origin = caller ? std::string_view(caller->on_behalf_of) : "";
  const Texts texts = {answered.request_id.substr(0, kMaxTextBytes),
                       identity.substr(0, kMaxTextBytes), origin.substr(0, kMaxTextBytes),
                       object.substr(0, kMaxObjectBytes), answered.text.substr(0, kMaxTextBytes)};
  size_t bytes = 1;  // each entry has a place
  for (const std::string_view text : texts) bytes += text.size();

  const std::lock_guard lock(mutex_);
  auto [kept, to] = calls_.add(bytes);
  kept.handle = answered.handle;
  // Most calls are like those of a round before: comparing is cheaper than counting.
  if (kept.method != answered.method) kept.method = answered.method;
  kept.started = answered.started;
  kept.took = answered.took;
  kept.code = answered.code;
  for (size_t i = 0; i < kTexts; ++i) {
    kept.lengths[i] = static_cast<uint16_t>(texts[i].size());
    to = std::copy(texts[i].begin(), texts[i].end(), to);
  }
}

RecentCalls::Entry RecentCalls::entry_of(const Kept& kept, const char* from) {
  std::array<std::string, kTexts> texts;
  for (size_t i = 0; i < kTexts; ++i) {
    texts[i].assign(from, kept.lengths[i]);
    from += kept.lengths[i];
  }
  auto& [request_id, caller, on_behalf_of, object, text] = texts;
  return {kept.handle,
          kept.method,
          std::move(caller),
          std::move(on_behalf_of),
          std::move(request_id),
          std::move(object),
          kept.started,
          kept.took,
          kept.code,
          std::move(text)};
}

std::vector<RecentCalls::Entry> RecentCalls::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Entry> all;
  all.reserve(calls_.size());
  calls_.for_each(
      [&](const Kept& kept, const char* texts) { all.push_back(entry_of(kept, texts)); });
  return all;
}

}  // namespace longshore::router
