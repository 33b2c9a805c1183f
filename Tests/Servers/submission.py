"""Submission servers: aiosmtpd with XOAUTH2 and PLAIN, and one of our own that breaks off where it is told."""

import asyncio
import base64
import json

from aiosmtpd.smtp import MISSING, SMTP, AuthResult

from common import cut, listen, tls

TOKEN = "ya29.a-token-that-nobody-may-see"
PASSWORD = "correct horse"
received = []


class Handler:
    async def auth_XOAUTH2(self, server, args):
        blob = args[1] if len(args) > 1 else None
        if blob is None:
            given = await server.challenge_auth("", encode_to_b64=True)
            if given is MISSING:
                return AuthResult(success=False, handled=False)
        else:
            given = base64.b64decode(blob)
        if given == f"user=ana@mail.test\x01auth=Bearer {TOKEN}\x01\x01".encode():
            return AuthResult(success=True, auth_data="ana@mail.test")
        problem = {"status": "400", "schemes": "Bearer", "scope": "https://mail.google.com/"}
        await server.challenge_auth(json.dumps(problem), encode_to_b64=True)
        await server.push("535-5.7.8 Username and Password not accepted.\r\n535 5.7.8 You said " + blob)
        return AuthResult(success=False, handled=True)

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("nobody"):
            return "550 5.1.1 There is no such user"
        if address.startswith("later"):
            return "451 4.2.1 Try later"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server, session, envelope):
        if any(address.startswith("spam") for address in envelope.rcpt_tos):
            return "554 5.7.1 This looks like spam"
        received.append({
            "from": envelope.mail_from, "to": envelope.rcpt_tos, "options": envelope.mail_options,
            "bytes": base64.b64encode(envelope.original_content or envelope.content).decode(),
            "user": session.auth_data.decode() if isinstance(session.auth_data, bytes) else str(session.auth_data)})
        return f"250 2.0.0 Taken as {len(received)}"


def check(server, session, envelope, mechanism, data):
    isRight = data.login == b"ana@mail.test" and data.password == PASSWORD.encode()
    return AuthResult(success=isRight, handled=False, auth_data="ana@mail.test")


async def real(certificates, implicit, **options):
    """aiosmtpd, as itself."""
    loop = asyncio.get_running_loop()

    def make():
        return SMTP(Handler(), hostname="mail.test", auth_required=True, authenticator=check,
                    enable_SMTPUTF8=True, data_size_limit=1_000_000, **options)

    server = await loop.create_server(make, "127.0.0.1", 0, ssl=tls(certificates) if implicit else None)
    return server.sockets[0].getsockname()[1]


async def breaking(reader, writer):
    """Does as the first recipient says: `drop-data@`, `drop-dot@`, `silent-dot@`, `early@`, `chatty@`, `sender@`."""
    writer.write(b"220 mail.test\r\n")
    manner = sender = ""
    while line := (await reader.readline()).decode():
        word = line.split()[0].upper()
        if word == "EHLO":
            writer.write(b"250-mail.test\r\n250-PIPELINING\r\n250-FUTURERELEASE 86400 2030-01-01T00:00:00Z\r\n250 AUTH PLAIN\r\n")
        elif word == "AUTH":
            writer.write(b"235 2.7.0 fine\r\n")
        elif word == "MAIL":
            sender = line.strip()
            writer.write(b"250 2.1.0 fine\r\n")
        elif word == "RCPT":
            manner = manner or line.split("<")[1].split("@")[0]
            writer.write(b"250 2.1.5 fine\r\n")
        elif word == "DATA":
            if manner == "drop-data":
                return cut(writer)
            writer.write(b"354 go\r\n")
            if manner == "drop-message":
                await reader.readline()
                return cut(writer)
            if manner == "early":
                writer.write(b"552 5.3.4 That is enough\r\n")
                await writer.drain()
                return
            while (await reader.readline()) != b".\r\n":
                pass
            if manner == "drop-dot":
                return cut(writer)
            if manner == "silent-dot":
                await asyncio.Event().wait()
            taken = f"250 2.0.0 taken {sender if manner == 'sender' else ''}".strip() + "\r\n"
            writer.write(b"so what\r\n" if manner == "garbage-dot" else taken.encode())
        elif word == "QUIT":
            writer.write(b"221 bye\r\n")
            return
        else:
            writer.write(b"250 2.1.0 fine\r\n")


async def plain_without_upgrade(reader, writer):
    writer.write(b"220 mail.test\r\n")
    while line := await reader.readline():
        writer.write(b"250 mail.test\r\n" if line.upper().startswith(b"EHLO") else b"502 no\r\n")


async def show(reader, writer):
    """What aiosmtpd received, as JSON, to every client."""
    writer.write(json.dumps(received).encode())


async def start(certificates):
    return {
        "submission": await real(certificates, True, auth_require_tls=False),
        "submissionUpgrade": await real(
            certificates, False, require_starttls=True, tls_context=tls(certificates)),
        "breaking": await listen(breaking, tls(certificates)),
        "noUpgrade": await listen(plain_without_upgrade),
        "received": await listen(show),
    }
