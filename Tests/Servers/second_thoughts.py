"""Makes messages and destroys each a moment later, over JMAP, in a running program. None may come back.

Usage: second_thoughts.py PROGRAM PLACE PAIRS. PLACE is `device` (mail on this device), `server` (Dovecot on loopback) or
`slow` (the same, 100 ms away). Prints how many came back; ends with 1 if any did."""

import asyncio
import http.client
import imaplib
import json
import os
import random
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "password-for-tests"
ADDRESS = "bob@example.test"
SUBJECT = "Second thought"
DELAY = 0.1
PATIENCE = 300
USING = ["urn:ietf:params:jmap:core", "urn:ietf:params:jmap:mail", "urn:mailkernel:accounts",
         "urn:mailkernel:preferences", "urn:mailkernel:sync"]


class Page:
    """What the page does: it comes by the start link, gets a session, and asks over JMAP."""

    def __init__(self, link):
        parts = urllib.parse.urlsplit(link)
        self.host = parts.netloc
        self.line = http.client.HTTPConnection(self.host, timeout=120)
        self.line.request("GET", f"{parts.path}?{parts.query}")
        answer = self.line.getresponse()
        answer.read()
        self.headers = {
            "Cookie": answer.headers["Set-Cookie"].split(";")[0], "Origin": f"http://{self.host}",
            "Content-Type": "application/json"}

    def call(self, method, arguments):
        body = json.dumps({"using": USING, "methodCalls": [[method, arguments, "0"]]})
        self.line.request("POST", "/jmap/api", body, self.headers)
        answer = json.load(self.line.getresponse())
        name, result, _ = answer["methodResponses"][0]
        assert name == method, answer
        return result

    def account(self):
        self.line.request("GET", "/.well-known/jmap", headers=self.headers)
        accounts = json.load(self.line.getresponse())["accounts"]
        return next((key for key, value in accounts.items() if "urn:ietf:params:jmap:mail" in value["accountCapabilities"]), None)

    def sign_in(self, port, submission):
        made = self.call("SignIn/set", {"accountId": "program", "create": {"s": {"setupId": "org.mailkernel.imap/imap"}}})
        name = made["created"]["s"]["id"]
        forms = [
            {"address": ADDRESS, "password": PASSWORD},
            {"user": ADDRESS, "imapHost": "localhost", "imapPort": str(port), "imapSecurity": "tls",
             "smtpHost": "localhost", "smtpPort": str(submission), "smtpSecurity": "tls"}]
        while True:
            state = self.call("SignIn/get", {"accountId": "program", "ids": [name]})["list"][0]
            assert state["state"] != "failed" and (forms or state["state"] != "form"), state
            if state["state"] == "done":
                done = {"isOnboardingComplete": True}
                return self.call("Preferences/set", {"accountId": "program", "update": {"singleton": done}})
            if state["state"] == "form" and forms:
                self.call("SignIn/set", {"accountId": "program", "update": {name: {"form": forms.pop(0)}}})
            time.sleep(0.05)


async def pipe(reader, writer):
    """Passes on what comes, in its order, a moment later."""
    queue = asyncio.Queue()

    async def read():
        while data := await reader.read(65536):
            queue.put_nowait((time.monotonic() + DELAY, data))
        queue.put_nowait((0, b""))

    reading = asyncio.create_task(read())
    try:
        while True:
            due, data = await queue.get()
            if not data:
                break
            await asyncio.sleep(max(0, due - time.monotonic()))
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        reading.cancel()
        writer.close()


def far_away(port):
    """A port that leads to another, with a delay both ways."""
    async def connected(reader, writer):
        there = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(pipe(reader, there[1]), pipe(there[0], writer))

    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(connected, "127.0.0.1", 0))
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return server.sockets[0].getsockname()[1]


