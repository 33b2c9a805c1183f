"""Acting on mail wherever it is found: what becomes of it, and that undoing brings back exactly what was."""

import datetime
import json
import re

from fresh import Answers
from room import NARROW, PageTest, asked, expect, intercept

#: A search that finds what these tests make, and nothing else.
SOUGHT = "quokka"
#: When the first of the messages came, and each other a day later: of the last weeks, whenever the tests run.
FIRST = datetime.datetime.now(datetime.timezone.utc).replace(hour=8, minute=0, second=0) - datetime.timedelta(days=28)


class ActingTest(PageTest):
    """Makes mail in two accounts, and knows where it is."""

    def setUp(self):
        super().setUp()
        self.accounts = self.mail_accounts()
        self.mira, self.jonas = (self.accounts[f"{name}@demo.example"] for name in ("mira", "jonas"))
        self.made = []
        self.addCleanup(self.clear)

    def clear(self):
        for account, id in self.made:
            self.jmap(["Email/set", {"accountId": account, "destroy": [id]}])

    def box(self, name, account=None):
        """The id of a mailbox, by its role or its name."""
        account = account or self.mira
        found, = self.jmap(["Mailbox/get", {"accountId": account, "ids": None}])
        return next(box["id"] for box in found["list"] if name in (box["role"], box["name"]))

    def mail(self, subject, *boxes, account=None, thread=None, **more):
        """A message in these mailboxes; those of a thread are one conversation. Returns its id."""
        account = account or self.mira
        number = len(self.made)
        references = [f"first-{thread}@acting.example"] if thread else []
        made, = self.jmap(["Email/set", {"accountId": account, "create": {"new": {
            "mailboxIds": {self.box(box, account): True for box in boxes}, "subject": subject,
            "keywords": {"$seen": True}, "from": [{"name": "Ana Lima", "email": "ana@elsewhere.example"}],
            "receivedAt": (FIRST + datetime.timedelta(days=number)).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "references": references,
            "messageId": [f"{number}-{self.id()}@acting.example"],
            "bodyValues": {"1": {"value": f"A {SOUGHT}."}}, "textBody": [{"partId": "1", "type": "text/plain"}],
            **more}}}])
        self.assertIn("new", made["created"] or {}, made)
        self.made.append((account, made["created"]["new"]["id"]))
        return made["created"]["new"]["id"]

    def conversation(self):
        """One of each kind: in the inbox with a label, under a label alone, sent, a draft, and one thrown away."""
        return {name: self.mail("Re: The zoo" if name != "inbox" else "The zoo", *boxes, thread="zoo", **more)
                for name, boxes, more in (
                    ("inbox", ("inbox", "Travel"), {}), ("label", ("Family",), {}), ("sent", ("sent",), {}),
                    ("draft", ("drafts",), {"keywords": {"$draft": True, "$seen": True}}),
                    ("trash", ("trash",), {}))}

    def search(self, count, page=None):
        page = page or self.page
        page.get_by_role("searchbox", name="Search mail").fill(SOUGHT)
        expect(page.get_by_role("heading", level=1, name="Search results")).to_be_visible()
        expect(page.locator(".row:not(.row-empty)")).to_have_count(count)
        return page.get_by_role("listbox", name="Search results: conversations")

    def places(self, account=None):
        """Where all that was made is."""
        account = account or self.mira
        ids = [id for owner, id in self.made if owner == account]
        found, boxes = self.jmap(["Email/get", {"accountId": account, "ids": ids, "properties": ["mailboxIds"]}],
                                 ["Mailbox/get", {"accountId": account, "ids": None}])
        names = {box["id"]: box["role"] or box["name"] for box in boxes["list"]}
        return {one["id"]: sorted(names[box] for box in one["mailboxIds"]) for one in found["list"]}

    def changed(self, before):
        """The messages whose mailboxes are not the same as before: which they left, and which they came to."""
        now = {account: self.places(account) for account in before}
        return {id: {**{box: None for box in set(boxes) - set(now[account][id])},
                     **{box: True for box in set(now[account][id]) - set(boxes)}}
                for account, mail in before.items() for id, boxes in mail.items() if now[account][id] != boxes}

    def act(self, told, do, expected, page=None):
        """Does it, sees what becomes of the mail, and takes it back."""
        page = page or self.page
        before = {account: self.places(account) for account in (self.mira, self.jonas)}
        do()
        expect(page.locator(".toast").get_by_text(told, exact=True)).to_be_visible()
        # The toast is there before the program was asked, and each account is asked by itself.
        self.wait(lambda: self.changed(before).keys() == expected.keys())
        self.assertEqual(self.changed(before), expected)
        page.locator(".toast").get_by_role("button", name="Undo").click()
        expect(page.locator(".toast").get_by_text("Undone")).to_be_visible()
        self.assertEqual({account: self.places(account) for account in before}, before)
        # What the pointer is on stays.
        page.mouse.move(1, 1)
        expect(page.locator(".toast")).to_have_count(0)


