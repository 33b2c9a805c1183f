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
