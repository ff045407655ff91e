// The handles that a new process inherits, whatever others are inheritable at that moment.
//
// Owner: whoever starts the process, until it is started. Threads: one.
#pragma once

#include <windows.h>

#include <utility>
#include <vector>

namespace longshore::supervise {

class HandleList {
 public:
  explicit HandleList(std::vector<HANDLE> handles) : handles_(std::move(handles)) {
    SIZE_T size = 0;
    InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
    memory_.resize(size);
    if (!InitializeProcThreadAttributeList(get(), 1, 0, &size)) return;
    is_made_ = true;
    is_good_ =
        UpdateProcThreadAttribute(get(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
                                  handles_.size() * sizeof(HANDLE), nullptr, nullptr);
  }
  HandleList(const HandleList&) = delete;
  HandleList& operator=(const HandleList&) = delete;
  ~HandleList() {
    if (is_made_) DeleteProcThreadAttributeList(get());
  }

  bool is_good() const { return is_good_; }
  PPROC_THREAD_ATTRIBUTE_LIST get() {
    return reinterpret_cast<PPROC_THREAD_ATTRIBUTE_LIST>(memory_.data());
  }

 private:
  std::vector<HANDLE> handles_;
  std::vector<char> memory_;
  bool is_made_ = false;
  bool is_good_ = false;
};

}  // namespace longshore::supervise
