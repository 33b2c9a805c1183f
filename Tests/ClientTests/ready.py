"""Waits until the demo's mail has been read: a client that comes earlier sees it grow."""

import json
import ssl
import urllib.request


def wait(place, token, certificate):
    call = ["SyncStatus/get", {"accountId": "program", "ids": None}, "0"]
    body = json.dumps({"using": ["urn:mailkernel:sync"], "methodCalls": [call]}).encode()
    rights = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    asked = urllib.request.Request(f"https://{place}/jmap/api", body, rights)
    change = urllib.request.Request(
        f"https://{place}/jmap/events?types=SyncStatus&closeafter=state&ping=0", headers=rights)
    context = ssl.create_default_context(cafile=certificate)
    while True:
        # What changes between the question and the waiting is told too.
        with urllib.request.urlopen(change, context=context, timeout=120) as news:
            with urllib.request.urlopen(asked, context=context) as answer:
                statuses = json.load(answer)["methodResponses"][0][1]["list"]
            # Before the first round there is nothing that could have been read.
            if statuses and all(status["phase"] == "listening" for status in statuses):
                return
            news.read()
