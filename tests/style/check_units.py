#!/usr/bin/env python3
"""Checks the C++ sources of a build, each only when it or something that it includes has changed.

    check_units.py tidy|alone <build folder> [part of a source's or unit's path]...

tidy    clang-tidy finds nothing in our code but the tests. It reads the build's unity files, since
        half of its time would go into the same headers again.
alone   Each source compiles without the others of its unity file, so that its includes are whole.

The folder is one that Ninja has built; for tidy, with clang. With parts, only sources whose path has
one of them; where LONGSHORE_UNCHANGED_SINCE names a commit, only units that changed since. What passed
is remembered in the cache by content: the sources and headers that the unit is made of (the system's by
name and size), its command line, the compiler, and the rules. Ends with 1 after printing what was found.
"""
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OWN = re.compile(f'^{re.escape(str(ROOT))}/(agent|modules|plugins|sdk)/')
INCLUDED = re.compile(r'^#include "([^"]*)"', re.MULTILINE)


def included_by_unit(build):
    """For each object of the build: what it was made of, as absolute paths."""
    said = subprocess.run(['ninja', '-C', build, '-t', 'deps'], check=True, text=True,
                          capture_output=True).stdout
    units = {}
    for line in said.splitlines():
        if ': #deps' in line:
            files = units.setdefault(line.split(':')[0], [])
        elif line.startswith('    '):
            files.append(os.path.normpath(os.path.join(build, line.strip())))
    return units


class Unit:
    """An object of the build, which is one source or several in a unity file."""

    def __init__(self, build, entry, files):
        self.file = entry['file']
        words = shlex.split(entry['command'])
        # As without sanitizers: they would make the checks slower, and add no finding.
        self.words = [word for word in words if not word.startswith('-fsanitize')
                      and word not in ('-fno-sanitize=function', '-fno-sanitize-recover=all',
                                       '-D__SANITIZE_ADDRESS__')]
        if self.words[0].endswith('ccache'):
            del self.words[0]
        self.object = words[words.index('-o') + 1]
        self.directory = entry['directory']
        self.files = files
        self.sources = [self.file]
        if '.unity/' in self.file:
            self.sources = [str(ROOT / name) if (ROOT / name).exists() else name
                            for name in INCLUDED.findall(Path(self.file).read_text())]

    def is_built(self):
        return bool(self.files) and all(os.path.exists(file) for file in self.files)

    def key(self, build, *more):
        def anywhere(text):  # the same in every clone
            return text.replace(build, 'BUILD').replace(str(ROOT), 'ROOT')

        content = hashlib.sha256()
        for text in (*more, *self.sources, ' '.join(self.words)):
            content.update(anywhere(text).encode() + b'\0')
        for name, file in sorted((anywhere(file), file) for file in set(self.files)):
            content.update(f'{name} {os.stat(file).st_size}\n'.encode())
            if name.startswith(('BUILD', 'ROOT')) or not name.startswith('/usr/'):
                content.update(Path(file).read_bytes())
        return content.hexdigest()[:32]

    def command_for(self, source):
        """The unit's command line, to check only the syntax of one source."""
        words = list(self.words)
        at = words.index('-o')
        del words[at:at + 2]
        for flag in ('-MT', '-MF'):
            if flag in words:
                at = words.index(flag)
                del words[at:at + 2]
        # Only unity files are to include by names from the root; see LongshoreUnity.cmake.
        if '-iquote' in words:
            at = words.index('-iquote')
            del words[at:at + 2]
        words = [word for word in words if word not in ('-MD', '-c', self.file)]
        return words + ['-fsyntax-only', source]


def changed_since(revision):
    """A function that tells whether something that a unit is made of, or the rules, changed."""
    if not revision:
        return lambda unit: True
    names = []
    for command in (('diff', '--name-only', revision), ('ls-files', '--others', '--exclude-standard')):
        names += subprocess.run(['git', '-C', str(ROOT), *command], check=True, text=True,
                                capture_output=True).stdout.splitlines()
    rules = {'.clang-tidy', str(Path(__file__).relative_to(ROOT))}
    if rules & set(names):
        return lambda unit: True
    changed = {str(ROOT / name) for name in names}
    return lambda unit: any(file in changed for file in (*unit.sources, *unit.files))


def tidy(unit, folder):
    done = subprocess.run(['clang-tidy', '-p', folder, '--quiet', f'--header-filter={OWN.pattern}',
                           unit.file], capture_output=True, text=True)
    return [] if done.returncode == 0 else [done.stdout or f'{unit.file}: clang-tidy: {done.stderr}']


def alone(unit, _):
    found = []
    for source in unit.sources:
        done = subprocess.run(unit.command_for(source), cwd=unit.directory, capture_output=True,
                              text=True)
        if done.returncode != 0:
            found.append(done.stdout + done.stderr)
    return found


def main():
    check = {'tidy': tidy, 'alone': alone}[sys.argv[1]]
    parts = sys.argv[3:]
    build = str(Path(sys.argv[2]).resolve())
    entries = json.loads(Path(build, 'compile_commands.json').read_text())
    included = included_by_unit(build)
    # clang-tidy takes the command lines from a file.
    folder = Path(build, f'style-{sys.argv[1]}')
    folder.mkdir(exist_ok=True)
    units = []
    for entry in entries:
        if not entry['file'].endswith('.cc') or '.generated/' in entry['file']:
            continue
        words = shlex.split(entry['command'])
        unit = Unit(build, entry, included.get(words[words.index('-o') + 1], []))
        if parts and not any(part in unit.file for part in parts):
            unit.sources = [source for source in unit.sources
                            if any(part in source for part in parts)]
            if not unit.sources:
                continue
        generated = any('.pb.cc' in source for source in unit.sources)
        if generated or (check is alone and '.unity/' not in unit.file):
            continue  # compiled alone by the build itself
        if check is tidy and not any(OWN.match(source) for source in unit.sources):
            continue
        units.append(unit)
    Path(folder, 'compile_commands.json').write_text(json.dumps(
        [{'directory': unit.directory, 'file': unit.file, 'command': shlex.join(unit.words)}
         for unit in units]))

    cache = os.environ.get('LONGSHORE_CACHE') or os.path.join(
        os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'longshore')
    passed = Path(cache, f'units-{sys.argv[1]}')
    passed.mkdir(parents=True, exist_ok=True)
    own_text = sys.argv[1] + Path(__file__).read_text()
    checker = 'clang-tidy' if check is tidy else units[0].words[0] if units else 'true'
    version = subprocess.run([checker, '--version'], capture_output=True, text=True).stdout
    rules = Path(ROOT, '.clang-tidy').read_text() if check is tidy else ''
    todo = []
    built = [unit for unit in units if unit.is_built()]
    is_changed = changed_since(os.environ.get('LONGSHORE_UNCHANGED_SINCE'))
    for unit in filter(is_changed, built):
        mark = Path(passed, unit.key(build, own_text, version, rules))
        if not mark.exists():
            todo.append((unit, mark))
    print(f'{len(built)} units, {len(todo)} of them new; {len(units) - len(built)} are not built',
          flush=True)
    os.nice(10)  # tests that run meanwhile are watched by clocks

    def run(item):
        unit, mark = item
        found = check(unit, str(folder))
        if not found:
            mark.touch()
        return found

    if not built:
        # With all layers there are some, and a test that is skipped there is a failure.
        print('SKIPPED: no such unit is built; other layers than the chosen ones would build some')
        return 77
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for texts in pool.map(run, todo) for text in texts]
    print('\n'.join(found))
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
