#!/usr/bin/env python3
"""Runs the tests of the page in a real browser: run.py REPORT [NAME…]

Writes a JSON line for each test to REPORT: its name, `passed`, `failed` or `skipped`, and why."""

import json
import sys
import time
import unittest
from pathlib import Path

import room

HERE = Path(__file__).resolve().parent


class Report(unittest.TestResult):
    def __init__(self, path):
        super().__init__()
        self.file = open(path, "w")
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
        self.write(test, "passed")


def main():
    report, *names = sys.argv[1:]
    suite = unittest.TestLoader().discover(str(HERE), pattern="test_*.py")
    if names:
        chosen = unittest.TestSuite()

        def choose(part):
            for test in part:
                if isinstance(test, unittest.TestSuite):
                    choose(test)
                elif any(name in test.id() for name in names):
                    chosen.addTest(test)

        choose(suite)
        suite = chosen
    result = Report(report)
    suite.run(result)
    room.Browser.close()
    print(f"{result.testsRun} tests, {len(result.failed)} failed, {len(result.skips)} skipped")
    return 1 if result.failed else 0


if __name__ == "__main__":
    sys.exit(main())
