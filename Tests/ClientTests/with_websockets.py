"""A day's work over JMAP's WebSocket, with push, by the library websockets.

Usage: with_websockets.py HOST:PORT TOKEN CERTIFICATE."""

import json
import ssl
import sys
import urllib.request

import day
import ready
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

place, token, certificate = sys.argv[1:]
ready.wait(place, token, certificate)
context = ssl.create_default_context(cafile=certificate)
rights = {"Authorization": f"Bearer {token}"}
request = urllib.request.Request(f"https://{place}/.well-known/jmap", headers=rights)
session = json.load(urllib.request.urlopen(request, context=context))
offer = session["capabilities"]["urn:ietf:params:jmap:websocket"]
assert offer == {"url": f"wss://{place}/jmap/ws", "supportsPush": True}, offer

for headers, origin, status in [({}, None, 401), (rights, "https://evil.example", 403)]:
    try:
        connect(offer["url"], ssl=context, subprotocols=["jmap"], additional_headers=headers, origin=origin)
        raise SystemExit("a stranger got in")
    except InvalidStatus as refusal:
        assert refusal.response.status_code == status

socket = connect(offer["url"], ssl=context, subprotocols=["jmap"], additional_headers=rights, max_size=None)
assert socket.subprotocol == "jmap"
socket.send(json.dumps({"@type": "WebSocketPushEnable", "dataTypes": ["Email", "Mailbox"]}))
pushed = []
number = 0


def call(calls):
    global number
    number += 1
    calls = [[name, arguments, str(index)] for index, (name, arguments) in enumerate(calls)]
    # In pieces, as a client may send it.
    text = json.dumps({"@type": "Request", "id": f"r{number}", "using": day.USING, "methodCalls": calls})
    socket.send([text[:10], text[10:]])
    while True:
        answer = json.loads(socket.recv(timeout=60))
        if answer["@type"] == "StateChange":
            pushed.append(answer)
            continue
        assert answer["@type"] == "Response" and answer["requestId"] == f"r{number}", answer
        for name, arguments, _ in answer["methodResponses"]:
            assert name != "error", arguments
        return [arguments for _, arguments, _ in answer["methodResponses"]]


day.Day(session, call).work("websockets")
account = session["primaryAccounts"][day.MAIL]
assert any("Email" in change["changed"].get(account, {}) for change in pushed) and pushed[-1]["pushState"]
print("event")
socket.close()
assert socket.close_code == 1000
