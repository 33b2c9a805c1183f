"""The lock, the vault, exports and the wipe of the real program, whole: PAM, files and a restart included."""

import getpass
import glob
import json
import mailbox
import re
import tempfile
import unittest
from pathlib import Path

from fresh import FreshTest
from playwright.sync_api import Error
from room import PageTest, expect

WRAPPER = next(iter(glob.glob("/usr/lib/*/libpam_wrapper.so")), None)
MODULE = next(iter(glob.glob("/usr/lib/*/pam_wrapper/pam_matrix.so")), None)
ONBOARDED = {"accountId": "program", "update": {"singleton": {"isOnboardingComplete": True}}}


class RealTest(FreshTest):
    """With an account on this device, and the settings open."""

    def setUp(self):
        super().setUp()
        self.add_local_account()
        self.jmap(["Preferences/set", ONBOARDED])
        self.to_settings()

    def to_settings(self):
        self.page.goto("/#/settings")
        self.page.reload()
        expect(self.section("Security")).to_be_visible()

    def section(self, name):
        return self.page.get_by_role("region", name=name, exact=True)

    def restart(self):
        """The window goes with the program, and a new one comes."""
        self.page.context.close()
        self.again(15)
        self.page = self.open(None)


@unittest.skipUnless(WRAPPER and MODULE, "libpam-wrapper is not installed")
class Lock(RealTest):
    """FR-SET-01, AC-U-14, E-SO-12, E-SO-23: the app lock, with a PAM that knows one password."""

    allowed_errors = ("423", "403")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pam-")
        self.addCleanup(folder.cleanup)
        services = Path(folder.name) / "services"
        services.mkdir()
        passwords = Path(folder.name) / "passdb"
        passwords.write_text(f"{getpass.getuser()}:open sesame:mailkernel\n")
        (services / "mailkernel").write_text("".join(
            f"{kind} required {MODULE} passdb={passwords}\n" for kind in ("auth", "account", "password", "session")))
        self.environment = {"LD_PRELOAD": WRAPPER, "PAM_WRAPPER": "1", "PAM_WRAPPER_SERVICE_DIR": str(services)}
        super().setUp()

    def unlock(self, password):
        self.page.get_by_label("Login password").fill(password)
        self.page.get_by_role("button", name="Unlock", exact=True).click()

    def test_AC_U_14_it_is_turned_on_locks_the_next_start_and_opens_for_the_right_password_alone(self):
        switch = self.page.get_by_role("switch", name="App lock")
        switch.click()
        dialog = self.page.get_by_role("dialog", name="Turn on app lock")
        for password in ("guess", "open sesame"):
            dialog.get_by_label("Login password").fill(password)
            dialog.get_by_role("button", name="Turn on").click()
            if password == "guess":
                expect(dialog.get_by_label("Login password")).to_have_accessible_description(
                    "Wrong password. Try again.", timeout=30_000)
                expect(switch).not_to_be_checked()
        expect(dialog).to_have_count(0, timeout=30_000)
        expect(switch).to_be_checked()
        delay = self.delay()
        expect(delay.locator("option:checked")).to_have_text("After 5 minutes")
        delay.select_option("After 1 minute")
        self.assertNoViolations()

        self.restart()
        self.page.goto("/")
        expect(self.page.get_by_role("heading", name="mailkernel is locked")).to_be_visible()
        self.assertNotIn("ada", self.page.content())
        self.assertNoViolations()
        self.unlock("guess")
        expect(self.page.get_by_label("Login password")).to_have_accessible_description(
            "Wrong password. Try again.", timeout=30_000)
        self.unlock("open sesame")
        # E-SO-23: nothing asks again inside.
        expect(self.page.get_by_role("heading", name="mailkernel is locked")).to_have_count(0, timeout=30_000)
        self.to_settings()
        expect(self.page.get_by_role("switch", name="App lock")).to_be_checked()
        expect(self.delay().locator("option:checked")).to_have_text("After 1 minute")

    def delay(self):
        return self.page.get_by_label("Lock when not visible")


