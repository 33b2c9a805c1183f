"""Searches in the user's words: what is understood is shown, and leads to the place in the message."""

from room import NARROW, PageTest, expect

LONG = "\n\n".join(f"Paragraph {number} says nothing new about the weather." for number in range(120))
HIGHLIGHTS = "frame => frame.contentWindow.CSS.highlights.get('found')?.size ?? 0"


class SearchWords(PageTest):
    def setUp(self):
        super().setUp()
        self.account = self.mail_accounts()["mira@demo.example"]
        boxes, = self.jmap(["Mailbox/get", {"accountId": self.account, "ids": None}])
        self.inbox = next(box["id"] for box in boxes["list"] if box["role"] == "inbox")
        self.field = self.page.get_by_role("searchbox", name="Search mail")
        expect(self.page.get_by_role("option").first).to_be_visible()

    def mail(self, number, subject, text, **more):
        first = f"first-{self.id()}@words.example"
        made, = self.jmap(["Email/set", {"accountId": self.account, "create": {"new": {
            "mailboxIds": {self.inbox: True}, "subject": subject, "keywords": {"$seen": True},
            "from": [{"name": "Wilma Words", "email": "wilma@words.example"}],
            "receivedAt": f"2026-11-0{number}T08:00:00Z",
            "messageId": [first if number == 1 else f"{number}-{self.id()}@words.example"],
            **({} if number == 1 else {"references": [first]}),
            "bodyValues": {"1": {"value": text}}, "textBody": [{"partId": "1", "type": "text/plain"}], **more}}}])
        self.assertIn("new", made["created"] or {}, made)
        id = made["created"]["new"]["id"]
        self.addCleanup(lambda: self.jmap(["Email/set", {"accountId": self.account, "destroy": [id]}]))

    def chip(self, label):
        return self.page.get_by_role("button", name=f"Edit filter {label}")

    def test_ORG_30_ORG_31_ORG_32_ORG_34_what_was_understood_is_shown_and_can_be_changed(self):
        self.field.fill("subject:parcel -roof last year larger:abc")
        for label in ("Subject: parcel", "Not “roof”", "Last year"):
            expect(self.chip(label)).to_be_visible()
        # What was not understood is said beside them.
        expect(self.page.get_by_text("“larger:abc” is searched as words.")).to_be_visible()
        self.assertNoViolations()
        # By keyboard: Enter selects its words, and Delete removes it.
        self.chip("Not “roof”").focus()
        self.page.keyboard.press("Enter")
        expect(self.field).to_be_focused()
        self.page.keyboard.type("-tiles")
        expect(self.field).to_have_value("subject:parcel -tiles last year larger:abc")
        self.chip("Not “tiles”").press("Delete")
        expect(self.field).to_have_value("subject:parcel last year larger:abc")
        # By pointer.
        self.page.get_by_role("button", name="Remove filter Last year").click()
        expect(self.field).to_have_value("subject:parcel larger:abc")
        self.field.fill("subject:parcel in:nowhere")
        expect(self.page.get_by_text("There is no folder or label named “nowhere”.")).to_be_visible()
        expect(self.page.get_by_text("No results")).to_be_visible()
        # Too much is an error in a sentence.
        self.field.fill("(" * 30 + "a")
        expect(self.page.get_by_text("The search has brackets more than 10 levels deep.")).to_be_visible()
        narrow = self.open("/#/search?q=subject%3Aparcel+-roof+larger%3Aabc&in=all%2Finbox", viewport=NARROW)
        expect(narrow.get_by_role("button", name="Remove filter Not “roof”")).to_be_visible()
        self.assertFits(narrow)
        self.assertNoViolations(narrow)

    def test_ORG_35_ORG_36_suggestions_lead_to_the_results_and_the_match_is_in_view(self):
        self.mail(1, "Weather report", "The zephyrine wind is new.\n\n" + LONG)
        self.mail(2, "Re: Weather report", LONG + "\n\nAt last a zephyrine breeze!\n\n" + LONG)
        self.mail(3, "Re: Weather report", "Thank you.")
        self.page.keyboard.press("/")
        self.page.keyboard.type("fro")
        hints = self.page.get_by_role("listbox", name="Suggestions")
        expect(hints.get_by_role("option", name="from:")).to_be_visible()
        self.assertNoViolations()
        self.page.keyboard.press("ArrowDown")
        expect(hints.get_by_role("option", name="from:")).to_have_attribute("aria-selected", "true")
        self.page.keyboard.press("Enter")
        expect(self.field).to_have_value("from:")
        # People follow, and a pointer can choose.
        expect(hints.get_by_role("option").first).to_be_visible()
        hints.get_by_role("option").first.click()
        expect(self.field).to_be_focused()
        self.assertRegex(self.field.input_value(), r"^from:\S+@\S+ $")
        self.field.fill("\"zephyrine breeze\"")
        expect(self.page.locator(".row mark").first).to_be_visible()
        expect(self.page.locator(".pane-count")).to_have_text("1")
        self.page.keyboard.press("Enter")
        results = self.page.get_by_role("listbox", name="Search results: conversations")
        expect(results).to_be_focused()
        self.page.keyboard.press("Enter")
        # The second of three messages has it, far below its beginning.
        frame = self.page.locator(".message-open iframe").first
        self.wait(lambda: frame.evaluate(HIGHLIGHTS) == 1)
        place = """frame => {
            const [range] = frame.contentWindow.CSS.highlights.get("found");
            const view = frame.closest(".conversation-scroll").getBoundingClientRect();
            const at = frame.getBoundingClientRect().top + range.getBoundingClientRect().top;
            return at > view.top && at < view.bottom && range.toString();
        }"""
        self.wait(lambda: frame.evaluate(place) == "zephyrine breeze")
        # Words are marked in the subject, too.
        self.field.fill("weather zephyrine")
        expect(self.page.locator(".row mark", has_text="Weather").first).to_be_visible()
        self.page.keyboard.press("ArrowDown")
        expect(results).to_be_focused()
        self.page.keyboard.press("Enter")
        expect(self.page.locator(".conversation h2 mark")).to_have_text("Weather")
        self.wait(lambda: frame.evaluate(HIGHLIGHTS) > 100)
        # Both are remembered at once; arrow keys lead to them, too.
        self.field.fill("")
        earlier = self.page.locator(".recent li button")
        expect(earlier.first).to_have_text("weather zephyrine")
        self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("ArrowDown")
        expect(self.page.get_by_role("button", name="\"zephyrine breeze\"")).to_be_focused()
        self.page.keyboard.press("Enter")
        expect(self.field).to_have_value("\"zephyrine breeze\"")

    def test_ORG_37_a_saved_search_is_in_all_windows(self):
        other = self.open("/")
        expect(other.get_by_role("option").first).to_be_visible()
        self.mail(1, "Brontide", "A brontide from afar", keywords={})
        self.field.fill("subject:brontide")
        self.page.get_by_role("button", name="Save search").click()
        dialog = self.page.get_by_role("dialog", name="Save search")
        expect(dialog.get_by_label("Name")).to_be_focused()
        self.assertNoViolations()
        dialog.get_by_label("Name").fill("Thunder")
        self.page.keyboard.press("Enter")
        link = "Thunder, 1 unread conversation"
        expect(self.page.get_by_role("link", name=link)).to_have_attribute("aria-current", "page")
        expect(self.page.get_by_role("button", name="Save search")).to_have_count(0)
        self.assertNoViolations()
        # The other window has it, and changes it.
        other.get_by_role("link", name=link).click()
        expect(other.get_by_role("searchbox", name="Search mail")).to_have_value("subject:brontide")
        expect(other.locator(".row:not(.row-empty)")).to_have_count(1)
        other.get_by_role("button", name="More for Thunder").click()
        other.get_by_role("menuitem", name="Edit").click()
        dialog = other.get_by_role("dialog", name="Edit search")
        expect(dialog.get_by_label("Name")).to_be_focused()
        dialog.get_by_label("Name").fill("Rumble")
        self.assertNoViolations(other)
        dialog.get_by_label("Search", exact=True).fill("subject:brontide is:unread")
        other.keyboard.press("Enter")
        expect(other.get_by_role("searchbox", name="Search mail")).to_have_value("subject:brontide is:unread")
        renamed = self.page.get_by_role("link", name="Rumble, 1 unread conversation")
        expect(renamed).to_be_visible()
        renamed.click(button="right")
        self.page.get_by_role("menuitem", name="Delete").click()
        expect(other.get_by_role("link", name="Rumble")).to_have_count(0)
        self.page.get_by_role("button", name="Undo").click()
        expect(other.get_by_role("link", name="Rumble, 1 unread conversation")).to_be_visible()
        kept, = self.jmap(["SavedSearch/get", {"accountId": "program", "ids": None}])
        self.jmap(["SavedSearch/set", {"accountId": "program", "destroy": [one["id"] for one in kept["list"]]}])
