"""A Dovecot on loopback, in a folder of its own, for tests."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NOBODY = 65534
# Dovecot gives up its rights only if it has any.
IS_ROOT = os.getuid() == 0
PASSWORD = "password-for-tests"

CONFIGURATION = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
protocols = {protocols}
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
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={folder}/home/%u allow_all_users=yes
}}
namespace inbox {{
  inbox = yes
  separator = /
{mailboxes}}}
mail_plugins = zlib{quota}
protocol imap {{
  mail_plugins = zlib imap_zlib{imap_quota}
  {capabilities}
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
{scripts}{limits}"""

# What each account may keep, more than any test needs.
LIMITS = """
plugin {
  quota = count:User quota
  quota_vsizes = yes
  quota_rule = *:storage=20G:messages=2000000
}
"""

# Scripts by ManageSieve, and the program that delivers as they say.
SCRIPTS = """
service managesieve-login {{
  chroot =
  inet_listener sieve {{
    address = 127.0.0.2
    port = {sieve}
  }}
}}
protocol lda {{
  mail_plugins = zlib sieve
}}
plugin {{
  sieve = file:~/sieve;active=~/.dovecot.sieve
}}
"""
HAS_SCRIPTS = Path("/usr/lib/dovecot/managesieve-login").exists()

OAUTH = """
introspection_mode = post
introspection_url = {introspection}
username_attribute = username
active_attribute = active
active_value = true
"""


MAILBOX = """
  mailbox "{name}" {{
    auto = subscribe
    special_use = \\{role}
  }}
"""

# As from before RFC 4315: nothing says what a message is called that was copied or moved.
OLD = "imap_capability = IMAP4rev1 LITERAL+ IDLE NAMESPACE UNSELECT CHILDREN LIST-EXTENDED"

# Where most servers keep their mail.
USUAL = {"Sent": "Sent", "Drafts": "Drafts", "Trash": "Trash", "Spam": "Junk", "Archive": "Archive"}


def free_port(address="127.0.0.1"):
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


def remove_leftovers(prefix):
    """Folders of processes that were killed."""
    for folder in Path("/tmp").glob(f"{prefix}-*-*"):
        owner = folder.name.removeprefix(prefix + "-").split("-")[0]
        if not Path("/proc", owner).exists():
            shutil.rmtree(folder, ignore_errors=True)


def make_folder(prefix):
    # Threads of tests hold signals back, and what they start inherits that: Dovecot would neither stop nor
    # see that its processes have ended.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    remove_leftovers(prefix)
    folder = Path(tempfile.mkdtemp(prefix=f"{prefix}-{os.getpid()}-", dir="/tmp"))
    folder.chmod(0o755)
    return folder


def make_certificate(folder):
    """server.pem, which vouches for itself, and server.key."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:127.0.0.2",
         "-keyout", folder / "server.key", "-out", folder / "server.pem"],
        check=True, stderr=subprocess.DEVNULL)


class Dovecot:
    """Runs until `stop`. Every address is an account, made when it first signs in."""

    def __init__(self, folder, introspection, mailboxes=USUAL, is_old=False, has_quota=False):
        self.ports = {"imaps": free_port(), "starttls": free_port("127.0.0.2")}
        if HAS_SCRIPTS:
            self.ports["sieve"] = free_port("127.0.0.2")
        for name in ("run", "state", "home"):
            (folder / name).mkdir()
        user, group = ("nobody", "nogroup") if IS_ROOT else (str(os.getuid()), str(os.getgid()))
        boxes = "".join(MAILBOX.format(name=name, role=role) for name, role in mailboxes.items())
        configuration = folder / "dovecot.conf"
        configuration.write_text(CONFIGURATION.format(
            folder=folder, user=user, group=group, mailboxes=boxes, password=PASSWORD,
            capabilities=OLD if is_old else "", protocols="imap sieve" if HAS_SCRIPTS else "imap",
            quota=" quota" if has_quota else "", imap_quota=" quota imap_quota" if has_quota else "",
            limits=LIMITS if has_quota else "", scripts=SCRIPTS.format(**self.ports) if HAS_SCRIPTS else "", **self.ports))
        (folder / "oauth2.conf.ext").write_text(OAUTH.format(introspection=introspection))
        if IS_ROOT:
            for path in [folder, *folder.rglob("*")]:
                os.chown(path, NOBODY, NOBODY)
        rights = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if IS_ROOT else []
        # Whatever ends this process ends Dovecot too.
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig=TERM", *rights, "/usr/sbin/dovecot", "-F", "-c", configuration],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        wait_for(self.ports["imaps"], self.process)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)
