#!/usr/bin/env python3
import json
import re
import unittest

import postgres
from fresh import Answers, FreshTest
from room import NARROW, PageTest, expect, intercept
from postgres import STORAGE, Postgres

SILENT = "The store on localhost is not responding."
PASSWORD = "correct horse"


@unittest.skipUnless(postgres.is_installed(), postgres.MISSING)
class SilentStore(PageTest):
    """A store on a server that stops responding, and a message that is being written."""

    # Requests that the store could not answer.
    allowed_errors = ("503",)

    @classmethod
    def setUpClass(cls):
        cls.server = Postgres()
        cls.addClassCleanup(cls.server.close)
        cls.arguments = (
            "--demo", "--storage", STORAGE, "--setting", f"{STORAGE}.connection={cls.server.connection}")
        super().setUpClass()

    def line(self, page=None):
        return (page or self.page).locator(".banners, .settings-banners").get_by_text(SILENT)

    def begin(self, subject):
        """A draft that is saved, and goes on being written."""
        page = self.page
        expect(page.get_by_role("option").first).to_be_visible()
        page.keyboard.press("c")
        composer = page.locator(".composer").first
        composer.get_by_label("Subject").fill(subject)
        expect(composer.get_by_role("status").filter(has_text="Saved")).to_be_visible()
        return composer

    def body_of(self, subject):
        mira = self.mail_accounts()["mira@demo.example"]
        answer, = self.jmap(["Draft/get", {"accountId": mira}])
        return [draft["body"] for draft in answer["list"] if draft["subject"] == subject]

    def check_writing(self, subject, stop, go_on, told):
        text = "At noon, in the usual place?"
        composer = self.begin(subject)
        stop()
        expect(self.line()).to_be_visible()
        expect(self.line()).to_have_count(1)
        composer.get_by_label("Message", exact=True).fill(text)
        self.page.keyboard.press("Control+s")
        expect(composer.get_by_role("status").filter(has_text=told).first).to_be_visible()
        self.assertNoViolations()
        go_on()
        expect(self.line()).to_have_count(0)
        expect(composer.get_by_role("status").filter(has_text=re.compile("^Saved$"))).to_be_visible()
        self.assertEqual(self.body_of(subject), [text])
        self.assertBody(composer, text)

    def test_a_draft_outlives_a_server_that_is_stopped(self):
        self.check_writing("Stopped", self.server.stop, self.server.start, "Your text stays in this window")

    def test_a_draft_outlives_a_server_that_hangs(self):
        self.check_writing("Hanging", self.server.pause, self.server.go_on, "Saving…")

    def test_the_page_opens_by_itself_when_the_store_responds(self):
        self.server.stop()
        page = self.open()
        expect(page.get_by_text("Your mail could not be loaded")).to_be_visible()
        self.server.start()
        expect(page.get_by_text("Your mail could not be loaded")).to_have_count(0)
        expect(page.get_by_role("button", name="New message").first).to_be_visible()

    def test_the_settings_show_the_server(self):
        page = self.open("/#/settings/data", viewport=NARROW)
        section = page.locator("#settings-data")
        expect(section.get_by_text("On localhost · PostgreSQL storage")).to_be_visible()
        expect(section.get_by_text("Responding", exact=True)).to_be_visible()
        self.server.stop()
        expect(section.get_by_text("Not responding", exact=True)).to_be_visible()
        expect(section.get_by_text("localhost is not responding:")).to_be_visible()
        expect(self.line(page)).to_be_visible()
        self.assertNoViolations(page)
        self.assertFits(page)
        self.server.start()
        expect(section.get_by_text("Responding", exact=True)).to_be_visible()
        expect(self.line(page)).to_have_count(0)


class StoreHealth(PageTest):
    """The store on this computer, and a check of it."""

    def section(self, page=None):
        return (page or self.page).locator("#settings-data")

    def setUp(self):
        super().setUp()
        self.page.goto("/#/settings/data")

    def button(self, name):
        return self.section().get_by_role("button", name=name, exact=True)

    def test_work_without_the_server_is_said(self):
        def offline(arguments, real):
            real["list"][0].update(server="db.example.org", isOffline=True, hasCopy=True)
            return real

        page = self.open("/#/settings/data", viewport=NARROW)
        Answers(page, {"Store/get": offline})
        page.reload()
        expect(self.section(page).get_by_text("You see the copy on this computer until")).to_be_visible()
        expect(self.section(page).get_by_text("Not responding", exact=True)).to_be_visible()
        line = page.get_by_text("Working offline: db.example.org is not responding.")
        expect(line).to_be_visible()
        self.assertNoViolations(page)
        self.assertFits(page)
        page.goto("/")
        expect(line).to_be_visible()
        expect(page.get_by_role("button", name="New message").first).to_be_visible()
        self.assertNoViolations(page)
        self.assertFits(page)

    def test_a_sound_store_is_said_to_be_sound(self):
        expect(self.section().get_by_text("On this computer · SQLite storage")).to_be_visible()
        self.button("Check the Store").click()
        expect(self.section().get_by_text("No damage was found.")).to_be_visible()
        self.assertNoViolations()

    def test_findings_are_sentences(self):
        found = ["The search index lacks 3 emails.", "Table 5 is damaged."]
        Answers(self.page, {"Program/checkStore": lambda arguments, real: {"accountId": "program", "findings": found}},
                instead=["Program/checkStore"])
        self.button("Check the Store").click()
        for sentence in found:
            expect(self.section().get_by_role("listitem").filter(has_text=sentence)).to_be_visible()
        expect(self.section().get_by_text("mailkernel storage rebuild-search")).to_be_visible()
        self.assertNoViolations()

    def test_a_check_is_canceled(self):
        asked = []

        def hold(route):
            if "Program/checkStore" not in (route.request.post_data or ""):
                return route.continue_()
            asked.append(route)

        intercept(self.page, "**/jmap/api", hold)
        ended = []
        self.page.on("requestfailed", lambda request: ended.append(request.post_data))
        for leave in (lambda: self.button("Cancel").press("Enter"), lambda: self.page.goto("/#/")):
            ended.clear()
            self.button("Check the Store").press("Enter")
            expect(self.section().get_by_role("progressbar", name="Checking the store")).to_be_visible()
            self.wait(lambda: asked)
            leave()
            self.wait(lambda: any("Program/checkStore" in (data or "") for data in ended))
        self.page.goto("/#/settings/data")
        expect(self.button("Check the Store")).to_be_enabled()


