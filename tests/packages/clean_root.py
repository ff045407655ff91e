#!/usr/bin/env python3
"""Makes a Debian root folder of some of this machine's own packages.

    clean_root.py <empty folder> [package or .deb]...

In the folder come the packages that every Debian has (Essential, or Priority "required", apt among
them), the named ones, what the named .deb files depend on (not the .deb files themselves), and the
closure of what all these depend on: files, alternatives, and a dpkg database of exactly these
packages. So dpkg in that root notices when a package forgets to name what it needs. Needs no
network. Documentation is left out. Files are copied, never linked: nothing that happens in the
folder reaches this machine.
"""
import os
import re
import shutil
import subprocess
import sys

DPKG = '/var/lib/dpkg'
# What Debian 12 has as links into /usr.
MERGED = ('bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32')
# Documentation; and what systemd does to a machine early, when it is booted here.
LEFT_OUT = re.compile('/usr/share/(doc|man|locale|info|lintian|help)/.'
                      '|/lib/systemd/system/sysinit.target.wants/.')


def fields_of(block):
    return dict(re.findall(r'^([A-Za-z-]+): (.*)$', block, re.MULTILINE))


def names_of(dependencies):
    """'a (>= 1) | b, c:any' -> [['a', 'b'], ['c']]"""
    for group in filter(str.strip, dependencies.split(',')):
        yield [re.sub(r'[ :(].*', '', name.strip()) for name in group.split('|')]


class Packages:
    """The packages that are installed on this machine."""

    def __init__(self):
        self.blocks, self.fields, self.providers = {}, {}, {}
        with open(f'{DPKG}/status', encoding='utf-8') as status:
            for block in status.read().strip().split('\n\n'):
                fields = fields_of(block)
                if fields['Status'].endswith(' installed') and fields['Package'] not in self.blocks:
                    self._add(block, fields)

    def _add(self, block, fields):
        name = fields['Package']
        self.blocks[name], self.fields[name] = block, fields
        for [provided] in names_of(fields.get('Provides', '')):
            self.providers.setdefault(provided, name)

    def of_every_debian(self):
        return [name for name, fields in self.fields.items()
                if fields.get('Essential') == 'yes' or fields.get('Priority') == 'required']

    def choose(self, alternatives):
        """The first one that is here; None leaves it to dpkg to complain."""
        for name in alternatives:
            if name in self.blocks or name in self.providers:
                return name if name in self.blocks else self.providers[name]
        return None

    def closure(self, names):
        seen, todo = set(), list(names)
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            todo += self.needed_by(self.fields[name])
        return sorted(seen)

    def needed_by(self, fields):
        groups = names_of(fields.get('Depends', '') + ',' + fields.get('Pre-Depends', ''))
        return filter(None, map(self.choose, groups))

    def information(self, name):
        """The files of the dpkg database about one package: its list, scripts and so on."""
        prefixes = (f'{name}.', f'{name}:{self.fields[name]["Architecture"]}.')
        return [file for file in self._information_files() if file.startswith(prefixes)]

    def _information_files(self):
        if not hasattr(self, '_listed'):
            self._listed = os.listdir(f'{DPKG}/info')
        return self._listed


def files_of(packages, names):
    files = set()
    for name in names:
        for information in packages.information(name):
            if information.endswith('.list'):
                with open(f'{DPKG}/info/{information}', encoding='utf-8') as lines:
                    files.update(lines.read().splitlines())
    return files


def alternatives_among(files):
    """Links like /usr/bin/awk that lead to one of the files, with what is in /etc/alternatives."""
    for name in os.listdir('/etc/alternatives'):
        try:
            with open(f'{DPKG}/alternatives/{name}', encoding='utf-8') as text:
                lines = text.read().splitlines()
        except FileNotFoundError:
            continue
        for link in (line for line in lines if os.path.islink(line)):
            target = os.path.realpath(link)
            if target in files or target.removeprefix('/usr') in files:
                yield from (link, os.readlink(link))


