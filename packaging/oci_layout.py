"""Images as files of an OCI image layout, for the scripts here that build some. The same layers make
the same bytes.
"""
import hashlib
import io
import json
import tarfile
import zlib

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


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def image(layers, platform, created, config):
    """The layout's files by their names. Layers are pairs: a tar, and what is in it.

    The label org.opencontainers.image.version in the config is also the image's tag.
    """
    blobs = {}

    def blob(kind, data):
        blobs["blobs/sha256/" + hashlib.sha256(data).hexdigest()] = data
        return {"mediaType": kind, "digest": digest(data), "size": len(data)}

    def document(kind, content):
        return blob(kind, json.dumps(content, indent=1).encode())

    described = document(OCI + "config.v1+json", {
        "created": created, **platform, "config": config,
        "rootfs": {"type": "layers", "diff_ids": [digest(layer) for layer, _ in layers]},
        "history": [{"created": created, "comment": comment} for _, comment in layers]})
    manifest = document(OCI + "manifest.v1+json", {
        "schemaVersion": 2, "mediaType": OCI + "manifest.v1+json", "config": described,
        "layers": [blob(OCI + "layer.v1.tar+gzip", gzip(layer)) for layer, _ in layers]})
    version = config["Labels"]["org.opencontainers.image.version"]
    index = {"schemaVersion": 2, "mediaType": OCI + "index.v1+json",
             "manifests": [{**manifest, "platform": platform,
                            "annotations": {"org.opencontainers.image.ref.name": version}}]}
    return {"oci-layout": b'{"imageLayoutVersion": "1.0.0"}',
            "index.json": json.dumps(index, indent=1).encode(), **blobs}