@unittest.skipUnless(postgres.is_installed(), postgres.MISSING)
class OwnServer(FreshTest):
    """FR-OB-01: mail can be kept on a server from the first steps on."""

    # The program restarts.
    allowed_errors = ("ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE_CHUNKED_ENCODING",
                      "ERR_CONNECTION_RESET", "503")

    def setUp(self):
        self.server = Postgres()
        self.addCleanup(self.server.close)
        self.server.sql(f"CREATE ROLE guarded LOGIN PASSWORD '{PASSWORD}'")
        self.server.sql("CREATE DATABASE guarded OWNER guarded")
        key = self.server.folder / "key"
        key.write_text("a passphrase of the vault\n")
        key.chmod(0o600)
        self.arguments = ("--vault-key-file", key)
        super().setUp()

    def radio(self, name):
        return self.page.get_by_role("radio", name=name)

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def config(self, name):
        file = self.program.folder / "config" / name
        return file.read_text() if file.exists() else None

    def to_the_choice(self):
        self.button("Continue").press("Enter")
        self.page.locator("summary", has_text="Where to keep your mail").press("Enter")
        expect(self.radio("Keep mail on this computer")).to_be_checked()

    def test_a_failed_try_says_why_and_changes_nothing(self):
        page = self.page
        self.to_the_choice()
        self.assertNoViolations()
        self.radio("Keep mail on this computer").press("ArrowDown")
        expect(self.radio("Keep mail on my own server")).to_be_checked()
        connection, password = page.get_by_label("Connection"), page.get_by_label("Password (optional)")
        self.button("Use This Server").press("Enter")
        expect(connection).to_be_focused()
        expect(connection).to_have_accessible_description(re.compile("Enter something for “Connection”."))
        connection.fill("no equal sign")
        connection.press("Enter")
        expect(connection).to_have_accessible_description(re.compile("not a PostgreSQL connection string"))
        self.assertNoViolations()
        connection.fill(f"host={self.server.folder} user=guarded dbname=guarded")
        password.fill("wrong")
        password.press("Enter")
        expect(page.get_by_role("alert").get_by_text("the server refused the sign-in")).to_be_visible()
        connection.fill("host=/nowhere user=mail")
        connection.press("Enter")
        expect(page.get_by_role("alert").get_by_text("The store cannot be reached")).to_be_visible()
        self.assertNoViolations()
        self.assertFits()
        expect(password).to_have_value("wrong")
        self.assertIsNone(self.config("plugins.json"))
        self.assertIsNone(self.config(f"plugins/{STORAGE}.json"))
        self.button("Cancel").press("Enter")
        expect(self.radio("Keep mail on this computer")).to_be_checked()
        expect(self.radio("Keep mail on this computer")).to_be_focused()

    def test_the_first_account_is_kept_on_the_server(self):
        page = self.page
        self.to_the_choice()
        self.radio("Keep mail on this computer").press("ArrowDown")
        page.get_by_label("Connection").fill(f"host={self.server.folder} user=guarded dbname=guarded")
        page.get_by_label("Password (optional)").fill(PASSWORD)
        self.button("Use This Server").press("Enter")
        expect(self.radio("Keep mail on localhost")).to_be_checked()
        self.assertNoViolations()
        self.assertEqual(json.loads(self.config("plugins.json"))["storage"], STORAGE)
        self.assertNotIn(PASSWORD, self.config(f"plugins/{STORAGE}.json"))
        store, = self.jmap(["Store/get", {"accountId": "program"}])
        self.assertEqual((store["list"][0]["pluginId"], store["list"][0]["server"]), (STORAGE, "localhost"))
        self.add_local_account()
        page.reload()
        expect(page.get_by_role("list", name="Added accounts")).to_be_visible()
        expect(self.radio("Keep mail on localhost")).to_have_count(0)
        self.button("Next").click()
        expect(page.get_by_text("keeps it on localhost")).to_be_visible()


class NamedStore(FreshTest):
    """Where the command line names the store, a restart would use it again."""

    arguments = ("--storage", "org.mailkernel.sqlite")

    def test_there_is_nothing_to_choose(self):
        self.page.get_by_role("button", name="Continue", exact=True).click()
        expect(self.page.get_by_label("Mail address")).to_be_visible()
        expect(self.page.get_by_role("radio")).to_have_count(0)


if __name__ == "__main__":
    unittest.main()
