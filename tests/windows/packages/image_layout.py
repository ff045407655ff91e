#!/usr/bin/env python3
"""image_layout.py <image.tar> [<folder>]

Checks an image of an OCI layout as who unpacks it would, and lays the layers upon each other in the
folder; without one it prints the entry point, a word a line.
"""
import gzip
import hashlib
import io
import json
import os
import struct
import sys
import tarfile

HIVES = {f"Windows/System32/config/{name}"
         for name in ("DEFAULT", "SAM", "SECURITY", "SOFTWARE", "SYSTEM")}


def expect(condition, fault):
    if not condition:
        sys.exit("FAILED: " + fault)


def files_of(archive):
    return {entry.name: archive.extractfile(entry).read() for entry in archive if entry.isfile()}


def blob(layout, descriptor):
    kind, digest = descriptor["digest"].split(":")
    data = layout.pop(f"blobs/{kind}/{digest}")
    expect(hashlib.new(kind, data).hexdigest() == digest, f"{digest} has another content")
    expect(len(data) == descriptor["size"], f"{digest} has another size")
    return data


def check_hive(name, hive):
    """By the rules of the format: signatures, sizes, the checksum, a root with a security cell."""
    numbers = struct.unpack("<128I", hive[:512])
    check = 0
    for number in numbers[:127]:
        check ^= number
    expect(hive[:4] == b"regf" and numbers[1] == numbers[2], f"{name} is no hive in order")
    expect(numbers[127] == check, f"{name} has a wrong checksum")
    bins, root = hive[4096:], numbers[9]
    expect(bins[:4] == b"hbin" and len(bins) == numbers[10], f"{name} has no bin of its size")
    at = 32
    while at < len(bins):
        (size,) = struct.unpack_from("<i", bins, at)
        expect(size and size % 8 == 0, f"{name} has a cell of {size} bytes")
        at += abs(size)
    expect(at == len(bins), f"{name} has a cell that ends elsewhere")
    expect(bins[root + 4:root + 6] == b"nk", f"{name} has no root")
    (security,) = struct.unpack_from("<I", bins, root + 4 + 44)
    expect(bins[security + 4:security + 6] == b"sk", f"{name} has a root without protection")


def layers(layout, manifest, config):
    for descriptor, diff_id in zip(manifest["layers"], config["rootfs"]["diff_ids"], strict=True):
        layer = gzip.decompress(blob(layout, descriptor))
        expect("sha256:" + hashlib.sha256(layer).hexdigest() == diff_id, "a layer is not its diff_id")
        with tarfile.open(fileobj=io.BytesIO(layer)) as archive:
            made = set()
            for entry in archive:
                parent = os.path.dirname(entry.name)
                expect(not parent or parent in made, f"{entry.name} comes before its folder")
                if entry.isdir():
                    made.add(entry.name)
            yield files_of(archive)


def main():
    with tarfile.open(sys.argv[1]) as archive:
        layout = files_of(archive)
    expect(json.loads(layout.pop("oci-layout"))["imageLayoutVersion"] == "1.0.0", "no OCI layout")
    index = json.loads(layout.pop("index.json"))
    (described,) = index["manifests"]
    manifest = json.loads(blob(layout, described))
    config = json.loads(blob(layout, manifest["config"]))
    for platform in described["platform"], config:
        expect((platform["os"], platform["architecture"]) == ("windows", "amd64"), "not for Windows")
    if len(sys.argv) == 2:
        print("\n".join(config["config"]["Entrypoint"]))
        return
    found = {}
    for layer in layers(layout, manifest, config):
        expect(all(name.startswith("Files/") for name in layer), "there is something beside Files")
        found.update({name[len("Files/"):]: content for name, content in layer.items()})
    expect(not layout, f"nobody names {', '.join(layout)}")
    expect(HIVES < found.keys(), "hives are missing")
    for name in HIVES:
        check_hive(name, found[name])
    for name, content in found.items():
        path = os.path.join(sys.argv[2], name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)


main()
