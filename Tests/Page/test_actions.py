"""The record of what was done to mail: undoing it later, doing it to a whole list, and the verbs that only some places have."""

import json
import re

from fresh import Answers
from room import expect
from test_acting import ActingTest


class Record(ActingTest):
    """FR-SYNC-10: what was done can be undone for as long as the program keeps it."""

    def archived(self):
        """A conversation that was archived in the inbox."""
        id = self.mail("The zoo", "inbox")
        list = self.search(1)
        list.focus()
        self.page.keyboard.press("Home")
        self.page.keyboard.press("e")
        self.wait(lambda: self.places() == {id: ["archive"]})
        return id

    def test_FR_SYNC_10_undoing_holds_after_the_page_was_loaded_again(self):
        id = self.archived()
        self.page.reload()
        expect(self.page.locator(".row:not(.row-empty)").first).to_be_visible()
        for keys, subject in (("z", "archived"), ("Control+z", "moved to Trash")):
            self.page.keyboard.press(keys)
            expect(self.page.locator(".toast").get_by_text(f"Undone: 1 message {subject}")).to_be_visible()
            self.assertEqual(self.places(), {id: ["inbox"]})
            if keys == "z":
                self.search(1).focus()
                self.page.keyboard.press("Home")
                self.page.keyboard.press("#")
                self.wait(lambda: self.places() == {id: ["trash"]})
                self.page.reload()
                expect(self.page.locator(".row:not(.row-empty)").first).to_be_visible()

    def test_FR_SYNC_10_the_latest_changes_are_listed_and_each_can_be_undone(self):
        id = self.archived()
        self.page.keyboard.press("Shift+Z")
        dialog = self.page.get_by_role("dialog", name="Recent changes")
        entry = dialog.get_by_role("listitem").first
        expect(entry).to_contain_text("1 message archived")
        expect(entry).to_contain_text(re.compile("Today at .* · Mira Lindqvist"))
        self.assertFits(place=".dialog")
        self.assertGreater(entry.bounding_box()["y"], dialog.get_by_role("heading").bounding_box()["y"])
        self.assertNoViolations()
        entry.get_by_role("button", name="Undo: 1 message archived").click()
        expect(entry).to_contain_text("undone")
        expect(entry.get_by_role("button")).to_have_count(0)
        self.assertEqual(self.places(), {id: ["inbox"]})
        self.page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        # The same behind a button.
        self.page.get_by_role("navigation", name="Folders").get_by_role("button", name="Recent changes").click()
        expect(dialog).to_be_visible()

    def test_FR_SYNC_10_undoing_says_what_has_changed_since(self):
        id = self.archived()
        self.jmap(["Email/set", {"accountId": self.mira, "update": {id: {
            f"mailboxIds/{self.box('archive')}": None, f"mailboxIds/{self.box('Travel')}": True}}}])
        self.page.get_by_role("button", name="Undo", exact=True).click()
        expect(self.page.locator(".toast").get_by_text(
            "Undone, except for 1 message changed or deleted since")).to_be_visible()
        self.assertEqual(self.places(), {id: ["Travel"]})

    def test_FR_SYNC_10_an_action_that_is_refused_in_part_says_so_and_the_rest_can_be_undone(self):
        one, other = self.mail("The zoo", "inbox"), self.mail("The other zoo", "inbox")

        def in_part(arguments, real):
            for action in (real["created"] or {}).values():
                action.update({"refused": 1, "refusal": "Messages cannot be removed from “Shared”."})
            return real

        Answers(self.page, {"MailAction/set": in_part})
        self.page.reload()
        list = self.search(2)
        list.focus()
        for key in ("Home", "x", "e"):
            self.page.keyboard.press(key)
        expect(self.page.get_by_role("alert").get_by_text(
            "Some changes were undone: Messages cannot be removed from “Shared”.")).to_be_visible()
        self.assertEqual(sorted(self.places().values()), [["archive"], ["inbox"]])
        self.page.get_by_role("button", name="Undo", exact=True).click()
        self.wait(lambda: self.places() == {one: ["inbox"], other: ["inbox"]})


