"""A whole mail service on loopback: an OAuth server, a Dovecot that takes its tokens, and a submission server
that delivers into it; and mailboxes of Microsoft Graph apart from both. Prints one line of JSON when it is ready, runs until the process that started it is gone.

Every address is an account. The password of all is `password-for-tests`. With `gmail` as argument the mailboxes
have Gmail's names, and who signs in with a token finds what was sent among sent mail; with `bare` there is an inbox
and nothing else, and with `old` the server has no extensions either that name what is moved."""

import asyncio
import base64
import imaplib
import json
import logging
import os
import shutil
import signal
import ssl
import sys
import threading
import time

from aiosmtpd.smtp import MISSING, SMTP, AuthResult
from werkzeug.serving import make_server

import dovecot
import graph
import oauth

GMAIL = {
    "[Gmail]/Sent Mail": "Sent", "[Gmail]/Drafts": "Drafts", "[Gmail]/Trash": "Trash",
    "[Gmail]/Spam": "Junk", "[Gmail]/All Mail": "All", "[Gmail]/Starred": "Flagged",
    "[Gmail]/Important": "Important",
}
SENT = "[Gmail]/Sent Mail"


class Handler:
    """Takes what is submitted. No user has an address with `nobody` in it."""

    def __init__(self, imaps, keeps_sent, held):
        self.held = held
        self.imaps = imaps
        self.keeps_sent = keeps_sent

    async def auth_XOAUTH2(self, server, args):
        blob = args[1] if len(args) > 1 else None
        if blob is None:
            given = await server.challenge_auth("", encode_to_b64=True)
            if given is MISSING:
                return AuthResult(success=False, handled=False)
        else:
            given = base64.b64decode(blob)
        fields = dict(item.split("=", 1) for item in given.decode().split("\x01") if "=" in item)
        user = oauth.user_of(fields.get("auth", "").removeprefix("Bearer "))
        if user and user == fields.get("user"):
            return AuthResult(success=True, auth_data=("token", user))
        problem = {"status": "400", "schemes": "Bearer", "scope": " ".join(sorted(oauth.SCOPES))}
        await server.challenge_auth(json.dumps(problem), encode_to_b64=True)
        await server.push("535-5.7.8 Username and Password not accepted.\r\n535 5.7.8 Learn more")
        return AuthResult(success=False, handled=True)

    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        session.host_name = hostname
        return responses[:-1] + ["250-FUTURERELEASE 604800 2099-01-01T00:00:00Z"] + responses[-1:]

    async def handle_RCPT(self, server, session, envelope, address, options):
        if "nobody" in address:
            return "550 5.1.1 There is no such user"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server, session, envelope):
        content = envelope.original_content or envelope.content
        if server.hold_until:
            # In sight of the tests; the wait itself is the service's affair.
            with open(self.held, "a") as file:
                file.write(f"{server.hold_until} {','.join(envelope.rcpt_tos)}\n")
            return "250 2.0.0 OK"
        way, user = session.auth_data
        places = [(address, "INBOX") for address in envelope.rcpt_tos]
        if way == "token" and self.keeps_sent:
            places.append((user, SENT))
        for address, mailbox in places:
            await asyncio.to_thread(self.deliver, address, mailbox, content)
        return "250 2.0.0 OK"

    def deliver(self, address, mailbox, content):
        context = ssl._create_unverified_context()
        with imaplib.IMAP4_SSL("127.0.0.1", self.imaps, ssl_context=context) as client:
            client.authenticate("PLAIN", lambda _: f"\0{address}\0{dovecot.PASSWORD}".encode())
            flags = "(\\Seen)" if mailbox == SENT else None
            status, answer = client.append(f'"{mailbox}"', flags, imaplib.Time2Internaldate(time.time()), content)
            if status != "OK":
                raise RuntimeError(answer)


class HoldingSMTP(SMTP):
    """Knows FUTURERELEASE (RFC 4865), which aiosmtpd does not."""

    hold_until = None

    async def smtp_MAIL(self, arg):
        words = (arg or "").split()
        self.hold_until = next((word[10:] for word in words if word.upper().startswith("HOLDUNTIL=")), None)
        await super().smtp_MAIL(" ".join(word for word in words if not word.upper().startswith("HOLDUNTIL=")))


def check(server, session, envelope, mechanism, data):
    is_right = data.password == dovecot.PASSWORD.encode()
    return AuthResult(success=is_right, handled=False, auth_data=("password", data.login.decode()))


async def submission(handler, tls, ports):
    loop = asyncio.get_running_loop()

    def make(**options):
        return lambda: HoldingSMTP(
            handler, hostname="smtp.test", auth_required=True, authenticator=check, enable_SMTPUTF8=True,
            auth_exclude_mechanism=["LOGIN"], **options)

    implicit = await loop.create_server(make(auth_require_tls=False), "127.0.0.1", 0, ssl=tls)
    upgrade = await loop.create_server(make(require_starttls=True, tls_context=tls), "127.0.0.1", 0)
    ports["submissions"] = implicit.sockets[0].getsockname()[1]
    ports["submission"] = upgrade.sockets[0].getsockname()[1]


def main():
    parent = os.getppid()
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    logging.getLogger("mail.log").setLevel(logging.CRITICAL)
    folder = dovecot.make_folder("mail-service")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server = None
    try:
        dovecot.make_certificate(folder)
        certificate, key = folder / "server.pem", folder / "server.key"
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(certificate, key)
        oauth.app.register_blueprint(graph.graph)
        secure = make_server("127.0.0.1", 0, oauth.app, threaded=True, ssl_context=tls)
        plain = make_server("127.0.0.1", 0, oauth.app, threaded=True)
        for web in (secure, plain):
            threading.Thread(target=web.serve_forever, daemon=True).start()
        kind = sys.argv[1] if len(sys.argv) > 1 else None
        is_gmail = kind == "gmail"
        mailboxes = {} if kind in ("bare", "old") else GMAIL if is_gmail else dovecot.USUAL
        introspection = f"http://127.0.0.1:{plain.server_port}/introspect"
        server = dovecot.Dovecot(folder, introspection, mailboxes, is_old=kind == "old")
        ports = {**server.ports, "oauth": secure.server_port}
        loop = asyncio.new_event_loop()
        loop.run_until_complete(submission(Handler(ports["imaps"], is_gmail, folder / "held"), tls, ports))
        threading.Thread(target=loop.run_forever, daemon=True).start()
        place = {"certificate": str(certificate), "folder": str(folder)}
        print(json.dumps({**ports, **place}), flush=True)
        while os.getppid() == parent:
            time.sleep(0.5)
    finally:
        if server:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


main()
