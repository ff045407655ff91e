#!/usr/bin/env python3
"""Lists the failed tests of a run of CTest, and says which of them may be run once more.

    failed_tests.py <report as JUnit XML> <what ctest printed>

Prints "again<TAB>name" or "final<TAB>name" for each. A failed assertion and a test that took too long
can come from a busy machine. The report of a sanitizer or fuzzer and an end by a signal that the test
did not expect cannot, and a test that was not run has no second try: these are final.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree

REPORT = re.compile(r'(ERROR|WARNING|SUMMARY): (\w*Sanitizer|libFuzzer)|: runtime error: '
                    r'|fatal error condition: SIG')
ENDED = re.compile(r'^\s+\d+ - (.+) \(([^()]+)\)$', re.MULTILINE)


def main():
    with open(sys.argv[2], encoding='utf-8', errors='replace') as file:
        ends = dict(ENDED.findall(file.read()))
    for case in ElementTree.parse(sys.argv[1]).getroot().iter('testcase'):
        name = case.get('name')
        skipped = case.find('skipped')
        if case.get('status') == 'run' or (
                skipped is not None and skipped.get('message').startswith('SKIP_RETURN_CODE')):
            continue
        output = case.findtext('system-out') or ''
        again = ends.get(name) in ('Failed', 'Timeout') and not REPORT.search(output)
        print(f'{"again" if again else "final"}\t{name}')


if __name__ == '__main__':
    main()
