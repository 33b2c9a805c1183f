"""Leaving mailing lists, and the list of all senders."""

import re
import uuid

from room import NARROW, expect
from test_acting import ActingTest

POST = {"header:List-Unsubscribe-Post:asRaw": " List-Unsubscribe=One-Click"}


class Unsubscribe(ActingTest):
    """ORG-65, ORG-66 and ORG-67."""

    def setUp(self):
        super().setUp()
        # What was done about a list is remembered, also by the program that tests share.
        self.news = f"{uuid.uuid4().hex}@acme.example"

    def newsletter(self, subject, field, name="Acme News", **more):
        return self.mail(subject, "inbox", **{
            "from": [{"name": name, "email": self.news}], "header:List-Unsubscribe:asRaw": f" {field}", **more})

    def open_message(self, subject):
        self.page.get_by_role("searchbox", name="Search mail").fill(f"subject:{subject}")
        self.page.get_by_role("option").filter(has_text=subject).first.click()
        message = self.page.locator(".message-open").last
        expect(message.get_by_role("button", name="Unsubscribe")).to_be_visible()
        return message

    def ask(self, message):
        message.get_by_role("button", name="Unsubscribe").click()
        return self.page.get_by_role("alertdialog", name=re.compile("^Unsubscribe from "))

    def undo_within(self, seconds):
        self.jmap(["Preferences/set", {"accountId": "program", "update": {"singleton": {"undoSendDelaySeconds": seconds}}}])

    def time_to_undo(self):
        """More than the usual, which may be over before a busy machine has shown it."""
        self.undo_within(30)
        self.addCleanup(self.undo_within, 5)

    def connections(self):
        found, = self.jmap(["Connection/get", {"accountId": "program"}])
        return [one["host"] for one in found["list"] if "unsubscribe" in one["purpose"]]

    def test_ORG_62_and_65_a_message_is_sent_after_a_question_and_can_be_undone(self):
        self.newsletter("Quinces", "<mailto:leave@acme.example?subject=Stop>")
        self.time_to_undo()
        message = self.open_message("Quinces")
        self.assertNoViolations()
        question = self.ask(message)
        expect(question).to_contain_text("mailkernel sends a message to leave@acme.example.")
        self.assertNoViolations()
        question.get_by_role("button", name="Cancel").click()
        expect(message.get_by_role("button", name="Unsubscribe")).to_be_visible()
        self.ask(message).get_by_role("button", name="Unsubscribe").click()
        expect(message.get_by_text("Unsubscribing…")).to_be_visible()
        self.page.locator(".toast").get_by_role("button", name="Undo").click()
        expect(message.get_by_role("button", name="Unsubscribe")).to_be_visible()
        drafts, = self.jmap(["Draft/get", {"accountId": self.mira, "ids": None}])
        self.assertEqual([one["subject"] for one in drafts["list"] if one["subject"] == "Stop"], [])
        # By keyboard, from the command palette, and sent in the end.
        self.undo_within(5)
        self.page.keyboard.press("Control+k")
        self.page.keyboard.type("Unsubscribe")
        self.page.get_by_role("option", name=re.compile("^Unsubscribe")).first.click()
        self.page.get_by_role("alertdialog").get_by_role("button", name="Unsubscribe").click()
        expect(message.get_by_text(re.compile("^ ?Unsubscribed on "))).to_be_visible()
        expect(message.get_by_role("button", name="Unsubscribe")).to_have_count(0)
        self.assertNoViolations()

    def test_ORG_61_and_65_a_failed_request_leads_to_the_page_which_learns_nothing(self):
        self.newsletter("Medlars", "<https://news.example.org/leave?u=1>", **POST)
        seen = []
        self.page.context.route("https://news.example.org/**", lambda route: (
            seen.append(route.request.all_headers()), route.fulfill(body="Goodbye")))
        message = self.open_message("Medlars")
        before = self.connections()
        question = self.ask(message)
        expect(question).to_contain_text("mailkernel asks news.example.org to stop.")
        question.get_by_role("button", name="Unsubscribe").click()
        # There is no such server.
        expect(self.page.locator(".toast").filter(has_text="news.example.org")).to_be_visible()
        self.assertEqual(self.connections(), ["news.example.org", *before])
        expect(question).to_contain_text("mailkernel opens news.example.org in a new tab.")
        with self.page.context.expect_page() as opened:
            question.get_by_role("button", name="Open page").click()
        expect(opened.value.get_by_text("Goodbye")).to_be_visible()
        self.assertEqual(opened.value.evaluate("[document.referrer, String(window.opener)]"), ["", "null"])
        self.assertNotIn("referer", seen[0])
        # Before the click, nothing was asked.
        self.assertEqual(self.foreign, ["https://news.example.org/leave?u=1"])
        self.foreign.clear()
        opened.value.close()
        expect(message.get_by_text("You opened its unsubscribe page on ")).to_be_visible()
        # Mail that comes much later says so.
        late = {"receivedAt": "2030-01-01T08:00:00Z"}
        self.newsletter("Sorbs", "<https://news.example.org/leave?u=1>", **late)
        expect(self.open_message("Sorbs").get_by_text("Still sending. You opened")).to_be_visible()
        self.assertNoViolations()

    def test_ORG_66_and_67_senders_are_counted_sorted_searched_and_acted_on(self):
        for number in range(3):
            self.newsletter(f"Plums {number}", "<mailto:leave@plums.example>", "Plum Post",
                            keywords={} if number else {"$seen": True})
        self.mail("A walk", "inbox", **{"from": [{"name": "Plum Person", "email": "ana@plums.example"}]})
        self.time_to_undo()
        self.page.get_by_role("button", name="Senders").click()
        expect(self.page.get_by_role("heading", level=1, name="Senders")).to_be_visible()
        rows = self.page.get_by_role("list", name="Senders found").get_by_role("listitem")
        search = self.page.get_by_role("searchbox", name="Search senders")
        search.fill("plum")
        expect(rows).to_have_count(2)
        expect(rows.first).to_contain_text(re.compile(
            f"Plum Post.*{self.news}.*3 messages in 90 days, 3 in all · 33% read · last on", re.S))
        self.page.get_by_label("Sort by").select_option("Most read")
        expect(rows.first).to_contain_text("Plum Person")
        self.page.get_by_label("Sort by").select_option("Least read")
        expect(rows.first).to_contain_text("Plum Post")
        self.assertNoViolations()
        self.assertEqual({tuple(boxes) for boxes in self.places().values()}, {("inbox",)})
        more = rows.first.get_by_role("button", name="More for Plum Post")
        more.click()
        self.page.get_by_role("menuitem", name="Archive all in the inbox").click()
        toast = self.page.locator(".toast").filter(has_text="3 messages archived")
        expect(toast).to_be_visible()
        self.assertEqual(sum("inbox" in boxes for boxes in self.places().values()), 1)
        toast.get_by_role("button", name="Undo").click()
        self.wait(lambda: all("inbox" in boxes for boxes in self.places().values()))
        question = self.page.get_by_role("alertdialog", name="Unsubscribe from Plum Post?")
        rows.first.get_by_role("button", name="Unsubscribe from Plum Post").click()
        expect(question).to_contain_text("leave@plums.example")
        question.get_by_role("button", name="Unsubscribe").click()
        expect(rows.first).to_contain_text("Unsubscribing…")
        self.page.locator(".toast").get_by_role("button", name="Undo").click()
        expect(rows.first.get_by_role("button", name="Unsubscribe from Plum Post")).to_be_visible()
        more.click()
        self.page.get_by_role("menuitem", name="Block this sender").click()
        toast = self.page.locator(".toast").filter(has_text=f"Rule added: Block {self.news}")
        toast.get_by_role("button", name="Undo").click()
        self.page.set_viewport_size(NARROW)
        self.assertFits()
        self.assertNoViolations()
        more.click()
        self.page.get_by_role("menuitem", name="Show messages").click()
        expect(self.page.locator(".row:not(.row-empty)").filter(has_text="Plums")).to_have_count(3)
