#!/usr/bin/env python3
"""Prints, as an expression for ctest -R, the tests that changes since a revision can have touched.

    touched_tests.py <build folder> <revision>

The build knows: of each program of a test, the files that it and all that it needs at run time were
made of, headers too. A changed CMakeLists.txt touches what is made of files below its folder, and what
all builds share (presets, the SDK's CMake files) touches everything. Other files, as configuration, are
data: they touch the tests that read the source tree. A test that is a script is touched by changes in
the script's folder. The style tests look at every source. Nothing is printed where no test is touched.
"""
import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def lines_of(*command):
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout.splitlines()


def changed_files(revision):
    names = lines_of('git', '-C', str(ROOT), 'diff', '--name-only', '--relative', revision)
    names += lines_of('git', '-C', str(ROOT), 'ls-files', '--others', '--exclude-standard')
    return {str(ROOT / name) for name in names}


class Graph:
    def __init__(self, build):
        self.build = build
        self.included = {}
        for line in lines_of('ninja', '-C', build, '-t', 'deps'):
            if ': #deps' in line:
                files = self.included.setdefault(line.split(':')[0], set())
            elif line.startswith('    '):
                files.add(self.absolute(line.strip()))
        self.made_of = {}

    def absolute(self, path):
        return os.path.normpath(os.path.join(self.build, path))

    def files_of(self, target):
        """What a file of the build is made of, and what has to be built before it is used."""
        if target not in self.made_of:
            files = set()
            for path in lines_of('ninja', '-C', self.build, '-t', 'inputs', target):
                files.add(self.absolute(path))
                files |= self.included.get(path, set())
            self.made_of[target] = files
        return self.made_of[target]


class Changes:
    """The changed files, by what they can touch."""

    def __init__(self, files):
        self.files = files
        cmake = {file for file in files if re.search(r'(^|/)CMake(Lists\.txt|Presets\.json)$|\.cmake(\.in)?$', file)}
        self.everything = any(file.startswith(f'{ROOT}/sdk/cmake/') or os.path.dirname(file) == str(ROOT)
                              for file in cmake)
        self.folders = tuple(os.path.dirname(file) + '/' for file in cmake)
        self.has_data = any(not re.search(r'\.(cc|h|hpp|c|proto)$', file) for file in files - cmake)

    def touch_program(self, made_of):
        return (self.everything or bool(made_of & self.files)
                or any(file.startswith(self.folders) for file in made_of)
                or self.has_data and any(reads_source_tree(file) for file in made_of))


@functools.cache
def reads_source_tree(file):
    return (file.startswith(f'{ROOT}/tests/') and file.endswith('.cc')
            and '/support/build_tree.cc' not in file and 'source_tree()' in Path(file).read_text())


def is_touched(test, graph, changes):
    if 'style' in labels_of(test):
        return True
    for word in test.get('command', []):
        if word.startswith(graph.build + '/') and os.path.isfile(word):
            if changes.touch_program(graph.files_of(os.path.relpath(word, graph.build))):
                return True
        elif word.startswith(graph.build + '/') and os.path.isdir(word):
            # A folder of modules.
            for module in Path(word).glob('*.so'):
                if changes.touch_program(graph.files_of(os.path.relpath(module, graph.build))):
                    return True
        elif word in changes.files:
            return True
        elif word.startswith(f'{ROOT}/tests/'):
            folder = os.path.dirname(word) + '/'
            if any(file.startswith(folder) for file in changes.files):
                return True
    return False


def labels_of(test):
    return next((each['value'] for each in test['properties'] if each['name'] == 'LABELS'), [])


def main():
    build = str(Path(sys.argv[1]).resolve())
    changed = changed_files(sys.argv[2])
    if not changed:
        return
    graph = Graph(build)
    changes = Changes(changed)
    tests = json.loads('\n'.join(lines_of('ctest', '--test-dir', build, '--show-only=json-v1')))
    touched = [test['name'] for test in tests['tests'] if is_touched(test, graph, changes)]
    if touched:
        print('^(' + '|'.join(map(re.escape, touched)) + ')$')


if __name__ == '__main__':
    main()
