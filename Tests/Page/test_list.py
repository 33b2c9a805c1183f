"""The list of conversations: rows, keys, pointer, selection, undo, refusal, position."""

import re
from datetime import datetime, timedelta

from fresh import FreshTest
from room import NARROW, PageTest, expect, intercept

#: Where the account is named in a row's sentence.
COMPLETE = re.compile(r"in (Mira Lindqvist|Jonas Weber)\b")


class List(PageTest):
    def setUp(self):
        super().setUp()
        self.list = self.page.get_by_role("listbox")
        # What a row is called is complete once the accounts' names are known.
        expect(self.rows.first).to_have_attribute("aria-label", COMPLETE)

    @property
    def rows(self):
        return self.page.get_by_role("option")

    def subject(self, index):
        return self.rows.nth(index).locator(".row-subject").inner_text()

    def row_with(self, subject):
        return self.page.locator(".row", has_text=subject)

    def names(self, count=8):
        return [self.rows.nth(index).get_attribute("aria-label") for index in range(count)]

    def test_a_row_is_one_sentence_for_a_screen_reader(self):
        for name in self.names():
            self.assertRegex(name, r"^(Unread conversation|Conversation) with .+, .+\.$")
        self.assertTrue(any(re.search(r"\d messages", name) for name in self.names(self.rows.count())))

    def test_the_arrows_and_j_and_k_move_the_cursor_and_enter_opens(self):
        self.list.focus()
        self.page.keyboard.press("j")
        self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("k")
        active = self.list.get_attribute("aria-activedescendant")
        self.assertEqual(self.rows.nth(1).get_attribute("id"), active)
        subject = self.subject(1)
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_role("heading", level=2, name=re.sub("^Re: ", "", subject))).to_be_visible()
        self.page.keyboard.press("u")
        expect(self.page.get_by_text("No conversation selected")).to_be_visible()

    def test_archiving_takes_the_row_away_at_once_and_undo_brings_it_back(self):
        before = self.names(3)
        self.list.focus()
        self.page.keyboard.press("e")
        expect(self.page.get_by_role("status").filter(has_text="Conversation archived")).to_be_visible()
        expect(self.rows.first).to_have_attribute("aria-label", before[1])
        self.listen()
        self.page.get_by_role("button", name="Undo").click()
        expect(self.rows.first).to_have_attribute("aria-label", before[0])
        self.assertTold("Undone")

    def test_deleting_with_a_key_and_undoing_with_z(self):
        before = self.names(2)
        self.list.focus()
        self.page.keyboard.press("#")
        expect(self.rows.first).to_have_attribute("aria-label", before[1])
        self.page.keyboard.press("z")
        expect(self.rows.first).to_have_attribute("aria-label", before[0])

    def test_several_are_selected_and_starred_at_once(self):
        self.list.focus()
        self.page.keyboard.press("x")
        self.page.keyboard.press("j")
        self.page.keyboard.press("x")
        expect(self.page.get_by_text("2 selected").first).to_be_visible()
        self.assertNoViolations()
        self.page.get_by_role("button", name="Star").first.click()
        expect(self.rows.first).to_have_attribute("aria-label", re.compile("starred"))
        expect(self.rows.nth(1)).to_have_attribute("aria-label", re.compile("starred"))
        self.page.keyboard.press("s")
        expect(self.rows.nth(1)).not_to_have_attribute("aria-label", re.compile("starred"))

    def test_the_pointer_archives_and_marks_as_read_on_hovering(self):
        before = self.names(3)
        self.rows.nth(1).hover()
        self.rows.nth(1).locator("[data-action=archive]").click()
        expect(self.rows.nth(1)).to_have_attribute("aria-label", before[2])
        self.page.get_by_role("button", name="Undo").click()
        expect(self.rows.nth(1)).to_have_attribute("aria-label", before[1])

    def test_the_right_button_has_a_menu_for_the_row_and_for_all_that_are_selected(self):
        before = self.names(3)
        self.rows.nth(1).click(button="right")
        menu = self.page.get_by_role("menu", name="Conversation")
        self.assertEqual(menu.locator(".menu-label").all_inner_texts()[:6],
                         ["Reply", "Reply to all", "Forward", "Archive", "Delete", "Move to folder"])
        self.assertNoViolations()
        self.page.keyboard.press("Escape")
        expect(menu).to_have_count(0)
        self.rows.nth(1).click(button="right")
        menu.get_by_role("menuitem", name="Archive").click()
        expect(self.rows.nth(1)).to_have_attribute("aria-label", before[2])
        self.page.get_by_role("button", name="Undo").click()
        expect(self.rows.nth(1)).to_have_attribute("aria-label", before[1])
        for index in (0, 1):
            self.rows.nth(index).locator("[data-action=select]").click()
        self.rows.nth(0).click(button="right")
        menu.get_by_role("menuitem", name="Delete").click()
        expect(self.page.get_by_text("2 conversations moved to Trash")).to_be_visible()
        expect(self.page.get_by_role("toolbar", name="Selected")).to_have_count(0)
        self.page.get_by_role("button", name="Undo").click()
        expect(self.rows.first).to_have_attribute("aria-label", before[0])

    def test_what_the_program_refuses_is_put_back_with_a_sentence(self):
        before = self.names(2)

        def refuse(route):
            if "MailAction/set" in (route.request.post_data or ""):
                calls = route.request.post_data_json["methodCalls"]
                answers = []
                for name, values, call in calls:
                    no = {id: {"type": "forbidden", "description": "The server said no."}
                          for id in values.get("create", {})}
                    answers.append([name, {"accountId": values["accountId"], "notCreated": no}, call])
                route.fulfill(json={"methodResponses": answers})
            else:
                route.continue_()

        intercept(self.page, "**/jmap/api", refuse)
        self.list.focus()
        self.page.keyboard.press("e")
        expect(self.page.get_by_role("alert").get_by_text("The server said no.")).to_be_visible()
        expect(self.rows.first).to_have_attribute("aria-label", before[0])

    def test_moving_to_a_mailbox_by_name(self):
        before = self.names(2)
        self.list.focus()
        self.page.keyboard.press("v")
        dialog = self.page.get_by_role("dialog", name="Move conversation")
        expect(dialog).to_be_visible()
        self.assertNoViolations()
        self.page.keyboard.type("travel")
        self.page.keyboard.press("Enter")
        expect(dialog).to_be_hidden()
        expect(self.page.get_by_text("Conversation moved to Travel")).to_be_visible()
        expect(self.rows.first).to_have_attribute("aria-label", before[1])
        self.page.keyboard.press("z")
        expect(self.rows.first).to_have_attribute("aria-label", before[0])

    def test_what_is_dragged_to_a_mailbox_is_moved_there(self):
        before = self.names(3)
        mailboxes = self.page.get_by_role("navigation", name="Folders")
        # Nothing moves between accounts.
        account = self.page.locator(".row-account", has_text="Mira Lindqvist")
        row = self.page.locator(".row", has=account).first
        name = row.get_attribute("aria-label")
        own = self.page.locator(".sidebar-account", has_text="Mira Lindqvist")
        # Without Shift, dragging adds a label: test_folders.py.
        self.move_by_dragging(row, own.get_by_role("link", name=re.compile("^Travel")))
        expect(self.page.get_by_text("Conversation moved to Travel")).to_be_visible()
        expect(self.page.get_by_role("option", name=name)).to_have_count(0)
        self.page.get_by_role("button", name="Undo").click()
        self.wait(lambda: self.names(3) == before)
        self.rows.nth(0).locator("[data-action=select]").click()
        self.rows.nth(1).locator("[data-action=select]").click()
        self.rows.nth(1).drag_to(mailboxes.get_by_role("link", name="Archive").first)
        expect(self.page.get_by_text("2 conversations archived")).to_be_visible()
        expect(self.rows.first).to_have_attribute("aria-label", before[2])
        self.page.get_by_role("button", name="Undo").click()
        expect(self.rows.first).to_have_attribute("aria-label", before[0])

    def test_what_is_there_already_is_not_taken(self):
        mailboxes = self.page.get_by_role("navigation", name="Folders")
        before = self.names(1)
        self.rows.first.drag_to(mailboxes.get_by_role("link", name="Inbox").first)
        expect(self.rows.first).to_have_attribute("aria-label", before[0])
        expect(mailboxes.locator(".sidebar-refuses")).to_have_count(0)
        expect(self.page.locator(".toast")).to_have_count(0)

    def test_deleting_in_the_trash_asks_first(self):
        self.page.get_by_role("link", name="Trash").first.click()
        expect(self.page.get_by_role("heading", level=1, name="Trash")).to_be_visible()
        expect(self.rows.first).to_be_visible()
        total = int(self.page.locator(".pane-count").inner_text())
        self.list.focus()
        self.page.keyboard.press("#")
        question = self.page.get_by_role("alertdialog")
        expect(question).to_be_visible()
        expect(question.get_by_role("button", name="Cancel")).to_be_focused()
        self.page.keyboard.press("Escape")
        expect(question).to_be_hidden()
        expect(self.list).to_be_focused()
        self.page.keyboard.press("#")
        question.get_by_role("button", name="Delete").click()
        expect(self.page.locator(".pane-count")).to_have_text(str(total - 1))

    def test_the_keys_are_listed_on_a_sheet(self):
        self.page.keyboard.press("?")
        sheet = self.page.get_by_role("dialog", name="Keyboard shortcuts")
        for words in ("Archive", "Next conversation", "New message", "Search", "Undo the last action"):
            expect(sheet.get_by_text(words, exact=True)).to_be_visible()
        self.assertNoViolations()
        self.page.keyboard.press("Escape")
        expect(sheet).to_be_hidden()

    def test_mail_that_arrives_moves_nothing_that_is_looked_at(self):
        self.list.evaluate("list => list.scrollTop = 40 * list.querySelector('.row').offsetHeight")
        seen = """() => { const list = document.querySelector('.virtual'), box = list.getBoundingClientRect();
            const row = [...list.querySelectorAll('.row')].find((row) => row.getBoundingClientRect().top >= box.top);
            return row?.id && [row.id, Math.round(row.getBoundingClientRect().top)]; }"""
        # What was scrolled to is drawn after the scroll, and filled when its rows are read.
        self.page.wait_for_function(
            "() => document.querySelectorAll('.row:not(.row-empty)').length > 8 && !document.querySelector('.row-empty')")
        self.page.wait_for_function(seen)
        before = self.page.evaluate(seen)
        total = int(self.page.locator(".pane-count").inner_text())
        accounts = self.mail_accounts()
        account = accounts["mira@demo.example"]
        inbox = next(box["id"] for box in self.jmap(["Mailbox/get", {"accountId": account, "ids": None}])[0]["list"]
                     if box["role"] == "inbox")
        made = self.jmap(["Email/set", {"accountId": account, "create": {"new": {
            "mailboxIds": {inbox: True}, "from": [{"name": "Nina", "email": "nina@elsewhere.example"}],
            "subject": "This just arrived", "receivedAt": "2030-01-01T00:00:00Z",
            "bodyValues": {"1": {"value": "Hello"}}, "textBody": [{"partId": "1", "type": "text/plain"}]}}}])
        self.assertIn("new", made[0]["created"] or {}, made)
        expect(self.page.locator(".pane-count")).to_have_text(str(total + 1))
        self.assertEqual(self.page.evaluate(seen), before)
        self.list.evaluate("list => list.scrollTop = 0")
        expect(self.row_with("This just arrived")).to_be_visible()

    def test_a_finger_sweeps_a_row_into_the_archive(self):
        page = self.open(viewport=NARROW, has_touch=True, is_mobile=True)
        row = page.get_by_role("option").nth(2)
        expect(row).to_have_attribute("aria-label", COMPLETE)
        name = row.get_attribute("aria-label")
        row.evaluate("""row => {
            const box = row.getBoundingClientRect(), y = box.top + 20;
            const send = (type, x) => row.dispatchEvent(new TouchEvent(type, {bubbles: true, cancelable: true,
                touches: type === "touchend" ? [] : [new Touch({identifier: 1, target: row, clientX: x, clientY: y})]}));
            send("touchstart", 40); send("touchmove", 80); send("touchmove", 300); send("touchend", 300); }""")
        expect(page.get_by_text("Conversation archived")).to_be_visible()
        expect(page.get_by_role("option").nth(2)).not_to_have_attribute("aria-label", name)
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_role("option").nth(2)).to_have_attribute("aria-label", name)

    def test_in_a_narrow_window_the_keys_of_the_list_hold_in_a_conversation(self):
        page = self.open(viewport=NARROW)
        second = page.get_by_role("option").nth(1)
        expect(second).to_be_visible()
        subject = re.sub("^Re: ", "", second.locator(".row-subject").inner_text())
        page.get_by_role("option").first.click()
        expect(page.get_by_role("button", name="Back to the list")).to_be_visible()
        page.keyboard.press("j")
        expect(page.get_by_role("heading", level=1, name=subject)).to_be_visible()
        page.keyboard.press("v")
        expect(page.get_by_role("dialog", name="Move conversation")).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("u")
        expect(page.get_by_role("listbox")).to_be_visible()

    def test_on_a_phone_there_is_one_pane_at_a_time(self):
        page = self.open(viewport=NARROW, has_touch=True, is_mobile=True)
        page.get_by_role("option").first.click()
        expect(page.get_by_role("button", name="Back to the list")).to_be_visible()
        expect(page.get_by_role("listbox")).to_be_hidden()
        self.assertNoViolations(page)
        page.get_by_role("button", name="Back to the list").click()
        expect(page.get_by_role("listbox")).to_be_visible()
        page.get_by_role("button", name="Folders", exact=True).click()
        drawer = page.get_by_role("dialog", name="Folders")
        self.assertNoViolations(page)
        drawer.get_by_role("link", name="Sent").first.click()
        expect(drawer).to_be_hidden()
        expect(page.get_by_role("heading", level=1, name="Sent")).to_be_visible()