class Acting(ActingTest):
    """FR-SYNC-10: archive, delete, spam and move, of mail that was searched for in all accounts."""

    def ways(self, list, key, button):
        """By key, and by the button of what is selected."""
        def by_key():
            list.focus()
            self.page.keyboard.press("Home")
            self.page.keyboard.press(key)

        def by_button():
            self.page.locator(".row [data-action=select]").first.click()
            self.page.get_by_role("toolbar", name="Selected").get_by_role("button", name=button, exact=True).click()

        return by_key, by_button

    def test_FR_SYNC_10_archiving_what_was_found_takes_it_out_of_the_inbox_and_of_nothing_else(self):
        ids = self.conversation()
        list = self.search(1)
        for do in self.ways(list, "e", "Archive"):
            self.act("Conversation archived", do, {ids["inbox"]: dict(inbox=None, archive=True)})

    def test_FR_SYNC_10_deleting_what_was_found_takes_the_conversation_but_not_its_draft(self):
        ids = self.conversation()
        list = self.search(1)
        for do in self.ways(list, "#", "Delete"):
            self.act("Conversation moved to Trash", do, {
                ids["inbox"]: dict(inbox=None, Travel=None, trash=True),
                ids["label"]: dict(Family=None, trash=True), ids["sent"]: dict(sent=None, trash=True)})

    def test_FR_SYNC_10_spam_that_was_found_is_what_others_wrote(self):
        ids = self.conversation()
        list = self.search(1)
        expected = {ids["inbox"]: dict(inbox=None, Travel=None, junk=True),
                    ids["label"]: dict(Family=None, junk=True)}
        by_key, _ = self.ways(list, "!", "")
        self.act("Conversation marked as spam", by_key, expected)

        def by_menu():
            self.page.locator(".row").first.click()
            self.page.get_by_role("toolbar", name="Conversation").get_by_role("button", name="More").click()
            self.page.get_by_role("menuitem", name="Mark as spam").click()

        self.act("Conversation marked as spam", by_menu, expected)

    def test_FR_SYNC_10_what_was_found_moves_with_its_labels_by_key_and_by_dragging(self):
        ids = self.conversation()
        list = self.search(1)
        expected = {ids["inbox"]: dict(inbox=None, Receipts=True), ids["label"]: dict(Receipts=True)}

        def by_key():
            list.focus()
            self.page.keyboard.press("Home")
            self.page.keyboard.press("v")
            expect(self.page.get_by_label("Find a folder")).to_be_focused()
            self.page.keyboard.type("Receipts")
            self.page.keyboard.press("Enter")

        # Without Shift, dragging adds a label: test_folders.py.
        def by_dragging():
            own = self.page.locator(".sidebar-account", has_text="Mira Lindqvist")
            self.move_by_dragging(
                self.page.locator(".row").first, own.get_by_role("link", name=re.compile("^Receipts")))

        for do in (by_key, by_dragging):
            self.act("Conversation moved to Receipts", do, expected)

        def to_trash():
            own = self.page.locator(".sidebar-account", has_text="Mira Lindqvist")
            self.page.locator(".row").first.drag_to(own.get_by_role("link", name="Trash"))

        self.act("Conversation moved to Trash", to_trash, {
            ids["inbox"]: dict(inbox=None, Travel=None, trash=True),
            ids["label"]: dict(Family=None, trash=True), ids["sent"]: dict(sent=None, trash=True)})

    def test_FR_SYNC_10_starred_mail_is_archived_out_of_the_inbox_and_stays_starred(self):
        id = self.mail("A star", "inbox", "Travel", keywords={"$seen": True, "$flagged": True})
        self.page.get_by_role("navigation").get_by_role("link", name="Starred").first.click()
        expect(self.page.get_by_role("heading", level=1, name="Starred")).to_be_visible()
        row = self.page.locator(".row", has_text="A star")
        expect(row).to_be_visible()

        def by_hovering():
            row.hover()
            row.locator("[data-action=archive]").click()

        self.act("Conversation archived", by_hovering, {id: dict(inbox=None, archive=True)})
        expect(row).to_be_visible()

    def test_FR_SYNC_10_what_was_found_in_two_accounts_is_done_in_each_and_taken_back_in_each(self):
        one = self.mail("The zoo", "inbox", "Travel")
        other = self.mail("The other zoo", "inbox", account=self.jonas)
        list = self.search(2)

        def selected(do):
            def act():
                list.focus()
                for key in ("Home", "x", "j", "x"):
                    self.page.keyboard.press(key)
                expect(self.page.get_by_role("heading", name="2 selected")).to_be_visible()
                do()
            return act

        def press(key):
            return selected(lambda: self.page.keyboard.press(key))

        self.act("2 conversations archived", press("e"), {
            one: dict(inbox=None, archive=True), other: dict(inbox=None, archive=True)})
        self.act("2 conversations moved to Trash", press("#"), {
            one: dict(inbox=None, Travel=None, trash=True),
            other: dict(inbox=None, trash=True)})
        self.act("2 conversations marked as spam", press("!"), {
            one: dict(inbox=None, Travel=None, junk=True), other: dict(inbox=None, junk=True)})

        def drag():
            mailboxes = self.page.get_by_role("navigation", name="Folders")
            self.page.locator(".row").nth(1).drag_to(mailboxes.get_by_role("link", name="Archive").first)
            expect(self.page.get_by_role("heading", name="2 selected")).to_have_count(0)

        self.act("2 conversations archived", selected(drag), {
            one: dict(inbox=None, archive=True), other: dict(inbox=None, archive=True)})
        # Nothing moves between accounts, and what was selected is still selected then.
        press("v")()
        dialog = self.page.get_by_role("dialog", name="Move 2 conversations")
        expect(dialog.get_by_text("in different accounts")).to_be_visible()
        self.assertNoViolations()
        self.page.keyboard.press("Escape")
        expect(self.page.get_by_role("heading", name="2 selected")).to_be_visible()

    def test_FR_SYNC_10_of_a_conversation_that_is_too_long_for_a_list_all_is_deleted(self):
        def too_long(route):
            calls = route.request.post_data_json["methodCalls"]
            said = asked(route)
            refused = {id for name, values, id in calls
                       if name == "Email/get" and values.get("#ids", {}).get("path") == "/list/*/emailIds"}
            said["methodResponses"] = [
                ["error", {"type": "requestTooLarge"}, id] if id in refused else [name, values, id]
                for name, values, id in said["methodResponses"]]
            route.fulfill(json=said)

        intercept(self.page, "**/jmap/api", too_long)
        ids = self.conversation()
        self.page.reload()
        list = self.search(1)
        by_key, _ = self.ways(list, "#", "")
        self.act("Conversation moved to Trash", by_key, {
            ids["inbox"]: dict(inbox=None, Travel=None, trash=True),
            ids["label"]: dict(Family=None, trash=True), ids["sent"]: dict(sent=None, trash=True)})

    def test_FR_SYNC_10_what_one_account_refuses_is_put_back_and_the_rest_can_be_undone(self):
        one = self.mail("The zoo", "inbox")
        other = self.mail("The other zoo", "inbox", account=self.jonas)

        def refuse(route):
            calls = route.request.post_data_json["methodCalls"]
            refused = {id for name, values, id in calls
                       if name == "MailAction/set" and values["accountId"] == self.jonas}
            if not refused:
                return route.fallback()
            said = asked(route, {**route.request.post_data_json, "methodCalls": [
                ["Core/echo", {}, id] if id in refused else [name, values, id] for name, values, id in calls]})
            said["methodResponses"] = [
                ["MailAction/set", {"accountId": self.jonas, "notCreated": {
                    "action": {"type": "forbidden", "description": "The server said no."}}}, id]
                if id in refused else [name, values, id] for name, values, id in said["methodResponses"]]
            route.fulfill(json=said)

        intercept(self.page, "**/jmap/api", refuse)
        list = self.search(2)
        list.focus()
        for key in ("Home", "x", "j", "x", "e"):
            self.page.keyboard.press(key)
        expect(self.page.get_by_role("alert").get_by_text(
            "Some changes were undone: The server said no.")).to_be_visible()
        self.assertEqual({**self.places(), **self.places(self.jonas)}, {one: ["archive"], other: ["inbox"]})
        self.page.get_by_role("button", name="Undo").click()
        expect(self.page.locator(".toast").get_by_text("Undone", exact=True)).to_be_visible()
        self.assertEqual({**self.places(), **self.places(self.jonas)}, {one: ["inbox"], other: ["inbox"]})

    def test_what_the_rights_of_a_mailbox_forbid_is_answered_at_once_and_not_asked_of_the_program(self):
        one = self.mail("The zoo", "inbox")

        def read_only(arguments, real):
            for box in real["list"]:
                box["myRights"].update({"mayRemoveItems": False, "maySetKeywords": False, "maySetSeen": False})
            return real

        answers = Answers(self.page, {"Mailbox/get": read_only, "MailAction/set": lambda arguments, real: real})
        self.page.reload()
        list = self.search(1)
        list.focus()
        for key, reason in (("e", "Messages cannot be removed from “Inbox”."),
                            ("s", "Stars and tags cannot be changed in “Inbox”.")):
            self.page.keyboard.press("Home")
            self.page.keyboard.press(key)
            expect(self.page.get_by_role("alert").get_by_text(reason)).to_be_visible()
        self.page.keyboard.press("Enter")
        archive = self.page.get_by_role("toolbar", name="Conversation").get_by_role("button", name="Archive")
        expect(archive).to_have_attribute("aria-disabled", "true")
        expect(archive).to_have_attribute("title", "Archive: Messages cannot be removed from “Inbox”.")
        self.assertNoViolations()
        expect(list.get_by_role("option")).to_have_count(1)
        self.assertEqual(self.places(), {one: ["inbox"]})
        self.assertFalse([call for call in answers.calls if call[0] == "MailAction/set"])

    def test_what_is_selected_and_taken_away_by_itself_is_not_selected_any_more(self):
        self.page.get_by_role("navigation").get_by_role("link", name="Inbox").first.click()
        rows = self.page.get_by_role("option")
        expect(rows.first).to_be_visible()
        for index in (0, 1):
            rows.nth(index).locator("[data-action=select]").click()
        expect(self.page.get_by_role("heading", name="2 selected")).to_be_visible()
        rows.first.hover()
        rows.first.locator("[data-action=archive]").click()
        expect(self.page.get_by_role("heading", name="1 selected")).to_be_visible()
        self.page.keyboard.press("z")
        expect(self.page.locator(".toast").get_by_text("Undone", exact=True)).to_be_visible()

    def test_FR_SYNC_10_where_there_is_nothing_to_do_it_says_so(self):
        id = self.mail("The zoo", "Travel")
        list = self.search(1)
        list.focus()
        for key in ("Home", "e"):
            self.page.keyboard.press(key)
        expect(self.page.get_by_text("Nothing to archive: these messages are not in the inbox.")).to_be_visible()
        self.assertEqual(self.places(), {id: ["Travel"]})
        expect(self.page.get_by_role("button", name="Undo")).to_have_count(0)

    def test_FR_SYNC_10_what_was_found_in_trash_is_deleted_for_good_after_a_question(self):
        id = self.mail("The zoo", "trash")
        self.search(1)
        row = self.page.locator(".row")
        question = self.page.get_by_role("alertdialog", name="Permanently delete this message?")
        # Canceling loses neither the mail nor the place.
        row.click()
        tools = self.page.get_by_role("toolbar", name="Conversation")
        tools.get_by_role("button", name="Delete permanently").click()
        question.get_by_role("button", name="Cancel").click()
        expect(question).to_have_count(0)
        expect(self.page.get_by_role("heading", level=2, name="The zoo")).to_be_visible()
        self.assertEqual(self.places(), {id: ["trash"]})
        row.hover()
        row.locator("[data-action=delete]").click()
        question.get_by_role("button", name="Delete").click()
        expect(row).to_have_count(0)
        # The row goes at once, before the answer.
        self.wait(lambda: self.places() == {})

    def test_FR_SYNC_10_what_was_found_and_deleted_says_that_it_is_in_trash(self):
        self.mail("The zoo", "inbox")
        list = self.search(1)
        list.focus()
        row = self.page.locator(".row")
        expect(row).to_have_attribute("aria-label", re.compile("The zoo, in Mira"))
        self.page.keyboard.press("#")
        expect(row).to_have_attribute("aria-label", re.compile("The zoo, in Trash, in Mira"))
        expect(row.get_by_text("Trash", exact=True)).to_be_visible()
        self.assertNoViolations()
        self.page.keyboard.press("z")
        expect(row).to_have_attribute("aria-label", re.compile("The zoo, in Mira"))

    def test_FR_SYNC_10_after_what_was_found_comes_the_next_one(self):
        for subject in ("The zoo", "The second zoo", "The third zoo"):
            self.mail(subject, "inbox")
        self.search(3)
        rows = self.page.locator(".row")
        subjects = rows.locator(".row-subject").all_inner_texts()
        rows.first.click()
        expect(self.page.get_by_role("heading", level=2, name=subjects[0], exact=True)).to_be_visible()
        self.page.keyboard.press("e")
        expect(self.page.get_by_role("heading", level=2, name=subjects[1], exact=True)).to_be_visible()
        self.page.keyboard.press("v")
        expect(self.page.get_by_label("Find a folder")).to_be_focused()
        self.page.keyboard.type("Receipts")
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_role("heading", level=2, name=subjects[2], exact=True)).to_be_visible()
        self.page.keyboard.press("e")
        expect(self.page.get_by_text("No conversation selected")).to_be_visible()