class WholeList(ActingTest):
    """FR-SYNC-10: all conversations of a list, also those that are not loaded."""

    COUNT = 230

    def setUp(self):
        super().setUp()
        receipts = self.box("Receipts")
        made, = self.jmap(["Email/set", {"accountId": self.mira, "create": {f"n{number}": {
            "mailboxIds": {receipts: True}, "subject": f"Receipt {number}",
            "from": [{"name": "Shop", "email": f"shop{number}@elsewhere.example"}],
            "messageId": [f"receipt-{number}-{self.id()}@acting.example"],
            "receivedAt": f"2026-10-{1 + number % 28:02}T08:00:00Z",
            "bodyValues": {"1": {"value": "Paid."}}, "textBody": [{"partId": "1", "type": "text/plain"}],
        } for number in range(self.COUNT)}}])
        self.assertEqual(len(made["created"]), self.COUNT, made)
        self.made = [(self.mira, one["id"]) for one in made["created"].values()]

    def clear(self):
        self.jmap(["Email/set", {"accountId": self.mira, "destroy": [id for _, id in self.made]}])

    def unread(self):
        found, = self.jmap(["Email/get", {"accountId": self.mira, "ids": [id for _, id in self.made],
                                          "properties": ["keywords"]}])
        return sum("$seen" not in one["keywords"] for one in found["list"])

    def test_FR_SYNC_10_all_that_a_list_has_is_marked_with_progress_and_undone_as_a_whole(self):
        own = self.page.locator(".sidebar-account", has_text="Mira Lindqvist")
        own.get_by_role("link", name=re.compile("^Receipts")).click()
        expect(self.page.get_by_role("heading", level=1, name="Receipts")).to_be_visible()
        total = self.page.locator(".pane-count")
        self.wait(lambda: total.inner_text().isdecimal() and int(total.inner_text()) >= self.COUNT)
        number = int(total.inner_text())
        self.page.locator(".row [data-action=select]").first.click()
        bar = self.page.get_by_role("toolbar", name="Selected")
        bar.get_by_role("button", name=f"Select all {number} conversations").click()
        expect(self.page.get_by_role("heading", name=f"{number} selected")).to_be_visible()
        self.assertNoViolations()
        self.listen()
        bar.get_by_role("button", name="Mark as read").click()
        self.assertTold(f"100 of {number} conversations done")
        self.assertTold("messages marked as read")
        self.assertEqual(self.unread(), 0)
        self.page.keyboard.press("z")
        self.assertTold("Undone")
        self.wait(lambda: self.unread() == self.COUNT)


class Verbs(ActingTest):
    """FR-SYNC-10: what is not spam, labels, and conversations that are muted."""

    def first(self, *keys):
        self.search(1).focus()
        for key in ("Home", *keys):
            self.page.keyboard.press(key)

    def test_FR_SYNC_10_in_spam_the_key_for_spam_brings_mail_back_to_the_inbox(self):
        self.mail("The zoo", "junk")
        id = self.made[-1][1]
        self.act("Conversation moved to Inbox", lambda: self.first("!"), {id: dict(junk=None, inbox=True)})
        self.page.locator(".row").first.click()
        tools = self.page.get_by_role("toolbar", name="Conversation")

        self.act("Conversation moved to Inbox", tools.get_by_role("button", name="Not spam").click,
                 {id: dict(junk=None, inbox=True)})

    def test_FR_SYNC_10_a_conversation_gets_a_label_and_loses_it(self):
        id = self.mail("The zoo", "inbox")
        self.first("l")
        dialog = self.page.get_by_role("dialog", name="Label conversation")
        expect(self.page.get_by_label("Find a label")).to_be_focused()
        expect(dialog.get_by_role("checkbox", name="Trash")).to_have_count(0)
        self.assertNoViolations()
        self.page.keyboard.type("travel")
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_text("Conversation labeled Travel")).to_be_visible()
        self.wait(lambda: self.places() == {id: ["Travel", "inbox"]})
        self.first("l")
        expect(dialog.get_by_role("checkbox", name="Travel", exact=True)).to_be_checked()
        dialog.get_by_role("checkbox", name="Travel", exact=True).uncheck()
        dialog.get_by_role("button", name="Apply").click()
        expect(self.page.get_by_text("Conversation no longer labeled Travel")).to_be_visible()
        self.wait(lambda: self.places() == {id: ["inbox"]})

    def test_FR_SYNC_10_a_muted_conversation_leaves_the_inbox_and_can_be_unmuted(self):
        id = self.mail("The zoo", "inbox")
        self.act("Conversation muted", lambda: self.first("m"), {id: dict(inbox=None, archive=True)})
        self.first("m")
        expect(self.page.get_by_text("Conversation muted")).to_be_visible()
        self.wait(lambda: self.places() == {id: ["archive"]})
        self.first()
        row = self.page.locator(".row").first
        row.click(button="right")
        self.page.get_by_role("menuitem", name="Unmute").click()
        expect(self.page.get_by_text("Conversation unmuted")).to_be_visible()
        found = lambda: self.jmap(["Email/get", {"accountId": self.mira, "ids": [id], "properties": ["keywords"]}])
        self.wait(lambda: "$muted" not in json.dumps(found()))


if __name__ == "__main__":
    import unittest
    unittest.main()
