import contextlib
import json
import re
import signal
import unittest

from playwright.sync_api import Error

from fresh import Answers, FreshTest
from room import NARROW, WIDE, PageTest, expect, open_other_ways
from test_onboarding import MODEL

PROGRAM = {"accountId": "program"}

SECTIONS = ["Accounts", "Composition", "Appearance", "Rules", "AI Features", "Notifications", "Security",
            "Data Management", "Privacy", "Plugins", "About"]


class SettingsTest(PageTest):
    def setUp(self):
        super().setUp()
        self.page.goto("/#/settings")
        expect(self.section("Composition")).to_be_visible()

    def section(self, name, page=None):
        return (page or self.page).get_by_role("region", name=name, exact=True)

    def preferences(self):
        answer, = self.jmap(["Preferences/get", {"accountId": "program"}])
        return answer["list"][0]

    def set_preferences(self, **values):
        self.jmap(["Preferences/set", {"accountId": "program", "update": {"singleton": values}}])


class Settings(SettingsTest):
    """FR-SET-01, AC-U-14: the settings, on the demo's two accounts."""

    def test_a_plugin_that_does_not_respond_is_named_where_its_part_may_be_missing(self):
        slow = {"id": "org.example.slow", "name": "Slow models", "version": None, "author": None, "license": None,
                "kind": "model", "hosts": [], "state": "loaded", "reason": "The plugin is not responding."}
        Answers(self.page, {"Plugin/get": lambda _, real: {**real, "list": real["list"] + [slow]}})
        self.page.reload()
        words = "The plugin “Slow models” is not responding. Its models may be missing or out of date here."
        for section in ("AI Features", "Data Management"):
            expect(self.section(section).get_by_text(words)).to_be_visible()
        self.assertNoViolations()

    def test_AC_U_14_the_sections_come_in_the_order_of_the_specification(self):
        expect(self.page.locator(".settings-list .spinner")).to_have_count(0)
        shown = self.page.locator(".settings-list h2").all_inner_texts()
        self.assertEqual(shown, SECTIONS)
        self.assertNoViolations()

    def test_NFR_SET_02_nothing_is_wrong_in_the_dark_or_on_a_small_screen(self):
        for size, scheme in ((NARROW, "dark"), ({"width": 932, "height": 430}, "light"),
                             ({"width": 430, "height": 932}, "dark")):
            with self.subTest(size=size, scheme=scheme):
                page = self.open("/#/settings", viewport=size, color_scheme=scheme)
                expect(self.section("Composition", page)).to_be_visible()
                self.assertNoViolations(page)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)

    def test_NFR_SET_02_text_of_310_percent_fits_on_320_pixels(self):
        page = self.open(None, viewport={"width": 320, "height": 640})
        long = "a" * 40 + "/" + "b" * 60

        def plugins(arguments, real):
            real["list"][0].update(state="refused", reason=f"The library /home/{long}.so was not loaded.",
                                   hosts=[f"imap.{'c' * 60}.example"], name="Storage" * 8)
            return real

        Answers(page, {"Model/get": lambda arguments, real: {**PROGRAM, "state": "0", "list": [
            {**MODEL, "name": "Model" * 12, "sourceUrl": f"https://models.example/{long}"}]},
            "Plugin/get": plugins}, capabilities=["urn:mailkernel:models"], instead=["Model/get"])
        page.goto("/#/settings")
        page.evaluate("document.documentElement.style.fontSize = '310%'")
        for name in SECTIONS:
            expect(self.section(name, page)).to_be_attached()
        expect(page.locator(".settings-list .spinner")).to_have_count(0)
        # Only the list scrolls: what scrolled the window would take its head away and cut the list.
        self.assertLessEqual(page.evaluate("document.documentElement.scrollHeight - innerHeight"), 0)
        for font in ("", "DejaVu Sans", "monospace"):
            with self.subTest(font=font):
                page.evaluate("(font) => { document.body.style.fontFamily = font; }", font)
                self.assertFits(page, ".settings-list")

    def test_AC_U_14_there_is_one_window_of_the_settings_which_comes_to_the_front_again(self):
        page = self.open()
        expect(page.get_by_role("option").first).to_be_visible()
        with page.context.expect_page() as opened:
            page.keyboard.press("Control+,")
        window = opened.value
        expect(self.section("Accounts", window)).to_be_visible()
        page.get_by_role("link", name="Settings").click()
        page.keyboard.press("Control+,")
        # From a window of another kind as well, and with a place to show.
        window.evaluate("window.wasHere = true")
        self.wait(lambda: len(page.context.pages) == 2, page)
        self.assertTrue(window.evaluate("window.wasHere"), "it was loaded again")
        # One that is opened where the first cannot be reached takes its place.
        other = page.context.new_page()
        other.goto("/#/settings")
        expect(self.section("Accounts", other)).to_be_visible()
        self.wait(window.is_closed, page)
        with other.context.expect_page() as opened:
            page.keyboard.press("Control+,")
        expect(self.section("Accounts", opened.value)).to_be_visible()
        expect(other.get_by_role("heading", name="Settings")).to_have_count(0)
        self.assertNoViolations(opened.value)
        # The window may be gone before the click in it has been answered.
        with contextlib.suppress(Error):
            opened.value.get_by_role("button", name="Close settings").click()
        self.wait(opened.value.is_closed, page)

    def test_AC_U_14_where_no_window_is_allowed_the_settings_are_in_place(self):
        page = self.open(None)
        page.add_init_script("window.open = () => null")
        page.goto("/")
        expect(page.get_by_role("option").first).to_be_visible()
        page.keyboard.press("Control+,")
        expect(self.section("Accounts", page)).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("option").first).to_be_visible()

    def test_E_SO_16_the_theme_changes_at_once_in_every_window(self):
        other = self.open("/#/settings")
        expect(self.section("Appearance", other)).to_be_visible()
        self.addCleanup(self.set_preferences, appTheme="system")
        for theme in ("Dark", "Light"):
            self.page.get_by_role("radio", name=theme).click()
            for page in (self.page, other):
                expect(page.locator("html")).to_have_attribute("data-theme", theme.lower())
                expect(page.get_by_role("radio", name=theme)).to_be_checked()
        self.page.get_by_role("radio", name="System").click()
        expect(self.page.locator("html")).not_to_have_attribute("data-theme", "light")

    def test_FR_SET_01_the_undo_delay_is_one_of_five_and_is_kept_before_it_shows(self):
        picker = self.page.get_by_label("Undo send delay")
        self.assertEqual(picker.locator("option").all_inner_texts(),
                         ["Off", "5 seconds", "10 seconds", "15 seconds", "30 seconds"])
        expect(picker).to_have_value("5")
        self.addCleanup(self.set_preferences, undoSendDelaySeconds=5)
        picker.select_option("30 seconds")
        expect(picker).to_have_value("30")
        self.assertEqual(self.preferences()["undoSendDelaySeconds"], 30)

    def test_NFR_SET_01_what_is_refused_is_not_shown(self):
        def refuse(arguments, real):
            return {"accountId": "program", "oldState": "0", "newState": "0", "notUpdated": {
                "singleton": {"type": "serverFail", "description": "The disk is full."}}}

        Answers(self.page, {"Preferences/set": refuse}, instead=["Preferences/set"])
        self.page.get_by_label("Undo send delay").select_option("15 seconds")
        expect(self.page.get_by_role("alert").get_by_text("The disk is full.")).to_be_visible()
        expect(self.page.get_by_label("Undo send delay")).to_have_value("5")
        # Said again, it is there once.
        self.page.get_by_label("Undo send delay").select_option("30 seconds")
        expect(self.page.get_by_label("Undo send delay")).to_have_value("5")
        expect(self.page.get_by_role("alert").get_by_text("The disk is full.")).to_have_count(1)

    def test_FR_SET_01_the_default_account_is_one_of_the_accounts(self):
        picker = self.page.get_by_label("Default account")
        self.assertEqual(sorted(picker.locator("option").all_inner_texts()), sorted(self.mail_accounts()))
        self.addCleanup(self.set_preferences, defaultSendingAccountId=None)
        picker.select_option("jonas@demo.example")
        expect(picker.locator("option:checked")).to_have_text("jonas@demo.example")
        self.assertEqual(self.preferences()["defaultSendingAccountId"], self.mail_accounts()["jonas@demo.example"])

    def test_E_SO_18_without_a_model_the_categories_are_off_limits_and_say_why(self):
        for name in ("Primary", "Social", "Promotions", "Updates"):
            switch = self.page.get_by_role("switch", name=f"{name} tab")
            expect(switch).to_be_disabled()
            expect(switch).to_be_checked()
            expect(switch).to_have_accessible_description("Download AI model to enable categories.")

    def test_FR_SET_01_notifications_can_be_turned_off_for_one_account(self):
        switch = self.page.get_by_role("switch", name="jonas@demo.example")
        id = self.mail_accounts()["jonas@demo.example"]
        self.addCleanup(self.set_preferences, notificationPreferences={})
        expect(switch).to_be_checked()
        switch.click()
        expect(switch).not_to_be_checked()
        self.assertEqual(self.preferences()["notificationPreferences"], {id: False})

    def test_FR_SET_01_mail_that_comes_is_told_in_the_settings_too(self):
        # The answer to a message that cannot be delivered comes from outside.
        self.set_preferences(undoSendDelaySeconds=0)
        self.addCleanup(self.set_preferences, undoSendDelaySeconds=5)
        account = self.mail_accounts()["mira@demo.example"]
        boxes, identities = self.jmap(["Mailbox/get", {"accountId": account, "ids": None}],
                                      ["Identity/get", {"accountId": account, "ids": None}])
        drafts = next(box["id"] for box in boxes["list"] if box["role"] == "drafts")
        self.jmap(
            ["Email/set", {"accountId": account, "create": {"mail": {
                "mailboxIds": {drafts: True}, "keywords": {"$draft": True, "$seen": True},
                "from": [{"email": "mira@demo.example"}], "to": [{"email": "nobody@demo.example"}],
                "subject": "Anybody there?", "bodyValues": {"1": {"value": "Hello"}},
                "textBody": [{"partId": "1", "type": "text/plain"}]}}}],
            ["EmailSubmission/set", {"accountId": account, "create": {"s": {
                "emailId": "#mail", "identityId": identities["list"][0]["id"]}}}])
        told = self.page.locator(".toast").filter(has_text="Not delivered: nobody@demo.example")
        expect(told).to_be_visible(timeout=30_000)
        told.get_by_role("button", name="Open").click()
        expect(self.page.locator(".conversation")).to_contain_text("Anybody there?")

    def test_AC_U_14a_accounts_show_their_address_and_whether_they_are_active(self):
        for address in self.mail_accounts():
            expect(self.page.get_by_role("group", name=f"{address}, active")).to_be_visible()

    def test_AC_U_14a_a_display_name_is_kept_when_the_field_is_left(self):
        id = self.mail_accounts()["mira@demo.example"]
        field = self.page.get_by_label("Display name").first
        before = field.input_value()
        account = next(one for one in self.settings() if one["displayName"] == before)
        self.addCleanup(lambda: self.jmap(["AccountSettings/set", {
            "accountId": "program", "update": {account["id"]: {"displayName": before}}}]))
        field.fill("Somebody Else")
        field.press("Enter")
        self.wait(lambda: any(one["displayName"] == "Somebody Else" for one in self.settings()))
        field.fill("")
        field.blur()
        expect(field).to_have_value("Somebody Else")
        self.assertTrue(id)

    def settings(self):
        answer, = self.jmap(["AccountSettings/get", {"accountId": "program"}])
        return answer["list"]

    def test_E_SO_10_a_smaller_sync_window_asks_first(self):
        self.with_setup_kind("account")
        picker = self.page.get_by_label("Sync window").first
        expect(picker).to_be_visible()
        self.assertEqual(picker.locator("option").all_inner_texts(),
                         ["7 days", "14 days", "30 days", "60 days", "90 days"])
        expect(picker).to_have_value("30")
        picker.select_option("90 days")
        expect(picker).to_have_value("90")
        picker.select_option("7 days")
        dialog = self.page.get_by_role("alertdialog")
        expect(dialog).to_contain_text(
            "Reducing the sync window will remove local copies of older emails. Server emails are not affected.")
        self.assertNoViolations()
        dialog.get_by_role("button", name="Cancel").click()
        expect(picker).to_have_value("90")
        self.assertEqual(self.sync_windows(), [30, 90])
        picker.select_option("30 days")
        dialog.get_by_role("button", name="Reduce").click()
        expect(picker).to_have_value("30")
        self.wait(lambda: self.sync_windows() == [30, 30])

    def sync_windows(self):
        return sorted(one["syncWindowDays"] for one in self.settings())

    def with_setup_kind(self, kind):
        """As if the accounts of the demo had a service, or none."""
        def changed(arguments, real):
            for setup in real["list"]:
                setup["kind"] = kind
            return real

        def kept(arguments, real):
            for account in real["list"]:
                account["isKeptHereOnly"] = kind != "account"
            return real

        Answers(self.page, {"AccountSetup/get": changed, "AccountSettings/get": kept})
        self.page.reload()
        expect(self.section("Composition")).to_be_visible()

    #: What a server said, with a sign in it that turns letters around, and what would be HTML elsewhere.
    REASON = "Sign in again: the client was <b>deleted</b>\u202e."

    def with_an_inactive_account(self):
        def inactive(arguments, real):
            for one in real["list"]:
                one["status"] = "inactive" if one["address"].startswith("mira") else one["status"]
            return real

        def problem(arguments, real):
            for one in real["list"]:
                if one["id"] == mira:
                    one.update({"phase": "failed", "problem": self.REASON})
            return real

        mira = self.mail_accounts()["mira@demo.example"]
        Answers(self.page, {"AccountSettings/get": inactive, "SyncStatus/get": problem})
        self.page.reload()
        return mira

    def test_E_SO_17_an_inactive_account_says_why_and_signs_in_again(self):
        mira = self.with_an_inactive_account()
        expect(self.page.get_by_role("group", name="mira@demo.example, inactive")).to_be_visible()
        expect(self.section("Accounts").get_by_text("Sign in again: the client was <b>deleted</b>.", exact=True)
               ).to_be_visible()
        self.assertNoViolations()

        def signs_in(request):
            calls = json.loads(request.post_data or "{}").get("methodCalls", [])
            return any(name == "SignIn/set" and (values.get("create") or {}).get("new") == {"accountId": mira}
                       for name, values, _ in calls)

        with self.page.expect_request(signs_in) as asked:
            self.page.get_by_role("button", name="Re-authenticate").click()
        # The demo signs in without asking anything.
        _, answer, _ = asked.value.response().json()["methodResponses"][0]
        self.assertTrue(answer["created"]["new"]["id"])
        expect(self.page.get_by_role("dialog")).to_have_count(0)

    def test_FR_ACCT_04_a_refused_sign_in_is_shown_before_the_account_becomes_inactive(self):
        mira = self.mail_accounts()["mira@demo.example"]

        def refused(arguments, real):
            for one in real["list"]:
                if one["id"] == mira:
                    one.update({"phase": "waiting", "problem": self.REASON, "isSignInRefused": True})
            return real

        answers = Answers(self.page, {"SyncStatus/get": refused})
        self.page.reload()
        account = self.page.get_by_role("group", name="mira@demo.example, sign-in refused")
        expect(account).to_be_visible()
        expect(account.get_by_text("Active", exact=True)).to_have_count(0)
        expect(self.page.get_by_role("button", name="Re-authenticate mira@demo.example")).to_be_visible()
        self.assertNoViolations()
        answers.answers.clear()
        self.page.reload()
        expect(self.page.get_by_role("group", name="mira@demo.example, active")).to_be_visible()

    def test_NFR_SET_02_no_two_controls_have_the_same_name(self):
        self.with_setup_kind("account")
        expect(self.page.get_by_label("Sync window")).to_have_count(2)
        expect(self.page.get_by_label("Attachment cache limit")).to_have_count(2)
        for section in ("Accounts", "Data Management", "Notifications"):
            names = []
            for role in ("textbox", "combobox", "button", "switch", "checkbox"):
                tree = self.section(section).get_by_role(role).all()
                names += [f"{role} {re.search(r'^- .*', one.aria_snapshot()).group()}" for one in tree]
            with self.subTest(section=section):
                self.assertGreater(len(names), 1)
                self.assertEqual(sorted(names), sorted(set(names)))
        for address in self.mail_accounts():
            expect(self.page.get_by_role("textbox", name=f"Display name of {address}", exact=True)).to_be_visible()
            expect(self.page.get_by_role("combobox", name=f"Sync window of {address}", exact=True)).to_be_visible()

    def test_FR_ACCT_04_beside_the_mail_an_inactive_account_says_why_too(self):
        self.with_an_inactive_account()
        for size in (WIDE, NARROW):
            self.page.set_viewport_size(size)
            self.page.goto("/#/")
            banner = self.page.locator(".banner", has_text="mira@demo.example is signed out")
            expect(banner).to_contain_text(
                "so mail is neither received nor sent. Sign in again: the client was <b>deleted</b>.")
            expect(banner.get_by_role("button", name="Sign in again")).to_be_visible()
            expect(self.page.locator(".banner")).to_have_count(1)
            self.assertNoViolations()
            self.assertFits()

    def test_FR_SET_01_what_is_searched_for_is_all_that_shows(self):
        self.page.get_by_label("Search settings").fill("undo delay")
        expect(self.page.get_by_label("Undo send delay")).to_be_visible()
        expect(self.page.get_by_role("radio", name="Dark")).to_have_count(0)
        expect(self.section("Accounts")).to_have_count(0)
        self.assertNoViolations()
        self.page.get_by_label("Search settings").fill("nothing is called so")
        expect(self.page.get_by_text("No settings found")).to_be_visible()
        self.page.keyboard.press("Escape")
        expect(self.section("Accounts")).to_be_visible()

    def test_FR_SET_01_plugins_show_their_state_and_whom_they_may_contact(self):
        plugins = self.section("Plugins")
        storage = plugins.locator(".plugin", has=self.page.get_by_role("heading", name="SQLite storage"))
        expect(storage).to_contain_text("Loaded")
        expect(storage).to_contain_text("Makes no connections.")
        # The others name their hosts.
        expect(plugins.locator(".plugin", has=self.page.get_by_role("heading", name="Gmail"))).to_contain_text(
            "imap.gmail.com")

    def test_FR_SET_01_trusted_senders_can_be_taken_back(self):
        self.jmap(["TrustedSender/set", {"accountId": "program", "create": {"a": {"email": "ana@example.com"}}}])
        self.page.reload()
        self.page.get_by_role("button", name="Stop trusting ana@example.com").click()
        expect(self.page.get_by_text("ana@example.com")).to_have_count(0)
        answer, = self.jmap(["TrustedSender/get", {"accountId": "program"}])
        self.assertEqual(answer["list"], [])

    def test_FR_SET_01_the_ledger_says_who_talked_to_whom(self):
        def connections(arguments, real):
            entry = {"id": "1", "pluginId": "org.mailkernel.gmail", "host": "imap.gmail.com", "port": 993,
                     "purpose": "fetch mail", "beganAt": "2026-11-21T14:03:12Z", "endedAt": "2026-11-21T14:04:12Z",
                     "bytesSent": 31_000, "bytesReceived": 1_200_000, "outcome": "finished", "problem": None}
            return {"accountId": "program", "position": 0, "list": [
                entry, {**entry, "id": "2", "outcome": "failed", "problem": "The name is not known."}]}

        Answers(self.page, {"Connection/get": connections})
        self.page.get_by_role("button", name="Show connections").click()
        dialog = self.page.get_by_role("dialog", name="Connections")
        expect(dialog.get_by_role("listitem").first).to_contain_text("imap.gmail.com to fetch mail")
        expect(dialog).to_contain_text("1.2 MB received, 31 KB sent")
        expect(dialog).to_contain_text("Failed: The name is not known.")
        self.assertNoViolations()
        self.page.keyboard.press("Escape")
        expect(self.page.get_by_role("button", name="Show connections")).to_be_focused()


