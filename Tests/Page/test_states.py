"""What stands in the way: no program, text sizes, themes."""

import re

from fresh import Answers
from room import NARROW, PageTest, expect


class States(PageTest):
    def test_a_program_that_ends_is_told_and_one_that_comes_back_is_found(self):
        self.allowed_errors = ("Failed to load resource", "ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_EMPTY")
        expect(self.page.get_by_role("option").first).to_be_visible()
        port = self.program.port
        self.program.stop()
        self.page.get_by_role("button", name="Refresh").click()
        expect(self.page.get_by_text("mailkernel is not responding")).to_be_visible()
        self.assertNoViolations()
        # The page looks for the program by itself too: it is kept from finding it before the button is pressed.
        button = self.page.get_by_role("button", name="Try again").element_handle()
        self.page.route("**/*", lambda route: route.abort())
        self.program.start(port)
        self.page.unroute("**/*")
        button.evaluate("(button) => button.click()")
        expect(self.page.get_by_text("mailkernel is not responding")).to_be_hidden()

    def test_a_program_that_ends_is_told_to_who_does_nothing_and_so_is_its_return(self):
        self.allowed_errors = ("Failed to load resource", "ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_EMPTY")
        expect(self.page.get_by_role("option").first).to_be_visible()
        port = self.program.port
        self.program.stop()
        expect(self.page.get_by_role("status").filter(has_text="mailkernel is not responding")).to_be_visible()
        # What was loaded can be read.
        expect(self.page.get_by_role("option").first).to_be_visible()
        self.program.start(port)
        expect(self.page.get_by_text("mailkernel is not responding")).to_be_hidden(timeout=60_000)

    def test_a_part_of_the_page_that_is_gone_says_so_and_offers_to_load_it_again(self):
        self.allowed_errors = ("Failed to load resource", "ERR_FAILED", "dynamically imported module")
        page = self.open(None)
        # The parts of the first view are asked for by its HTML.
        first = re.findall(r"/part-\w+\.js", page.request.get("/").text())

        def only_first(route):
            route.continue_() if any(part in route.request.url for part in first) else route.abort()

        page.route("**/part-*.js", only_first)
        page.goto("/")
        page.get_by_role("option").first.click()
        expect(page.get_by_text("The conversation could not be loaded")).to_be_visible()
        self.assertNoViolations(page)
        page.unroute("**/part-*.js")
        page.get_by_role("region", name="Conversation", exact=True).get_by_role("button", name="Try again").click()
        expect(page.get_by_role("region", name="Conversation", exact=True).get_by_role("heading").first).to_be_visible()

    def test_a_phone_shows_how_far_a_synchronization_is(self):
        def syncing(arguments, real):
            return {**real, "list": [{**one, "phase": "syncing", "progress": {"done": 120, "total": 400}}
                                     for one in real["list"]]}

        page = self.open(None, viewport=NARROW)
        Answers(page, {"SyncStatus/get": syncing})
        page.goto("/")
        bar = page.get_by_role("main").get_by_role("progressbar", name=re.compile("^Getting mail for "))
        expect(bar).to_have_attribute("aria-valuenow", "30")
        self.assertNoViolations(page)

    def test_no_screen_scrolls_sideways_at_any_text_size(self):
        page = self.open(viewport={"width": 320, "height": 640})
        expect(page.get_by_role("option").first).to_be_visible()
        for percent in (80, 100, 200, 310):
            page.evaluate(f"document.documentElement.style.fontSize = '{percent}%'")
            expect(page.locator(".row:not(.row-empty)").first).to_be_visible()
            with self.subTest("list", percent=percent):
                self.assertFits(page)
            page.locator(".row:not(.row-empty)").first.click()
            expect(page.get_by_role("button", name="Back to the list")).to_be_visible()
            expect(page.locator(".mail-frame").last).to_be_visible()
            with self.subTest("conversation", percent=percent):
                self.assertFits(page)
            page.get_by_role("toolbar").get_by_role("button", name="More").click()
            with self.subTest("menu", percent=percent):
                self.assertFits(page)
            page.keyboard.press("Escape")
            page.get_by_role("button", name="Back to the list").click()

    def test_NFR_SET_02_half_of_a_small_window_is_left_to_the_list(self):
        for size, percent in (({"width": 320, "height": 480}, 310), ({"width": 667, "height": 375}, 310)):
            page = self.open(viewport=size)
            page.evaluate(f"document.documentElement.style.fontSize = '{percent}%'")
            row = page.locator(".row:not(.row-empty)").first
            row.scroll_into_view_if_needed()
            with self.subTest(size=size):
                seen = page.locator(".thread-list").evaluate("""(list) => {
                    const box = list.getBoundingClientRect();
                    return Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
                }""")
                self.assertGreater(seen, size["height"] / 2)
                self.assertFits(page)
            row.click()
            expect(page.locator(".mail-frame").last).to_be_visible()

    def test_NFR_SET_02_what_is_told_in_the_largest_text_leaves_most_of_a_phone(self):
        page = self.open(viewport=NARROW)
        page.evaluate("document.documentElement.style.fontSize = '310%'")
        rows = page.locator(".row:not(.row-empty)")
        for _ in range(2):
            rows.first.click()
            page.get_by_role("toolbar").get_by_role("button", name="Archive").click()
            expect(page.locator(".toast").last).to_contain_text("archived")
            if page.get_by_role("button", name="Back to the list").is_visible():
                page.get_by_role("button", name="Back to the list").click()
        seen = page.locator(".toast").filter(visible=True)
        expect(seen).to_have_count(1)
        self.settle(page)
        self.assertLess(seen.bounding_box()["height"], NARROW["height"] / 3)
        # Twice the usual size at least.
        self.assertGreaterEqual(seen.evaluate("one => parseFloat(getComputedStyle(one).fontSize)"), 32)
        self.assertFits(page)
        self.assertNoViolations(page)
        for _ in range(2):
            page.keyboard.press("z")

    def test_reduced_motion_and_forced_colors_keep_everything_visible(self):
        page = self.open(reduced_motion="reduce", forced_colors="active")
        expect(page.get_by_role("option").first).to_be_visible()
        self.assertNoViolations(page)