class Vault(RealTest):
    """Where no desktop keeps passwords: the vault is made, asked for after a start, and opened."""

    def test_a_vault_is_made_and_opened_after_the_next_start(self):
        security = self.section("Security")
        security.get_by_role("button", name="Set a passphrase").click()
        dialog = self.page.get_by_role("dialog", name="Passwords of your accounts")
        dialog.get_by_label("Passphrase", exact=True).fill("correct horse")
        dialog.get_by_label("Repeat passphrase").fill("correct horse")
        self.assertNoViolations()
        dialog.get_by_role("button", name="Set passphrase").click()
        expect(dialog).to_have_count(0, timeout=30_000)
        expect(security.get_by_text("It is unlocked.")).to_be_visible()

        self.restart()
        self.page.goto("/")
        dialog = self.page.get_by_role("dialog", name="Unlock your passwords")
        field = dialog.get_by_label("Passphrase")
        field.fill("wrong horse")
        field.press("Enter")
        expect(field).to_have_accessible_description(re.compile("passphrase is wrong"), timeout=30_000)
        field.fill("correct horse")
        field.press("Enter")
        expect(dialog).to_have_count(0, timeout=30_000)
        self.to_settings()
        expect(self.section("Security").get_by_text("It is unlocked.")).to_be_visible()


class Export(PageTest):
    """FR-SET-03: what leaves as files, of the demo's two accounts."""

    def test_FR_SET_03_mail_and_settings_are_exported(self):
        self.page.goto("/#/settings")
        self.page.get_by_role("button", name="Export mail").click()
        said = self.page.get_by_text(re.compile(r"mira@demo\.example is saved as "))
        expect(said).to_be_visible(timeout=60_000)
        path = Path(re.search(r"saved as (.+?\.mbox)", said.inner_text()).group(1))
        self.assertEqual(path.parent, self.program.folder)
        subjects = [message["subject"] for message in mailbox.mbox(path, create=False)]
        query, = self.jmap(["Email/query", {
            "accountId": self.mail_accounts()["mira@demo.example"], "limit": 0, "calculateTotal": True}])
        self.assertEqual(len(subjects), query["total"])
        before = set(self.program.folder.glob("*.json"))
        self.page.get_by_role("button", name="Export settings").click()
        expect(self.page.get_by_text(re.compile(r"\.json")).first).to_be_visible()
        file, = set(self.program.folder.glob("*.json")) - before
        self.assertIn("undoSendDelaySeconds", json.dumps(json.loads(file.read_text())))


class Wipe(RealTest):
    """E-SO-09: all of it goes, and the page that asked for it begins again, at the same address."""

    allowed_errors = ("Failed to load resource", "ERR_CONNECTION")

    def refused(self, request):
        """While the program restarts, nothing answers."""

    #: In a message, which is in the store and in the folder that the account keeps.
    WORDS = "The engine weaves algebraic patterns"

    def files_with(self, words):
        return [path for path in self.program.folder.rglob("*") if path.is_file() and words.encode() in path.read_bytes()]

    def write(self):
        account = next(iter(self.mail_accounts().values()))
        boxes, = self.jmap(["Mailbox/get", {"accountId": account, "ids": None}])
        inbox = next(box["id"] for box in boxes["list"] if box["role"] == "inbox")
        self.jmap(["Email/set", {"accountId": account, "create": {"new": {
            "mailboxIds": {inbox: True}, "from": [{"email": "grace@elsewhere.example"}], "subject": self.WORDS,
            "bodyValues": {"1": {"value": "Words."}}, "textBody": [{"partId": "1", "type": "text/plain"}]}}}])
        self.wait(lambda: self.files_with(self.WORDS))

    def accounts(self):
        try:
            return self.jmap(["AccountSettings/get", {"accountId": "program"}])
        except Error:
            return None  # The page loads once more when the program is back.

    def test_E_SO_09_everything_is_wiped_and_onboarding_begins_again(self):
        self.write()
        self.page.get_by_role("button", name="Wipe All Data").click()
        dialog = self.page.get_by_role("alertdialog", name="Wipe All Data")
        dialog.get_by_label(re.compile("to confirm")).fill("Delete Everything")
        dialog.get_by_role("button", name="Delete Everything").click()
        expect(self.page.get_by_text("Welcome to mailkernel")).to_be_visible(timeout=60_000)
        self.assertIsNone(self.program.process.poll(), "the program goes on")
        accounts, = self.wait(self.accounts)
        self.assertEqual(accounts["list"], [])
        for words in (self.WORDS, "Ada Lovelace", "ada.lovelace"):
            self.assertEqual(self.files_with(words), [])
