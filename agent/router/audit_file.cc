#include "router/audit_file.h"

#include <chrono>
#include <fstream>
#include <random>

#include "observe/json_text.h"
#include "router/audit_event.h"
#include "text/file_path.h"

namespace longshore::router {
namespace {

using observe::JsonText;

constexpr size_t kMaxLineBytes = 64 << 10;  // more than any line has

std::string new_chain() {
  std::random_device random;
  std::string chain;
  for (int digit = 0; digit < 16; ++digit) chain += "0123456789abcdef"[random() % 16];
  return chain;
}

// What the first line of a file says of its chain.
std::string chain_of(const std::string& file) {
  constexpr std::string_view kKey = "\"chain\":\"";
  std::ifstream stream{text::file_path(file)};
  std::string line;
  if (!std::getline(stream, line)) return {};
  const size_t at = line.find(kKey);
  return at == std::string::npos ? std::string() : line.substr(at + kKey.size(), 16);
}

}  // namespace

Result<void> AuditFile::open(const AuditOptions& options) {
  options_ = options;
  bool is_new = false;
  if (auto opened = file_.open(options.file, &is_new); !opened) return opened;
  if (is_new) is_ready_ = false;
  return is_ready_ ? Result<void>() : begin();
}

Result<void> AuditFile::begin() {
  auto begun = file_.size() == 0 ? write_opened() : go_on();
  is_ready_ = begun.ok();
  return begun;
}

Result<void> AuditFile::go_on() {
  std::string last = file_.last_line(kMaxLineBytes);
  if (!last.ends_with('\n')) {
    if (auto cut = file_.cut(last.size()); !cut) return cut;
    torn_ = std::move(last);
    if (file_.size() == 0) return write_opened();
    last = file_.last_line(kMaxLineBytes);
  }
  if (last.ends_with('\n')) last.pop_back();
  const auto sealed_line = observe::read_sealed(last);
  if (!sealed_line) {
    if (auto rotated = file_.rotate(options_.max_files); !rotated) return rotated;
    link_ = {};
    return write_opened();
  }
  link_ = {chain_of(options_.file), sealed_line->number, std::string(sealed_line->hash)};
  if (torn_.empty()) return {};
  auto told = write(audit_event("mended", [&](JsonText& json) { json.member("torn", torn_); }));
  if (told) torn_.clear();
  return told;
}

Result<void> AuditFile::write_opened() {
  torn_.clear();
  if (link_.chain.empty()) link_.chain = new_chain();
  return write(audit_event("opened", [&](JsonText& json) {
    json.member("chain", link_.chain);
    json.member("previous", link_.hash);
  }));
}

bool AuditFile::is_full(size_t more) const {
  return options_.max_size > 0 && file_.size() + more > static_cast<uint64_t>(options_.max_size);
}

Result<bool> AuditFile::append(const std::string& object) {
  bool is_rotated = false;
  if (is_full(object.size())) {
    if (auto rotated = file_.rotate(options_.max_files); !rotated) return rotated.error();
    is_rotated = true;
    if (auto begun = begin(); !begun) return begun.error();
  }
  if (auto written = write(object); !written) return written.error();
  return is_rotated;
}

Result<void> AuditFile::write(const std::string& object) {
  observe::AuditLink next = link_;
  const std::string line = observe::sealed(object, next) + '\n';
  if (auto written = file_.write(line); !written) return written;
  link_ = std::move(next);
  return {};
}

}  // namespace longshore::router
