"""Rules that a real service runs: Dovecot with Pigeonhole and ManageSieve, beside a script of another program."""

import json
import os
import signal
import unittest

from imap_service import ServiceTest
from room import NARROW, WIDE, expect

HOLIDAY = "# Written by another program.\r\nkeep;\r\n"
OTHER = "grace@example.test"
MANAGESIEVE = "/usr/lib/dovecot/managesieve-login"


def rule(name, word, verb, value=None):
    return {"kind": "rule", "name": name, "isOn": True, "joining": "all",
            "conditions": [{"field": "subject", "value": word, "isNegated": False}],
            "actions": [{"verb": verb, "value": value}]}


@unittest.skipUnless(os.access(MANAGESIEVE, os.X_OK), "apt-get install dovecot-sieve dovecot-managesieved")
class ServiceRules(ServiceTest):
    """ORG-20, ORG-21, ORG-22, ORG-24 and ORG-25."""

    def prepared(self):
        """The settings know the service, also where its scripts are."""
        folder, place = super().prepared(), self.service.place
        (folder / "config/plugins").mkdir()
        (folder / "config/plugins/org.mailkernel.imap.json").write_text(json.dumps({
            "hosts": ["localhost", "127.0.0.2"],
            "services": {"example": {
                "name": "Example", "domains": ["example.test"],
                "imap": {"host": "localhost", "port": place["imaps"], "security": "tls"},
                "submission": {"host": "localhost", "port": place["submissions"], "security": "tls"},
                "manageSieve": {"host": "127.0.0.2", "port": place["sieve"], "security": "startTLS"}}}}))
        return folder

    def servers(self, receiving=None):
        """Nothing is asked about them."""

    def to_the_rules(self):
        self.page.goto("/#/settings/rules")
        self.section = self.page.get_by_role("region", name="Rules", exact=True)
        expect(self.section).to_be_visible()
        self.switch = self.section.get_by_role("switch", name="Run rules at the service")

    def row_of(self, name):
        return self.section.locator(".rule").filter(has=self.page.get_by_role("switch", name=name, exact=True))

    def make_the_first_rule(self):
        self.section.get_by_role("button", name="New rule").click()
        dialog = self.page.get_by_role("dialog", name="New rule")
        dialog.get_by_label("Name", exact=True).fill("Bills")
        dialog.get_by_label("What of condition 1").select_option("Subject contains")
        dialog.get_by_label("Text of condition 1").fill("bill")
        dialog.get_by_label("Folder of action 1").select_option("Archive")
        dialog.get_by_role("button", name="Add action").click()
        dialog.get_by_label("Do of action 2").select_option("Skip later rules")
        dialog.get_by_role("button", name="Save").click()
        question = self.page.get_by_role("dialog", name="Turn on the rule “Bills”?")
        question.get_by_role("button", name="Turn on", exact=True).click()
        expect(self.page.get_by_role("dialog")).to_have_count(0)

    def add_rules(self, *more):
        self.account, = self.mail_accounts().values()
        found, = self.jmap(["RuleList/get", {"accountId": self.account}])
        entries = [*found["list"][0]["entries"], *more]
        self.jmap(["RuleList/set", {"accountId": self.account, "update": {"singleton": {"entries": entries}}}])

    def turn_on(self):
        """Beside the script of another program, which is active, shown, and asked about."""
        page, section = self.page, self.section
        section.get_by_role("button", name="Check the service of").click()
        expect(section.get_by_text("Active at the service. Another program wrote it.")).to_be_visible()
        expect(section.get_by_text("All rules run on this computer.")).to_be_visible()
        section.get_by_role("button", name="Show the script “holiday”").click()
        expect(page.get_by_label("Text of “holiday”")).to_contain_text("# Written by another program.")
        self.assertNoViolations()
        page.keyboard.press("Escape")
        self.switch.click()
        expect(section.get_by_text("Run mailkernel’s rules instead of the script “holiday”?")).to_be_visible()
        expect(section.get_by_text("Until you decide, all rules run on this computer.")).to_be_visible()
        self.assertNoViolations()
        self.assertEqual(self.service.scripts(), {"holiday": True})
        section.get_by_role("button", name="Run mailkernel’s rules").click()
        for name in ("Bills", "Reports"):
            expect(self.row_of(name).get_by_text("Runs at the service.", exact=True)).to_be_visible()
        expect(self.row_of("Adverts")).to_contain_text("Runs on this computer. mailkernel forwards messages itself")
        self.assertEqual(self.service.scripts(), {"holiday": False, "mailkernel": True})
        page.set_viewport_size(NARROW)
        self.assertFits()
        self.assertNoViolations()
        page.set_viewport_size(WIDE)

    def while_it_is_off(self):
        """The service runs its part; another mail program then takes back what the second rule did."""
        service = self.service
        for subject in ("The bill of May", "The report of May", "An advert of May"):
            service.receive(subject)
        self.assertIn("$MailKernelRulesA", service.flags("Archive", "The bill of May"))
        self.assertLessEqual({"\\Flagged", "$MailKernelRulesA"}, service.flags("INBOX", "The report of May"))
        self.assertIn("$MailKernelRulesA", service.flags("INBOX", "An advert of May"))
        with service.client() as other:
            other.select("INBOX")
            other.store(other.search(None, "SUBJECT", '"report of May"')[1][0].decode(), "-FLAGS", "\\Flagged")
        # Not delivered, so no script has seen it.
        service.deliver("The report of June")

    def come_back(self):
        self.program.start(self.port)
        self.state = self.signed_in()
        self.page.goto("/#/mail/all/inbox")
        self.page.reload()
        self.unlock()

    def test_ORG_22_ORG_24_ORG_25_rules_run_there_while_this_computer_is_off_and_never_twice(self):
        service = self.service
        service.put_script("holiday", HOLIDAY)
        service.deliver("An earlier report")
        self.to_the_form()
        self.fill_in()
        self.to_the_inbox()
        expect(self.row("An earlier report")).to_be_visible()
        self.to_the_rules()
        self.make_the_first_rule()
        self.add_rules(rule("Reports", "report", "star"), rule("Adverts", "advert", "forward", OTHER))
        self.turn_on()

        self.port = self.program.port
        self.program.stop(signal.SIGTERM)
        self.while_it_is_off()
        self.come_back()

        # What had no mark gets all rules here, what had one the rest.
        self.wait(lambda: "\\Flagged" in (service.flags("INBOX", "The report of June") or ()))
        self.wait(lambda: service.messages("INBOX", OTHER))
        expect(self.row("The report of May")).to_be_visible()
        self.assertNotIn("\\Flagged", service.flags("INBOX", "The report of May"))
        self.assertNotIn("\\Flagged", service.flags("INBOX", "An earlier report"))
        self.assertEqual([one["Subject"] for one in service.messages("INBOX", OTHER)], ["An advert of May"])
        self.assertEqual(len(service.messages("Archive")), 1)
        self.page.get_by_role("navigation", name="Folders").get_by_role("link", name="Archive").click()
        expect(self.row("The bill of May")).to_have_count(1)

        # Turned off, the rules are back here, and the script of the other program is the active one again.
        self.to_the_rules()
        self.switch.click()
        expect(self.section.get_by_text("Active at the service. Another program wrote it.")).to_be_visible()
        expect(self.section.get_by_text("All rules run on this computer.")).to_be_visible()
        expect(self.section.get_by_text("Runs at the service.", exact=True)).to_have_count(0)
        self.assertEqual(service.scripts(), {"holiday": True})
        self.assertEqual(service.script("holiday"), HOLIDAY)
        service.receive("The bill of June")
        self.wait(lambda: service.flags("Archive", "The bill of June") is not None)
        self.assertIsNone(service.flags("INBOX", "The bill of June"))


