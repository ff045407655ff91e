"""What the packages for Windows have in them, for those of them that Python makes."""
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def files(build):
    """The contents of the files by their names, as lay_out_files.sh lays them out."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.path.join(HERE, "lay_out_files.sh"), build, folder], check=True)
        for where, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(where, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = file.read()
    return found


def project_version(build):
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        (version,) = [line.rstrip().split("=")[1] for line in cache
                      if line.startswith("CMAKE_PROJECT_VERSION:")]
    return version
