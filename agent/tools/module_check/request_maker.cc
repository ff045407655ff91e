#include "tools/module_check/request_maker.h"

#include <cstdint>

#include "tools/module_check/subject.h"
#include "tools/module_check/wire.h"

namespace longshore::module_check {
namespace {

namespace descriptors = module::descriptors;

constexpr int kMaxFilledDepth = 3;

void add_varint(std::string& bytes, uint64_t value) {
  for (; value > 127; value >>= 7) bytes += static_cast<char>((value & 127) | 128);
  bytes += static_cast<char>(value);
}

void add_text(std::string& bytes, const std::string& text) {
  add_varint(bytes, text.size());
  bytes += text;
}

// UTF-8, as protobuf asks of texts.
std::string text_of(Random& random) {
  static const std::vector<std::string> texts = {"",
                                                 "a",
                                                 "0",
                                                 "-1",
                                                 "name",
                                                 "18446744073709551616",
                                                 "/",
                                                 "/tmp",
                                                 ".",
                                                 "../../../etc",
                                                 "/nowhere/at/all",
                                                 "C:\\nowhere",
                                                 "two\nlines",
                                                 "\t",
                                                 "%s%n",
                                                 "\xc3\xbc\xe2\x82\xac",
                                                 std::string("\0", 1),
                                                 std::string(5000, 'x')};
  std::string text = random.of(texts);
  if (random.one_in(4)) text += "-" + std::to_string(random.below(1000));
  return text;
}

// Small ones mostly: a request for 2^40 of anything tells nothing about a module.
uint64_t number_of(int type, Random& random) {
  const bool is_narrow = type == kInt32 || type == kUint32 || type == kEnum || type == kSint32;
  switch (random.below(8)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return UINT64_MAX;  // -1 where there are signs
    case 3:
      return is_narrow ? INT32_MAX : INT64_MAX;
    case 4:
      return is_narrow ? static_cast<uint64_t>(INT32_MIN) : static_cast<uint64_t>(INT64_MIN);
    default:
      return random.below(100);
  }
}

}  // namespace

void RequestMaker::add_field(std::string& bytes, const descriptors::Field& field, Random& random,
                             int depth) const {
  if (field.type() == kGroup) return;
  const WireType wire_type = wire_type_of(field.type());
  add_varint(bytes, static_cast<uint64_t>(field.number()) << 3 | wire_type);
  switch (wire_type) {
    case kEightBytes:
      bytes += random.bytes(8);
      return;
    case kFourBytes:
      bytes += random.bytes(4);
      return;
    case kVarint:
      return add_varint(bytes,
                        field.type() == kBool ? random.below(2) : number_of(field.type(), random));
    default:  // kSized: groups have been left out
      break;
  }
  std::string inner;
  if (field.type() == kString) inner = text_of(random);
  if (field.type() == kBytes) inner = random.bytes(random.below(64));
  const auto* type = field.type() == kMessage ? message_type(files_, field.type_name()) : nullptr;
  if (type) add_message(inner, *type, random, depth + 1);
  add_text(bytes, inner);
}

void RequestMaker::add_message(std::string& bytes, const descriptors::Message& type, Random& random,
                               int depth) const {
  if (depth > kMaxFilledDepth) return;
  for (const auto& field : type.field()) {
    const uint64_t count = field.label() == kRepeated ? random.below(4) : !random.one_in(6);
    for (uint64_t i = 0; i < count; ++i) add_field(bytes, field, random, depth);
  }
}

std::string RequestMaker::valid(const descriptors::Message* type, Random& random) const {
  std::string bytes;
  if (type) add_message(bytes, *type, random, 0);
  return bytes;
}

std::string RequestMaker::cut(const descriptors::Message* type, Random& random) const {
  const std::string whole = valid(type, random);
  return whole.substr(0, random.below(whole.size() + 1));
}

const std::vector<std::string>& no_messages() {
  using namespace std::string_literals;
  static const std::vector<std::string> none = {
      "\0"s,                         // a field with the number 0
      "\x0f"s,                       // a kind of field that does not exist
      "\x0c"s,                       // the end of a group that never began
      "\x0a"s,                       // a text without its length
      "\x0a\x05xxx"s,                // a text that ends before its end
      "\x0a\xff\xff\xff\xff\x0fx"s,  // a text of nearly 4 GiB
      "\x08"s,                       // a number without its value
      "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s,  // a number of more than 64 bits
      "\x09\x01\x02"s,  // eight bytes of which two are there
      std::string(4096, '\xff'),
  };
  return none;
}

}  // namespace longshore::module_check
