#!/usr/bin/env python3
"""msi_tables_test.py <folder of the packages> [--write]

Every table of the installer as msi_tables.txt has it (--write writes that), its files as they were
built, and its size.
"""
import difflib
import glob
import hashlib
import os
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "msi_tables.txt")
LARGEST_PACKAGE, LARGEST_FILE = 8 << 20, 6 << 20


def output(*command):
    result = subprocess.run(command, check=True, capture_output=True)
    return result.stdout.decode().replace("\r", "").replace("\0", "")


def normal(table, line):
    """Without what differs from build to build."""
    line = re.sub(r"^(ProductCode\t)\{.*\}$", r"\1{...}", line)
    line = re.sub(r"^(ProductVersion\t).*", r"\1...", line)
    if table == "Upgrade":
        line = re.sub(r"\t\d+\.\d+\.\d+\t", "\t...\t", line)
    if table == "File":
        line = re.sub(r"\t\d+(\t\t\t512\t\d+)$", r"\t...\1", line)
    if table == "MsiFileHash":
        line = re.sub(r"(\t-?\d+){4}$", "\t...", line)
    if table == "_SummaryInformation":
        line = re.sub(r"^(9|12|13|18)\t.*", r"\1\t...", line)
    return line


def dump(package):
    lines = []
    for table in sorted(output("msiinfo", "tables", package).split()):
        lines.append(f"== {table}")
        rows = output("msiinfo", "export", package, table).splitlines()
        lines += [normal(table, row).rstrip() for row in rows[:3]]
        lines += sorted(normal(table, row).rstrip() for row in rows[3:])
    return [line for line in lines if line]


def files(package):
    """The files of the package by their keys, with size and hash as its tables have them."""
    hashes = {}
    for row in output("msiinfo", "export", package, "MsiFileHash").splitlines()[3:]:
        key, _, *parts = row.split("\t")
        hashes[key] = struct.pack("<4i", *map(int, parts))
    for row in output("msiinfo", "export", package, "File").splitlines()[3:]:
        key, _, name, size, *_ = row.split("\t")
        yield name.split("|")[-1], int(size), hashes[key]


def faults_of_files(package):
    with tempfile.TemporaryDirectory() as folder:
        output("msiextract", "-C", folder, package)
        found = {os.path.basename(path): path
                 for path in glob.glob(folder + "/**/*", recursive=True) if os.path.isfile(path)}
        for name, size, md5 in files(package):
            with open(found.pop(name), "rb") as file:
                content = file.read()
            if len(content) != size or hashlib.md5(content).digest() != md5:
                yield f"{name} is not what the tables say"
            if size > LARGEST_FILE:
                yield f"{name} has {size} bytes"
        yield from (f"{name} is in no table" for name in found)


def main():
    (package,) = glob.glob(os.path.join(sys.argv[1], "longshore-*-x64.msi"))
    tables = dump(package)
    if "--write" in sys.argv:
        with open(GOLDEN, "w", encoding="utf-8") as file:
            file.write("\n".join(tables) + "\n")
    with open(GOLDEN, encoding="utf-8") as file:
        expected = file.read().splitlines()
    faults = list(difflib.unified_diff(expected, tables, "msi_tables.txt", package, lineterm=""))
    faults += faults_of_files(package)
    size = os.path.getsize(package)
    print(f"{os.path.basename(package)}: {size} bytes, {size / (1 << 20):.2f} MiB")
    for name, bytes_, _ in files(package):
        print(f"  {name}: {bytes_}")
    if size > LARGEST_PACKAGE:
        faults.append(f"the package is larger than {LARGEST_PACKAGE} bytes")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


main()
