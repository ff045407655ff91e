// Text in a buffer of its own, for signal handlers: no allocation, no locale.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <ctime>
#include <string_view>

namespace longshore::observe {

class CrashText {
 public:
  CrashText& text(std::string_view text) {
    for (const char c : text) put(c >= ' ' && c < '\x7f' && c != '"' && c != '\\' ? c : '?');
    return *this;
  }
  // As it is, quotes and line ends too.
  CrashText& raw(std::string_view text) {
    for (const char c : text) put(c);
    return *this;
  }
  CrashText& decimal(uint64_t number, int digits = 1) {
    char reversed[20];
    int count = 0;
    for (; number != 0 || count < digits; number /= 10) {
      reversed[count++] = static_cast<char>('0' + number % 10);
    }
    while (count > 0) put(reversed[--count]);
    return *this;
  }
  CrashText& hexadecimal(uint64_t number) {
    int shift = 60;
    while (shift > 0 && number >> shift == 0) shift -= 4;
    for (raw("0x"); shift >= 0; shift -= 4) put(kDigits[number >> shift & 15]);
    return *this;
  }
  CrashText& byte(unsigned char byte) {
    put(kDigits[byte >> 4]);
    put(kDigits[byte & 15]);
    return *this;
  }
  // "2026-11-21T04:31:35.123Z"; by arithmetic, since gmtime takes a lock.
  CrashText& time(const timespec& now) {
    const auto seconds = static_cast<uint64_t>(now.tv_sec);
    const uint64_t day = seconds / 86400 + 719468;  // since 0000-03-01
    const uint64_t era = day / 146097;
    const uint64_t of_era = day % 146097;
    const uint64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const uint64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    const uint64_t march_month = (5 * of_year + 2) / 153;
    const uint64_t month = march_month < 10 ? march_month + 3 : march_month - 9;
    decimal(year + era * 400 + (month <= 2 ? 1 : 0), 4).raw("-").decimal(month, 2).raw("-");
    decimal(of_year - (153 * march_month + 2) / 5 + 1, 2).raw("T");
    decimal(seconds / 3600 % 24, 2).raw(":").decimal(seconds / 60 % 60, 2).raw(":");
    decimal(seconds % 60, 2).raw(".");
    return decimal(static_cast<uint64_t>(now.tv_nsec) / 1000000, 3).raw("Z");
  }

  std::string_view view() const { return {buffer_, size_}; }
  void clear() { size_ = 0; }

 private:
  static constexpr char kDigits[] = "0123456789abcdef";
  void put(char c) {
    if (size_ < sizeof(buffer_)) buffer_[size_++] = c;
  }

  char buffer_[1024];
  size_t size_ = 0;
};

}  // namespace longshore::observe
