"""An empty registry hive: a root key without values and keys below it.

Windows looks at five of them when it unpacks the first layer of an image; Windows Server 2025 and
newer want them valid. The layout is that of regf 1.3, cells counted from the first bin.
"""
import functools
import operator
import struct

BIN = 4096
NONE = 0xFFFFFFFF
KEY_FLAGS = 0x0004 | 0x0008 | 0x0020  # the hive's root, not to be deleted, name of one byte a letter
ALL_OF_KEY, CONTAINER_INHERIT = 0x000F003F, 0x02
SYSTEM = struct.pack("<BB6sI", 1, 1, b"\0\0\0\0\0\5", 18)
ADMINISTRATORS = struct.pack("<BB6sII", 1, 2, b"\0\0\0\0\0\5", 32, 544)


def access_rule(sid):
    return struct.pack("<BBHI", 0, CONTAINER_INHERIT, 8 + len(sid), ALL_OF_KEY) + sid


def security_descriptor():
    rules = access_rule(SYSTEM) + access_rule(ADMINISTRATORS)
    acl = struct.pack("<BBHHH", 2, 0, 8 + len(rules), 2, 0) + rules
    owner = 20
    group = owner + len(ADMINISTRATORS)
    self_relative_with_dacl = 0x8004
    return struct.pack("<BBHIIII", 1, 0, self_relative_with_dacl, owner, group, 0,
                       group + len(SYSTEM)) + ADMINISTRATORS + SYSTEM + acl


def cell(content):
    """In use: its size is negative, and a multiple of eight."""
    size = (4 + len(content) + 7) & ~7
    return struct.pack("<i", -size) + content.ljust(size - 4, b"\0")


def key(name, security):
    return struct.pack("<2sHQIIIIIIIIIIIIIIIHH", b"nk", KEY_FLAGS, 0, 0, NONE, 0, 0, NONE, NONE, 0, NONE,
                       security, NONE, 0, 0, 0, 0, 0, len(name), 0) + name


def security(place):
    descriptor = security_descriptor()
    return struct.pack("<2sHIIII", b"sk", 0, place, place, 1, len(descriptor)) + descriptor


def empty_hive(name):
    header = struct.pack("<4sIIQQI", b"hbin", 0, BIN, 0, 0, 0)
    place = len(header) + len(cell(key(name.encode(), 0)))
    cells = header + cell(key(name.encode(), place)) + cell(security(place))
    free = BIN - len(cells)
    cells += struct.pack("<i", free).ljust(free, b"\0")
    base = struct.pack("<4sIIQIIIIIII", b"regf", 1, 1, 0, 1, 3, 0, 1, len(header), BIN, 1)
    base += name.encode("utf-16-le")[:62].ljust(64, b"\0")
    base = base.ljust(508, b"\0")
    check = functools.reduce(operator.xor, struct.unpack("<127I", base))
    return (base + struct.pack("<I", check)).ljust(BIN, b"\0") + cells
