"""Folders and labels: what the user does to them, and what becomes of the mail in them."""

import re

from room import NARROW, expect
from test_acting import ActingTest


class FolderTest(ActingTest):
    def setUp(self):
        super().setUp()
        self.own = self.page.locator(".sidebar-account", has_text="Mira Lindqvist")
        expect(self.link("Travel")).to_be_visible()

    def clear(self):
        super().clear()
        self.jmap(["Preferences/set", {"accountId": "program", "update": {"singleton": {
            "favoriteFolders": None, "folderColors": None, "folderCounts": None}}}])

    def link(self, name, place=None):
        return (place or self.own).get_by_role("link", name=re.compile(f"^{re.escape(name)}(,|$)"))

    def boxes(self):
        found, = self.jmap(["Mailbox/get", {"accountId": self.mira, "ids": None}])
        return found["list"]

    def named(self, name):
        return next((box for box in self.boxes() if box["name"] == name), None)

    def choose(self, name, item):
        self.link(name).click(button="right")
        self.page.get_by_role("menuitem", name=item).click()

    def dialog(self, name):
        return self.page.get_by_role("dialog", name=name, exact=True)

    def names(self, place):
        """The user's own folders at the top level as they are listed."""
        own = {box["name"] for box in self.boxes() if box["role"] is None and box["parentId"] is None}
        return [name for name in place.locator("ul .sidebar-title").all_inner_texts() if name in own]


