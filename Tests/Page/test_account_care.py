import json
import unittest

from fresh import Answers
from room import NARROW, expect
from test_settings import SettingsTest


class AccountCare(SettingsTest):
    """ACC-90 to ACC-92: accounts are looked after in the settings."""

    def changed(self, **values):
        """Mira's account with other settings, and all accounts at services."""
        def settings(_, real):
            for one in real["list"]:
                one.update(values if one["address"].startswith("mira") else {})
            return real

        def setups(_, real):
            for setup in real["list"]:
                setup["kind"] = "account"
            return real

        mira = self.mail_accounts()["mira@demo.example"]
        Answers(self.page, {"AccountSettings/get": settings, "AccountSetup/get": setups})
        self.page.reload()
        return mira

    def test_ACC_91_a_paused_account_says_so_everywhere_and_is_resumed(self):
        mira = self.changed(status="paused")
        expect(self.page.get_by_role("group", name="mira@demo.example, paused")).to_be_visible()
        expect(self.page.get_by_role("button", name="Pause mira@demo.example")).to_have_count(0)
        self.assertNoViolations()

        def resumes(request):
            calls = json.loads(request.post_data or "{}").get("methodCalls", [])
            return any(name == "AccountSettings/set" and values.get("update") == {mira: {"status": "active"}}
                       for name, values, _ in calls)

        with self.page.expect_request(resumes):
            self.page.get_by_role("button", name="Resume mira@demo.example").click()
        self.page.goto("/#/")
        expect(self.page.locator(".sidebar-account", has_text="Paused")).to_be_visible()

    def test_ACC_92_the_ways_to_sign_in_are_offered(self):
        self.changed()
        expect(self.page.get_by_role("button", name="Pause mira@demo.example")).to_be_visible()
        self.page.get_by_role("button", name="Change how it signs in… (mira@demo.example)").click()
        dialog = self.page.get_by_role("dialog", name="Change how mira@demo.example signs in")
        expect(dialog.get_by_text("Your mail stays.")).to_be_visible()
        expect(dialog.get_by_role("list", name="Ways to sign in").get_by_role("button")).not_to_have_count(0)
        self.assertNoViolations()

    def test_ACC_107_it_fits_a_telephone_and_the_largest_text_in_the_dark(self):
        page = self.page
        self.changed(status="paused", isKeptHereOnly=True, serviceAddresses=[
            "mira@demo.example", "an-address-of-some-length@a-rather-long-name-of-a-domain.example"])
        page.set_viewport_size(NARROW)
        page.emulate_media(color_scheme="dark")
        expect(page.get_by_text("Other addresses at the service: an-address")).to_be_visible()
        self.assertNoViolations()
        for percent in (100, 310):
            page.evaluate(f"document.documentElement.style.fontSize = '{percent}%'")
            self.assertFits()
            for button in ("Change how it signs in… (mira@demo.example)", "Remove Account mira@demo.example"):
                page.get_by_role("button", name=button).click()
                expect(page.locator("dialog")).to_be_visible()
                self.assertFits(place="dialog")
                page.keyboard.press("Escape")
                expect(page.locator("dialog")).to_have_count(0)

    def test_ACC_99_a_service_with_jmap_offers_to_switch(self):
        jmap = {"id": "j/jmap", "pluginId": "j", "kind": "account", "title": "Add a JMAP account",
                "serviceName": "your mail service", "explanation": "", "helpUrl": None, "protocols": ["jmap"]}

        def report(_, real):
            return {**real, "jmapSessionUrl": "https://jmap.demo.example/session"}

        def setups(_, real):
            for setup in real["list"]:
                setup["kind"] = "account"
            others = [setup for setup in real["list"] if "jmap" not in (setup["protocols"] or [])]
            return {**real, "list": others + [jmap]}

        def kept(_, real):
            for account in real["list"]:
                account["isKeptHereOnly"] = False
            return real

        Answers(self.page, {"AccountSettings/report": report, "AccountSetup/get": setups,
                            "AccountSettings/get": kept})
        self.page.reload()
        expect(self.page.get_by_role("button", name="Switch mira@demo.example to JMAP")).to_be_visible()
        self.page.get_by_role("button", name="Change how it signs in… (mira@demo.example)").click()
        ways = self.page.get_by_role("dialog").get_by_role("list", name="Ways to sign in")
        way = ways.get_by_role("button", name="Switch to JMAP at jmap.demo.example")
        expect(way).to_contain_text("Messages on this device are recognized there.")
        self.assertNoViolations()


if __name__ == "__main__":
    unittest.main()
