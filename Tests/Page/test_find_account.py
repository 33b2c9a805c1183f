"""An account begins with its address: who is asked, what is found, and what is confirmed."""

import shutil
import tempfile
from pathlib import Path

from domains import Domains
from fresh import FreshTest
from room import NARROW, ROOT, WIDE, expect


class FindAccount(FreshTest):
    """ACC-02, ACC-05: the question, the line with the result, and its confirmation."""

    @classmethod
    def setUpClass(cls):
        domains = Domains(ROOT / "Tests/Fixtures/domains/domains.json")
        cls.addClassCleanup(domains.close)
        cls.folder, cls.environment = domains.folder, domains.environment

    def prepared(self):
        folder = Path(tempfile.mkdtemp(prefix="page-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        key = folder / "key"
        key.write_text("a passphrase of the vault")
        key.chmod(0o600)
        self.arguments = ("--vault-key-file", str(key))
        return folder

    def setUp(self):
        super().setUp()
        self.button("Continue").click()

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def enter(self, address):
        self.page.get_by_label("Mail address").fill(address)
        self.page.keyboard.press("Enter")

    def test_ACC_103_it_is_one_field_and_one_button_and_the_rest_is_folded(self):
        page = self.page
        others = page.get_by_role("list", name="Other accounts")
        folded = page.locator("summary", has_text="Other ways to add an account")
        expect(page.locator("form input")).to_have_count(1)
        expect(others).to_have_count(0)
        for size in (WIDE, NARROW):
            page.set_viewport_size(size)
            self.settle()
            # All of it is in sight, and no paragraph is longer than a line or two.
            expect(folded).to_be_in_viewport(ratio=1)
            self.assertLess(len(page.locator("main").inner_text().split()), 45)
        self.assertNoViolations()
        folded.focus()
        page.keyboard.press("Enter")
        expect(others.get_by_role("button", name="Mail on this device")).to_be_visible()
        self.assertNoViolations()

    def test_ACC_02_the_user_is_asked_once_and_sees_what_was_found(self):
        page = self.page
        self.enter("ada")
        expect(page.get_by_text("Please enter your full address")).to_be_visible()
        self.enter("ada@bakery-autoconfig.example")
        expect(page.get_by_text("Look up the servers?")).to_be_focused()
        for server in ("your DNS server", "bakery-autoconfig.example", "autoconfig.thunderbird.net"):
            expect(page.get_by_role("listitem").filter(has_text=server).first).to_be_visible()
        # The other ways wait until the search is canceled, and the address is kept.
        expect(page.get_by_text("Only bakery-autoconfig.example receives the full address.")).to_be_visible()
        expect(page.get_by_role("list", name="Other accounts")).to_have_count(0)
        self.button("Cancel").click()
        expect(page.get_by_label("Mail address")).to_have_value("ada@bakery-autoconfig.example")
        expect(page.get_by_label("Mail address")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_text("Look up the servers?")).to_be_focused()
        self.assertEqual((self.folder / "asked").read_text(), "")
        self.assertNoViolations()
        self.button("Look up").click()
        line = "IMAP and SMTP at mail.bakery-autoconfig.example over TLS, according to bakery-autoconfig.example"
        expect(page.get_by_text(line)).to_be_focused()
        self.assertNoViolations()
        self.button("Change").click()
        expect(page.get_by_label("Incoming server")).to_have_value("mail.bakery-autoconfig.example")
        self.button("Cancel").click()
        # The answer is remembered.
        self.enter("ada@garden-hoster.example")
        expect(page.get_by_text("mail.hoster-a.example does not belong to garden-hoster.example.")).to_be_visible()
        self.button("Use this server").click()
        expect(page.get_by_label("Password")).to_be_visible()
        expect(page.get_by_label("Your name")).to_be_visible()
        expect(page.locator("form input")).to_have_count(2)
        self.button("Cancel").click()
        # Organizations at Microsoft have a second way (ACC-120).
        self.enter("ada@bakery-microsoft.example")
        ways = page.get_by_role("list", name="Ways to sign in").get_by_role("button")
        expect(ways).to_have_count(2)
        expect(ways.first).to_contain_text("Add your Outlook or Microsoft 365 account")
        expect(ways.last).to_contain_text("Choose this if your organization has turned off IMAP")

    def test_ACC_49_an_address_of_fastmail_has_two_ways(self):
        page = self.page
        before = (self.folder / "asked").read_text()
        self.enter("ada@fastmail.com")
        ways = page.get_by_role("list", name="Ways to sign in").get_by_role("button")
        expect(ways).to_have_count(2)
        expect(ways.first).to_contain_text("Add Fastmail with an API token")
        expect(ways.last).to_contain_text("Add Fastmail through IMAP")
        self.assertNoViolations()
        ways.first.click()
        expect(page.get_by_label("API token")).to_be_visible()
        expect(page.locator("form input")).to_have_count(2)
        self.assertEqual((self.folder / "asked").read_text(), before)

    def test_ACC_02_known_services_ask_no_server_and_a_refusal_leads_to_a_form(self):
        page = self.page
        asked = self.folder / "asked"
        before = asked.read_text()
        self.enter("ada@posteo.de")
        expect(page.get_by_label("Password")).to_be_visible()
        self.button("Cancel").click()
        expect(page.get_by_label("Mail address")).to_have_value("ada@posteo.de")
        self.enter("ada@bakery-srv.example")
        self.button("Do not look up").click()
        expect(self.button("Look up the servers")).to_be_visible()
        self.button("Enter the servers").click()
        expect(page.get_by_label("Incoming server")).to_have_value("imap.bakery-srv.example")
        self.assertEqual(asked.read_text(), before)
