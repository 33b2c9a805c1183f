#!/usr/bin/env python3
"""Dovecot on loopback for tests, with a check of OAuth tokens. Prints one line of JSON when it is ready,
runs until its input closes, then stops what it started and removes its folder.

The token of an address is `valid.ADDRESS`; the password of all is `password-for-tests`. Mailboxes that are named
as arguments are not there."""

import http.server
import json
import shutil
import signal
import sys
import threading
import urllib.parse
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "Tests/Servers"))
import dovecot


class Introspection(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        token = urllib.parse.parse_qs(body).get("token", [""])[0]
        answer = {"active": False}
        if token.startswith("valid."):
            answer = {"active": True, "username": token.removeprefix("valid.")}
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def main():
    folder = dovecot.make_folder("imap-test")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server = None
    try:
        dovecot.make_certificate(folder)
        oauth = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Introspection)
        threading.Thread(target=oauth.serve_forever, daemon=True).start()
        mailboxes = {name: role for name, role in dovecot.USUAL.items() if name not in sys.argv[1:]}
        server = dovecot.Dovecot(folder, f"http://127.0.0.1:{oauth.server_port}/introspect", mailboxes,
                                 has_quota=True)
        place = {"certificate": str(folder / "server.pem"), "folder": str(folder)}
        print(json.dumps({**server.ports, **place}), flush=True)
        while sys.stdin.buffer.read1(4096):
            pass
    finally:
        if server:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


main()