class Keyboard(PageTest):
    """Everything by keyboard, and the focus is never lost."""

    def focused(self):
        return self.page.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.tagName")

    def undo_delay(self, seconds):
        self.jmap(["Preferences/set", {
            "accountId": "program", "update": {"singleton": {"undoSendDelaySeconds": seconds}}}])

    def test_a_round_through_the_mail_without_a_pointer(self):
        page, keys = self.page, self.page.keyboard
        # Long enough to find the button and to press the key.
        self.undo_delay(30)
        self.addCleanup(self.undo_delay, 5)
        rows = page.get_by_role("listbox")
        expect(page.get_by_role("option").first).to_be_visible()
        keys.press("j")
        expect(rows).to_be_focused()
        keys.press("?")
        expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
        keys.press("Escape")
        expect(rows).to_be_focused()
        keys.press("v")
        expect(page.get_by_label("Find a folder")).to_be_focused()
        keys.press("Escape")
        expect(rows).to_be_focused()
        keys.press("/")
        keys.type("parcel")
        expect(page.locator(".row mark").first).to_be_visible()
        # First the suggestions are closed, then the search.
        expect(page.get_by_role("listbox", name="Suggestions")).to_be_visible()
        keys.press("Escape")
        expect(page.get_by_role("listbox", name="Suggestions")).to_have_count(0)
        keys.press("Escape")
        inbox = page.get_by_role("listbox", name="Inbox: conversations")
        expect(inbox).to_be_focused()
        # What is to be opened has to be there.
        expect(inbox.locator(".row:not(.row-empty)").first).to_be_visible()
        keys.press("Home")
        keys.press("Enter")
        expect(page.locator(".mail-frame").last).to_be_visible()
        keys.press("r")
        body = page.locator(".composer").get_by_label("Message", exact=True)
        expect(body).to_be_focused()
        keys.type("Thank you.")
        keys.press("Control+Enter")
        expect(page.locator(".toast").get_by_role("button", name="Undo")).to_be_visible()
        expect(page.locator(".composer")).to_have_count(0)
        expect(rows).to_be_focused()
        keys.press("z")
        self.assertBody(page.locator(".composer"), re.compile("Thank you."))
        page.locator(".composer").get_by_label("Subject").press("Escape")
        expect(page.locator(".composer")).to_have_count(0)
        self.wait(lambda: self.focused() != "BODY")
        keys.press("e")
        expect(page.get_by_text("archived")).to_be_visible()
        self.wait(lambda: self.focused() != "BODY")
        keys.press("z")
        expect(page.get_by_text("archived")).to_have_count(0)


class NoAccount(PageTest):
    arguments = ()
    account_count = 0

    def test_without_an_account_there_is_a_way_on(self):
        expect(self.page.get_by_role("heading", level=1)).to_be_visible()
        self.assertNoViolations()
        self.page.get_by_role("button", name="Continue").click()
        expect(self.page.get_by_role("button", name="Add Account")).to_be_enabled()
