import unittest

from room import Browser, PageTest, expect


class Start(PageTest):
    def test_the_page_opens_and_breaks_no_rule_of_its_own_policy(self):
        expect(self.page.locator("main")).to_be_visible()
        self.assertNoViolations()

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
