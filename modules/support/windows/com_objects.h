// COM's objects and values, let go of with their owners.
//
// Threads: like any value, one at a time, and on a thread with COM (ComThread).
#pragma once

#include <windows.h>
// After windows.h.
#include <oleauto.h>

#include <string_view>
#include <utility>

#include "longshore/windows/wide_text.hpp"

namespace longshore::support {

// COM on the thread that it lives on, in the apartment of many threads.
class ComThread {
 public:
  ComThread() : result_(CoInitializeEx(nullptr, COINIT_MULTITHREADED)) {}
  ComThread(const ComThread&) = delete;
  ComThread& operator=(const ComThread&) = delete;
  ~ComThread() {
    if (SUCCEEDED(result_)) CoUninitialize();
  }
  HRESULT result() const { return result_; }

 private:
  HRESULT result_;
};

template <typename Interface>
class ComPointer {
 public:
  ComPointer() = default;
  ComPointer(ComPointer&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  ComPointer& operator=(ComPointer&& other) noexcept {
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  ~ComPointer() {
    if (pointer_) pointer_->Release();
  }

  // Where a function puts what it makes; once.
  Interface** out() { return &pointer_; }
  Interface* get() const { return pointer_; }
  Interface* operator->() const { return pointer_; }
  explicit operator bool() const { return pointer_ != nullptr; }

 private:
  Interface* pointer_ = nullptr;
};

// A string of COM's.
class ComString {
 public:
  explicit ComString(std::string_view text) {
    const std::wstring units = wide(text);
    string_ = SysAllocStringLen(units.data(), static_cast<UINT>(units.size()));
  }
  ComString(const ComString&) = delete;
  ComString& operator=(const ComString&) = delete;
  ~ComString() { SysFreeString(string_); }

  BSTR get() const { return string_; }

 private:
  BSTR string_ = nullptr;
};

class ComVariant {
 public:
  ComVariant() { VariantInit(&variant_); }
  ComVariant(const ComVariant&) = delete;
  ComVariant& operator=(const ComVariant&) = delete;
  ~ComVariant() { VariantClear(&variant_); }

  VARIANT* get() { return &variant_; }
  const VARIANT& operator*() const { return variant_; }

 private:
  VARIANT variant_{};
};

}  // namespace longshore::support
