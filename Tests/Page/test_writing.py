"""Where answers are written, and what is written again and again: templates, signatures, other addresses."""

import re
import unittest
from pathlib import Path

from room import ROOT, expect
from test_composer import ComposerTest, WORK

CORPUS = ROOT.parent / "shared/corpora/xss"
ACTIVE = re.compile(r"<(script|iframe|svg|object|embed|style|form|base)\b|<[^>]*\son\w+\s*=|<[^>]*javascript:", re.I)


class WritingTest(ComposerTest):
    def setUp(self):
        super().setUp()
        boxes, = self.jmap(["Mailbox/get", {"accountId": self.mira, "ids": None}])
        self.boxes = {box["role"]: box["id"] for box in boxes["list"]}
        # Both accounts of the demo have the same conversations.
        self.inbox = f"/#/mail/{self.mira}/{self.boxes['inbox']}"
        self.page.goto(self.inbox)

    def read(self, subject):
        """Opens a conversation of the list."""
        self.page.get_by_role("option").filter(has_text=subject).first.click()
        expect(self.page.get_by_role("button", name="Reply", exact=True)).to_be_visible()

    def preference(self, name):
        return self.jmap(["Preferences/get", WORK])[0]["list"][0][name]

    def set(self, **values):
        self.jmap(["Preferences/set", {**WORK, "update": {"singleton": values}}])

    def html(self, subject):
        self.page.keyboard.press("Control+s")
        return self.wait(lambda: (self.draft(subject) or {}).get("html"))


