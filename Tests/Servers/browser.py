"""Asks a test server, or goes where a browser would go. Prints what comes of it as JSON.

browser.py CERTIFICATE ask METHOD URL [JSON]     the answer, which is JSON
browser.py CERTIFICATE visit PAGE ADDRESS ACT    the page that the browser ends at, with where that is
"""

import json
import ssl
import sys

import httpx

certificate, what, *words = sys.argv[1:]
client = httpx.Client(verify=ssl.create_default_context(cafile=certificate), timeout=60, trust_env=False)
if what == "ask":
    body = json.loads(words[2]) if len(words) > 2 else None
    print(client.request(words[0], words[1], json=body).raise_for_status().text)
else:
    page, address, act = words
    client.get(page).raise_for_status()
    answer = client.post(page, data={"email": address, "act": act})
    end = client.get(answer.headers["location"])
    print(json.dumps({"address": str(end.url), "status": end.status_code, "text": end.text}))
