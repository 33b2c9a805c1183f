"""Storage, models, the lock and what else the program says of itself; with answers of the tests' own, for full
disks and models of 2 GB are not had on demand."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import unittest

import room
from fresh import Answers, FreshTest
from playwright.sync_api import Error as PlaywrightError
from room import NARROW, ROOT, PageTest, expect, intercept
from test_onboarding import MODEL

PROGRAM = {"accountId": "program"}
GB = 1_000_000_000


class CareTest(PageTest):
    capabilities = ()
    #: What is answered in place of the program.
    answers = {}

    def setUp(self):
        super().setUp()
        self.told = Answers(self.page, dict(self.answers), capabilities=self.capabilities, instead=list(self.answers))
        self.page.goto("/#/settings")
        self.page.reload()
        expect(self.section("Composition")).to_be_visible()

    def section(self, name):
        return self.page.get_by_role("region", name=name, exact=True)

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def calls_of(self, method):
        return [arguments for name, arguments in self.told.calls if name == method]


def usage(accounts, size=1_000_000, clearable=64_000_000):
    list = [{"id": id, "mailBytes": size, "attachmentBytes": size // 2, "indexBytes": size // 4,
             "totalBytes": size * 7 // 4, "isOverWarning": size * 7 // 4 > 2 * GB} for id in accounts]
    total = sum(one["totalBytes"] for one in list)
    return {**PROGRAM, "notFound": [], "list": [*list, {
        "id": "program", "modelBytes": 0, "totalBytes": total, "isOverWarning": total > 5 * GB,
        "clearableBytes": clearable}]}


class Storage(CareTest):
    """FR-SET-03, AC-U-14b."""

    capabilities = ("urn:mailkernel:storage",)
    answers = {"StorageUsage/get": lambda arguments, real: {"type": "serverFail", "description": "Not now."},
               "StorageUsage/clearCache": lambda arguments, real: {**PROGRAM, "freedBytes": 64_000_000},
               "Export/get": lambda arguments, real: {**PROGRAM, "list": [], "state": "0"},
               "Program/wipe": lambda arguments, real: {**PROGRAM, "notRemoved": []}}

    def tell(self, **values):
        """Lets the program say how much there is, which it cannot say before."""
        accounts = list(self.mail_accounts().values())
        data = self.section("Data Management")
        expect(data.get_by_text("Unable to calculate storage")).to_be_visible()
        self.told.answers["StorageUsage/get"] = lambda arguments, real: usage(accounts, **values)
        # By hand, unless an account that became known meanwhile made the page ask again.
        data.get_by_role("button", name="Try again").or_(data.get_by_text("All of mailkernel")).first.click()
        expect(data.get_by_text("All of mailkernel")).to_be_visible()

    def test_AC_U_14b_what_cannot_be_calculated_can_be_tried_again(self):
        expect(self.page.get_by_text("Unable to calculate storage")).to_be_visible()
        self.assertNoViolations()
        self.tell()
        expect(self.page.get_by_text("All of mailkernel")).to_be_visible()

    def test_E_SO_13_a_large_account_is_counted_while_everything_else_goes_on(self):
        waiting, is_over = [], []

        def hold(route):
            if is_over or "StorageUsage/get" not in route.request.post_data:
                return route.fallback()
            waiting.append(route)

        self.page.route("**/jmap/api", hold)
        self.page.reload()
        data = self.section("Data Management")
        expect(data.get_by_text("Calculating storage…")).to_be_visible()
        self.assertNoViolations()
        # Nothing waits for it.
        self.page.get_by_role("radio", name="Dark").click()
        expect(self.page.locator("html")).to_have_attribute("data-theme", "dark")
        self.page.get_by_role("radio", name="System").click()
        expect(data.get_by_text("All of mailkernel")).to_have_count(0)
        accounts = list(self.mail_accounts().values())
        self.told.answers["StorageUsage/get"] = lambda arguments, real: usage(accounts, size=400_000_000)
        is_over.append(True)
        for route in waiting:
            self.told.api(route)
        expect(data.get_by_text("All of mailkernel")).to_be_visible()

    def test_AC_U_14b_each_account_shows_emails_attachments_and_search_index(self):
        self.tell(size=400_000_000)
        data = self.section("Data Management")
        for number in ("1.4 GB", "400 MB", "200 MB", "100 MB", "700 MB"):
            expect(data.get_by_text(number, exact=True).first).to_be_visible()
        for part in ("Emails", "Attachments", "Search index"):
            expect(data.get_by_role("term").filter(has_text=part).first).to_be_visible()
        expect(data.get_by_text("more than 2 GB")).to_have_count(0)
        self.assertNoViolations()

    def test_AC_U_14b_too_much_is_warned_of(self):
        self.tell(size=2 * GB)
        expect(self.page.get_by_text("This account uses more than 2 GB.").first).to_be_visible()
        expect(self.page.get_by_text("mailkernel uses more than 5 GB.")).to_be_visible()
        self.assertNoViolations()

    def test_AC_U_14b_clear_cache_says_how_much_it_frees_and_asks(self):
        self.tell()
        self.button("Clear Cache").click()
        question = self.page.get_by_role("alertdialog", name="Clear Cache? This frees 64 MB.")
        expect(question).to_contain_text(
            "This will remove cached attachments and data. Emails and accounts will not be affected.")
        self.assertNoViolations()
        question.get_by_role("button", name="Cancel").click()
        self.assertEqual(self.calls_of("StorageUsage/clearCache"), [])
        self.button("Clear Cache").click()
        question.get_by_role("button", name="Clear", exact=True).click()
        expect(self.page.get_by_text("64 MB freed")).to_be_visible()
        self.assertEqual(len(self.calls_of("StorageUsage/clearCache")), 1)

    def test_AC_U_14b_what_could_not_be_cleared_is_said(self):
        self.tell()
        self.told.answers["StorageUsage/clearCache"] = lambda arguments, real: {
            "type": "serverFail", "description": "The cache could not be cleared."}
        self.button("Clear Cache").click()
        self.page.get_by_role("alertdialog").get_by_role("button", name="Clear", exact=True).click()
        expect(self.page.get_by_role("alert").get_by_text("The cache could not be cleared.")).to_be_visible()

    def test_FR_SET_03_the_cache_limit_is_one_of_four_and_is_kept(self):
        self.tell()
        picker = self.page.get_by_label("Attachment cache limit").first
        expect(picker).to_have_value("500")
        self.assertEqual(picker.locator("option").all_inner_texts(), ["100 MB", "250 MB", "500 MB", "1000 MB"])
        picker.select_option("250 MB")
        expect(picker).to_have_value("250")
        picker.select_option("500 MB")
        expect(picker).to_have_value("500")

    def test_E_SO_09_everything_is_wiped_only_after_it_was_typed(self):
        self.tell()
        self.button("Wipe All Data").click()
        dialog = self.page.get_by_role("alertdialog", name="Wipe All Data")
        expect(dialog).to_contain_text(
            "This will delete ALL local data including emails, accounts, and AI models. This cannot be undone. "
            "You will need to set up the app again.")
        delete = dialog.get_by_role("button", name="Delete Everything")
        expect(delete).to_be_disabled()
        self.assertNoViolations()
        dialog.get_by_label(re.compile("to confirm")).fill("delete it")
        expect(delete).to_be_disabled()
        dialog.get_by_label(re.compile("to confirm")).fill("Delete Everything")
        delete.click()
        expect(dialog).to_have_count(0)
        self.assertEqual([one["confirmation"] for one in self.calls_of("Program/wipe")], ["Delete Everything"])


class Models(CareTest):
    """FR-SET-04, AC-U-14c."""

    capabilities = ("urn:mailkernel:models",)

    def setUp(self):
        self.model = dict(MODEL)
        self.others = []
        self.answers = {"Model/get": lambda arguments, real: {
                            **PROGRAM, "list": [self.model, *self.others], "state": "0"},
                        "Model/set": self.change}
        super().setUp()
        self.card = self.page.get_by_role("region", name="Little Helper")

    def change(self, arguments, real):
        wanted = arguments["update"]["m1"]["status"]
        if wanted == "paused":
            self.model = {**MODEL, "received": 300_000_000}
        else:
            self.model = {**MODEL, "status": wanted, "received": 1 if wanted == "downloading" else None}
        return {**PROGRAM, "updated": {"m1": None}, "oldState": "0", "newState": "1"}

    def test_AC_U_14c_a_model_shows_its_status_size_source_and_license(self):
        for fact in ("Not downloaded", "812 MB", "https://models.example/little-helper.gguf", "Apache-2.0"):
            expect(self.card.get_by_text(fact, exact=True)).to_be_visible()
        self.button("Download (812 MB)").click()
        expect(self.card.get_by_text("Downloading", exact=True)).to_be_visible()
        self.assertNoViolations()
        self.button("Cancel download").click()
        expect(self.card.get_by_text("Not downloaded")).to_be_visible()
        self.assertEqual(self.calls_of("Model/set")[-1]["update"], {"m1": {"status": "paused"}})

    def test_FR_SET_04_an_unfinished_download_is_shown_and_continued_or_discarded(self):
        self.model.update(received=300_000_000, problem="There is not enough free space: 512 MB are needed.")
        self.page.reload()
        fetched = self.card.get_by_text("300 MB of 812 MB downloaded.", exact=True)
        expect(fetched).to_be_visible()
        expect(self.button("Retry")).to_have_count(0)
        self.assertNoViolations()
        self.button("Continue").click()
        self.button("Cancel download").click()
        expect(fetched).to_be_visible()
        self.button("Discard").click()
        question = self.page.get_by_role("alertdialog")
        expect(question).to_contain_text("The 300 MB downloaded so far will be deleted.")
        self.assertNoViolations()
        question.get_by_role("button", name="Discard").click()
        expect(self.button("Download (812 MB)")).to_be_visible()
        expect(fetched).to_have_count(0)
        self.assertEqual([call["update"]["m1"]["status"] for call in self.calls_of("Model/set")],
                         ["downloading", "paused", "notDownloaded"])

    def test_a_model_that_is_here_says_whether_it_is_at_work(self):
        cases = [
            ({"usedFor": ["replies", "summaries"]}, "In use: writes replies and summaries."),
            ({"abilities": ["embed"], "usedFor": ["categories", "search", "replies", "summaries"]},
             "In use: sorts mail, searches by meaning, suggests replies and quotes summaries."),
            ({"usedFor": []}, "Not in use: too small to write well."),
        ]
        for values, words in cases:
            with self.subTest(words):
                self.model = {**MODEL, "status": "downloaded", **values}
                self.page.reload()
                expect(self.card.get_by_text(words, exact=True)).to_be_visible()
        other = {**MODEL, "id": "m2", "name": "Big Helper", "status": "downloaded", "usedFor": ["replies"]}
        self.others = [other]
        self.page.reload()
        expect(self.card.get_by_text("Not in use: another model is active.", exact=True)).to_be_visible()

    def test_E_SO_19_a_model_is_deleted_only_after_a_warning(self):
        self.model["status"] = "downloaded"
        self.page.reload()
        self.button("Delete model").click()
        question = self.page.get_by_role("alertdialog")
        expect(question).to_contain_text(
            "Deleting the AI model will disable smart categories, smart reply, and thread summarization.")
        self.assertNoViolations()
        question.get_by_role("button", name="Delete").click()
        expect(self.card.get_by_text("Not downloaded")).to_be_visible()

    def test_FR_SET_04_a_model_that_was_given_up_says_why_and_is_tried_again(self):
        reason = "This model crashed several times and will not be started again. Try it again, or choose another one."
        self.model.update(status="unusable", reason=reason)
        self.page.reload()
        expect(self.card.get_by_text("Cannot be used on this device")).to_be_visible()
        expect(self.card.get_by_role("alert")).to_have_text(reason)
        self.assertNoViolations()

        def revive(arguments, real):
            self.assertEqual(arguments["update"]["m1"]["status"], "downloading")
            self.model = {**MODEL, "status": "downloaded"}
            return {**PROGRAM, "updated": {"m1": None}, "oldState": "0", "newState": "1"}

        self.told.answers["Model/set"] = revive
        self.button("Try again").click()
        expect(self.card.get_by_text("Downloaded", exact=True)).to_be_visible()
        expect(self.card.get_by_role("alert")).to_have_count(0)

    def test_FR_SET_04_a_model_file_that_is_here_is_taken_in(self):
        made = []

        def change(arguments, real):
            path = arguments["create"]["new"]["path"]
            if not path.endswith(".gguf"):
                return {**PROGRAM, "oldState": "0", "newState": "0", "notCreated": {
                    "new": {"type": "invalidProperties", "description": "This is not a GGUF file."}}}
            made.append(path)
            return {**PROGRAM, "oldState": "0", "newState": "1", "created": {"new": {**MODEL, "id": "m2"}}}

        self.told.answers["Model/set"] = change
        self.button("Add model file").click()
        dialog = self.page.get_by_role("dialog", name="Add a model file")
        field = dialog.get_by_label("File", exact=True)
        expect(field).to_be_focused()
        self.assertNoViolations()
        field.fill("/home/ada/notes.txt")
        field.press("Enter")
        expect(field).to_have_accessible_description(re.compile("This is not a GGUF file."))
        field.fill("/home/ada/little.gguf")
        dialog.get_by_role("button", name="Add", exact=True).click()
        expect(dialog).to_have_count(0)
        expect(self.page.get_by_text("The model was added")).to_be_visible()
        self.assertEqual(made, ["/home/ada/little.gguf"])

    def test_FR_SET_04_a_model_file_is_chosen_in_its_folder(self):
        folders = {"/home/ada/Downloads": [("Models", True), ("little.gguf", False)], "/home/ada/Downloads/Models": [],
                   "/home/ada": [("Downloads", True), ("Private", True)]}

        def query(arguments, real):
            folder = arguments["folder"] or "/home/ada/Downloads"
            if folder not in folders:
                return {"type": "notFound", "description": f"“{folder}” cannot be opened: Permission denied."}
            return {**PROGRAM, "folder": folder, "parent": None if folder == "/home/ada" else folder.rpartition("/")[0],
                    "list": [{"path": f"{folder}/{name}", "name": name, "isFolder": is_folder, "size": 812_000_000}
                             for name, is_folder in folders[folder]]}

        made = []

        def change(arguments, real):
            made.append(arguments["create"]["new"])
            return {**PROGRAM, "oldState": "0", "newState": "1", "created": {"new": {**MODEL, "id": "m2"}}}

        self.told.answers.update({"ModelFile/query": query, "Model/set": change})
        self.button("Add model file").click()
        dialog = self.page.get_by_role("dialog", name="Add a model file")
        files = dialog.get_by_role("list")
        expect(dialog.get_by_role("status").filter(has_text="Downloads")).to_have_text("/home/ada/Downloads")
        self.assertNoViolations()
        files.get_by_role("button", name="Models").press("Enter")
        expect(dialog.get_by_text("There are no model files in this folder.")).to_be_visible()
        dialog.get_by_role("button", name="Parent folder").click()
        expect(files.get_by_role("button", name="Models")).to_be_visible()
        dialog.get_by_role("button", name="Parent folder").click()
        expect(dialog.get_by_role("button", name="Parent folder")).to_have_count(0)
        # What was on the screen stays when a folder cannot be opened.
        files.get_by_role("button", name="Private").click()
        expect(dialog.get_by_text("“/home/ada/Private” cannot be opened: Permission denied.")).to_be_visible()
        files.get_by_role("button", name="Downloads").click()
        file = files.get_by_role("button", name=re.compile("little.gguf"))
        file.press("Enter")
        expect(file).to_have_attribute("aria-pressed", "true")
        expect(dialog.get_by_label("File", exact=True)).to_have_value("/home/ada/Downloads/little.gguf")
        dialog.get_by_role("button", name="Add", exact=True).click()
        expect(dialog).to_have_count(0)
        self.assertEqual(made, [{"path": "/home/ada/Downloads/little.gguf"}])

    def test_E_SO_15_a_model_that_does_not_fit_says_so(self):
        self.model.update({"problem": "There is not enough space for this model.", "reason": "812 MB are needed."})
        self.page.reload()
        expect(self.card.get_by_role("alert")).to_contain_text("There is not enough space for this model.")
        expect(self.card.get_by_role("alert")).to_contain_text("812 MB are needed.")


class About(CareTest):
    """FR-SET-05, AC-U-14d."""

    capabilities = ("urn:mailkernel:about",)
    answers = {"About/get": lambda arguments, real: {**PROGRAM, "state": "0", "list": [{
        "id": "singleton", "version": "0.2.0", "build": "abc123", "privacyPolicyUrl": "/docs/privacy.html",
        "licenses": [{"name": "sqlite3", "version": "3.40", "license": "blessing", "text": "May you do good."}],
        "modelLicenses": [{"name": "Little Helper", "license": "Apache-2.0", "text": "All of it.",
                           "sourceUrl": "https://models.example/"}],
        "diskEncryption": "encrypted"}]}}

    def test_AC_U_14d_version_policy_and_licenses_are_there(self):
        about = self.section("About")
        expect(about.get_by_text("Version 0.2.0, build abc123")).to_be_visible()
        expect(about.get_by_role("link", name="Read the policy")).to_have_attribute("href", "/docs/privacy.html")
        for button, title, name, detail, text in (
                ("Show licenses", "Open Source Licenses", "sqlite3", "3.40", "May you do good."),
                ("Show model licenses", "AI Model Licenses", "Little Helper", "https://models.example/", "All of it.")):
            about.get_by_role("button", name=button).click()
            dialog = self.page.get_by_role("dialog", name=title)
            expect(dialog).to_contain_text(detail)
            dialog.get_by_text(name).click()
            expect(dialog.get_by_text(text)).to_be_visible()
            self.assertNoViolations()
            self.page.keyboard.press("Escape")
            expect(about.get_by_role("button", name=button)).to_be_focused()


class LargeAccount(FreshTest):
    """E-SO-13: an account of 50,000 messages."""

    long = True
    COUNT = 50_000

    def fill(self):
        mail = self.program.folder / "large.mbox"
        with open(mail, "w") as file:
            for number in range(self.COUNT):
                file.write(
                    f"From p@people.example Thu Jan  1 00:00:00 2026\nFrom: Person <p{number % 500}@people.example>\n"
                    f"To: ada@home.example\nSubject: Number {number}\nMessage-ID: <{number}@people.example>\n"
                    f"Date: Thu, 1 Jan 2026 00:00:00 +0000\n\nHello {number}.\n\n")
        self.program.command("import", mail, seconds=600)

    def test_E_SO_13_storage_of_50000_messages_is_counted_while_everything_else_goes_on(self):
        self.fill()
        self.add_local_account()
        self.jmap(["Preferences/set", {"accountId": "program", "update": {"singleton": {"isOnboardingComplete": True}}}])
        session = self.page.evaluate("fetch('/.well-known/jmap').then((answer) => answer.json())")
        counts = {id: self.jmap(["Email/query", {"accountId": id, "limit": 1, "calculateTotal": True}])[0]["total"]
                  for id in session["accounts"] if id != "program"}
        self.assertIn(self.COUNT, counts.values())
        held, goes = [], []

        def hold(route):
            if goes or "StorageUsage/get" not in (route.request.post_data or ""):
                return route.fallback()
            held.append(route)

        self.page.route("**/jmap/api", hold)
        self.page.goto("/#/settings")
        self.page.reload()
        data = self.page.get_by_role("region", name="Data Management", exact=True)
        expect(data.get_by_text("Calculating storage…")).to_be_visible()
        # Nothing waits for it.
        self.page.get_by_role("radio", name="Dark").click()
        expect(self.page.locator("html")).to_have_attribute("data-theme", "dark")
        expect(data.get_by_text("All of mailkernel")).to_have_count(0)
        goes.append(True)
        for route in held:
            route.continue_()
        expect(data.get_by_text("All of mailkernel")).to_be_visible()
        usage, = self.jmap(["StorageUsage/get", {"accountId": "program", "ids": None}])
        large, = [one for one in usage["list"] if counts.get(one["id"]) == self.COUNT]
        # Each message has its words in the store, whatever else it costs.
        self.assertGreater(large["mailBytes"], self.COUNT * 100)
        self.assertGreater(large["indexBytes"], self.COUNT * 100)
        # It is counted once, with each change: what is asked for again is the same.
        self.assertEqual(self.jmap(["StorageUsage/get", {"accountId": "program", "ids": [large["id"]]}])[0]["list"], [large])


class RealAbout(PageTest):
    """FR-SET-05, AC-U-14d: what this very build is made of."""

    @classmethod
    def setUpClass(cls):
        libraries = [*(ROOT / ".build/debug").glob("libMailKernel*.so"), *(ROOT / "Plugins").glob("*/lib*.so")]
        cls.parts = [room.PROGRAM, *libraries]
        # Of this build: an older list may name what is gone, and lack what is new.
        subprocess.run([ROOT / "Tests/Tools/about", ".build/about", "", *cls.parts], cwd=ROOT, check=True,
                       capture_output=True)
        super().setUpClass()

    def packages(self):
        """The packages of Debian whose libraries the program and its plugins load."""
        said = "".join(subprocess.run(["ldd", part], capture_output=True, text=True).stdout for part in self.parts)
        files = {path for path in re.findall(r"=> (/\S+)", said) if "libMailKernel" not in path and "/swift/" not in path}
        names = {os.path.realpath(path) for path in files}
        owned = subprocess.run(["dpkg-query", "-S", *names, *(name.removeprefix("/usr") for name in names)],
                               capture_output=True, text=True).stdout
        return {line.split(":")[0] for line in owned.splitlines()}

    @unittest.skipUnless(shutil.which("dpkg-query"), "Without dpkg nothing tells which package has a library.")
    def test_AC_U_14d_every_library_and_every_model_of_this_build_is_listed_with_its_license(self):
        packages = self.packages()
        self.assertIn("libsqlite3-0", packages)
        about, models = self.jmap(["About/get", {"accountId": "program"}], ["Model/get", {"accountId": "program"}])
        about = about["list"][0]
        self.assertRegex(about["version"], r"^\d+\.\d+\.\d+")
        self.assertNotEqual(about["build"], "unknown")
        listed = {one["name"] for one in about["licenses"]}
        self.assertEqual(packages - listed, set(), "what is loaded and not listed")
        self.assertLessEqual({"mailkernel", "swift"}, listed)
        for one in about["licenses"]:
            self.assertGreater(len(one["text"]), 100, one["name"])
        self.assertTrue(models["list"])
        self.assertEqual(
            sorted((one["name"], one["license"], one["sourceUrl"]) for one in about["modelLicenses"]),
            sorted((one["name"], one["license"], one["sourceUrl"]) for one in models["list"]))
        self.page.goto("/#/settings/about")
        for button, title, licenses in (("Show licenses", "Open Source Licenses", about["licenses"]),
                                        ("Show model licenses", "AI Model Licenses", about["modelLicenses"])):
            self.page.get_by_role("button", name=button).click()
            shown = self.page.get_by_role("dialog", name=title).get_by_role("listitem")
            expect(shown).to_have_count(len(licenses))
            for text, one in zip(shown.all_inner_texts(), licenses):
                self.assertTrue(one["license"], one["name"])
                self.assertTrue(text.startswith(one["name"]) and text.endswith(one["license"]), text)
            self.page.keyboard.press("Escape")


class Vault(CareTest):
    """What keeps passwords, where the desktop does not."""

    capabilities = ("urn:mailkernel:secrets",)

    def setUp(self):
        self.vault = {"id": "singleton", "kind": "vault", "state": "locked"}
        self.answers = {"Vault/get": lambda arguments, real: {**PROGRAM, "list": [dict(self.vault)], "state": "0"},
                        "Vault/set": self.open_vault}
        super().setUp()

    def open_vault(self, arguments, real):
        if arguments["update"]["singleton"]["passphrase"] != "the right one":
            return {**PROGRAM, "oldState": "0", "newState": "0", "notUpdated": {
                "singleton": {"type": "forbidden", "description": "This is not the passphrase."}}}
        self.vault["state"] = "open"
        return {**PROGRAM, "oldState": "0", "newState": "1", "updated": {"singleton": None}}

    def test_a_locked_vault_asks_for_its_passphrase(self):
        dialog = self.page.get_by_role("dialog", name="Unlock your passwords")
        field = dialog.get_by_label("Passphrase")
        expect(field).to_be_focused()
        self.assertNoViolations()
        field.fill("a wrong one")
        field.press("Enter")
        expect(field).to_have_accessible_description("This is not the passphrase.")
        field.fill("the right one")
        field.press("Enter")
        expect(dialog).to_have_count(0)
        expect(self.page.get_by_text("It is unlocked.")).to_be_visible()

    def test_it_can_wait_and_is_in_the_settings_then(self):
        self.button("Not now").click()
        expect(self.page.get_by_role("dialog")).to_have_count(0)
        self.section("Security").get_by_role("button", name="Unlock").click()
        expect(self.page.get_by_role("dialog").get_by_label("Passphrase")).to_be_focused()

    def test_an_account_that_signs_in_again_needs_it_too(self):
        def changed(name, value):
            def change(arguments, real):
                for one in real["list"]:
                    one[name] = value
                return real
            return change

        self.told.answers["AccountSettings/get"] = changed("status", "inactive")
        self.told.answers["AccountSetup/get"] = changed("kind", "account")
        self.page.reload()
        self.button("Not now").click()
        self.page.get_by_role("button", name="Re-authenticate").first.click()
        dialog = self.page.get_by_role("dialog", name=re.compile("Sign in to"))
        field = dialog.get_by_label("Passphrase")
        field.fill("the right one")
        field.press("Enter")
        # Those of the demo sign in without asking anything.
        expect(dialog).to_have_count(0)


class Lock(PageTest):
    """FR-SET-01, Foundation 9.2: the lock."""

    allowed_errors = ("423", "403")

    def locked(self, page):
        self.is_locked = True

        def refuse(route):
            if not self.is_locked:
                return route.continue_()
            route.fulfill(status=423, content_type="application/problem+json", body=json.dumps(
                {"type": "urn:mailkernel:error:locked", "status": 423, "detail": "mailkernel is locked."}))

        def unlock(route):
            if json.loads(route.request.post_data)["password"] != "right":
                return route.fulfill(status=403, content_type="application/problem+json", body=json.dumps(
                    {"type": "about:blank", "status": 403, "detail": "That was not the password."}))
            self.is_locked = False
            route.fulfill(json={"isLocked": False})

        for place in ("**/.well-known/jmap", "**/jmap/**"):
            intercept(page, place, refuse)
        intercept(page, "**/unlock", unlock)
        intercept(page, "**/lock", lambda route: route.fulfill(json={"isLocked": self.is_locked}))

    def test_locked_it_shows_nothing_of_the_mail_until_the_password_is_right(self):
        for size, scheme in ((None, "light"), (NARROW, "dark")):
            with self.subTest(size=size):
                page = self.open(None, viewport=size, color_scheme=scheme)
                self.locked(page)
                page.goto("/")
                expect(page.get_by_role("heading", name="mailkernel is locked")).to_be_visible()
                field = page.get_by_label("Login password")
                expect(field).to_be_focused()
                self.assertNoViolations(page)
                field.fill("wrong")
                field.press("Enter")
                expect(field).to_have_accessible_description("That was not the password.")
                field.fill("right")
                field.press("Enter")
                expect(page.get_by_role("option").first).to_be_visible()

    def test_it_locks_while_it_is_open_and_goes_on_where_it_was(self):
        page = self.open("/#/settings")
        expect(page.get_by_role("heading", name="Settings")).to_be_visible()
        delay = page.get_by_label("Undo send delay")
        expect(delay).to_be_visible()
        self.locked(page)
        # Whichever request is the first tells the page; that may be one of its own.
        with contextlib.suppress(PlaywrightError):
            delay.select_option("10 seconds", timeout=5000)
        expect(page.get_by_role("heading", name="mailkernel is locked")).to_be_visible()
        expect(page.get_by_role("heading", name="Settings")).to_have_count(0)
        page.get_by_label("Login password").fill("right")
        page.get_by_role("button", name="Unlock").click()
        expect(page.get_by_role("heading", name="Settings", exact=True)).to_be_visible()


class LockSwitch(CareTest):
    """AC-U-14: turning the lock on proves first that it can be opened."""

    capabilities = ("urn:mailkernel:lock",)

    def setUp(self):
        self.lock = {"id": "singleton", "isEnabled": False, "isLocked": False, "canEnable": True, "reason": None}
        self.answers = {"AppLock/get": lambda arguments, real: {**PROGRAM, "list": [dict(self.lock)], "state": "0"},
                        "AppLock/set": self.change}
        super().setUp()

    def change(self, arguments, real):
        wanted = arguments["update"]["singleton"]
        if wanted["password"] != "right":
            return {**PROGRAM, "oldState": "0", "newState": "0", "notUpdated": {
                "singleton": {"type": "forbidden", "description": "That was not the password."}}}
        self.lock["isEnabled"] = wanted["isEnabled"]
        return {**PROGRAM, "oldState": "0", "newState": "1", "updated": {"singleton": None}}

    def test_AC_U_14_the_lock_is_turned_on_and_off_with_the_password(self):
        switch = self.page.get_by_role("switch", name="App lock")
        expect(switch).not_to_be_checked()
        switch.click()
        dialog = self.page.get_by_role("dialog", name="Turn on app lock")
        expect(switch).not_to_be_checked()
        self.assertNoViolations()
        dialog.get_by_label("Login password").fill("wrong")
        dialog.get_by_role("button", name="Turn on").click()
        expect(dialog.get_by_label("Login password")).to_have_accessible_description("That was not the password.")
        dialog.get_by_label("Login password").fill("right")
        dialog.get_by_role("button", name="Turn on").click()
        expect(dialog).to_have_count(0)
        expect(switch).to_be_checked()

    def test_AC_U_14_where_there_is_no_lock_the_switch_says_why(self):
        self.lock.update({"canEnable": False, "reason": "This system offers no way to check your password."})
        self.page.reload()
        switch = self.page.get_by_role("switch", name="App lock")
        expect(switch).to_be_disabled()
        expect(switch).to_have_accessible_description("This system offers no way to check your password.")


if __name__ == "__main__":
    unittest.main()
