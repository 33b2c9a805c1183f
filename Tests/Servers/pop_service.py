"""A mail service without IMAP, on loopback: POP3 and submission, both over TLS. Every address has a maildrop, and what
is submitted lies in those of its recipients. Prints one line of JSON when it is ready, runs until the process that
started it is gone. The password of all addresses is `password-for-tests`."""

import asyncio
import base64
import json
import logging
import os
import shutil
import ssl
import time

from aiosmtpd.smtp import SMTP, AuthResult

from common import listen
from dovecot import PASSWORD, make_certificate, make_folder


class Drops:
    """The messages of each address, oldest first: a name that lasts, and the bytes."""

    def __init__(self):
        self.all = {}
        self.count = 0

    def put(self, address, content):
        self.count += 1
        lines = content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        self.all.setdefault(address, []).append((f"name{self.count}", lines))

    async def handle_DATA(self, server, session, envelope):
        for address in envelope.rcpt_tos:
            self.put(address, envelope.original_content or envelope.content)
        return "250 2.0.0 OK"


class Visit:
    """One connection: the maildrop as it was when it began."""

    def __init__(self, drops):
        self.drops = drops
        self.user, self.drop, self.deleted = None, None, set()

    def signed_in(self, user, password):
        if password != PASSWORD:
            return "-ERR [AUTH] The password is wrong"
        self.user, self.drop = user, list(self.drops.all.get(user, []))
        return "+OK"

    def listing(self, of):
        rows = [f"{number} {of(name, content)}" for number, (name, content) in enumerate(self.drop, 1)
                if number not in self.deleted]
        return "\r\n".join(["+OK", *rows, "."])

    def message(self, number, lines=None):
        content = self.drop[number - 1][1].decode("utf-8", "surrogateescape")
        head, _, body = content.removesuffix("\r\n").partition("\r\n\r\n")
        shown = [*head.split("\r\n"), "", *body.split("\r\n")[:lines]]
        return "\r\n".join(["+OK", *("." + line if line.startswith(".") else line for line in shown), "."])

    def answer(self, line):
        word, _, rest = line.partition(" ")
        word = word.upper()
        if word == "CAPA":
            return "+OK\r\nUIDL\r\nTOP\r\nSASL PLAIN\r\nUSER\r\n."
        if word == "AUTH":
            return "+ "
        if word in ("NOOP", "QUIT"):
            return "+OK"
        if self.drop is None:
            return "-ERR sign in first"
        numbers = [int(part) for part in rest.split()]
        if word == "STAT":
            return f"+OK {len(self.drop)} {sum(len(content) for _, content in self.drop)}"
        if word == "LIST":
            return self.listing(lambda name, content: len(content))
        if word == "UIDL":
            return self.listing(lambda name, content: name)
        if word == "RETR":
            return self.message(numbers[0])
        if word == "TOP":
            return self.message(*numbers)
        if word == "DELE":
            self.deleted.add(numbers[0])
            return "+OK"
        return "-ERR unknown"

    def leave(self):
        """Only now is removed what was marked."""
        gone = {self.drop[number - 1] for number in self.deleted} if self.drop else set()
        if gone:
            self.drops.all[self.user] = [one for one in self.drops.all[self.user] if one not in gone]


async def serve(drops, reader, writer):
    visit = Visit(drops)

    async def say(text):
        writer.write((text + "\r\n").encode("utf-8", "surrogateescape"))
        await writer.drain()

    await say("+OK ready")
    while line := (await reader.readline()).decode().strip():
        if line.upper().startswith("AUTH "):
            await say(visit.answer(line))
            _, user, password = base64.b64decode(await reader.readline()).decode().split("\0")
            await say(visit.signed_in(user, password))
            continue
        await say(visit.answer(line))
        if line.upper() == "QUIT":
            return visit.leave()


def check(server, session, envelope, mechanism, data):
    return AuthResult(success=data.password == PASSWORD.encode(), handled=False)


async def run(folder, parent):
    make_certificate(folder)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    drops = Drops()
    drops.put("ada@example.test", (
        b"From: Grace Hopper <grace@example.test>\r\nTo: ada@example.test\r\nSubject: Only by POP3\r\n"
        b"Message-ID: <only@other.test>\r\nDate: " + time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime()).encode()
        + b"\r\n\r\nShall we meet on Tuesday?\r\n"))
    submission = await asyncio.get_running_loop().create_server(
        lambda: SMTP(drops, hostname="smtp.test", auth_required=True, auth_require_tls=False, authenticator=check),
        "127.0.0.1", 0, ssl=context)
    print(json.dumps({
        "pop3s": await listen(lambda reader, writer: serve(drops, reader, writer), context),
        "submissions": submission.sockets[0].getsockname()[1], "certificate": str(folder / "server.pem")}), flush=True)
    while os.getppid() == parent:
        await asyncio.sleep(0.5)


def main():
    logging.getLogger("mail.log").setLevel(logging.CRITICAL)
    parent = os.getppid()
    folder = make_folder("pop-service")
    try:
        asyncio.run(run(folder, parent))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
