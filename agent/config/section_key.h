// How the tables of keys tie a key's schema to the member that it fills.
#pragma once

#include <chrono>
#include <type_traits>
#include <utility>

#include "config/schema.h"

namespace longshore::config {

// Limits of keys that are durations, in nanoseconds.
inline constexpr int64_t kMillisecond = 1'000'000;
inline constexpr int64_t kHour = 3'600'000'000'000;

template <typename Section, typename Value>
Section section_of(Value Section::*);

// Ties `schema` to a member; durations travel as nanoseconds.
template <auto Member, typename Section = decltype(section_of(Member))>
SectionKey<Section> key(KeySchema schema) {
  using Value = std::remove_cvref_t<decltype(std::declval<Section>().*Member)>;
  constexpr bool kIsDuration = std::is_same_v<Value, std::chrono::nanoseconds>;
  return {std::move(schema),
          [](const Section& section) -> OptionValue {
            if constexpr (kIsDuration) {
              return (section.*Member).count();
            } else {
              return section.*Member;
            }
          },
          [](Section& section, OptionValue value) {
            if constexpr (kIsDuration) {
              section.*Member = Value(std::get<int64_t>(value));
            } else {
              section.*Member = std::get<Value>(std::move(value));
            }
          }};
}

}  // namespace longshore::config
