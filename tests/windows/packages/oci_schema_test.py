#!/usr/bin/env python3
"""oci_schema_test.py <folder of the packages>: the image's documents are what the JSON schemas of the OCI image
specification ask for, as Debian's package of that has them, and what is wrong with them is found.
"""
import copy
import glob
import json
import os
import sys
import tarfile

SCHEMAS = "/usr/share/gocode/src/github.com/opencontainers/image-spec/schema"

try:
    import jsonschema
except ImportError:
    print("SKIPPED: python3-jsonschema is not installed")
    sys.exit(77)
if not os.path.isdir(SCHEMAS):
    print("SKIPPED: golang-github-opencontainers-image-spec-dev is not installed")
    sys.exit(77)


def schema(name):
    with open(os.path.join(SCHEMAS, name), encoding="utf-8") as file:
        return json.load(file)


def faults(name, document):
    """What the schema says of it. Its parts name each other by addresses that end with their files' names."""
    asked = schema(name)
    resolver = jsonschema.RefResolver.from_schema(
        asked, handlers={"https": lambda address: schema(os.path.basename(address))})
    return [fault.message for fault in
            jsonschema.Draft4Validator(asked, resolver=resolver).iter_errors(document)]


def documents(path):
    """Pairs: the name of a schema, and a document of the image that it is for."""
    with tarfile.open(path) as archive:
        def read(name):
            return json.load(archive.extractfile(name))

        def blob(descriptor):
            return read("blobs/" + descriptor["digest"].replace(":", "/"))

        index = read("index.json")
        manifest = blob(index["manifests"][0])
        return [("image-layout-schema.json", read("oci-layout")), ("image-index-schema.json", index),
                ("image-manifest-schema.json", manifest), ("config-schema.json", blob(manifest["config"]))]


def damaged(document):
    """One with a wrong type, or without what it must have."""
    other = copy.deepcopy(document)
    if "imageLayoutVersion" in other:
        other["imageLayoutVersion"] = "2.0.0"
    elif "manifests" in other:
        other["manifests"][0]["digest"] = "of another kind"
    elif "layers" in other:
        other["layers"][0]["size"] = "large"
    else:
        other["config"]["Entrypoint"] = "longshored.exe"
    return other


def main():
    (image,) = glob.glob(os.path.join(sys.argv[1], "longshore-*-hostprocess.tar"))
    for name, document in documents(image):
        said = faults(name, document)
        if said:
            sys.exit(f"FAILED: {name}: {'; '.join(said)}")
        if not faults(name, damaged(document)):
            sys.exit(f"FAILED: {name} finds nothing wrong with a damaged one")
        print(f"as {name} has it")


main()