class OlderMail(ServiceTest):
    """ORG-80 and ORG-82."""

    def test_ORG_80_ORG_82_mail_from_before_the_sync_window_is_found_at_the_service_and_opened(self):
        page, service = self.page, self.service
        service.deliver("A quokka of this week", days=2)
        service.deliver("A quokka from long ago", "It smiled at the camera.", days=900)
        service.deliver("A wombat from long ago", days=901)
        self.to_the_form()
        self.fill_in()
        self.to_the_inbox()
        expect(self.row("A quokka of this week")).to_be_visible()
        page.get_by_role("searchbox", name="Search mail").fill("quokka")
        expect(page.get_by_role("heading", level=1, name="Search results")).to_be_visible()
        expect(self.row("A quokka of this week")).to_be_visible()
        expect(page.get_by_text("long ago")).to_have_count(0)
        self.button("Search older mail at example.test").click()
        older = page.get_by_role("region", name="Older mail at example.test")
        found = older.get_by_role("listitem")
        expect(found).to_have_count(1)
        expect(found).to_contain_text("A quokka from long ago")
        expect(found).to_contain_text("Grace Hopper")
        expect(older.get_by_role("status").first).to_have_text("1 older message found")
        self.assertNoViolations()
        page.set_viewport_size(NARROW)
        self.assertFits()
        found.get_by_role("button").press("Enter")
        expect(page.get_by_role("region", name="Conversation", exact=True)).to_contain_text("A quokka from long ago")
        expect(page.frame_locator(".mail-frame >> nth=-1").locator("body")).to_contain_text("It smiled at the camera.")
        self.assertFits()
        self.assertEqual(len(service.messages("INBOX")), 3)


if __name__ == "__main__":
    unittest.main()
