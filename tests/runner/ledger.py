#!/usr/bin/env python3
"""Prints the table of a test run, and compares its processor time with the budget.

    ledger.py <rows> <budget.toml> plain|all <seconds of the whole run>

A row is "build step passed failed skipped seconds processor-seconds cold|warm". Minutes are of the
clock; they depend on what else the machine did meanwhile, so the budget counts processor time: what
takes over a fifth more than tests/budget.toml grants a run of this size is named, and is no failure.
Ends with 1 if a test or a step failed.
"""
import sys
import tomllib


def read_rows(path):
    with open(path, encoding='utf-8') as file:
        for line in file:
            build, step, *figures, state = line.split()
            yield build, step, [float(figure) for figure in figures], state


def granted_seconds(entry, size, state):
    if isinstance(entry, dict):
        return entry.get(size, entry.get(state, entry.get('cold')))
    return entry


def over_budget(rows, budget, size):
    for build, step, figures, state in rows:
        granted = granted_seconds(budget.get(build, {}).get(step), size, state)
        spent = figures[4]
        if granted is None and spent > 10:
            yield f'{build} {step} ({state}): {spent:.0f} s of processor time without a budget'
        # A few seconds are noise, whatever their share.
        if granted is not None and spent > granted * 1.2 and spent > granted + 5:
            yield (f'{build} {step} ({state}): {spent:.0f} s of processor time, '
                   f'{spent - granted:.0f} more than the {granted} of tests/budget.toml')


def main():
    rows = list(read_rows(sys.argv[1]))
    with open(sys.argv[2], 'rb') as file:
        budget = tomllib.load(file)
    columns = '{:<14} {:<16} {:>7} {:>7} {:>8} {:>8} {:>10}  {}'
    print(columns.format('build', 'layer', 'passed', 'failed', 'skipped', 'minutes', 'processor',
                         'caches'))
    for build, step, (*counts, seconds, processor), state in rows:
        print(columns.format(build, step, *map(int, counts), f'{seconds / 60:.1f}',
                             f'{processor / 60:.1f}', state))
    passed, failed, skipped = (int(sum(figures[i] for _, _, figures, _ in rows)) for i in range(3))
    processor = sum(figures[4] for _, _, figures, _ in rows)
    print(columns.format('all', 'all', passed, failed, skipped, f'{float(sys.argv[4]) / 60:.1f}',
                         f'{processor / 60:.1f}', ''))
    for line in over_budget(rows, budget, sys.argv[3]):
        print(f'Over budget: {line}')
    print(f'\n{passed} passed, {failed} failed, {skipped} skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
