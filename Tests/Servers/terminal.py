"""Runs a program on a terminal of its own and answers its questions: terminal.py ANSWERS COMMAND…

ANSWERS is a JSON list; each is typed when a question (a line that ends in “: ”) stands there. What the terminal
showed is printed, and the program's exit code passed on.
"""

import json
import os
import pty
import sys

answers = json.loads(sys.argv[1])
process, terminal = pty.fork()
if process == 0:
    os.execv(sys.argv[2], sys.argv[2:])
shown, seen = b"", 0
while True:
    try:
        data = os.read(terminal, 4096)
    except OSError:
        break
    if not data:
        break
    shown += data
    if answers and shown[seen:].endswith(b": "):
        seen = len(shown)
        os.write(terminal, answers.pop(0).encode() + b"\n")
sys.stdout.write(shown.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
