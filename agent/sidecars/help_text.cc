#include "sidecars/help_text.h"

#include <algorithm>
#include <string_view>

#include "config/key_schema.h"
#include "sidecars/command_line.h"
#include "sidecars/flag_value.h"
#include "sidecars/known_flags.h"
#include "sidecars/leader_election_flags.h"
#include "sidecars/upstream_flags.h"

namespace longshore::sidecars {
namespace {

constexpr size_t kLineWidth = 100;
constexpr std::string_view kIndent = "      ";

// In lines, each with the indent before it.
std::string wrapped(std::string_view text) {
  std::string lines;
  size_t width = kLineWidth;  // of the line so far: the first word begins one
  while (!text.empty()) {
    const size_t blank = std::min(text.find(' '), text.size());
    if (width + 1 + blank > kLineWidth) {
      lines += (lines.empty() ? "" : "\n") + std::string(kIndent);
      width = kIndent.size();
    } else {
      lines += ' ';
      ++width;
    }
    lines += text.substr(0, blank);
    width += blank;
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return lines + '\n';
}

std::string entry(const std::string& flag, std::string_view doc) {
  return "  --" + flag + '\n' + wrapped(doc);
}

std::string own_entries() {
  std::string text;
  for (const OwnFlag& flag : own_flags()) {
    text += entry(flag.is_bool ? flag.name : flag.name + '=' + flag.value, flag.doc);
  }
  return text;
}

// Whose options the flag sets, or whose election.
std::string owners_of(const std::string_view flag, const InstalledControllers& installed) {
  const bool is_of_leases =
      flag == "feature-gates" ||
      std::ranges::find(leader_election_flags(), flag) != leader_election_flags().end();
  const auto options = KnownFlags(installed).unprefixed(flag);
  std::string owners;
  for (const auto& [controller, schema] : installed.described) {
    const bool has_option =
        std::ranges::find(options, controller, &OwnedOption::controller) != options.end();
    if (!has_option && (!is_of_leases || schema.lease.empty())) continue;
    owners += (owners.empty() ? "of " : ", ") + controller;
  }
  return owners;
}

std::string generic_entries(const InstalledControllers& installed) {
  std::string text;
  std::string idle;
  for (const UpstreamFlag& flag : generic_flags()) {
    const std::string owners = owners_of(flag.name, installed);
    if (owners.empty()) {
      idle += (idle.empty() ? "--" : ", --") + std::string(flag.name);
    } else {
      text += "  --" + std::string(flag.name) + "  (" + owners + ")\n";
    }
  }
  if (idle.empty()) return text;
  return text + "  Taken, though no installed controller has such an option:\n" + wrapped(idle);
}

std::string controller_entries(const std::string& name, const config::ModuleSchema& schema) {
  std::string text = '\n' + name + ": " + schema.summary + '\n';
  for (const config::OptionSchema& option : schema.options) {
    std::string doc = "(" + std::string(type_name(option.type));
    if (option.default_value) {
      doc +=
          ", default " + config::value_text(*option.default_value, config::key_schema(option).type);
    } else {
      doc += ", required";
    }
    text += entry(name + '-' + flag_name(option.name),
                  doc + ") " + with_flag_names(option.doc, schema));
  }
  return text;
}

}  // namespace

std::string help_text(const InstalledControllers& installed) {
  std::string text =
      "csi-sidecars runs the sidecars of a CSI driver in one process.\n\n"
      "Usage: csi-sidecars --controllers=LIST [--FLAG=VALUE]...\n\n"
      "Flags of the program:\n" +
      own_entries() + "\nFlags for each enabled controller that has such an option:\n" +
      generic_entries(installed) +
      "\nFlags of one controller, which win over those above. Without the controller's name they "
      "can\nbe given where no other enabled controller has them.\n";
  for (const auto& [name, schema] : installed.described) text += controller_entries(name, schema);
  return text +
         "\nExit codes: 0 ended in order, 1 something that --check found, 2 a flag or a "
         "setting\nthat is wrong, 3 cannot start.\n"
         "SIGTERM and SIGINT let running calls end, stop the controllers, and end.\n";
}

}  // namespace longshore::sidecars
