// Texts of strangers, made fit to be read: in lines of logs, on terminals, in JSON and TOML.
//
// What a text may hold without a trace on the screen can end a line, drive a terminal or turn the
// order of reading around. It is written as an escape that JSON and TOML know and people can read.
// Threads: any.
#pragma once

#include <string>
#include <string_view>

namespace longshore::text {

// Control characters (C0, DEL, C1), the separators of lines and paragraphs, and the marks,
// embeddings, overrides and isolates of writing from right to left.
bool is_dangerous(char32_t code_point);

// Appends `text` with these as \n, \t and \uXXXX. JSON must be UTF-8 and a path need not be: bytes
// that are not become the replacement character. With `escape_quotes`, quotes and backslashes get a
// backslash. True: something was escaped.
bool append_escaped(std::string& line, std::string_view text, bool escape_quotes);

// A text as one line.
std::string escaped(std::string_view text);

// With the replacement character for bytes that are not UTF-8, and all else as it was.
std::string valid_utf8(std::string_view text);

// Text in lines, of which each is escaped and the line ends stay. What stands in JSON's strings is
// the same value as before, and between them only the form changes.
std::string escaped_lines(std::string_view text);

}  // namespace longshore::text
