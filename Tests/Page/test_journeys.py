"""From an empty data folder to a message that is read and answered, for accounts of different kinds."""

import json
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from fresh import FreshTest
from gmail_service import GmailService
from room import ROOT, Program, expect

PASSWORD = "password-for-tests"


class Journey(FreshTest):
    """What all of them have in common: one address, a sign-in, the inbox, an answer."""

    options = {"ignore_https_errors": True}
    #: The service has no icon.
    allowed_errors = ("404 (NOT FOUND)",)

    def prepared(self):
        folder = Path(tempfile.mkdtemp(prefix="page-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        (folder / "config/plugins").mkdir(parents=True)
        key = folder / "key"
        key.write_text("a passphrase of the vault")
        key.chmod(0o600)
        self.arguments = ("--vault-key-file", str(key))
        self.configure(folder / "config")
        return folder

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def enter(self, address):
        self.button("Continue").click()
        self.page.get_by_label("Mail address").fill(address)
        self.page.keyboard.press("Enter")

    def to_the_inbox(self, address):
        expect(self.page.get_by_role("list", name="Added accounts")).to_contain_text(address)
        self.button("Next").click()
        self.button("Next").click()
        self.page.get_by_role("button", name=re.compile("^Skip|^Next")).click()
        self.button("Go to Inbox").click()

    def read_and_answer(self, subject, words):
        """Returns once the answer has left."""
        page = self.page
        page.locator(".row", has_text=subject).first.click()
        expect(page.frame_locator(".mail-frame >> nth=-1").locator("body")).to_contain_text(words)
        self.button("Reply").click()
        composer = page.locator(".composer").first
        expect(composer.get_by_label("Message", exact=True)).to_be_focused()
        page.keyboard.type("Yes, gladly.")
        composer.get_by_role("button", name="Send", exact=True).click()
        expect(page.get_by_role("status").get_by_text("Message sent")).to_be_visible()


@unittest.skipUnless(os.access("/usr/sbin/dovecot", os.X_OK), "Dovecot is not installed (apt-get install dovecot-imapd).")
class SignedInElsewhere(Journey):
    """ACC-80, ACC-82: Gmail by an app password, Outlook through Microsoft's page."""

    @classmethod
    def setUpClass(cls):
        cls.service = GmailService()
        cls.addClassCleanup(cls.service.stop)

    def configure(self, folder):
        self.service.configure(folder)
        gmail = json.loads((folder / "plugins/org.mailkernel.gmail.json").read_text())
        kept = {name: gmail[name] for name in ("hosts", "authorizationUrl", "tokenUrl", "imap", "submission")}
        (folder / "plugins/org.mailkernel.microsoft.json").write_text(
            json.dumps({**kept, "clientId": self.service.client()["id"]}))

    def check(self):
        # The services' own pages, and the way back from Microsoft's, which knows only “localhost”.
        own = (self.service.oauth, f"http://localhost:{self.program.port}/signin")
        self.foreign = [address for address in self.foreign if not address.startswith(own)]
        super().check()

    def test_ACC_80_gmail_with_an_app_password(self):
        self.service.fill(1, "ada@gmail.com")
        self.enter("ada@gmail.com")
        ways = self.page.get_by_role("list", name="Ways to sign in")
        ways.get_by_role("button", name=re.compile("app password")).click()
        self.page.get_by_label("App password", exact=True).fill(PASSWORD)
        self.button("Continue").click()
        self.to_the_inbox("ada@gmail.com")
        self.read_and_answer("Number 0", "Hello.")
        self.assertIn("Re: Number 0", self.service.subjects("INBOX", "grace@example.test"))

    def test_ACC_82_outlook_by_its_address(self):
        self.service.fill(1, "ada@outlook.com")
        with self.page.context.expect_page() as opened:
            self.enter("ada@outlook.com")
        opened.value.locator("[name=email]").fill("ada@outlook.com")
        opened.value.get_by_role("button", name="Allow").click()
        expect(opened.value.get_by_text("You are signed in.")).to_be_visible()
        opened.value.close()
        self.to_the_inbox("ada@outlook.com")
        self.read_and_answer("Number 0", "Hello.")
        self.assertIn("Re: Number 0", self.service.subjects("INBOX", "grace@example.test"))


class OfAnotherInstallation(Journey):
    """ACC-40: the mail of one mailkernel, read and answered in another through JMAP."""

    @classmethod
    def setUpClass(cls):
        cls.there = Program("--demo", tls_port=0)
        cls.addClassCleanup(cls.there.close)
        said = cls.there.command("token", "create", "another")
        cls.token = said.split()[0]
        cls.port = re.search(r"https://[^/:]+:(\d+)/", said)[1]

    def configure(self, folder):
        shutil.copy(self.there.folder / "data/server/tls/mailkernel-ca.pem", folder / "certificates.pem")

    def test_ACC_40_with_a_token(self):
        page = self.page
        self.button("Continue").click()
        page.get_by_role("button", name=re.compile("JMAP account")).click()
        page.get_by_label("Mail address").fill("ada@example.org")
        page.get_by_label("Sign in with").select_option(label="API token")
        page.get_by_label("Password or token").fill("wrong")
        page.get_by_label("Mail service").select_option(label="Other: enter the server")
        self.button("Continue").click()
        self.server()
        expect(page.get_by_role("alert").filter(has_text=re.compile(r"\S"))).to_be_visible()
        self.button("Retry").click()
        page.get_by_label("Password or token").fill(self.token)
        self.button("Continue").click()
        self.server()
        self.to_the_inbox("ada@example.org")
        row = page.locator(".row").first
        expect(row).to_be_visible()
        self.read_and_answer(row.locator(".row-subject").inner_text(), "")
        page.get_by_role("link", name="Sent").first.click()
        expect(page.locator(".row", has_text="Re:").first).to_be_visible()

    def server(self):
        page = self.page
        page.get_by_label("Server", exact=True).fill("localhost")
        page.get_by_label("Port (optional)").fill(self.port)
        self.button("Continue").click()
