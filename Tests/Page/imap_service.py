"""A real mail service, Dovecot on loopback, and what its tests share: the way from the first steps to the inbox."""

import email
import imaplib
import json
import os
import re
import shutil
import ssl
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from fresh import FreshTest
from room import ROOT, expect, open_other_ways

PASSWORD = "password-for-tests"
ADDRESS = "ada@example.test"
PASSPHRASE = "a passphrase for tests"


class MailService:
    """`Tests/Servers/mail_service.py`, and another mail program that knows nothing of ours."""

    def __init__(self):
        self.process = subprocess.Popen(
            [ROOT / ".build/python/bin/python", "-B", ROOT / "Tests/Servers/mail_service.py"],
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        said = self.process.stdout.readline()
        if not said:
            raise RuntimeError("the mail service did not start")
        self.place = json.loads(said)

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=60)
        self.process.stdout.close()

    def client(self, address=ADDRESS):
        client = imaplib.IMAP4_SSL("localhost", self.place["imaps"], ssl_context=ssl._create_unverified_context())
        client.authenticate("PLAIN", lambda _: f"\0{address}\0{PASSWORD}".encode())
        return client

    def deliver(self, subject, text="Some words.", sender="Grace Hopper <grace@example.test>", days=0):
        content = (f"From: {sender}\r\nTo: {ADDRESS}\r\nSubject: {subject}\r\nMIME-Version: 1.0\r\n"
                   f"Message-ID: <{time.monotonic_ns()}@other.test>\r\nContent-Type: text/plain\r\n\r\n{text}\r\n")
        with self.client() as client:
            status, answer = client.append("INBOX", None, imaplib.Time2Internaldate(time.time() - days * 86_400), content.encode())
            assert status == "OK", answer

    def append(self, content):
        with self.client() as client:
            status, answer = client.append("INBOX", None, None, content.replace("\n", "\r\n").encode())
            assert status == "OK", answer

    def receive(self, subject, sender="Grace Hopper <grace@example.test>"):
        """Mail from outside, which Pigeonhole delivers as the active script says."""
        content = (f"From: {sender}\r\nTo: {ADDRESS}\r\nSubject: {subject}\r\n"
                   f"Message-ID: <{time.monotonic_ns()}@other.test>\r\n\r\nSome words.\r\n")
        self.run("/usr/lib/dovecot/dovecot-lda", "-d", ADDRESS, given=content)

    def put_script(self, name, text):
        """Another program puts a script there, and makes it the active one."""
        self.run("doveadm", "sieve", "put", "-a", "-u", ADDRESS, name, given=text)

    def scripts(self):
        """The names of all scripts, and which is active: `{"holiday": True}`."""
        lines = self.run("doveadm", "sieve", "list", "-u", ADDRESS).splitlines()
        return {line.removesuffix(" ACTIVE").strip(): line.endswith("ACTIVE") for line in map(str.strip, lines) if line}

    def script(self, name):
        return self.run("doveadm", "sieve", "get", "-u", ADDRESS, name).partition("\n")[2]

    def run(self, program, *words, given=""):
        # Started by root, Dovecot runs as another user.
        user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []
        command = [*user, program, "-c", f"{self.place['folder']}/dovecot.conf", *words]
        return subprocess.run(command, input=given.encode(), check=True, capture_output=True, timeout=60).stdout.decode()

    def flags(self, mailbox, subject):
        """The flags and keywords of the message with this subject; None if it is not there."""
        with self.client() as client:
            if client.select(mailbox, readonly=True)[0] != "OK":
                return None
            numbers = client.search(None, "SUBJECT", f'"{subject}"')[1][0].split()
            if not numbers:
                return None
            answer = client.fetch(numbers[0].decode(), "(FLAGS)")[1][0]
            return set(re.search(rb"FLAGS \((.*?)\)", answer)[1].decode().split())

    def empty(self, mailbox="INBOX"):
        with self.client() as client:
            if int(client.select(mailbox)[1][0]) > 0:
                client.store("1:*", "+FLAGS", "\\Deleted")
                client.expunge()

    def messages(self, mailbox, address=ADDRESS):
        with self.client(address) as client:
            if client.select(mailbox, readonly=True)[0] != "OK":
                return []  # not made yet
            numbers = client.search(None, "ALL")[1][0].split()
            answers = [client.fetch(number.decode(), "(BODY.PEEK[])")[1][0] for number in numbers]
            # What was expunged since comes without its text.
            return [email.message_from_bytes(answer[1]) for answer in answers if isinstance(answer, tuple)]


@unittest.skipUnless(os.access("/usr/sbin/dovecot", os.X_OK), "Dovecot is not installed (apt-get install dovecot-imapd).")
class ServiceTest(FreshTest):
    """A test with a program that is new, and a service that the tests of a class share."""

    @classmethod
    def setUpClass(cls):
        cls.service = MailService()
        cls.addClassCleanup(cls.service.close)

    #: Of a program that is started again.
    allowed_errors = ("ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_EMPTY", "Failed to load resource")

    def prepared(self):
        folder = Path(tempfile.mkdtemp(prefix="page-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        (folder / "config").mkdir(mode=0o700)
        shutil.copy(self.service.place["certificate"], folder / "config/certificates.pem")
        return folder

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def to_the_form(self):
        page = self.page
        self.button("Continue").click()
        open_other_ways(page)
        page.get_by_role("button", name=re.compile("^Add another mail account")).click()
        # Here no desktop keeps passwords.
        page.get_by_label("Passphrase", exact=True).fill(PASSPHRASE)
        page.get_by_label("Repeat passphrase").fill(PASSPHRASE)
        self.button("Set passphrase").click()
        expect(page.get_by_label("Mail address")).to_be_visible()

    def fill_in(self, password=PASSWORD, receiving=None):
        page = self.page
        page.get_by_label("Mail address").fill(ADDRESS)
        page.get_by_label("Password", exact=True).fill(password)
        page.get_by_label("Your name").fill("Ada Lovelace")
        self.button("Continue").click()
        self.servers(receiving)

    def servers(self, receiving=None):
        page, place = self.page, self.service.place
        expect(page.get_by_label("User name")).to_have_value(ADDRESS)
        page.get_by_label("Incoming server").fill("localhost")
        page.get_by_label("Incoming port").fill(str(receiving or place["imaps"]))
        page.get_by_label("Outgoing server").fill("localhost")
        page.get_by_label("Outgoing port").fill(str(place["submissions"]))
        self.assertNoViolations()
        self.button("Continue").click()

    def to_the_inbox(self):
        added = self.page.get_by_role("list", name="Added accounts")
        expect(added).to_contain_text(ADDRESS)
        self.button("Next").click()
        self.button("Next").click()
        self.page.get_by_role("button", name=re.compile("^Skip|^Next")).click()
        self.button("Go to Inbox").click()
        expect(self.page.get_by_role("heading", level=1, name="Inbox")).to_be_visible()

    def unlock(self):
        """After a start: what the passwords are kept in."""
        dialog = self.page.get_by_role("dialog", name="Unlock your passwords")
        dialog.get_by_label("Passphrase").fill(PASSPHRASE)
        self.page.keyboard.press("Enter")
        expect(dialog).to_have_count(0)

    def row(self, subject):
        return self.page.locator(".row", has_text=subject)
