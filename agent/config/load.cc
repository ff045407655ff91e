#include "config/load.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "config/check.h"
#include "config/loaded.h"
#include "config/ownership.h"
#include "text/file_path.h"

namespace longshore::config {
namespace {

namespace fs = std::filesystem;

// One load: files are added in the order of merging, then finish() checks the whole.
class Load {
 public:
  Load(ModuleCatalog& catalog, const LoadOptions& options) : catalog_(catalog), options_(options) {}

  void add_text(std::string_view text, const std::string& name) {
    const size_t index = add_name(name);
    const size_t before = findings_.size();
    const Node root = parse_toml(text, name, index, findings_);
    readable_ = readable_ && findings_.size() == before;
    read_file(root, draft_, findings_);
  }

  void add_file(const fs::path& path) {
    if (!options_.owners.empty()) {
      if (auto trusted = check_ownership(path.string(), options_.owners); !trusted) {
        return cannot_read(path, trusted.error().message());
      }
    }
    std::error_code error;
    if (!fs::is_regular_file(path, error)) {
      return cannot_read(
          path, error ? "cannot read the file: " + error.message() : "this is not a regular file");
    }
    std::ifstream stream(path, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    if (!stream) return cannot_read(path, "cannot read the file; is the user allowed to?");
    add_text(text, path.string());
  }

  void add_folder(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> files;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const fs::path& path = entry->path();
      const bool hidden = path.filename().string().front() == '.';
      if (path.extension() == ".toml" && !hidden) files.push_back(path);
    }
    if (error && error != std::errc::no_such_file_or_directory) {
      return cannot_read(folder, "cannot list the folder: " + error.message());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) add_file(file);
  }

  Result<Loaded> finish() {
    // What a file that nobody could read would have said is unknown, so the whole is not judged.
    ModuleSchemas schemas;
    if (readable_) {
      const bool strict = options_.strict || draft_.configuration.agent.strict;
      schemas = describe_modules(draft_, catalog_, strict, findings_);
      check_whole(draft_, schemas, catalog_.host_services(), findings_);
    }
    if (!findings_.empty()) {
      return Error::of_text(StatusCode::kInvalidArgument,
                            findings_.text(draft_.configuration.files));
    }
    Findings warnings;
    warn_of_open_versions(draft_, schemas, warnings);
    std::vector<std::string> lines = warnings.lines(draft_.configuration.files);
    return Loaded{std::move(draft_.configuration), std::move(draft_.origins), std::move(schemas),
                  std::move(lines)};
  }

 private:
  size_t add_name(const std::string& name) {
    draft_.configuration.files.push_back(name);
    return draft_.configuration.files.size() - 1;
  }

  void cannot_read(const fs::path& path, std::string sentence) {
    findings_.add({add_name(path.string()), 1, 1}, std::move(sentence));
    readable_ = false;
  }

  ModuleCatalog& catalog_;
  const LoadOptions& options_;
  Draft draft_;
  Findings findings_;
  bool readable_ = true;
};

}  // namespace

Result<Loaded> load_files_with_origins(const std::string& file, ModuleCatalog& catalog,
                                       const LoadOptions& options) {
  const fs::path path = text::file_path(file);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    return Error(StatusCode::kUnknown, "read the configuration", file)
        .because(error)
        .advise(
            "write one (\"longshorectl config sample\" prints all keys), or name another file "
            "with --config");
  }
  Load load(catalog, options);
  load.add_file(path);
  load.add_folder(path.parent_path() / "conf.d");
  return load.finish();
}

Result<Loaded> load_text_with_origins(std::string_view text, const std::string& name,
                                      ModuleCatalog& catalog, const LoadOptions& options) {
  Load load(catalog, options);
  load.add_text(text, name);
  return load.finish();
}

Result<Configuration> load_text(std::string_view text, const std::string& name,
                                ModuleCatalog& catalog) {
  auto loaded = load_text_with_origins(text, name, catalog);
  if (!loaded) return std::move(loaded).error();
  return std::move(loaded->configuration);
}

}  // namespace longshore::config
