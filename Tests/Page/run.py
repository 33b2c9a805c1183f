#!/usr/bin/env python3
"""Runs the tests of the page in a real browser: run.py REPORT [NAME…]

Two classes run at a time, each in a process with a browser of its own. Writes a JSON line for each test to REPORT: its
name, `passed`, `failed` or `skipped`, and why. A few tests that failed run once more, alone: a browser on a busy machine
can be late. Their second result follows the first in REPORT, so that none is hidden."""

import json
import multiprocessing
import sys
import time
import unittest
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing.util import Finalize
from pathlib import Path

import room

HERE = Path(__file__).resolve().parent
PROCESSES = 2
# More failures than this are no accident.
SECOND_CHANCES = 3


class Report(unittest.TestResult):
    def __init__(self, path):
        super().__init__()
        # Each line is written whole, at the end of what other processes wrote.
        self.file = open(path, "a")
        self.passed = set()
        self.failed = set()
        self.skips = {}

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()

    def write(self, test, status, detail=""):
        seconds = time.monotonic() - getattr(self, "began", time.monotonic())
        self.file.write(json.dumps({"test": test.id(), "status": status, "detail": detail}) + "\n")
        self.file.flush()
        print(f"{status:8}{test.id()} ({seconds:.1f} s)\n{detail}", end="", flush=True)

    def fail(self, test, error):
        self.failed.add(test.id())
        self.write(test, "failed", self._exc_info_to_string(error, test))

    def addError(self, test, error):
        self.fail(test, error)

    def addFailure(self, test, error):
        self.fail(test, error)

    def addSubTest(self, test, subtest, error):
        if error:
            self.fail(subtest, error)
            self.failed.add(test.id())

    def addSkip(self, test, reason):
        self.skips[test.id()] = reason
        self.write(test, "skipped", reason + "\n")

    def addSuccess(self, test):
        self.passed.add(test.id())
        self.write(test, "passed")


def classes(names):
    """The tests to run, by class: those of a class share a program."""
    found = {}

    def sort(part):
        for test in part:
            if isinstance(test, unittest.TestSuite):
                sort(test)
            elif not names or any(name in test.id() for name in names):
                found.setdefault(type(test), []).append(test)

    sort(unittest.TestLoader().discover(str(HERE), pattern="test_*.py"))
    # The longest first, so that none is left alone at the end. A class whose few tests take minutes says `long = True`.
    return sorted(found.values(), key=lambda tests: (getattr(type(tests[0]), "long", False), len(tests)), reverse=True)


def run_class(number, report, names):
    result = Report(report)
    unittest.TestSuite(classes(names)[number]).run(result)
    return result.passed, result.failed, set(result.skips)


def close_at_the_end():
    Finalize(None, room.Browser.close, exitpriority=1)


def run_all(report, names, processes):
    """The names of the tests that passed, failed and were skipped."""
    numbers = range(len(classes(names)))
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), close_at_the_end) as pool:
        results = list(pool.map(partial(run_class, report=report, names=names), numbers))
    return [set().union(*parts) for parts in zip(*results)] or [set(), set(), set()]


def main():
    report, *names = sys.argv[1:]
    open(report, "w").close()
    passed, failed, skipped = run_all(report, names, PROCESSES)
    # A subtest has no name to run it by: the test that holds it runs again.
    failed = {test.partition(" ")[0] for test in failed}
    if 0 < len(failed) <= SECOND_CHANCES:
        late, _, _ = run_all(report, sorted(failed), 1)
        passed |= late
        failed -= late
    print(f"{len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
