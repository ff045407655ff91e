#!/usr/bin/env python3
"""Builds the image for HostProcess containers of Windows, as a tar of an OCI image layout, and prints its path.

  packaging/build_hostprocess_image.py <build folder> <output folder>

The build folder is that of the preset windows-mingw, with the target windows_programs built. The same
files make the same image. There is nothing of Windows in it: a HostProcess container runs on the
node's own. Its first layer has what is looked for when an image is unpacked, empty registry hives.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "windows"))
sys.dont_write_bytecode = True
import laid_out  # after their folder is known
import oci_layout
import registry_hive

CREATED = "2026-01-01T00:00:00Z"  # the same files, the same image
HIVES = ["DEFAULT", "SAM", "SECURITY", "SOFTWARE", "SYSTEM"]
FOLDER = "%CONTAINER_SANDBOX_MOUNT_POINT%\\longshore\\"


def base_layer():
    return oci_layout.tar({f"Files/Windows/System32/config/{name}": registry_hive.empty_hive(name)
                           for name in HIVES})


def agent_layer(build):
    files = {"Files/longshore/" + name: content for name, content in laid_out.files(build).items()
             if not name.endswith(".toml")}
    with open(os.path.join(HERE, "windows", "container", "agent.toml"), "rb") as file:
        files["Files/longshore/agent.toml"] = file.read()
    return oci_layout.tar(files)


def image(layers, version):
    """The layout's files."""
    return oci_layout.image(layers, {"architecture": "amd64", "os": "windows"}, CREATED, {
        "Entrypoint": [FOLDER + "longshored.exe", "--config", FOLDER + "agent.toml", "--module-dir",
                       FOLDER + "modules"],
        "Labels": {"org.opencontainers.image.title": "longshore",
                   "org.opencontainers.image.version": version,
                   "org.opencontainers.image.licenses": "Apache-2.0"}})


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, output = sys.argv[1:]
    version = laid_out.project_version(build)
    os.makedirs(output, exist_ok=True)
    path = os.path.join(os.path.realpath(output), f"longshore-{version}-hostprocess.tar")
    layers = [(base_layer(), "empty registry hives"),
              (agent_layer(build), "longshored, longshorectl and modules")]
    made = oci_layout.tar(image(layers, version))
    with open(path, "wb") as file:
        file.write(made)
    print(path)


main()