def on_server(place):
    """How many of them the server has, in all mailboxes."""
    with imaplib.IMAP4_SSL("localhost", place["imaps"], ssl_context=ssl._create_unverified_context()) as client:
        client.authenticate("PLAIN", lambda _: f"\0{ADDRESS}\0{PASSWORD}".encode())
        count = 0
        for line in client.list()[1]:
            name = line.decode().split(' "/" ')[1]
            client.select(name, readonly=True)
            count += len(client.search(None, "SUBJECT", f'"{SUBJECT}"')[1][0].split())
        return count


def play(page, account, pairs, service):
    boxes = page.call("Mailbox/get", {"accountId": account})["list"]
    box = next(box["id"] for role in ("archive", "drafts", "inbox") for box in boxes if box["role"] == role)
    chance = random.Random(7)
    for number in range(pairs):
        email = {
            "mailboxIds": {box: True}, "from": [{"email": "a@example.test"}], "subject": f"{SUBJECT} {number}",
            "keywords": {"$seen": True}, "bodyStructure": {"type": "text/plain", "partId": "1"},
            "bodyValues": {"1": {"value": "Hello"}}}
        made = page.call("Email/set", {"accountId": account, "create": {"e": email}})
        name = made["created"]["e"]["id"]
        time.sleep(chance.uniform(0, 0.02))
        gone = page.call("Email/set", {"accountId": account, "destroy": [name]})
        assert gone["destroyed"] == [name], gone

    def left():
        answer = page.call(
            "Email/query", {"accountId": account, "filter": {"subject": SUBJECT}, "calculateTotal": True})
        return answer["total"], on_server(service) if service else 0

    # What is on its way still may be there for a moment. What has come back stays.
    end = time.monotonic() + PATIENCE
    quiet = 0
    while quiet < 20 and time.monotonic() < end:
        counts = left()
        quiet = quiet + 1 if counts == (0, 0) else 0
        time.sleep(0.5)
    return left()


def main():
    program, place, pairs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    folder = tempfile.TemporaryDirectory(prefix="second-thoughts-")
    home = Path(folder.name)
    service = process = None
    plugins = ["SQLiteStorage", "LocalFolders" if place == "device" else "IMAPAccount"]
    arguments = [part for name in plugins for part in ("--plugins", ROOT / "Plugins" / name)]
    arguments += ["--data", home / "data", "--config", home / "configuration", "--no-browser", "--port", "0"]
    try:
        if place == "device":
            arguments.append("--demo")
        else:
            service = subprocess.Popen(
                [ROOT / ".build/python/bin/python", "-B", ROOT / "Tests/Servers/mail_service.py"], text=True,
                stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
            where = json.loads(service.stdout.readline())
            (home / "configuration").mkdir(mode=0o700)
            (home / "configuration/certificates.pem").write_text(Path(where["certificate"]).read_text())
            key = home / "key"
            key.write_text("the passphrase of the vault")
            key.chmod(0o600)
            arguments += ["--vault-key-file", key]
        environment = os.environ | {"DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": str(home)}
        process = subprocess.Popen(
            [program, "serve", *map(str, arguments)], text=True, env=environment, stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL, stderr=open(home / "log", "w"))
        link = next(line for line in process.stdout if "Open http" in line).split()[-1]
        page = Page(link)
        if service:
            port = far_away(where["imaps"]) if place == "slow" else where["imaps"]
            page.sign_in(port, where["submissions"])
        while not (account := page.account()):
            time.sleep(0.1)
        while True:
            status = page.call("SyncStatus/get", {"accountId": "program", "ids": None})["list"]
            if status and all(one["phase"] == "listening" for one in status):
                break
            time.sleep(0.1)
        began = time.monotonic()
        here, there = play(page, account, pairs, where if service else None)
        refused = (home / "log").read_text().count("refused a request")
        print(f"{place}: {pairs} pairs, {here} came back here, {there} at the service, {refused} requests refused, "
              f"{time.monotonic() - began:.0f} s")
        return 1 if here or there or refused else 0
    finally:
        for running in (process, service):
            if running:
                running.send_signal(signal.SIGTERM)
                running.wait(timeout=60)
        folder.cleanup()


if __name__ == "__main__":
    sys.exit(main())