class Places(WritingTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.set, replyPlace=None, composerBox=None)

    def test_FR_COMP_01_an_answer_is_below_its_message_until_it_is_popped_out_and_moved(self):
        self.read("Schoolyard")
        self.page.keyboard.press("r")
        below = self.page.locator(".messages .below-message")
        body = below.get_by_label("Message", exact=True)
        expect(body).to_be_focused()

        def bottom():
            box = below.bounding_box()
            return box["y"] + box["height"]

        # All of it is in sight, also when what is above it gets its height later, as mail on a busy machine does.
        heading = self.page.locator(".conversation-header")
        for height in ("", "30rem"):
            heading.evaluate("(one, height) => { one.style.minHeight = height; }", height)
            self.settle()
            self.wait(lambda: bottom() <= 900)
        heading.evaluate("(one) => { one.style.minHeight = ''; }")
        self.settle()
        article = self.page.locator(".messages li", has=self.page.locator(".below-message")).locator("article").bounding_box()
        self.assertGreaterEqual(below.bounding_box()["y"], article["y"] + article["height"] - 1)
        # So is the line that is written, however long the text gets.
        self.page.keyboard.type("I am in.")
        self.assertNoViolations()
        self.page.keyboard.type("\nAnd more." * 40)
        line = body.get_by_text("And more.").last.bounding_box()
        tools = below.locator(".composer-tools").bounding_box()
        self.assertLessEqual(line["y"] + line["height"], tools["y"])
        self.assertLessEqual(tools["y"] + tools["height"], 900)
        # What is written here is not shown a second time, as a draft of the conversation.
        self.page.keyboard.press("Control+s")
        expect(self.page.get_by_role("option").filter(has_text="Schoolyard").first).to_contain_text("Draft")
        expect(self.page.locator(".messages").get_by_text("Draft", exact=True)).to_have_count(0)
        # It waits as a bar while another conversation is read, and the same key finds it again.
        self.page.get_by_role("option").nth(3).click()
        expect(below).to_have_count(0)
        bar = self.page.locator(".dock-bar")
        expect(bar).to_have_count(1)
        self.read("Schoolyard")
        expect(bar).to_have_count(0)
        self.assertBody(below.locator(".composer"), re.compile(r"^I am in\."))
        self.page.locator(".conversation-header h2").click()
        self.page.keyboard.press("r")
        expect(below).to_have_count(1)
        below.get_by_role("button", name="Pop out").click()
        panel = self.page.get_by_role("dialog", name=re.compile("^Re: "))
        panel.get_by_role("button", name="Write below the message").click()
        self.assertBody(below.locator(".composer"), re.compile(r"^I am in\."))
        expect(panel).to_have_count(0)
        expect(below.get_by_label("Message", exact=True)).to_be_focused()
        below.get_by_role("button", name="Pop out").click()
        self.assertBody(panel.locator(".composer"), re.compile(r"^I am in\."))
        grip = panel.get_by_role("button", name="Move or resize")
        grip.focus()
        self.settle()
        before = panel.bounding_box()
        for key in ("ArrowLeft", "ArrowUp", "Shift+ArrowLeft"):
            self.page.keyboard.press(key)
        after = panel.bounding_box()
        for side, by in (("x", -16), ("y", 0), ("width", -16)):
            self.assertAlmostEqual(after[side] - before[side], by, delta=18 if side == "y" else 4)
        head = panel.locator(".composer-title").bounding_box()
        self.page.mouse.move(head["x"] + 5, head["y"] + 5)
        self.page.mouse.down()
        self.page.mouse.move(head["x"] - 295, head["y"] + 65, steps=5)
        self.page.mouse.up()
        moved = panel.bounding_box()
        self.assertAlmostEqual(moved["x"] - after["x"], -300, delta=4)
        corner = panel.locator(".dock-corner-nw").bounding_box()
        self.page.mouse.move(corner["x"] + 4, corner["y"] + 4)
        self.page.mouse.down()
        self.page.mouse.move(corner["x"] - 56, corner["y"] + 4, steps=5)
        self.page.mouse.up()
        self.assertAlmostEqual(panel.bounding_box()["width"] - moved["width"], 60, delta=4)
        self.assertNoViolations()
        left = panel.bounding_box()
        self.wait(lambda: abs(self.preference("composerBox").get("left", 0) - 1000 * left["x"] / 1440) < 2)
        panel.get_by_role("button", name="Close", exact=True).click()
        expect(panel).to_have_count(0)
        self.page.keyboard.press("c")
        new = self.page.get_by_role("dialog", name="New message")
        self.assertAlmostEqual(new.bounding_box()["x"], left["x"], delta=4)
        new.get_by_role("button", name="Move or resize").focus()
        self.page.keyboard.press("Home")
        self.wait(lambda: self.preference("composerBox") == {})
        self.page.keyboard.press("Escape")
        expect(new).to_have_count(0)
        # As chosen in the settings: above the mail from the beginning, or in a window.
        self.choose("floating")
        self.page.keyboard.press("a")
        panel = self.page.locator(".dock-panel")
        expect(panel.get_by_label("Subject")).to_have_value(re.compile("^Re: "))
        # All that it answers can be read above it.
        self.settle()
        top = panel.bounding_box()["y"]
        last = self.page.locator(".conversation-scroll .reply-bar")
        self.page.locator(".conversation-scroll").evaluate("pane => pane.scrollTop = pane.scrollHeight")
        self.assertLessEqual(last.bounding_box()["y"] + last.bounding_box()["height"], top + 1)
        self.assertGreater(top, 280)
        panel.get_by_role("button", name="Close", exact=True).click()
        expect(panel).to_have_count(0)
        self.page.locator(".conversation-scroll").evaluate("pane => pane.scrollTop = pane.scrollHeight")
        self.assertGreater(last.bounding_box()["y"], 700)
        # Where messages are read below the list, it floats over the list.
        self.set(readingPane="below")
        self.addCleanup(self.set, readingPane=None)
        expect(self.page.locator(".pane-below")).to_be_visible()
        self.page.keyboard.press("a")
        expect(panel.get_by_label("Subject")).to_have_value(re.compile("^Re: "))
        self.settle()
        place = panel.bounding_box()
        self.assertLessEqual(place["y"] + place["height"], self.page.locator(".conversation").bounding_box()["y"])
        panel.get_by_role("button", name="Close", exact=True).click()
        expect(panel).to_have_count(0)
        self.set(readingPane=None)
        self.choose("window")
        with self.page.context.expect_page() as opened:
            self.page.keyboard.press("f")
        expect(opened.value.get_by_label("Subject")).to_have_value(re.compile("^Fwd: "))

    def choose(self, place):
        """Where replies open, in the settings; then back to the conversation."""
        self.page.goto("/#/settings/composition")
        field = self.page.get_by_label("Replies open")
        field.select_option(place)
        expect(field).to_have_value(place)
        self.page.goto(self.inbox)
        self.read("Schoolyard")

    def test_FR_COMP_01_a_row_is_answered_and_a_message_is_forwarded_as_a_file(self):
        row = self.page.get_by_role("option").filter(has_text="Schoolyard").first
        row.click(button="right")
        for name in ("Reply", "Reply to all", "Forward"):
            expect(self.page.get_by_role("menuitem", name=name, exact=True)).to_be_visible()
        self.page.get_by_role("menuitem", name="Reply", exact=True).click()
        expect(self.composer().get_by_label("Subject")).to_have_value(re.compile("^Re: .*Schoolyard", re.I))
        self.composer().get_by_role("button", name="Close", exact=True).click()
        self.read("Schoolyard")
        self.page.get_by_role("button", name="More for this message").last.click()
        self.page.get_by_role("menuitem", name="Forward as attachment").click()
        below = self.page.locator(".below-message")
        expect(below.locator(".file-name")).to_have_text(re.compile(r"\.eml$"))
        expect(below.get_by_role("button", name="Show quoted text")).to_have_count(0)
        below.get_by_role("button", name="Close", exact=True).click()

    def test_FR_COMP_01_a_draft_in_two_windows_is_one_draft(self):
        composer = self.open_new()
        composer.get_by_label("Subject").fill("Twice open")
        composer.get_by_label("Message", exact=True).click()
        self.page.keyboard.type("From one.")
        self.wait(lambda: "From one." in ((self.draft("Twice open") or {}).get("html") or ""))
        draft = self.draft("Twice open")
        other = self.open(f"/#/compose/{self.mira}/{draft['id']}")
        there = other.locator(".composer").get_by_label("Message", exact=True)
        expect(there).to_contain_text("From one.")
        self.page.keyboard.type(" And more.")
        # The window in which nothing was written follows.
        expect(there).to_contain_text("From one. And more.")
        there.click()
        other.keyboard.press("Control+End")
        other.keyboard.type(" From two.")
        expect(composer.get_by_label("Message", exact=True)).to_contain_text("From two.")
        expect(self.page.get_by_role("alertdialog")).to_have_count(0)
        self.assertIn("From one. And more. From two.", self.html("Twice open"))

    def test_FR_COMP_02_an_answer_is_sent_and_its_conversation_archived_by_one_key(self):
        self.jmap(["Preferences/set", {**WORK, "update": {"singleton": {"undoSendDelaySeconds": 0}}}])
        rows = self.page.get_by_role("option")
        rows.nth(1).click()
        expect(self.page.get_by_role("button", name="Reply", exact=True)).to_be_visible()
        before = self.page.url
        self.page.keyboard.press("r")
        composer = self.page.locator(".below-message .composer")
        composer.get_by_label("Subject").fill("Sent and put away")
        composer.get_by_label("Message", exact=True).press("Control+Home")
        # The last word is a link without a sign after it.
        self.page.keyboard.type("See https://plan.example/x")
        expect(composer.get_by_role("button", name="Send and archive")).to_be_visible()
        self.listen()
        self.page.keyboard.press("Control+Shift+Enter")
        self.assertTold("Message sent")
        self.assertTold("Conversation archived")
        expect(self.page).not_to_have_url(before)
        expect(self.page.locator(".conversation-header h2")).to_be_visible()
        found, = self.jmap(["Email/query", {"accountId": self.mira, "filter": {
            "inMailbox": self.boxes["sent"], "subject": "Sent and put away"}}])
        self.assertEqual(len(found["ids"]), 1)
        got, = self.jmap(["Email/get", {"accountId": self.mira, "ids": found["ids"], "fetchHTMLBodyValues": True,
                                        "properties": ["bodyValues"]}])
        html = "".join(one["value"] for one in got["list"][0]["bodyValues"].values())
        self.assertIn('<a href="https://plan.example/x"', html)