class Folders(FolderTest):
    def test_ORG_01_a_folder_is_created_renamed_put_into_another_and_refused_in_a_sentence(self):
        page = self.page
        self.own.get_by_role("button", name="New label").click()
        dialog = self.dialog("New label")
        expect(dialog.get_by_label("Name")).to_be_focused()
        page.keyboard.press("Enter")
        expect(dialog.get_by_text("Enter a name for the label.")).to_be_visible()
        dialog.get_by_label("Name").fill("Travel")
        page.keyboard.press("Enter")
        expect(dialog.get_by_text("There is already a label named “Travel”.")).to_be_visible()
        self.assertNoViolations()
        dialog.get_by_label("Name").fill("Invoices")
        page.keyboard.press("Enter")
        expect(dialog).to_have_count(0)
        expect(self.link("Invoices")).to_be_visible()
        # Renamed with the keyboard alone, and put into another one.
        self.link("Invoices").focus()
        page.keyboard.press("F2")
        dialog = self.dialog("Edit label")
        expect(dialog.get_by_label("Name")).to_be_focused()
        page.keyboard.press("Control+a")
        page.keyboard.type("Bills")
        dialog.get_by_label("In", exact=True).select_option(label="Travel")
        self.assertNoViolations()
        page.keyboard.press("Enter")
        expect(dialog).to_have_count(0)
        expect(self.link("Bills")).to_be_focused()
        bills, travel = self.named("Bills"), self.named("Travel")
        self.assertEqual(bills["parentId"], travel["id"])
        # One in it, which is deleted with it after the page has said so; all of it comes back.
        self.choose("Bills", "New label in it")
        expect(self.dialog("New label").get_by_label("In", exact=True)).to_have_value(bills["id"])
        page.keyboard.type("Old")
        page.keyboard.press("Enter")
        expect(self.link("Old")).to_be_visible()
        self.jmap(["Preferences/set", {"accountId": "program", "update": {"singleton": {
            f"folderColors/{self.mira}~1{bills['id']}": "teal"}}}])
        expect(self.link("Bills")).to_have_class(re.compile("tint-teal"))
        alone, labeled = self.mail("The zoo", "Bills"), self.mail("The lion", "Old", "inbox")
        before = self.places()
        self.link("Bills").focus()
        page.keyboard.press("Delete")
        question = page.get_by_role("alertdialog", name="Delete the label “Bills”?")
        expect(question).to_contain_text("The 1 label in it is deleted as well. 2 messages lose these labels. "
                                         "1 message without another label moves to Archive.")
        self.assertNoViolations()
        question.get_by_role("button", name="Delete").click()
        expect(page.locator(".toast").get_by_text("“Bills” deleted")).to_be_visible()
        self.assertIsNone(self.named("Bills") or self.named("Old"))
        expect(self.link("Bills")).to_have_count(0)
        self.assertEqual(self.places(), {alone: ["archive"], labeled: ["inbox"]})
        page.keyboard.press("z")
        expect(page.locator(".toast").get_by_text("Undone: “Bills” is back")).to_be_visible()
        self.assertEqual({id: set(boxes) - {"archive"} for id, boxes in self.places().items()},
                         {id: set(boxes) for id, boxes in before.items()})
        self.assertEqual(self.named("Old")["parentId"], self.named("Bills")["id"])
        # ORG-86: it looks as before.
        expect(self.link("Bills")).to_have_class(re.compile("tint-teal"))
        self.choose("Bills", "Delete label")
        question.get_by_role("button", name="Delete").click()
        expect(self.link("Old")).to_have_count(0)

    def test_ORG_01_a_folder_is_created_while_mail_is_moved_or_labeled(self):
        page = self.page
        id = self.mail("The zoo", "inbox")
        self.search(1).focus()
        page.keyboard.press("Home")
        page.keyboard.press("v")
        expect(page.get_by_label("Find a folder")).to_be_focused()
        page.keyboard.type("Animals")
        expect(self.dialog("Move conversation").get_by_role("button", name="Create “Animals”")).to_be_visible()
        self.assertNoViolations()
        page.keyboard.press("Enter")
        expect(page.locator(".toast").get_by_text("Conversation moved to Animals")).to_be_visible()
        self.wait(lambda: self.places() == {id: ["Animals"]})
        expect(self.link("Animals")).to_be_visible()
        # ORG-05: several labels at once, one of them new, and back again with one key.
        page.get_by_role("listbox").focus()
        page.keyboard.press("l")
        dialog = self.dialog("Label conversation")
        expect(dialog.get_by_role("checkbox", name="Animals", exact=True)).to_be_checked()
        dialog.get_by_role("checkbox", name="Animals", exact=True).uncheck()
        dialog.get_by_role("checkbox", name="Travel", exact=True).check()
        self.assertNoViolations()
        dialog.get_by_label("Find a label").fill("Lions")
        dialog.get_by_role("button", name="Create “Lions”").click()
        # A toast stays while the pointer is on it.
        page.locator(".toast").get_by_text("Labels of conversation changed").hover()
        self.wait(lambda: self.places() == {id: ["Lions", "Travel"]})
        page.keyboard.press("z")
        self.wait(lambda: self.places() == {id: ["Animals"]})
        # Dropping adds a label, and takes none away.
        page.locator(".row").first.drag_to(self.link("Travel"))
        expect(page.locator(".toast").get_by_text("Conversation labeled Travel")).to_be_visible()
        self.wait(lambda: self.places() == {id: ["Animals", "Travel"]})
        for name in ("Animals", "Lions"):
            self.choose(name, "Delete label")
            page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
            expect(self.link(name)).to_have_count(0)

    def test_ORG_04_looks_and_order_are_the_same_in_all_windows(self):
        page, other = self.page, self.open()
        there = other.locator(".sidebar-account", has_text="Mira Lindqvist")
        expect(self.link("Travel", there)).to_be_visible()
        self.mail("The zoo", "Travel", keywords={})
        expect(self.link("Travel", there)).to_have_attribute("aria-label", re.compile("unread"))
        self.choose("Travel", "Edit label")
        dialog = self.dialog("Edit label")
        dialog.get_by_role("radio", name="Teal").check()
        dialog.get_by_role("switch", name="Show the unread count").uncheck()
        dialog.get_by_role("switch", name="Favorite").check()
        self.assertNoViolations()
        dialog.get_by_role("button", name="Save").click()
        favorites = other.locator(".sidebar-account", has_text="Favorites")
        expect(self.link("Travel, Mira Lindqvist", favorites)).to_be_visible()
        expect(self.link("Travel", there)).to_have_class(re.compile("tint-teal"))
        expect(self.link("Travel", there)).to_have_attribute("aria-label", "Travel")
        self.assertNoViolations(other)
        # Down and up again, with the keys.
        first, second, *others = names = self.names(self.own)
        self.link(first).focus()
        page.keyboard.press("Alt+ArrowDown")
        self.wait(lambda: self.names(self.own) == [second, first, *others])
        self.wait(lambda: self.names(there) == [second, first, *others], other)
        expect(self.link(first)).to_be_focused()
        page.keyboard.press("Alt+ArrowUp")
        self.wait(lambda: self.names(self.own) == names)
        # Hidden folders, and those in them, are one step away.
        self.choose("Travel", "Hide label")
        expect(self.link("Travel", there)).to_have_count(0)
        hidden = self.own.get_by_role("button", name="2 hidden labels")
        hidden.click()
        self.assertNoViolations()
        self.choose("Travel", "Show label")
        expect(hidden).to_have_count(0)
        expect(self.link("Travel", there)).to_be_visible()
        self.choose("Travel", "Remove from favorites")
        expect(favorites).to_have_count(0)

    def test_ORG_03_trash_and_spam_are_emptied_after_a_question_with_a_number(self):
        page = self.page
        for role, title in (("junk", "Spam"), ("trash", "Trash")):
            with self.subTest(role):
                self.mail("The zoo", role)
                box = next(box for box in self.boxes() if box["role"] == role)
                total = box["totalEmails"]
                self.link(title).click()
                expect(page.get_by_role("heading", level=1, name=title)).to_be_visible()
                expect(page.locator(".row").first).to_be_visible()
                expect(page.locator(".emptying")).to_contain_text(f"{total} message")
                self.assertNoViolations()
                if role == "junk":
                    page.locator(".row").first.click()
                    tools = page.get_by_role("toolbar", name="Conversation")
                    expect(tools.get_by_role("button", name="Not spam")).to_be_visible()
                page.locator(".emptying").get_by_role("button", name=f"Empty {title}").click()
                question = page.get_by_role("alertdialog", name=f"Empty {title}?")
                expect(question).to_contain_text(f"{total} message")
                expect(question).to_contain_text("deleted permanently. This cannot be undone.")
                question.get_by_role("button", name="Delete").click()
                expect(page.locator(".emptying")).to_have_count(0)
                self.wait(lambda: next(one for one in self.boxes() if one["id"] == box["id"])["totalEmails"] == 0)
                # In an account of one's own it is in the menu of the folder, too, and cannot be done twice.
                self.link(title).click(button="right")
                expect(page.get_by_role("menuitem", name=f"Empty {title}")).to_be_disabled()
                page.keyboard.press("Escape")

    def test_ORG_01_everything_fits_a_narrow_screen_and_large_text(self):
        # The script that makes the text large is tried in the frame for mail too.
        self.allowed_errors = ("Blocked script execution",)
        for options, percent in ((dict(viewport=NARROW, color_scheme="dark"), 100), (dict(viewport=NARROW), 310)):
            with self.subTest(percent):
                page = self.open(None, **options)
                page.add_init_script("addEventListener('DOMContentLoaded', () => "
                                     f"document.documentElement.style.fontSize = '{percent}%')")
                page.goto("/#/mail/all/inbox")
                page.get_by_role("button", name="Folders", exact=True).click()
                own = page.locator(".sidebar-account", has_text="Mira Lindqvist")
                self.link("Travel", own).click(button="right")
                page.get_by_role("menuitem", name="Edit label").click()
                dialog = page.get_by_role("dialog", name="Edit label")
                expect(dialog.get_by_label("Name")).to_be_focused()
                self.assertFits(page, ".dialog")
                self.assertNoViolations(page)
                page.keyboard.press("Escape")
                expect(dialog).to_have_count(0)
