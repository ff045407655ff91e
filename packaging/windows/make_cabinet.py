#!/usr/bin/env python3
"""make_cabinet.py <package.msi> <folder> <output>: the cabinet of a package that wixl made.

What wixl compresses is a twentieth larger, since its blocks know nothing of those before them.
MSZIP: blocks of 32 KiB, each a whole deflate stream with the block before it as dictionary.
"""
import functools
import operator
import os
import struct
import subprocess
import sys
import zlib

BLOCK = 32768
DOS_DATE, DOS_TIME = (46 << 9) | (1 << 5) | 1, 0  # 2026-01-01: the same files, the same cabinet
ARCHIVE = 0x20


def rows(package, table):
    text = subprocess.run(["msiinfo", "export", package, table], check=True, capture_output=True,
                          text=True).stdout
    return [line.split("\t") for line in text.splitlines()[3:]]


def paths(package, folder):
    """The keys of the files and where they are, in the package's order."""
    long = lambda name: name.split("|")[-1]
    directories = {name: (parent, long(default)) for name, parent, default in
                   rows(package, "Directory")}

    def inside(directory):
        if directory in ("INSTALLDIR", "DATADIR"):
            return folder
        parent, name = directories[directory]
        return os.path.join(inside(parent), name)

    place = {row[0]: inside(row[2]) for row in rows(package, "Component")}
    files = sorted(rows(package, "File"), key=lambda row: int(row[7]))
    return [(row[0], os.path.join(place[row[1]], long(row[2]))) for row in files]


def checksum(data, seed=0):
    whole = len(data) & ~3
    words = memoryview(data[:whole]).cast("I")
    result = functools.reduce(operator.xor, words, seed)
    return result ^ int.from_bytes(data[whole:], "big")


def block(data, before):
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, before)
    packed = b"CK" + deflate.compress(data) + deflate.flush()
    sizes = struct.pack("<HH", len(packed), len(data))
    return struct.pack("<I", checksum(sizes, checksum(packed))) + sizes + packed


def cabinet(files):
    entries, contents = b"", b""
    for key, path in files:
        with open(path, "rb") as file:
            content = file.read()
        entries += struct.pack("<IIHHHH", len(content), len(contents), 0, DOS_DATE, DOS_TIME,
                               ARCHIVE) + key.encode() + b"\0"
        contents += content
    blocks = [block(contents[at:at + BLOCK], contents[max(at - BLOCK, 0):at])
              for at in range(0, len(contents), BLOCK)]
    header, folder, mszip = 36, 8, 1
    first_block = header + folder + len(entries)
    size = first_block + sum(map(len, blocks))
    return b"".join([
        struct.pack("<4sIIIIIBBHHHHH", b"MSCF", 0, size, 0, header + folder, 0, 3, 1, 1, len(files), 0,
                    0, 0),
        struct.pack("<IHH", first_block, len(blocks), mszip), entries, *blocks])


if __name__ == "__main__":
    with open(sys.argv[3], "wb") as output:
        output.write(cabinet(paths(sys.argv[1], sys.argv[2])))