class Search(PageTest):
    def setUp(self):
        super().setUp()
        self.field = self.page.get_by_role("searchbox", name="Search mail")
        expect(self.page.get_by_role("option").first).to_be_visible()

    def test_words_become_filters_that_can_be_removed(self):
        self.page.keyboard.press("/")
        expect(self.field).to_be_focused()
        self.page.keyboard.type("parcel from bergrad this year")
        for chip in ("From: bergrad", "This year"):
            expect(self.page.get_by_role("button", name=f"Remove filter {chip}")).to_be_visible()
        self.page.get_by_role("button", name="Remove filter From: bergrad").click()
        expect(self.field).to_have_value("parcel this year")
        expect(self.page.locator(".row mark").first).to_be_visible()
        expect(self.page.get_by_role("heading", level=1, name="Search results")).to_be_visible()
        self.assertNoViolations()
        self.page.keyboard.press("Escape")
        expect(self.page.get_by_role("heading", level=1, name="Inbox")).to_be_visible()

    def test_this_mailbox_or_all_mail(self):
        self.field.fill("parcel")
        everywhere = self.page.get_by_role("button", name="All mail")
        expect(everywhere).to_have_attribute("aria-pressed", "true")
        expect(self.page.locator(".row mark").first).to_be_visible()
        everything = int(self.page.locator(".pane-count").inner_text())
        here = sum(self.found("parcel", inRole="inbox"))
        self.assertEqual(everything, sum(self.found("parcel")))
        self.assertTrue(0 < here < everything)
        self.page.get_by_role("group", name="Where to search").get_by_role("button", name="Inbox").click()
        expect(self.page.locator(".pane-count")).to_have_text(str(here))
        expect(self.page.locator(".row mark").first).to_be_visible()

    def found(self, text, **where):
        """How many conversations each account finds."""
        calls = [["Email/query", {"accountId": id, "filter": {"text": text, **where}, "collapseThreads": True,
                                  "calculateTotal": True}] for id in self.mail_accounts().values()]
        return [one["total"] for one in self.jmap(*calls)]

    def test_nothing_found_says_so_and_what_to_do(self):
        self.field.fill("xyzzyplugh")
        expect(self.page.get_by_text("No results")).to_be_visible()
        expect(self.page.get_by_text("0 conversations found")).to_be_attached()
        self.assertNoViolations()
        # All mail is searched: only a search in one mailbox has more to look through.
        expect(self.page.get_by_text("or search all mail")).to_have_count(0)
        self.page.get_by_role("group", name="Where to search").get_by_role("button", name="Inbox").click()
        expect(self.page.get_by_text("or search all mail")).to_be_visible()

    def test_words_that_look_like_filters_can_be_searched_for(self):
        self.field.fill("parcel from xyzzyplugh")
        expect(self.page.get_by_text("No results")).to_be_visible()
        self.page.get_by_role("button", name="Search without filters").click()
        expect(self.field).to_have_value('"parcel from xyzzyplugh"')
        expect(self.page.get_by_role("button", name="Remove filter")).to_have_count(0)
        expect(self.page.get_by_role("button", name="Search without filters")).to_have_count(0)

    def test_what_was_searched_for_is_offered_again(self):
        self.jmap(["RecentSearch/set", {"accountId": "program", "create": {"a": {"text": "tax 2026"}}}])
        self.field.focus()
        self.page.get_by_role("button", name="tax 2026").click()
        expect(self.field).to_have_value("tax 2026")


