"""Reads the messages whose paths are on its input with Python's email package, and writes the leaves of each as
JSON: their types and decoded sizes, and whether Python found anything wrong with the message."""

import email
import email.policy
import json
import sys
from pathlib import Path


def leaves(part):
    if part.get_content_maintype() == "multipart" and part.is_multipart():
        for child in part.get_payload():
            yield from leaves(child)
    else:
        yield part


def size(part):
    # Python has taken apart what is within a message; its bytes are gone.
    return None if part.is_multipart() else len(part.get_payload(decode=True) or b"")


found = []
for line in sys.stdin:
    message = email.message_from_bytes(Path(line.rstrip("\n")).read_bytes(), policy=email.policy.compat32)
    parts = [{"type": part.get_content_type(), "size": size(part)} for part in leaves(message)]
    found.append({"parts": parts, "isBroken": any(part.defects for part in message.walk())})
json.dump(found, sys.stdout)
