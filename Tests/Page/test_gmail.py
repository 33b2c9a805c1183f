"""Onboarding's second step with the plugin for Gmail, and the sentences that the specification gives it."""

import json
import os
import re
import shutil
import signal
import socket
import tempfile
import unittest
from pathlib import Path

from fresh import FreshTest
from gmail_service import ADDRESS, GmailService
from room import expect

OTHER = "bob@example.test"


@unittest.skipUnless(os.access("/usr/sbin/dovecot", os.X_OK), "Dovecot is not installed (apt-get install dovecot-imapd).")
class Gmail(FreshTest):
    options = {"ignore_https_errors": True}
    # The service has no icon; the page that a refused sign-in ends on is an error to the browser; and a program that
    # is started again does not answer for a moment.
    allowed_errors = ("404 (NOT FOUND)", "503", "502", "ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_EMPTY")

    @classmethod
    def setUpClass(cls):
        cls.service = GmailService()
        cls.addClassCleanup(cls.service.stop)

    def prepared(self):
        folder = Path(tempfile.mkdtemp(prefix="page-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.service.configure(folder / "config")
        key = folder / "key"
        key.write_text("a passphrase of the vault")
        key.chmod(0o600)
        self.arguments = ("--vault-key-file", str(key))
        return folder

    def setUp(self):
        super().setUp()
        self.button("Continue").click()

    def check(self):
        # The page opens the service's own, which is not the page's doing any more.
        self.foreign = [address for address in self.foreign if not address.startswith(self.service.oauth)]
        super().check()

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def enter(self, address, client=None):
        """Fills in the form; returns the page of the service that it opens."""
        self.page.get_by_label("Gmail address").fill(address)
        if client:
            self.page.locator("[name=clientId]").fill(client["id"])
            self.page.locator("[name=clientSecret]").fill(client["secret"])
        with self.page.context.expect_page() as opened:
            self.button("Continue").click()
        return opened.value

    def allow(self, tab, address, says="You are signed in."):
        tab.locator("[name=email]").fill(address)
        # It leads to a page that answers once the sign-in is through, or half a minute has passed.
        tab.get_by_role("button", name="Allow").click(timeout=60_000)
        expect(tab.get_by_text(says)).to_be_visible(timeout=60_000)
        tab.close()

    def test_FR_OB_01_the_second_step_says_what_it_has_to(self):
        page = self.page
        expect(page.get_by_role("heading", level=1, name="Add a mail account", exact=True)).to_be_visible()
        spec = page.get_by_role("heading", name="Add your Gmail account", exact=True)
        expect(spec).to_be_visible()
        expect(self.button("Next")).to_be_disabled()
        self.button("Add Account").click()
        expect(page.get_by_role("heading", level=1, name="Add your Gmail account", exact=True)).to_be_visible()
        expect(page.get_by_role("link", name="Where to find this information")).to_be_visible()
        expect(page.get_by_role("link", name="Privacy policy")).to_have_attribute("href", "/docs/privacy.html")
        self.assertNoViolations()

    def test_FR_ACCT_01_two_accounts_and_one_client_that_is_typed_once(self):
        page, accounts = self.page, self.page.get_by_role("list", name="Added accounts")
        self.button("Add Account").click()
        self.allow(self.enter(ADDRESS, self.service.client()), ADDRESS)
        expect(accounts).to_contain_text(ADDRESS)
        self.button("Add a Gmail account").click()
        self.allow(self.enter(OTHER), OTHER)
        expect(accounts).to_contain_text(OTHER)
        expect(accounts.get_by_role("listitem")).to_have_count(2)
        expect(self.button("Next")).to_be_enabled()
        self.assertNoViolations(page)

    def test_FR_OB_01_an_account_that_cannot_be_used_is_not_added(self):
        """The address that was typed is not the one that signed in: its mail cannot be had."""
        self.button("Add Account").click()
        sentence = "Couldn't connect to Gmail. Please check account permissions."
        self.allow(self.enter(OTHER, self.service.client()), ADDRESS, sentence)
        expect(self.page.get_by_text(sentence)).to_be_visible()
        self.assertNoViolations()
        expect(self.button("Retry")).to_be_visible()
        self.button("Cancel").click()
        expect(self.page.get_by_role("list", name="Added accounts")).to_have_count(0)
        expect(self.button("Next")).to_be_disabled()

    def test_E_SO_02_a_sign_in_whose_server_is_gone_says_so_and_tries_again(self):
        """The person has allowed it in the browser, and nothing listens where the token is issued."""
        self.network_is_unavailable(1)

    def test_E_SO_02_a_sign_in_whose_server_never_answers_says_so_and_tries_again(self):
        self.network_is_unavailable(self.silent())

    def test_E_SO_03_an_account_whose_mail_server_is_dead_is_not_added(self):
        self.mail_cannot_be_had(1)

    def test_E_SO_03_an_account_whose_mail_server_never_answers_is_not_added(self):
        self.mail_cannot_be_had(self.silent())

    def silent(self):
        """The port of a server that takes every connection and says nothing."""
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        return server.getsockname()[1]

    def network_is_unavailable(self, port):
        self.point({"tokenUrl": f"https://localhost:{port}/token"})
        self.fails("Network unavailable. Check your connection and try again.")
        expect(self.page.get_by_role("list", name="Added accounts")).to_have_count(0)

    def mail_cannot_be_had(self, port):
        self.point({"imap": {"host": "localhost", "port": port}})
        self.fails("Couldn't connect to Gmail.")
        expect(self.page.get_by_text("localhost does not respond")).to_be_visible()
        self.button("Cancel").click()
        expect(self.page.get_by_role("list", name="Added accounts")).to_have_count(0)
        expect(self.button("Next")).to_be_disabled()

    def fails(self, sentence):
        self.button("Add Account").click()
        # The service's page is not kept waiting as long as a server that says nothing.
        says = re.compile(f"{re.escape(sentence)}|You are being signed in")
        self.allow(self.enter(ADDRESS, self.service.client()), ADDRESS, says)
        expect(self.page.get_by_role("alert").get_by_text(sentence)).to_be_visible(timeout=60_000)
        self.assertNoViolations()
        expect(self.button("Retry")).to_be_visible()

    def point(self, values):
        """Starts the program again with another place for a part of the service."""
        settings = self.program.folder / "config/plugins/org.mailkernel.gmail.json"
        settings.write_text(json.dumps({**json.loads(settings.read_text()), **values}))
        self.again(signal.SIGTERM)
        self.page.context.request.get(self.program.link)
        self.page.reload()
        self.button("Continue").click()

    def test_FR_OB_01_who_cancels_at_the_service_may_try_again(self):
        self.button("Add Account").click()
        client = self.service.client()
        tab = self.enter(ADDRESS, client)
        tab.get_by_role("button", name="Cancel").click()
        expect(self.page.get_by_role("heading", name="Add your Gmail account", exact=True)).to_be_visible()
        expect(self.page.get_by_role("list", name="Added accounts")).to_have_count(0)
