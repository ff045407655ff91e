#!/usr/bin/env python3
"""Builds the image for HostProcess containers of Windows, as a tar of an OCI image layout, and prints its path.

  packaging/build_hostprocess_image.py <build folder> <output folder>

The build folder is that of the preset windows-mingw, with the target windows_programs built. The same
files make the same image. There is nothing of Windows in it: a HostProcess container runs on the
node's own. Its first layer has what is looked for when an image is unpacked, empty registry hives.
"""
import hashlib
import io
import json
import os
import sys
import tarfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "windows"))
sys.dont_write_bytecode = True
import laid_out  # after their folder is known
import registry_hive

CREATED = "2026-01-01T00:00:00Z"  # the same files, the same image
HIVES = ["DEFAULT", "SAM", "SECURITY", "SOFTWARE", "SYSTEM"]
FOLDER = "%CONTAINER_SANDBOX_MOUNT_POINT%\\longshore\\"
OCI = "application/vnd.oci.image."


def tar(files):
    """A tar of files by their names, with the folders that they are in."""
    folders = {"/".join(name.split("/")[:depth])
               for name in files for depth in range(1, name.count("/") + 1)}
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(folders | set(files)):
            entry = tarfile.TarInfo(name)
            if name in files:
                entry.size, entry.mode = len(files[name]), 0o644
                archive.addfile(entry, io.BytesIO(files[name]))
            else:
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(entry)
    return made.getvalue()


def gzip(data):
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    return pack.compress(data) + pack.flush()


def base_layer():
    return tar({f"Files/Windows/System32/config/{name}": registry_hive.empty_hive(name)
                for name in HIVES})


def agent_layer(build):
    files = {"Files/longshore/" + name: content for name, content in laid_out.files(build).items()
             if not name.endswith(".toml")}
    with open(os.path.join(HERE, "windows", "container", "agent.toml"), "rb") as file:
        files["Files/longshore/agent.toml"] = file.read()
    return tar(files)


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def image(layers, version):
    """The layout's files."""
    blobs = {}

    def blob(kind, data):
        blobs["blobs/sha256/" + hashlib.sha256(data).hexdigest()] = data
        return {"mediaType": kind, "digest": digest(data), "size": len(data)}

    def document(kind, content):
        return blob(kind, json.dumps(content, indent=1).encode())

    platform = {"architecture": "amd64", "os": "windows"}
    config = document(OCI + "config.v1+json", {
        "created": CREATED, **platform,
        "config": {
            "Entrypoint": [FOLDER + "longshored.exe", "--config", FOLDER + "agent.toml", "--module-dir",
                           FOLDER + "modules"],
            "Labels": {"org.opencontainers.image.title": "longshore",
                       "org.opencontainers.image.version": version,
                       "org.opencontainers.image.licenses": "Apache-2.0"}},
        "rootfs": {"type": "layers", "diff_ids": [digest(layer) for layer in layers]},
        "history": [{"created": CREATED, "comment": "empty registry hives"},
                    {"created": CREATED, "comment": "longshored, longshorectl and modules"}]})
    manifest = document(OCI + "manifest.v1+json", {
        "schemaVersion": 2, "mediaType": OCI + "manifest.v1+json", "config": config,
        "layers": [blob(OCI + "layer.v1.tar+gzip", gzip(layer)) for layer in layers]})
    index = {"schemaVersion": 2, "mediaType": OCI + "index.v1+json",
             "manifests": [{**manifest, "platform": platform,
                            "annotations": {"org.opencontainers.image.ref.name": version}}]}
    return {"oci-layout": b'{"imageLayoutVersion": "1.0.0"}',
            "index.json": json.dumps(index, indent=1).encode(), **blobs}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, output = sys.argv[1:]
    version = laid_out.project_version(build)
    os.makedirs(output, exist_ok=True)
    path = os.path.join(os.path.realpath(output), f"longshore-{version}-hostprocess.tar")
    made = tar(image([base_layer(), agent_layer(build)], version))
    with open(path, "wb") as file:
        file.write(made)
    print(path)


main()
