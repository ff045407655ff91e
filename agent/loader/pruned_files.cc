#include "loader/pruned_files.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace longshore::loader {
namespace {

namespace descriptors = module::descriptors;

constexpr std::string_view kProtobufsOwn = "google.protobuf";

bool extends_options(const descriptors::Field& extension) {
  const std::string& name = extension.extendee();
  return name.starts_with(".google.protobuf.") && name.ends_with("Options");
}

// A message or enum at the top of a file; what is nested comes with it.
struct Place {
  size_t file;
  bool is_enum;
  int index;
};

struct Kept {
  bool is_kept = false;
  std::set<int> messages;
  std::set<int> enums;
  std::set<int> services;
  std::set<int> extensions;
  std::set<size_t> imports;
};

template <typename T>
void retain(google::protobuf::RepeatedPtrField<T>& all, const std::set<int>& kept) {
  google::protobuf::RepeatedPtrField<T> retained;
  for (const int each : kept) retained.Add()->Swap(all.Mutable(each));
  all.Swap(&retained);
}

class FilePruner {
 public:
  explicit FilePruner(const std::vector<std::shared_ptr<const DescribedFile>>& described)
      : files_(described.size()), kept_(described.size()) {
    for (size_t i = 0; i < described.size(); ++i) {
      if (!files_[i].ParseFromString(described[i]->bytes)) files_[i].Clear();
      places_of_types(i);
      by_name_.emplace(files_[i].name(), i);
    }
  }

  void keep_service(const std::string& name) {
    for (size_t file = 0; file < files_.size(); ++file) {
      for (int i = 0; i < files_[file].service_size(); ++i) {
        const auto& service = files_[file].service(i);
        if (qualified(files_[file].package(), service.name()) != name) continue;
        keep_file(file);
        kept_[file].services.insert(i);
        for (const auto& method : service.method()) {
          use(file, method.input_type());
          use(file, method.output_type());
        }
        return keep_what_is_used();
      }
    }
  }

  std::vector<std::shared_ptr<const DescribedFile>> take() {
    std::vector<std::shared_ptr<const DescribedFile>> result;
    for (size_t file = 0; file < files_.size(); ++file) {
      if (!kept_[file].is_kept) continue;
      if (!is_protobufs_own(file)) prune(file);
      result.push_back(std::make_shared<const DescribedFile>(files_[file]));
    }
    return result;
  }

 private:
  void places_of_types(size_t file) {
    const std::string scope =
        files_[file].package().empty() ? "." : "." + files_[file].package() + ".";
    for (int i = 0; i < files_[file].message_type_size(); ++i) {
      places_.emplace(scope + files_[file].message_type(i).name(), Place{file, false, i});
    }
    for (int i = 0; i < files_[file].enum_type_size(); ++i) {
      places_.emplace(scope + files_[file].enum_type(i).name(), Place{file, true, i});
    }
  }

  // ".v1.Disk.Size" is in ".v1.Disk", unless there is one of the whole name.
  std::optional<Place> place_of(std::string_view type) const {
    while (!type.empty()) {
      if (const auto found = places_.find(type); found != places_.end()) return found->second;
      const size_t dot = type.rfind('.');
      type = type.substr(0, dot == std::string_view::npos ? 0 : dot);
    }
    return std::nullopt;
  }

  bool is_protobufs_own(size_t file) const {
    return files_[file].package() == kProtobufsOwn && files_[file].service_size() == 0;
  }

  // Options are not among what methods use: what extends them is found by the imports.
  void keep_file(size_t file) {
    if (std::exchange(kept_[file].is_kept, true)) return;
    for (const std::string& name : files_[file].dependency()) {
      const auto import = by_name_.find(name);
      if (import == by_name_.end()) continue;
      const auto& extensions = files_[import->second].extension();
      const bool explains = std::any_of(extensions.begin(), extensions.end(), extends_options);
      if (!explains && !is_protobufs_own(file)) continue;
      kept_[file].imports.insert(import->second);
      keep_file(import->second);
    }
    for (int i = 0; i < files_[file].extension_size(); ++i) {
      const auto& extension = files_[file].extension(i);
      if (!extends_options(extension)) continue;
      kept_[file].extensions.insert(i);
      use_types(file, extension);
    }
  }

  void use(size_t user, const std::string& type) {
    const auto place = place_of(type);
    if (!place) return;
    if (place->file != user) kept_[user].imports.insert(place->file);
    keep_file(place->file);
    Kept& kept = kept_[place->file];
    if (place->is_enum) {
      kept.enums.insert(place->index);
    } else if (kept.messages.insert(place->index).second) {
      to_visit_.push_back(*place);
    }
  }

  void use_types(size_t user, const descriptors::Field& field) {
    use(user, field.type_name());
    use(user, field.extendee());
  }

  void use_types(size_t user, const descriptors::Message& message) {
    for (const auto& field : message.field()) use_types(user, field);
    for (const auto& extension : message.extension()) use_types(user, extension);
    for (const auto& nested : message.nested_type()) use_types(user, nested);
  }

  void keep_what_is_used() {
    while (!to_visit_.empty()) {
      const Place next = to_visit_.back();
      to_visit_.pop_back();
      use_types(next.file, files_[next.file].message_type(next.index));
    }
  }

  void prune(size_t index) {
    descriptors::File& file = files_[index];
    const Kept& kept = kept_[index];
    retain(*file.mutable_message_type(), kept.messages);
    retain(*file.mutable_enum_type(), kept.enums);
    retain(*file.mutable_service(), kept.services);
    retain(*file.mutable_extension(), kept.extensions);
    file.clear_source_code_info();
    file.clear_public_dependency();
    file.clear_weak_dependency();
    file.clear_dependency();
    for (const size_t import : kept.imports) file.add_dependency(files_[import].name());
  }

  std::vector<descriptors::File> files_;
  std::vector<Kept> kept_;
  std::map<std::string, Place, std::less<>> places_;
  std::map<std::string, size_t> by_name_;
  std::vector<Place> to_visit_;
};

}  // namespace

std::vector<std::shared_ptr<const DescribedFile>> pruned_files(
    const std::vector<std::shared_ptr<const DescribedFile>>& files,
    const std::vector<std::string>& services) {
  FilePruner pruner(files);
  for (const std::string& service : services) pruner.keep_service(service);
  return pruner.take();
}

}  // namespace longshore::loader
