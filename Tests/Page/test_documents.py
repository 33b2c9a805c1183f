"""The guides that the program serves, as a user sees them who follows a link in a form."""

from urllib.parse import urljoin, urlsplit

from room import NARROW, ROOT, WIDE, PageTest, expect


class Documents(PageTest):
    def document(self, name, size=WIDE, **how):
        page = self.open(None, size, **how)
        self.assertEqual(page.goto(f"/docs/{name}.html").status, 200)
        return page

    def test_FR_ACCT_01_the_way_to_a_client_id_is_in_the_program(self):
        page = self.document("gmail")
        expect(page.get_by_role("heading", level=1, name="Gmail")).to_be_visible()
        expect(page.get_by_role("heading", name="Get a client ID")).to_be_visible()
        link = page.get_by_role("link", name="https://console.cloud.google.com/auth/clients")
        expect(link).to_have_attribute("rel", "noopener noreferrer")
        expect(page.get_by_role("cell", name="You have to sign in every week")).to_be_visible()
        page.get_by_role("link", name="Signing in every seven days").click()
        expect(page.get_by_role("heading", name="Signing in every seven days")).to_be_in_viewport()

    def test_FR_ACCT_03_the_privacy_policy_is_one_of_them(self):
        page = self.document("privacy")
        expect(page.get_by_role("heading", level=1)).to_contain_text("Privacy")
        # Before the table of everything that leaves the computer, and with a section of its own.
        expect(page.locator("main p").first).to_contain_text("remote images, which are loaded if you ask")
        expect(page.get_by_role("heading", name="Images in messages")).to_be_visible()
        expect(page.get_by_role("cell", name="requests for images in a message")).to_be_visible()

    def test_every_link_leads_somewhere(self):
        page = self.document("gmail")
        waiting, seen = [urljoin(page.url, f"{path.stem}.html") for path in (ROOT / "docs").glob("*.md")], set()
        while waiting:
            address = waiting.pop()
            if address in seen:
                continue
            seen.add(address)
            self.assertEqual(page.goto(address).status, 200, address)
            for target in page.locator("main a").evaluate_all("all => all.map((one) => one.getAttribute('href'))"):
                to = urlsplit(urljoin(address, target))
                if to.netloc != self.program.place:
                    self.assertEqual(to.scheme, "https", target)
                    continue
                if to.fragment and to.path == urlsplit(address).path:
                    self.assertEqual(page.locator(f"[id='{to.fragment}']").count(), 1, f"{target} in {address}")
                waiting.append(to._replace(fragment="").geturl())
        self.assertGreater(len(seen), 5)

    def test_they_can_be_read_on_a_phone_in_the_dark_and_with_large_letters(self):
        for size, scheme, letters in [(WIDE, "light", 100), (NARROW, "dark", 100), (NARROW, "light", 310)]:
            page = self.document("gmail", size, color_scheme=scheme)
            page.evaluate("size => document.documentElement.style.fontSize = `${size}%`", letters)
            width = page.evaluate("document.documentElement.scrollWidth")
            self.assertLessEqual(width, size["width"], f"{letters} %")
            self.assertNoViolations(page)