class OnAPhone(ActingTest):
    """The same with a finger."""

    viewport = NARROW
    options = {"has_touch": True, "is_mobile": True}

    def sweep(self, to):
        """Sweeps the first row aside."""
        self.page.get_by_role("option").first.evaluate("""(row, to) => {
            const y = row.getBoundingClientRect().top + 20;
            const send = (type, x) => row.dispatchEvent(new TouchEvent(type, {bubbles: true, cancelable: true,
                touches: type === "touchend" ? [] : [new Touch({identifier: 1, target: row, clientX: x, clientY: y})]}));
            send("touchstart", 180); send("touchmove", 180 + to / 6); send("touchmove", 180 + to); send("touchend", 180 + to);
        }""", to)

    def test_FR_SYNC_10_what_was_found_is_swept_into_the_archive_and_into_trash(self):
        ids = self.conversation()
        self.search(1)
        self.act("Conversation archived", lambda: self.sweep(170), {ids["inbox"]: dict(inbox=None, archive=True)})
        self.act("Conversation moved to Trash", lambda: self.sweep(-170), {
            ids["inbox"]: dict(inbox=None, Travel=None, trash=True),
            ids["label"]: dict(Family=None, trash=True), ids["sent"]: dict(sent=None, trash=True)})

    def test_FR_SYNC_10_what_was_found_is_held_selected_and_archived_in_two_accounts(self):
        one = self.mail("The zoo", "inbox", "Travel")
        other = self.mail("The other zoo", "inbox", account=self.jonas)
        self.search(2)

        def hold():
            for row in self.page.get_by_role("option").all():
                row.dispatch_event("pointerdown", {"pointerType": "touch", "bubbles": True})
                row.dispatch_event("contextmenu")
            expect(self.page.get_by_role("heading", name="2 selected")).to_be_visible()
            self.page.get_by_role("toolbar", name="Selected").get_by_role("button", name="Archive").click()

        self.act("2 conversations archived", hold, {
            one: dict(inbox=None, archive=True), other: dict(inbox=None, archive=True)})

    def test_FR_SYNC_10_what_was_found_and_is_open_is_archived_and_gives_way_to_the_list(self):
        ids = self.conversation()
        self.search(1)

        def by_button():
            self.page.get_by_role("option").first.click()
            self.page.get_by_role("toolbar", name="Conversation").get_by_role("button", name="Archive").click()

        self.act("Conversation archived", by_button, {ids["inbox"]: dict(inbox=None, archive=True)})
        expect(self.page.get_by_role("listbox", name="Search results: conversations")).to_be_visible()


if __name__ == "__main__":
    import unittest
    unittest.main()
