"""What goes wrong while an account is added: each trouble has its sentence, and the way on."""

import json
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from door import Door
from fresh import FreshTest
from gmail_service import GmailService
from imap_service import PASSWORD, ServiceTest
from room import NARROW, expect


class Trouble(ServiceTest):
    """ACC-105: a wrong certificate, a blocked account, and a slow server."""

    def door(self, service):
        folder = Path(service.place["folder"])
        door = Door(service.place["imaps"], folder / "server.pem", folder / "server.key")
        self.addCleanup(door.close)
        return door

    def again(self):
        """After a refused sign-in, the password is asked for again."""
        self.button("Retry").click()
        password = self.page.get_by_label("Password", exact=True)
        expect(password.or_(self.page.get_by_label("Incoming server"))).to_be_visible()
        if password.count():
            password.fill(PASSWORD)
            self.button("Continue").click()
        self.servers(receiving=self.port)

    def test_ACC_105_each_trouble_has_its_sentence_and_a_way_on(self):
        page, door = self.page, self.door(self.service)
        self.port = door.port
        alert = page.get_by_role("alert").filter(has_text=re.compile(r"\S"))
        door.is_trusted = False
        self.to_the_form()
        self.fill_in(receiving=door.port)
        expect(alert).to_contain_text("The connection to localhost is not secure")
        expect(alert).to_contain_text("Nothing was sent.")
        expect(alert).not_to_contain_text("permissions")
        door.is_trusted = True
        for refusal, sentence in (
                ("NO [AUTHENTICATIONFAILED] Two-step verification is on: use an app password",
                 "use an app password"),
                ("NO [AUTHENTICATIONFAILED] This account is blocked", "This account is blocked"),
                ("NO [UNAVAILABLE] Too many sign-ins", "The service is busy. Try again in a few minutes.")):
            door.refusal = refusal
            self.again()
            expect(alert).to_contain_text(sentence)
            self.assertNoViolations()
        # What was busy is tried again as it is, without a form.
        door.refusal, door.delay = None, 0.15
        self.button("Retry").click()
        # It waits as long as it takes, and can be canceled.
        expect(page.get_by_text("Connecting to your mail server…")).to_be_visible()
        expect(self.button("Cancel")).to_be_enabled()
        self.service.deliver("From a slow server")
        self.to_the_inbox()
        expect(self.row("From a slow server")).to_be_visible()


@unittest.skipUnless(os.access("/usr/sbin/dovecot", os.X_OK), "Dovecot is not installed (apt-get install dovecot-imapd).")
class TwoSteps(FreshTest):
    """ACC-105: an account at Google whose password is not enough."""

    @classmethod
    def setUpClass(cls):
        cls.service = GmailService()
        cls.addClassCleanup(cls.service.stop)

    def prepared(self):
        folder = Path(tempfile.mkdtemp(prefix="page-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.service.configure(folder / "config")
        place = Path(self.service.place["folder"])
        self.door = Door(self.service.place["imaps"], place / "server.pem", place / "server.key")
        self.addCleanup(self.door.close)
        settings = folder / "config/plugins/org.mailkernel.gmail.json"
        settings.write_text(json.dumps({
            **json.loads(settings.read_text()), "imap": {"host": "localhost", "port": self.door.port}}))
        key = folder / "key"
        key.write_text("a passphrase of the vault")
        key.chmod(0o600)
        self.arguments = ("--vault-key-file", str(key))
        return folder

    def test_ACC_105_google_requires_an_app_password(self):
        page = self.page
        button = lambda name: page.get_by_role("button", name=name, exact=True)
        self.door.refusal = "NO [ALERT] Application-specific password required: https://support.google.com/ (Failure)"
        button("Continue").click()
        page.get_by_label("Mail address").fill("ada@gmail.com")
        page.keyboard.press("Enter")
        ways = page.get_by_role("list", name="Ways to sign in")
        ways.get_by_role("button", name=re.compile("app password")).click()
        page.get_by_label("App password", exact=True).fill(PASSWORD)
        button("Continue").click()
        expect(page.get_by_role("alert").filter(has_text=re.compile(r"\S"))).to_contain_text(
            "Create one at myaccount.google.com/apppasswords.")
        self.assertNoViolations()
        self.door.refusal = None
        button("Retry").click()
        page.get_by_label("App password", exact=True).fill(PASSWORD)
        button("Continue").click()
        expect(page.get_by_role("list", name="Added accounts")).to_contain_text("ada@gmail.com")


class NoNetwork(FreshTest):
    """ACC-100: the search for an address where nothing responds."""

    # Nothing listens at port 1: neither the proxy nor the name server responds.
    environment = {"https_proxy": "http://127.0.0.1:1", "MAILKERNEL_NAME_SERVER": "127.0.0.1:1"}

    def prepared(self):
        folder = Path(tempfile.mkdtemp(prefix="page-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        key = folder / "key"
        key.write_text("a passphrase of the vault")
        key.chmod(0o600)
        self.arguments = ("--vault-key-file", str(key))
        return folder

    def test_ACC_100_it_says_so_and_what_still_works(self):
        page = self.page
        button = lambda name: page.get_by_role("button", name=name, exact=True)
        button("Continue").click()
        page.get_by_label("Mail address").fill("ada@bakery.example")
        page.keyboard.press("Enter")
        button("Look up").click()
        # The machine of the tests may have a network.
        said = page.get_by_text(re.compile("^(This device has no network connection|No server responded)"))
        expect(said).to_be_focused()
        expect(page.get_by_text("Try again when you are online")).to_be_visible()
        expect(page.get_by_text("No settings were found")).to_have_count(0)
        self.assertNoViolations()
        page.set_viewport_size(NARROW)
        self.assertFits()
        button("Try again").click()
        expect(said).to_be_focused()
        button("Enter the servers").click()
        expect(page.get_by_label("Incoming server")).to_have_value("imap.bakery.example")
        button("Cancel").click()
        # The built-in list needs none.
        page.get_by_label("Mail address").fill("ada@posteo.de")
        page.keyboard.press("Enter")
        expect(page.get_by_label("Password")).to_be_visible()


if __name__ == "__main__":
    unittest.main()
