// The two errors of GetVolumeIDFromTargetPath (GetVolumeIDFromMount) that say for certain that no
// volume is mounted at a path. Every backend has its words from here.
//
// The driver of AWS EBS looks for the words "because it does not exist" in what this method and
// GetDiskNumberFromVolumeID answer. Where it finds them it goes on as if nothing were mounted: it
// stages the volume, or takes it for unstaged and lets the disk be detached. So these two errors
// must have the words, and no other error of the two methods may: not where something is mounted,
// and not where nobody can tell.
#pragma once

#include "longshore/result.hpp"
#include "support/path.h"

namespace longshore::volume {

constexpr const char* kTellVolume = "tell which volume is mounted on";

// It is a directory, or leads to one, on which nothing is mounted.
inline Error not_a_mounted_folder(const support::Path& path) {
  return Error(StatusCode::kFailedPrecondition, kTellVolume, path.text())
      .because(
          "it is not a mounted folder: a mount cannot be found there because it does not exist");
}

// Nothing is there, not even a link.
inline Error no_such_mount_point(const support::Path& path) {
  return Error(StatusCode::kNotFound, kTellVolume, path.text())
      .because("nothing is mounted there because it does not exist");
}

}  // namespace longshore::volume