class Touch(PageTest):
    viewport = NARROW
    options = {"has_touch": True, "is_mobile": True}

    def test_a_finger_that_stays_selects_and_the_selection_has_its_tools(self):
        row = self.page.get_by_role("option").nth(1)
        expect(row).to_be_visible()
        row.dispatch_event("pointerdown", {"pointerType": "touch", "bubbles": True})
        row.dispatch_event("contextmenu")
        expect(row).to_have_attribute("aria-selected", "true")
        expect(self.page.get_by_role("heading", name="1 selected")).to_be_visible()
        self.assertNoViolations()
        self.page.get_by_role("button", name="Clear selection").click()
        expect(row).to_have_attribute("aria-selected", "false")

    def test_pulling_down_at_the_top_asks_anew(self):
        rows = self.page.get_by_role("listbox")
        expect(self.page.get_by_role("option").first).to_be_visible()
        with self.page.expect_request(lambda request: "SyncStatus/refresh" in (request.post_data or "")):
            rows.evaluate("""list => {
                const row = list.querySelector('.row');
                const send = (type, y) => row.dispatchEvent(new TouchEvent(type, {bubbles: true, cancelable: true,
                    touches: type === "touchend" ? [] : [new Touch({identifier: 1, target: row, clientX: 50, clientY: y})]}));
                send("touchstart", 100); send("touchmove", 140); send("touchmove", 260); send("touchend", 260); }""")