class Again(WritingTest):
    def template(self, name):
        templates, = self.jmap(["Template/get", {**WORK, "ids": None}])
        return next((one for one in templates["list"] if one["name"] == name), None)

    def test_FR_COMP_01_templates_are_saved_inserted_edited_and_deleted(self):
        composer = self.open_new()
        composer.get_by_label("To", exact=True).fill("Jonas Weber <jonas@demo.example>,")
        composer.get_by_label("Subject").fill("Thanks")
        composer.get_by_label("Message", exact=True).click()
        # Above the signature that another test may have left.
        self.page.keyboard.press("Control+Home")
        self.page.keyboard.type("Dear {first name}, **thank you** for {subject} ")
        menu = composer.get_by_role("button", name="Templates")
        menu.click()
        self.page.get_by_role("menuitem", name="Save as template").click()
        dialog = self.page.get_by_role("dialog", name="Save as template")
        self.assertNoViolations()
        # The key that sends is the dialog's own here, even where nothing has the focus.
        self.page.evaluate("document.activeElement.blur()")
        self.page.keyboard.press("Control+Enter")
        expect(dialog).to_be_visible()
        dialog.get_by_label("Name").fill("Thank you")
        self.page.keyboard.press("Control+Enter")
        expect(dialog).to_have_count(0)
        expect(self.page.get_by_text("Template saved")).to_be_visible()
        expect(composer).to_be_visible()
        kept = self.template("Thank you")
        self.assertEqual((kept["name"], kept["subject"]), ("Thank you", "Thanks"))
        self.assertIn("<b>thank you</b>", kept["html"])
        body = composer.get_by_label("Message", exact=True)
        body.press("Control+a")
        body.press("Delete")
        menu.click()
        self.page.get_by_role("menuitem", name="Thank you").click()
        expect(body).to_have_text(re.compile(r"^Dear Jonas, thank you for Thanks"))
        self.assertIn("<b>thank you</b>", self.html("Thanks"))
        composer.get_by_role("button", name="Plain text").click()
        self.page.get_by_role("button", name="Switch", exact=True).click()
        body.fill("")
        menu.click()
        self.page.get_by_role("menuitem", name="Thank you").click()
        expect(body).to_have_value(re.compile(r"^Dear Jonas, thank you for Thanks"))
        composer.get_by_role("button", name="Close", exact=True).click()
        # The palette begins a message with it.
        self.page.keyboard.press("Control+k")
        self.page.get_by_role("combobox", name=re.compile("Find a command")).fill("Thank you")
        self.page.get_by_role("option", name=re.compile("^Thank you")).first.click()
        expect(self.composer().get_by_label("Subject")).to_have_value("Thanks")
        self.assertBody(self.composer(), re.compile(r"^Dear \{first name\}, thank you for Thanks"))
        self.page.goto("/#/settings/composition")
        self.page.get_by_role("button", name="Edit the template “Thank you”").click()
        dialog = self.page.get_by_role("dialog", name="Edit template")
        expect(dialog.get_by_text("{first name}, {name}, {subject} and {date} are filled in")).to_be_visible()
        field = dialog.get_by_role("textbox", name="Text")
        field.click()
        self.assertNoViolations()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Control+i")
        dialog.get_by_label("Name").fill("Many thanks")
        dialog.get_by_role("button", name="Save", exact=True).click()
        self.wait(lambda: "<i>" in (self.template("Many thanks") or {"html": ""})["html"])
        self.page.get_by_role("button", name="Delete the template “Many thanks”").click()
        self.page.get_by_role("button", name="Delete", exact=True).click()
        self.wait(lambda: self.template("Many thanks") is None)

    def test_FR_COMP_01_a_signature_belongs_to_the_sender_and_replies_have_another(self):
        self.page.goto("/#/settings/composition")
        self.page.get_by_role("button", name="Edit name and signatures of mira@demo.example").click()
        dialog = self.page.get_by_role("dialog", name="mira@demo.example")
        dialog.get_by_role("textbox", name="Signature", exact=True).click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type("Mira, **at length** ")
        dialog.get_by_role("switch", name="Different signature for replies").click()
        short = dialog.get_by_role("textbox", name="Signature for replies")
        short.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type("M.")
        self.assertNoViolations()
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(self.page.get_by_text("Signature, another for replies")).to_be_visible()
        self.page.get_by_role("button", name="Add address").click()
        dialog = self.page.get_by_role("dialog", name="Add address")
        dialog.get_by_label("Address").fill("mira.alias@demo.example")
        dialog.get_by_role("textbox", name="Signature", exact=True).click()
        self.page.keyboard.type("The other Mira")
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(self.page.get_by_role("button", name="Edit name and signatures of mira.alias@demo.example")).to_be_visible()
        self.page.goto(self.inbox)
        composer = self.open_new()
        composer.get_by_label("Subject").fill("Signed")
        self.assertIn('<div class="moz-signature">', self.html("Signed"))
        self.assertIn("<b>at length</b>", self.html("Signed"))
        sender = composer.get_by_label("From")
        sender.select_option(label="mira.alias@demo.example")
        self.assertBody(composer, re.compile(r"^\s*The other Mira\s*$"))
        composer.get_by_role("button", name="Plain text").click()
        self.assertBody(composer, re.compile(r"-- \nThe other Mira"))
        sender.select_option(index=0)
        self.assertBody(composer, re.compile(r"-- \nMira, at length\s*$"))
        composer.get_by_role("button", name="Close", exact=True).click()
        self.read("Schoolyard")
        self.page.keyboard.press("r")
        self.assertBody(self.composer(), re.compile(r"^\s*M\.\s+On .* wrote:", re.S))

    @unittest.skipUnless(CORPUS.is_dir(), "The collections of hostile HTML are not beside this checkout.")
    def test_FR_COMP_01_attacks_in_templates_signatures_and_quotes_neither_run_nor_are_sent(self):
        payloads = [line for path in sorted(Path(CORPUS).glob("*.txt"))
                    for line in path.read_text(errors="replace").splitlines() if "<" in line]
        self.allowed_errors = ("Content Security Policy", "Blocked")
        dialogs = []
        self.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        address = self.page.url
        self.jmap(["Preferences/set", {**WORK, "update": {"singleton": {"undoSendDelaySeconds": 0}}}])
        boxes, identities = self.jmap(["Mailbox/get", {"accountId": self.mira, "ids": None}],
                                      ["Identity/get", {"accountId": self.mira, "ids": None}])
        inbox = next(box["id"] for box in boxes["list"] if box["role"] == "inbox")
        identity = identities["list"][0]["id"]
        third = len(payloads) // 3
        parts = ["\n".join(payloads[at:at + third])[:290_000] for at in range(0, 3 * third, third)]
        _, _, made = self.jmap(
            ["Template/set", {**WORK, "create": {"new": {"name": "Attack", "html": "<p>template</p>" + parts[0]}}}],
            ["Identity/set", {"accountId": self.mira, "update": {identity: {
                "replySignature": "<p>signature</p>" + parts[1]}}}],
            ["Email/set", {"accountId": self.mira, "create": {"new": {
                "mailboxIds": {inbox: True}, "from": [{"name": "Mallory", "email": "jonas@demo.example"}],
                "subject": "Quoted attack", "bodyValues": {"1": {"value": "<p>quoted</p>" + parts[2]}},
                "htmlBody": [{"partId": "1", "type": "text/html"}]}}}])
        source = made["created"]["new"]["id"]
        self.page.goto(f"/#/compose/new?mode=reply&accountId={self.mira}&emailId={source}")
        composer = self.composer()
        body = composer.get_by_label("Message", exact=True)
        expect(body).to_contain_text("signature")
        composer.get_by_role("button", name="Templates").click()
        self.page.get_by_role("menuitem", name="Attack").click()
        expect(body).to_contain_text("template")
        body.get_by_role("button", name="Show quoted text").click()
        expect(body).to_contain_text("quoted")
        composer.get_by_label("Subject").fill("Attacked reply")
        body.evaluate("""(body) => { for (const one of body.querySelectorAll("*")) for (const type of
            ["mouseover", "error", "load", "toggle"]) one.dispatchEvent(new Event(type)); }""")
        self.page.keyboard.press("Control+Enter")
        question = self.page.get_by_role("alertdialog").get_by_role("button", name="Send", exact=True)

        def arrived():
            # One of the attacks says that a file is attached.
            if question.count():
                question.click()
            return self.arrived("Attacked reply")

        arrived = self.wait(arrived, seconds=60)[0]
        got, = self.jmap(["Email/get", {"accountId": self.jonas, "ids": [arrived["id"]], "fetchHTMLBodyValues": True,
                                        "properties": ["bodyValues", "htmlBody", "attachments"]}])
        email = got["list"][0]
        html = "".join(one["value"] for one in email["bodyValues"].values())
        for words in ("template", "signature", "quoted"):
            self.assertIn(words, html)
        self.assertIsNone(ACTIVE.search(html))
        self.assertEqual([one["type"] for one in email["attachments"] if not one["type"].startswith("image/")], [])
        self.assertEqual(dialogs, [])
        self.assertEqual(self.page.url.split("#")[0], address.split("#")[0])


if __name__ == "__main__":
    unittest.main()
