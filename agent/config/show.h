// The effective configuration as TOML, and what differs between two.
#pragma once

#include <string>
#include <vector>

#include "config/loaded.h"

namespace longshore::config {

// Every key with its effective value; secrets as "(secret)". With `with_origin` each line says in
// a comment where its value came from: `# /etc/longshore/agent.toml:12`, or `# default`.
std::string show(const Loaded& loaded, bool with_origin);

// What has to change in `old_one` to make `new_one`, a line each: `- key = value` for what goes,
// `+ key = value` for what comes. Of a secret: `~ key` and that it is changed. Empty: alike.
std::vector<std::string> diff(const Loaded& old_one, const Loaded& new_one);

}  // namespace longshore::config