class LargeFolder(FreshTest):
    """A folder of 5,000 messages."""

    long = True
    COUNT = 5000

    def prepare(self):
        mail = self.program.folder / "large.mbox"
        with open(mail, "w") as file:
            for number in range(self.COUNT):
                date = datetime(2026, 1, 1) + timedelta(minutes=number)
                file.write(
                    f"From p@people.example {date:%a %b %d %H:%M:%S %Y}\nFrom: Person <p{number % 500}@people.example>\n"
                    f"To: ada@home.example\nSubject: Number {number}\nMessage-ID: <{number}@people.example>\n"
                    f"Date: {date:%a, %d %b %Y %H:%M:%S} +0000\n\nHello {number}.\n\n")
        self.program.command("import", mail, seconds=60)
        self.add_local_account()
        self.jmap(["Preferences/set", {"accountId": "program", "update": {"singleton": {"isOnboardingComplete": True}}}])
        for account in self.mail_accounts().values():
            boxes, = self.jmap(["Mailbox/get", {"accountId": account, "ids": None}])
            for box in boxes["list"]:
                if box["totalEmails"] == self.COUNT:
                    return f"/#/mail/{account}/{box['id']}"
        return self.fail("the messages are not there")

    def test_a_folder_of_5000_messages_is_scrolled_read_and_selected_whole(self):
        page, rows = self.page, self.page.locator(".row:not(.row-empty)")
        page.goto(self.prepare())
        page.reload()
        expect(page.locator(".pane-count")).to_have_text("5,000")
        expect(rows.first).to_contain_text("Number 4999")
        # Few of its rows are in the page.
        self.assertLess(page.locator(".row").count(), 200)
        listbox = page.get_by_role("listbox")
        listbox.focus()
        page.keyboard.press("End")
        expect(rows.filter(has_text=re.compile(r"Number 0(?!\d)"))).to_be_in_viewport()
        page.locator(".virtual").evaluate("list => (list.closest('.thread-list') ?? list).scrollTop = 100000")
        expect(rows.nth(5)).to_be_visible()
        page.keyboard.press("Home")
        expect(rows.first).to_contain_text("Number 4999")
        rows.first.click()
        expect(page.get_by_role("heading", level=2, name="Number 4999")).to_be_visible()
        listbox.focus()
        page.keyboard.press("Control+a")
        expect(page.get_by_role("heading", name="5,000 selected")).to_be_visible()
        self.assertNoViolations()
        page.keyboard.press("Escape")
        expect(page.locator(".pane-count")).to_have_text("5,000")
