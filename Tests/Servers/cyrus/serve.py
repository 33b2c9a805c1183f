#!/usr/bin/env python3
"""serve.py ROOT: the cyrus of build.sh with the account ada/secret, in memory, until its input ends.

Prints the port of JMAP. Mail that it sends arrives here. Mail for ada is delivered; an address that contains “nobody@”
is refused, which the conformance kit expects.
"""
import contextlib
import imaplib
import os
import signal
import smtplib
import socket
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def deliver(message, recipients, lmtp):
    if any(b"<ada@example.org>" in recipient for recipient in recipients):
        with contextlib.suppress(OSError, smtplib.SMTPException), smtplib.LMTP("127.0.0.1", lmtp) as client:
            client.sendmail("ada@example.org", ["ada"], message)


def receive(connection, lmtp):
    """One conversation with the least that an SMTP client needs."""
    with connection, connection.makefile("rwb") as file:
        def say(words):
            file.write(words + b"\r\n")
            file.flush()

        recipients = []
        say(b"220 sink ESMTP")
        for line in file:
            word = line[:4].upper()
            if word == b"EHLO":
                say(b"250-sink\r\n250-8BITMIME\r\n250-FUTURERELEASE 86400 2030-01-01T00:00:00Z\r\n250 SIZE 50000000")
            elif word == b"RCPT" and b"nobody@" in line:
                say(b"550 5.1.1 No such user")
            elif word == b"RCPT":
                recipients.append(line)
                say(b"250 2.1.5 OK")
            elif word == b"DATA":
                say(b"354 go")
                body = b""
                while not body.endswith(b"\r\n.\r\n"):
                    more = file.readline()
                    if not more:
                        return
                    body += more
                say(b"250 2.0.0 Queued")
                # Later: cyrus holds the mailboxes of the sender until it has the answer.
                message = body[:-3].replace(b"\r\n..", b"\r\n.")
                threading.Thread(target=deliver, args=(message, recipients, lmtp), daemon=True).start()
            elif word == b"QUIT":
                say(b"221 bye")
                return
            else:
                say(b"250 2.1.0 OK")


def listen(server, lmtp):
    while True:
        connection, _ = server.accept()
        threading.Thread(target=receive, args=(connection, lmtp), daemon=True).start()


def make_mailboxes(port):
    admin = imaplib.IMAP4("127.0.0.1", port)
    admin.login("cyrus", "secret")
    admin.create("user/ada")
    admin.logout()
    client = imaplib.IMAP4("127.0.0.1", port)
    client.login("ada", "secret")
    for name in ("Drafts", "Sent", "Trash", "Junk", "Archive"):
        # imaplib has no words for RFC 6154.
        client._simple_command("CREATE", name, f"(USE (\\{name}))")
    client.logout()


def main():
    http, imap, lmtp = free_port(), free_port(), free_port()
    server = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=listen, args=(server, lmtp), daemon=True).start()
    ports = [str(port) for port in (http, imap, lmtp, server.getsockname()[1])]
    cyrus = subprocess.Popen(
        ["sh", f"{HERE}/run.sh", sys.argv[1], *ports], env={**os.environ, "MEMORY": "1"},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            time.sleep(0.1)
            with contextlib.suppress(OSError, imaplib.IMAP4.error):
                make_mailboxes(imap)
                break
        else:
            sys.exit("cyrus does not start")
        print(http, flush=True)
        sys.stdin.read()
    finally:
        cyrus.send_signal(signal.SIGTERM)
        cyrus.wait(timeout=20)


main()
