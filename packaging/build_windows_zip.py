#!/usr/bin/env python3
"""Builds a zip of what the installer for Windows has, laid out as on C:, and prints its path.

  packaging/build_windows_zip.py <build folder> <output folder>

The build folder is that of the preset windows-mingw, with the target windows_programs built. The same
files make the same zip.
"""
import os
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "windows"))
sys.dont_write_bytecode = True
import laid_out  # after its folder is known

GROUPS = ["disk", "filesystem", "iscsi", "smb", "system", "volume"]
PROGRAMS, DATA = "Program Files/Longshore/", "ProgramData/Longshore/"
WRITTEN = (2026, 1, 1, 0, 0, 0)


def place(name):
    return (DATA if name.endswith(".toml") else PROGRAMS) + name


def contents(build):
    """The files by their names. All modules are on, as after an installation of all features."""
    on = "".join(f"[modules.{group}]\r\nenabled=true\r\n" for group in GROUPS)
    return {place("conf.d/00-features.toml"): on.encode(),
            **{place(name): content for name, content in laid_out.files(build).items()}}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, output = sys.argv[1:]
    files = contents(build)
    os.makedirs(output, exist_ok=True)
    path = os.path.join(os.path.realpath(output), f"longshore-{laid_out.project_version(build)}-x64.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, WRITTEN), files[name],
                             compress_type=zipfile.ZIP_DEFLATED, compresslevel=9)
    print(path)


main()
