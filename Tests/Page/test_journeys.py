"""From an empty data folder to a message that is read and answered, for accounts of different kinds."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from domains import Domains
from fresh import FreshTest
from gmail_service import GmailService
from imap_service import MailService
from room import ROOT, Program, expect, open_other_ways

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
        self.began = time.monotonic()
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
        self.readable = time.monotonic()
        self.button("Reply").click()
        composer = page.locator(".composer").first
        expect(composer.get_by_label("Message", exact=True)).to_be_focused()
        page.keyboard.type("Yes, gladly.")
        composer.get_by_role("button", name="Send", exact=True).click()
        expect(page.get_by_role("status").get_by_text("Message sent")).to_be_visible()


@unittest.skipUnless(os.access("/usr/sbin/dovecot", os.X_OK), "Dovecot is not installed (apt-get install dovecot-imapd).")
class SignedInElsewhere(Journey):
    """ACC-80, ACC-82, ACC-120: Gmail by an app password, Outlook and Microsoft Graph through Microsoft's page."""

    @classmethod
    def setUpClass(cls):
        cls.service = GmailService()
        cls.addClassCleanup(cls.service.stop)

    def configure(self, folder):
        self.service.configure(folder)
        gmail = json.loads((folder / "plugins/org.mailkernel.gmail.json").read_text())
        kept = {name: gmail[name] for name in ("hosts", "authorizationUrl", "tokenUrl", "imap", "submission")}
        kept["clientId"] = self.service.client()["id"]
        (folder / "plugins/org.mailkernel.microsoft.json").write_text(json.dumps(kept))
        kept["graph"] = f"{self.service.oauth}/v1.0"
        (folder / "plugins/org.mailkernel.microsoft-graph.json").write_text(json.dumps(kept))

    def check(self):
        # The services' own pages, and the way back from Microsoft's, which knows only “localhost”.
        own = (self.service.oauth, f"http://localhost:{self.program.port}/signin")
        self.foreign = [address for address in self.foreign if not address.startswith(own)]
        super().check()

    def test_ACC_80_ACC_106_gmail_with_an_app_password(self):
        self.service.fill(1, "ada@gmail.com")
        self.enter("ada@gmail.com")
        ways = self.page.get_by_role("list", name="Ways to sign in")
        ways.get_by_role("button", name=re.compile("app password")).click()
        self.page.get_by_label("App password", exact=True).fill(PASSWORD)
        self.assertLessEqual(1 + self.page.locator("form input").count(), 3, "fields, with the address")
        self.button("Continue").click()
        self.to_the_inbox("ada@gmail.com")
        self.read_and_answer("Number 0", "Hello.")
        # Driven, so nearly all of it is the program's own time. `make bench` measures it where nothing else runs.
        print(f"address to first readable message: {self.readable - self.began:.1f} s")
        self.assertIn("Re: Number 0", self.service.subjects("INBOX", "grace@example.test"))

    def test_ACC_82_outlook_by_its_address(self):
        self.service.fill(1, "ada@outlook.com")
        with self.page.context.expect_page() as opened:
            self.enter("ada@outlook.com")
        self.allow(opened.value, "ada@outlook.com")
        self.to_the_inbox("ada@outlook.com")
        self.read_and_answer("Number 0", "Hello.")
        self.assertIn("Re: Number 0", self.service.subjects("INBOX", "grace@example.test"))

    def test_ACC_120_microsoft_365_without_imap(self):
        self.service.graph("ada@contoso.example", (
            b"From: Grace <grace@example.test>\r\nTo: ada@contoso.example\r\nSubject: Number 0\r\n"
            b"Message-ID: <0@contoso.example>\r\n\r\nHello.\r\n"))
        self.button("Continue").click()
        open_other_ways(self.page)
        self.page.get_by_role("button", name=re.compile("Microsoft account without IMAP")).click()
        self.page.get_by_label("Your address").fill("ada@contoso.example")
        with self.page.context.expect_page() as opened:
            self.button("Continue").click()
        self.allow(opened.value, "ada@contoso.example")
        self.to_the_inbox("ada@contoso.example")
        self.read_and_answer("Number 0", "Hello.")
        self.assertEqual(self.service.graph("ada@contoso.example/sentitems"), ["Re: Number 0"])

    def allow(self, tab, address):
        tab.locator("[name=email]").fill(address)
        tab.get_by_role("button", name="Allow").click()
        expect(tab.get_by_text("You are signed in.")).to_be_visible()
        tab.close()


