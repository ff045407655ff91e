// What CLI11's description of a command line tells of words that were typed: how they can go on,
// and what was meant by one that it does not know.
//
// Threads: any; nothing is kept.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace longshore::cli_completion {

struct Completion {
  enum class Files { kNone, kFiles, kFolders };

  std::vector<std::string> candidates;  // whole words
  Files files = Files::kNone;           // these fit too, from `files_from` on in the word
  size_t files_from = 0;
};

// Gives values that the description cannot know: `type` is the option's type name, or the name of
// an argument that has none ("METHOD"); `begin` what is typed of the value.
using ValueSource =
    std::function<std::vector<std::string>(const std::string& type, const std::string& begin)>;

// How the last of the words can go on; those before it are complete. Without the program's name.
// A type name is the choice that there is ("text|json"), or FILE or DIR; what follows "@" in a JSON
// is a file too.
Completion complete(const CLI::App& app, const std::vector<std::string>& words,
                    const ValueSource& values);

// For the shell: a line a candidate, and a line ":files N" or ":folders N".
void print(const Completion& completion, std::ostream& output);

// `there is no command "stauts"; did you mean "status"?` for the first word that is neither a
// command nor an option where it stands; empty when all are known.
std::string misspelling(const CLI::App& app, const std::vector<std::string>& words);

// The help of the command that the words have led to, where a command of its own must follow; empty
// where none must.
std::string help_if_command_lacks(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace longshore::cli_completion
