#include "observe/windows/crash_frames.h"

// windows.h comes before it.
#include <psapi.h>

#include <iterator>

namespace longshore::observe {
namespace {

constexpr int kMostFrames = 64;

// The file that lies there in memory; null: none.
const char* image_at(DWORD64 place) {
  MEMORY_BASIC_INFORMATION memory{};
  if (VirtualQuery(reinterpret_cast<const void*>(place), &memory, sizeof(memory)) == 0) {
    return nullptr;
  }
  return memory.State == MEM_COMMIT && memory.Type == MEM_IMAGE
             ? static_cast<const char*>(memory.AllocationBase)
             : nullptr;
}

bool is_readable(DWORD64 place) {
  MEMORY_BASIC_INFORMATION memory{};
  return VirtualQuery(reinterpret_cast<const void*>(place), &memory, sizeof(memory)) != 0 &&
         memory.State == MEM_COMMIT && (memory.Protect & (PAGE_NOACCESS | PAGE_GUARD)) == 0;
}

// Its path as the system has it, which no lock of the loader's is needed for.
void add_path(CrashText& line, const char* image) {
  static wchar_t path[512];
  const DWORD size =
      GetMappedFileNameW(GetCurrentProcess(), const_cast<char*>(image), path, std::size(path));
  if (size == 0) line.raw("?");
  for (DWORD i = 0; i < size; ++i) {
    const wchar_t unit = path[i] == L'\\' ? L'/' : path[i];
    const char c = unit < 0x7f ? static_cast<char>(unit) : '?';
    line.text({&c, 1});
  }
}

void add_stamp(CrashText& line, const char* image) {
  const auto* const dos = reinterpret_cast<const IMAGE_DOS_HEADER*>(image);
  if (dos->e_magic != IMAGE_DOS_SIGNATURE) return;
  const auto* const headers = reinterpret_cast<const IMAGE_NT_HEADERS64*>(image + dos->e_lfanew);
  line.raw(" stamp ").hexadecimal(headers->FileHeader.TimeDateStamp);
  line.raw(" size ").hexadecimal(headers->OptionalHeader.SizeOfImage);
}

void tell_frame(int number, DWORD64 place, void (*tell)(const CrashText& line)) {
  static CrashText line;
  line.clear();
  line.raw("#").decimal(static_cast<uint64_t>(number), 2).raw(" ");
  const char* const image = image_at(place);
  if (!image) return tell(line.hexadecimal(place).raw(" in no file"));
  line.hexadecimal(place - reinterpret_cast<uintptr_t>(image)).raw(" ");
  add_path(line, image);
  add_stamp(line, image);
  tell(line);
}

// To the caller's frame. False: there is none that could be found.
bool go_out(CONTEXT& context) {
  const DWORD64 stack = context.Rsp;
  DWORD64 image = 0;
  if (const auto function = RtlLookupFunctionEntry(context.Rip, &image, nullptr)) {
    void* handler_data = nullptr;
    DWORD64 frame = 0;
    RtlVirtualUnwind(UNW_FLAG_NHANDLER, image, context.Rip, function, &context, &handler_data,
                     &frame, nullptr);
  } else if (is_readable(stack)) {
    // A function that calls none, or a jump to nowhere: where it returns to is the last on the
    // stack.
    context.Rip = *reinterpret_cast<const DWORD64*>(stack);
    context.Rsp += sizeof(DWORD64);
  } else {
    return false;
  }
  return context.Rip != 0 && context.Rsp > stack;
}

}  // namespace

void tell_frames(const CONTEXT& crashed, void (*tell)(const CrashText& line)) {
  static CONTEXT context;
  context = crashed;
  for (int number = 0; number < kMostFrames; ++number) {
    // A call returns behind itself, maybe into the next function.
    tell_frame(number, number == 0 ? context.Rip : context.Rip - 1, tell);
    if (!go_out(context)) return;
  }
}

}  // namespace longshore::observe