@unittest.skipUnless(os.access("/usr/sbin/dovecot", os.X_OK), "Dovecot is not installed (apt-get install dovecot-imapd).")
class OfAFoundService(Journey):
    """ACC-11, ACC-13: the domain names its servers and where people sign in, and nothing is known beforehand."""

    domain = "tearoom.example"
    login = f"https://login.{domain}"

    @classmethod
    def setUpClass(cls):
        cls.service = MailService()
        cls.addClassCleanup(cls.service.close)
        place, domain = cls.service.place, cls.domain
        domains = Domains({domain: {
            "files": {f"ua-auto-config.{domain}/.well-known/user-agent-configuration.json": {
                "pacc": True, "issuer": cls.login}},
            "routes": {
                f"imap.{domain}:993": place["imaps"], f"smtp.{domain}:465": place["submissions"],
                f"login.{domain}:443": place["oauth"]}}})
        cls.addClassCleanup(domains.close)
        cls.environment = domains.environment

    def configure(self, folder):
        pass

    def check(self):
        self.foreign = [address for address in self.foreign if not address.startswith(self.login)]
        super().check()

    def test_ACC_13_a_domain_names_its_sign_in(self):
        page, address = self.page, f"ada@{self.domain}"
        own = f"https://localhost:{self.service.place['oauth']}"
        # The browser does not go through the program's proxy.
        page.context.route(
            f"{self.login}/**", lambda route: route.continue_(url=route.request.url.replace(self.login, own)))
        with self.service.client(address) as client:
            client.append("INBOX", None, None, (
                b"From: Grace <grace@example.test>\r\nTo: " + address.encode() + b"\r\nSubject: Scones\r\n"
                b"Message-ID: <scones@example.test>\r\n\r\nWith cream?\r\n"))
        self.enter(address)
        self.button("Look up").click()
        # The host of the page is shown before anything is asked there.
        expect(page.get_by_text(f"login.{self.domain}").first).to_be_visible()
        self.button("Continue").click()
        expect(page.get_by_label("Sign in with")).to_have_value("browser")
        with page.context.expect_page() as opened:
            self.button("Continue").click()
        opened.value.locator("[name=email]").fill(address)
        opened.value.get_by_role("button", name="Allow").click()
        expect(opened.value.get_by_text("You are signed in.")).to_be_visible()
        opened.value.close()
        self.to_the_inbox(address)
        self.read_and_answer("Scones", "With cream?")
        answers = self.service.messages("INBOX", "grace@example.test")
        self.assertIn("Re: Scones", [message["Subject"] for message in answers])


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
        open_other_ways(page)
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


class WithPOP3(Journey):
    """ACC-101, ACC-102, ACC-104: a service that has POP3 only, whose mail is kept here."""

    address = "ada@example.test"

    @classmethod
    def setUpClass(cls):
        cls.service = subprocess.Popen(
            [ROOT / ".build/python/bin/python", "-B", ROOT / "Tests/Servers/pop_service.py"],
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        cls.addClassCleanup(cls.stop)
        cls.place = json.loads(cls.service.stdout.readline())

    @classmethod
    def stop(cls):
        cls.service.terminate()
        cls.service.wait(timeout=30)
        cls.service.stdout.close()

    def configure(self, folder):
        shutil.copy(self.place["certificate"], folder / "certificates.pem")

    def test_ACC_104_a_message_is_read_and_answered(self):
        page = self.page
        self.button("Continue").click()
        open_other_ways(page)
        page.get_by_role("button", name=re.compile("^Add another mail account")).click()
        page.get_by_label("Mail address").fill(self.address)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_label("Mail service").select_option(label="Other, only with POP3: enter the servers")
        self.button("Continue").click()
        self.fill_in_servers()
        self.assertNoViolations()
        self.button("Continue").click()
        self.to_the_inbox(self.address)
        self.read_and_answer("Only by POP3", "Shall we meet on Tuesday?")
        page.get_by_role("link", name="Sent").first.click()
        expect(page.locator(".row", has_text="Re: Only by POP3")).to_be_visible()
        self.look_after_it()

    def fill_in_servers(self):
        for label, value in (("Incoming (POP3) server", "localhost"), ("Incoming (POP3) port", self.place["pop3s"]),
                             ("Outgoing server", "localhost"), ("Outgoing port", self.place["submissions"])):
            self.page.get_by_label(label).fill(str(value))

    def look_after_it(self):
        """It is paused and changed like any other, and removed with a warning."""
        page, name = self.page, self.address
        page.goto("/#/settings/accounts")
        page.get_by_role("button", name=f"Pause {name}").click()
        page.get_by_role("button", name=f"Resume {name}").click()
        expect(page.get_by_role("group", name=f"{name}, active")).to_be_visible()
        page.get_by_role("button", name=f"Change how it signs in… ({name})").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Password", exact=True).fill(PASSWORD)
        expect(dialog.get_by_label("Incoming (POP3) server")).to_have_value("localhost")
        dialog.get_by_label("Messages on the server").select_option(label="Remove them when they are deleted here")
        dialog.get_by_role("button", name="Continue").click()
        expect(dialog).to_have_count(0)
        page.get_by_role("button", name=f"Remove Account {name}").click()
        question = page.get_by_role("alertdialog", name=f"Remove {name}?")
        expect(question).to_contain_text("everything that is no longer on the server will be lost")
        self.assertNoViolations()
        question.get_by_role("button", name="Remove").click()
        expect(page.get_by_role("heading", name="Welcome to mailkernel")).to_be_visible()


if __name__ == "__main__":
    unittest.main()
