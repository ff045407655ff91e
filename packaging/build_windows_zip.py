#!/usr/bin/env python3
"""Builds a zip of what the installer for Windows has, laid out as on C:, and prints its path. In the folder
library, which no node needs, it has liblongshore besides: the DLL, its import library and its headers.

  packaging/build_windows_zip.py <build folder> <output folder>

The build folder is that of the preset windows-mingw, with the target windows_programs built. The same
files make the same zip.
"""
import os
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "windows"))
sys.dont_write_bytecode = True
import laid_out  # after its folder is known

GROUPS = ["disk", "filesystem", "iscsi", "smb", "system", "volume"]
LIBRARY_HEADERS = ["agent.h", "agent.hpp", "result.hpp"]
PROGRAMS, DATA = "Program Files/Longshore/", "ProgramData/Longshore/"
WRITTEN = (2026, 1, 1, 0, 0, 0)


def place(name):
    return (DATA if name.endswith(".toml") else PROGRAMS) + name


def library(build):
    """liblongshore by the names of its files, as the Debian packages liblongshore0 and longshore-dev have it."""
    include = os.path.join(HERE, "..", "sdk", "include")
    paths = {"bin/liblongshore.dll": os.path.join(build, "bin", "liblongshore.dll"),
             "lib/liblongshore.dll.a": os.path.join(build, "agent", "embed", "liblongshore.dll.a"),
             **{f"include/longshore/{name}": os.path.join(include, "longshore", name) for name in LIBRARY_HEADERS}}
    files = {}
    for name, path in paths.items():
        with open(path, "rb") as file:
            files[f"library/{name}"] = file.read()
    return files


def contents(build):
    """The files by their names. All modules are on, as after an installation of all features."""
    on = "".join(f"[modules.{group}]\r\nenabled=true\r\n" for group in GROUPS)
    return {place("conf.d/00-features.toml"): on.encode(),
            **{place(name): content for name, content in (laid_out.files(build) | library(build)).items()}}


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