class SettingsAlone(FreshTest):
    """Settings of a program of its own."""

    def setUp(self):
        super().setUp()
        self.account = self.add_local_account()
        self.jmap(["Preferences/set", {"accountId": "program",
                                       "update": {"singleton": {"isOnboardingComplete": True}}}])
        self.page.goto("/#/settings")
        expect(self.page.get_by_role("region", name="Composition")).to_be_visible()

    def test_FR_SET_01_the_default_account_is_hidden_while_there_is_one(self):
        expect(self.page.get_by_label("Undo send delay")).to_be_visible()
        expect(self.page.get_by_label("Default account")).to_have_count(0)

    def test_PV_SO_01_nothing_reverts_after_a_kill(self):
        self.allowed_errors = ("Failed to load resource", "ERR_")
        for theme, delay in (("Dark", "30"), ("Light", "0"), ("System", "10")):
            page = self.open("/#/settings")
            page.get_by_role("radio", name=theme).click()
            expect(page.get_by_role("radio", name=theme)).to_be_checked()
            page.get_by_label("Undo send delay").select_option(delay)
            expect(page.get_by_label("Undo send delay")).to_have_value(delay)
            self.again(signal.SIGKILL)
            page = self.open("/#/settings")
            expect(page.get_by_role("radio", name=theme)).to_be_checked()
            expect(page.get_by_label("Undo send delay")).to_have_value(delay)

    def test_FR_SET_01_a_plugin_that_was_left_out_is_tried_again(self):
        self.allowed_errors = ("Failed to load resource", "ERR_")
        self.program.command("plugins", "--disable", "org.mailkernel.models")
        self.again(signal.SIGTERM)
        page = self.open("/#/settings/plugins")
        row = page.locator(".plugin").filter(has_text="Local models")
        expect(row).to_contain_text("Disabled")
        self.assertNoViolations(page)
        row.get_by_role("button", name="Try Local models again").click()
        question = page.get_by_role("alertdialog", name="Try “Local models” again?")
        question.get_by_role("button", name="Restart").click()
        # The page goes on with the restarted program.
        expect(row).to_contain_text("Loaded", timeout=60_000)
        expect(row.get_by_role("button")).to_have_count(0)

    def test_AC_U_14a_an_account_is_added_in_a_dialog(self):
        self.page.get_by_role("button", name="Add Account", exact=True).click()
        dialog = self.page.get_by_role("dialog")
        open_other_ways(self.page)
        dialog.get_by_role("button", name="Mail on this device").click()
        dialog.get_by_label("Your name").fill("Bob Stone")
        dialog.get_by_role("button", name="Continue").click()
        expect(self.page.get_by_role("group", name=re.compile("bob.stone@.*, active"))).to_be_visible()
        expect(dialog).to_have_count(0)
        expect(self.page.get_by_label("Default account")).to_be_visible()

    def test_E_SO_08_the_last_account_goes_and_the_first_steps_come(self):
        self.page.get_by_role("button", name=re.compile("Remove Account")).click()
        dialog = self.page.get_by_role("alertdialog", name=re.compile(r"Remove ada\.lovelace@.*\?"))
        expect(dialog).to_contain_text(
            "All local emails, drafts, and cached data for this account will be deleted.")
        self.assertNoViolations()
        dialog.get_by_role("button", name="Remove").click()
        expect(self.page.get_by_role("heading", name="Welcome to mailkernel")).to_be_visible()


if __name__ == "__main__":
    unittest.main()
