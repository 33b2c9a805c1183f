"""The door of a mail server, which misbehaves as it is told."""

import contextlib
import socket
import ssl
import threading
import time

import trustme


class Door:
    """Leads to `port`. With a `refusal`, it answers each sign-in itself, with these words; untrusted, it shows a
    certificate that no program knows; slow, it holds every piece back for `delay` seconds."""

    def __init__(self, port, certificate, key):
        self.target = port
        self.refusal, self.delay, self.is_trusted = None, 0, True
        self.own = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.own.load_cert_chain(certificate, key)
        self.other = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        trustme.CA().issue_cert("localhost").configure_cert(self.other)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.start(self.accept)

    def close(self):
        # Closing alone does not wake the thread that waits there.
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    @staticmethod
    def start(work, *arguments):
        threading.Thread(target=work, args=arguments, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                self.start(self.serve, self.listener.accept()[0])

    def serve(self, client):
        with contextlib.suppress(OSError), client:
            if self.is_trusted and self.refusal is None:
                server = socket.create_connection(("127.0.0.1", self.target))
                self.start(self.copy, client, server)
                return self.copy(server, client)
            context = self.own if self.is_trusted else self.other
            with context.wrap_socket(client, server_side=True) as secure:
                self.refuse(secure.makefile("rwb"))

    def copy(self, source, target):
        with contextlib.suppress(OSError):
            while piece := source.recv(1 << 16):
                time.sleep(self.delay)
                target.sendall(piece)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def refuse(self, client):
        def say(line):
            client.write(line.encode() + b"\r\n")
            client.flush()

        say("* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] ready")
        for line in client:
            tag, word, *_ = line.decode().split()
            signs_in = word.upper() in ("AUTHENTICATE", "LOGIN")
            say(f"{tag} {self.refusal}" if signs_in else f"{tag} OK done")
