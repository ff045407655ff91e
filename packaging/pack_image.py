#!/usr/bin/env python3
"""Packs the image of csi-sidecars, the last step of build_image.sh: what runtimes are told of it.

  packaging/pack_image.py <tar of its files> <version> <architecture> <date in seconds> <output file>

Like the images of the sidecars it names no user, which means root: the sockets of CSI drivers and of
the kubelet are root's. A Pod can say otherwise.
"""
import datetime
import sys

sys.dont_write_bytecode = True
import oci_layout


def main():
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    layer, version, architecture, date, output = sys.argv[1:]
    created = datetime.datetime.fromtimestamp(int(date), datetime.timezone.utc)
    created = created.strftime("%Y-%m-%dT%H:%M:%SZ")
    with open(layer, "rb") as file:
        layers = [(file.read(), "longshore-sidecars, longshorectl and what they depend on")]
    files = oci_layout.image(layers, {"architecture": architecture, "os": "linux"}, created, {
        # So that `kubectl exec` finds longshorectl by its name.
        "Env": ["PATH=/usr/sbin:/usr/bin"],
        "Entrypoint": ["/usr/sbin/csi-sidecars"],
        "Labels": {
            "org.opencontainers.image.title": "csi-sidecars",
            "org.opencontainers.image.description": "Sidecars of a CSI driver in one process",
            "org.opencontainers.image.version": version,
            "org.opencontainers.image.created": created,
            "org.opencontainers.image.licenses": "Apache-2.0"}})
    with open(output, "wb") as file:
        file.write(oci_layout.tar(files))


main()
