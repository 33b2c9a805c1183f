import re
import unittest

from room import Browser, PageTest, expect


class Start(PageTest):
    def test_the_page_opens_and_breaks_no_rule_of_its_own_policy(self):
        expect(self.page.locator("main")).to_be_visible()
        self.assertNoViolations()

    def test_keys_that_are_pressed_before_the_mail_is_known_count_once_it_is(self):
        for place, method in (("**/.well-known/jmap", None), ("**/jmap/api", "AccountSettings/get")):
            with self.subTest(place=place):
                held, page = [], self.open(None)

                def hold(route):
                    if held == ["free"] or (method and method not in (route.request.post_data or "")):
                        return route.continue_()
                    held.append(route)

                page.route(place, hold)
                page.goto("/", wait_until="commit")
                self.wait(lambda: held, page)
                # The browser asks for the session before it has the page's script.
                expect(page.locator("#root > *").first).to_be_visible()
                # What follows was meant for the message.
                for key in ("c", "e", "x"):
                    page.keyboard.press(key)
                waiting, held[:] = held[:], ["free"]
                for route in waiting:
                    route.continue_()
                expect(page.locator(".composer").get_by_label("To", exact=True)).to_be_focused()
                expect(page.locator(".row-selected")).to_have_count(0)
                expect(page.get_by_text("archived")).to_have_count(0)

    def held_list(self, page):
        """The requests for rows, which do not come before they are let go."""
        held = []

        def hold(route):
            if held[-1:] == ["free"] or "Email/query" not in (route.request.post_data or ""):
                return route.fallback()
            held.append(route)

        def free():
            waiting, held[:] = held[:], ["free"]
            for route in waiting:
                route.continue_()

        page.route("**/jmap/api", hold)
        return held, free

    def test_a_key_that_looks_waits_for_the_rows_and_one_that_changes_something_does_not(self):
        for keys, opens in ((("Enter",), 0), (("o",), 0), (("j", "j", "Enter"), 1), (("e",), None), (("#",), None),
                            (("s",), None), (("j", "e", "!", "Shift+U"), None)):
            with self.subTest(keys=keys):
                page = self.open(None)
                held, free = self.held_list(page)
                page.goto("/", wait_until="commit")
                self.wait(lambda: held, page)
                for key in keys:
                    page.keyboard.press(key)
                changes = []
                page.on("request", lambda request: changes.append(request) if "MailAction/set" in (request.post_data or "")
                        else None)
                free()
                expect(page.locator(".row:not(.row-empty)").first).to_be_visible()
                if opens is None:
                    told = page.get_by_role("status").filter(has_text="Nothing was done, because your mail was still loading")
                    expect(told).to_be_visible()
                    expect(page.get_by_text(re.compile("archived|moved to Trash|marked as"))).to_have_count(0)
                    self.assertEqual(changes, [])
                else:
                    expect(page.locator(".row").nth(opens)).to_have_attribute("aria-current", "true")
                    expect(page.locator(".mail-frame").last).to_be_visible()
                page.context.close()

    def test_in_a_mailbox_that_is_still_loading_enter_waits_and_deleting_does_not(self):
        page = self.page
        expect(page.get_by_role("option").first).to_be_visible()
        held, free = self.held_list(page)
        page.get_by_role("link", name=re.compile("^Archive")).first.click()
        self.wait(lambda: held, page)
        page.keyboard.press("#")
        expect(page.get_by_role("status").filter(has_text="Nothing was done")).to_be_visible()
        page.get_by_role("heading", name="Archive").click()
        page.keyboard.press("Enter")
        free()
        expect(page.locator(".row").first).to_have_attribute("aria-current", "true")
        expect(page.locator(".mail-frame").last).to_be_visible()

    def test_a_key_is_for_the_open_conversation_after_the_page_was_loaded_anew(self):
        page = self.page
        page.get_by_role("option").nth(3).click()
        expect(page.locator(".mail-frame").last).to_be_visible()
        row = page.locator(f"[id='{page.locator('.row[aria-current=true]').get_attribute('id')}']")
        page.reload()
        expect(row).to_be_visible()
        expect(page.locator(".mail-frame").last).to_be_visible()
        page.keyboard.press("e")
        expect(page.get_by_text("Conversation archived")).to_be_visible()
        expect(row).to_have_count(0)
        page.keyboard.press("z")
        expect(row).to_be_visible()

    def test_a_key_that_changes_something_says_so_when_nothing_is_chosen(self):
        expect(self.page.get_by_role("option").first).to_be_visible()
        self.page.keyboard.press("e")
        expect(self.page.get_by_role("status").filter(has_text="Choose a conversation first")).to_be_visible()

    def test_without_a_session_it_says_how_to_get_one(self):
        self.allowed_errors = ("401",)
        context = Browser.get().new_context()
        self.addCleanup(context.close)
        page = context.new_page()
        page.goto(f"http://{self.program.place}/")
        expect(page.get_by_text("mailkernel open")).to_be_visible()
        self.assertNoViolations(page)


if __name__ == "__main__":
    unittest.main()
