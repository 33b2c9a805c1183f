#!/usr/bin/env python3
"""Dovecot on loopback for tests, with a check of OAuth tokens. Prints one line of JSON when it is ready,
runs until its input closes, then stops what it started and removes its folder.

The token of an address is `valid.ADDRESS`; the password of all is `password-for-tests`."""

import http.server
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

NOBODY = 65534
# Dovecot gives up its rights only if it has any.
IS_ROOT = os.getuid() == 0

CONFIGURATION = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
protocols = imap
listen = 127.0.0.1, 127.0.0.2
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
first_valid_uid = 1
first_valid_gid = 1
auth_mechanisms = xoauth2 oauthbearer plain
auth_failure_delay = 0
disable_plaintext_auth = yes
ssl = required
ssl_cert = <{folder}/server.pem
ssl_key = <{folder}/server.key
ssl_min_protocol = TLSv1.2
ssl_dh =
mail_home = {folder}/home/%u
mail_location = sdbox:~/mail
mail_max_userip_connections = 1000
mailbox_list_index = yes
mail_fsync = never
imap_idle_notify_interval = 30 secs
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {folder}/oauth2.conf.ext
}}
passdb {{
  driver = static
  mechanisms = plain
  args = password=password-for-tests
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={folder}/home/%u allow_all_users=yes
}}
namespace inbox {{
  inbox = yes
  separator = /
  mailbox Sent {{
    auto = subscribe
    special_use = \\Sent
  }}
  mailbox Drafts {{
    auto = subscribe
    special_use = \\Drafts
  }}
  mailbox Trash {{
    auto = subscribe
    special_use = \\Trash
  }}
  mailbox Spam {{
    auto = subscribe
    special_use = \\Junk
  }}
  mailbox Archive {{
    auto = subscribe
    special_use = \\Archive
  }}
}}
mail_plugins = zlib
protocol imap {{
  mail_plugins = zlib imap_zlib
}}
service imap-login {{
  chroot =
  service_count = 0
  process_min_avail = 1
  inet_listener imap {{
    address = 127.0.0.2
    port = {starttls}
  }}
  inet_listener imaps {{
    address = 127.0.0.1
    port = {imaps}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  chroot =
}}
service imap {{
  process_limit = 1000
}}
"""

OAUTH = """
introspection_mode = post
introspection_url = http://127.0.0.1:{oauth}/introspect
username_attribute = username
active_attribute = active
active_value = true
"""


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


def free_port(address):
    with socket.socket() as probe:
        probe.bind((address, 0))
        return probe.getsockname()[1]


def wait_for(port, process):
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if process.poll() is not None:
            sys.exit("dovecot ended at once")
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
            return
        except OSError:
            time.sleep(0.02)
    sys.exit("dovecot is not ready after 20 seconds")


def remove_leftovers():
    """Folders of processes that were killed."""
    for folder in Path("/tmp").glob("imap-test-*-*"):
        if not Path("/proc", folder.name.split("-")[2]).exists():
            shutil.rmtree(folder, ignore_errors=True)


def main():
    # Threads of tests hold signals back, and what they start inherits that: Dovecot would neither stop nor
    # see that its processes have ended.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    remove_leftovers()
    folder = Path(tempfile.mkdtemp(prefix=f"imap-test-{os.getpid()}-", dir="/tmp"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    process = None
    try:
        folder.chmod(0o755)
        for name in ("run", "state", "home"):
            (folder / name).mkdir()
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
             "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:127.0.0.2",
             "-keyout", folder / "server.key", "-out", folder / "server.pem"],
            check=True, stderr=subprocess.DEVNULL)
        oauth = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Introspection)
        threading.Thread(target=oauth.serve_forever, daemon=True).start()
        ports = {"imaps": free_port("127.0.0.1"), "starttls": free_port("127.0.0.2")}
        user, group = ("nobody", "nogroup") if IS_ROOT else (str(os.getuid()), str(os.getgid()))
        configuration = folder / "dovecot.conf"
        configuration.write_text(CONFIGURATION.format(folder=folder, user=user, group=group, **ports))
        (folder / "oauth2.conf.ext").write_text(OAUTH.format(oauth=oauth.server_port))
        if IS_ROOT:
            for path in [folder, *folder.rglob("*")]:
                os.chown(path, NOBODY, NOBODY)
        rights = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if IS_ROOT else []
        # Whatever ends this process ends Dovecot too.
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig=TERM", *rights, "/usr/sbin/dovecot", "-F", "-c", configuration],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        wait_for(ports["imaps"], process)
        print(json.dumps({**ports, "certificate": str(folder / "server.pem"), "folder": str(folder)}), flush=True)
        while sys.stdin.buffer.read1(4096):
            pass
    finally:
        if process and process.poll() is None:
            process.terminate()
            process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


main()
