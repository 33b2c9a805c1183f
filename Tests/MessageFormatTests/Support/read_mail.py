"""Reads each message of a folder with Python's email package and writes what it found as JSON."""

import base64
import email
import email.policy
import json
import sys
from email.header import decode_header, make_header
from email.utils import collapse_rfc2231_value, getaddresses
from pathlib import Path


def decoded(value):
    """The text of an unstructured field; Python's own header objects lose runs of spaces."""
    unfolded = value.replace("\r", "").replace("\n", "")
    return str(make_header(decode_header(unfolded))) if "=?" in unfolded else unfolded.strip(" ")


def addresses(message):
    pairs = getaddresses([field.replace("\r", "").replace("\n", "") for field in message.get_all("To", [])])
    return [[str(make_header(decode_header(name))) if "=?" in name else name, address]
            for name, address in pairs if address]


def file_name(part):
    name = part.get_param("filename", header="Content-Disposition")
    return None if name is None else collapse_rfc2231_value(name)


def main():
    found = []
    for path in sorted(Path(sys.argv[1]).glob("*.eml")):
        message = email.message_from_bytes(path.read_bytes(), policy=email.policy.compat32)
        leaves = [part for part in message.walk() if not part.is_multipart()]
        found.append({
            "file": path.name,
            "subject": decoded(message.get("Subject", "")),
            "to": addresses(message),
            "defects": [repr(defect) for part in message.walk() for defect in part.defects],
            "leaves": [{
                "type": part.get_content_type(),
                "name": file_name(part),
                "content": base64.b64encode(part.get_payload(decode=True)).decode(),
            } for part in leaves],
        })
    json.dump(found, sys.stdout)


main()