def copy(files, root):
    """Copies files, links and folders, each without what is in it, with owners and modes."""
    skipped = {'/.', '/', ''} | {f'/{name}' for name in MERGED}
    wanted = sorted(file for file in files
                    if file not in skipped and os.path.lexists(file) and not LEFT_OUT.match(file))
    pack = subprocess.Popen(['tar', '-C', '/', '--no-recursion', '--null', '-T', '-', '-cf', '-'],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with subprocess.Popen(['tar', '-C', root, '--keep-directory-symlink', '-xpf', '-'],
                          stdin=pack.stdout) as unpack:
        pack.stdout.close()
        pack.stdin.write(b'\0'.join(file.lstrip('/').encode() for file in wanted))
        pack.stdin.close()
    if pack.wait() != 0 or unpack.returncode != 0:
        sys.exit('cannot copy the files')


def make_database(packages, names, root):
    for folder in ('info', 'updates', 'alternatives', 'triggers', 'parts'):
        os.makedirs(f'{root}{DPKG}/{folder}', exist_ok=True)
    information = [f'{DPKG}/info/{file}' for name in names for file in packages.information(name)]
    copy(set(information) | {f'{DPKG}/info/format'}, root)
    with open(f'{root}{DPKG}/status', 'w', encoding='utf-8') as status:
        status.write('\n\n'.join(packages.blocks[name] for name in names) + '\n')
    for empty in ('available', 'diversions', 'statoverride', 'triggers/Lock', 'triggers/Unincorp'):
        open(f'{root}{DPKG}/{empty}', 'w', encoding='utf-8').close()
    # "<path or trigger> <package>[/noawait]": who wants to know of which files.
    for table in ('File', *(name for name in os.listdir(f'{DPKG}/triggers') if name.islower())):
        try:
            with open(f'{DPKG}/triggers/{table}', encoding='utf-8') as lines:
                kept = [line for line in lines
                        if re.split('[/:]', line.split()[-1])[0] in names]
        except FileNotFoundError:
            continue
        with open(f'{root}{DPKG}/triggers/{table}', 'w', encoding='utf-8') as trigger:
            trigger.writelines(kept)


def make_system_files(root):
    """What no package owns: maintainer scripts of Debian's base made it on a real machine."""
    for folder, mode in (('proc', 0o755), ('sys', 0o755), ('dev', 0o755), ('run', 0o755),
                         ('root', 0o700), ('tmp', 0o1777), ('var/tmp', 0o1777),
                         ('etc/ld.so.conf.d', 0o755), ('var/log', 0o755),
                         ('var/cache/apt/archives/partial', 0o755),
                         ('var/lib/apt/lists/partial', 0o755)):
        os.makedirs(f'{root}/{folder}', exist_ok=True)
        os.chmod(f'{root}/{folder}', mode)
    for source, name in (('base-passwd/passwd.master', 'passwd'),
                         ('base-passwd/group.master', 'group'),
                         ('libc-bin/nsswitch.conf', 'nsswitch.conf')):
        shutil.copyfile(f'{root}/usr/share/{source}', f'{root}/etc/{name}')
    with open(f'{root}/etc/passwd', 'a', encoding='utf-8') as users:
        users.write('_apt:x:42:65534::/nonexistent:/usr/sbin/nologin\n')
    triplet = subprocess.run(['dpkg-architecture', '-qDEB_HOST_MULTIARCH'], check=True, text=True,
                             capture_output=True).stdout.strip()
    with open(f'{root}/etc/ld.so.conf', 'w', encoding='utf-8') as folders:
        folders.write(f'/usr/local/lib\n/lib/{triplet}\n/usr/lib/{triplet}\n')
    subprocess.run(['ldconfig', '-r', root], check=True)


def fields_of_deb(file):
    shown = subprocess.run(['dpkg-deb', '-f', file], check=True, text=True, capture_output=True)
    return fields_of(shown.stdout)


def main():
    root, wanted = sys.argv[1], sys.argv[2:]
    packages = Packages()
    start = packages.of_every_debian()
    for name in wanted:
        if name.endswith('.deb'):
            start += packages.needed_by(fields_of_deb(name))
        elif name in packages.blocks:
            start.append(name)
        else:
            sys.exit(f'the package {name} is not installed here')
    names = packages.closure(start)
    files = files_of(packages, names)
    for name in MERGED:
        os.makedirs(f'{root}/usr/{name}', exist_ok=True)
        os.symlink(f'usr/{name}', f'{root}/{name}')
    copy(files | set(alternatives_among(files)), root)
    make_database(packages, names, root)
    make_system_files(root)


main()
