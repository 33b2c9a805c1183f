"""Waits until the demo's mail has been read: a client that comes earlier sees it grow."""

import json
import ssl
import time
import urllib.request


def wait(place, token, certificate):
    call = ["SyncStatus/get", {"accountId": "program", "ids": None}, "0"]
    body = json.dumps({"using": ["urn:mailkernel:sync"], "methodCalls": [call]}).encode()
    asked = urllib.request.Request(
        f"https://{place}/jmap/api", body,
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
    context = ssl.create_default_context(cafile=certificate)
    for _ in range(1200):
        with urllib.request.urlopen(asked, context=context) as answer:
            statuses = json.load(answer)["methodResponses"][0][1]["list"]
        # Before the first round there is nothing that could have been read.
        if statuses and all(status["phase"] == "listening" for status in statuses):
            return
        time.sleep(0.1)
    raise SystemExit(f"The demo's mail was not read: {statuses}")
