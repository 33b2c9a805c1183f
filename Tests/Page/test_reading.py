"""Reading a conversation: keys, what a header says, the source, the paper, attachments."""

import zipfile
from pathlib import Path

from room import PageTest, expect, intercept
from test_conversation import MailMaker

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

#: The contrast between an element's text and the nearest background around it.
CONTRAST = """one => {
    const look = (at) => one.ownerDocument.defaultView.getComputedStyle(at);
    const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
    const light = (color) => { const [r, g, b] = color.slice(0, 3).map((value) => value / 255)
        .map((value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05; };
    let at = one;
    while (at.parentElement && numbers(look(at).backgroundColor)[3] === 0) at = at.parentElement;
    const pair = [light(numbers(look(one).color)), light(numbers(look(at).backgroundColor))];
    return Math.max(...pair) / Math.min(...pair); }"""


class Letters(MailMaker):
    """Brings whole messages, as services have them."""

    def upload(self, text, type="message/rfc822", encoding="text"):
        account = self.mail_accounts()["mira@demo.example"]
        return self.page.evaluate("""async ([account, text, type, encoding]) => {
            const body = encoding === "text" ? text : Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
            const answer = await fetch(`/jmap/upload/${account}/`,
                {method: "POST", headers: {"Content-Type": type}, body});
            return (await answer.json()).blobId;
        }""", [account, text, type, encoding])

    def bring(self, text):
        account = self.mail_accounts()["mira@demo.example"]
        boxes, = self.jmap(["Mailbox/get", {"accountId": account, "ids": None}])
        inbox = next(box["id"] for box in boxes["list"] if box["role"] == "inbox")
        made, = self.jmap(["Email/import", {"accountId": account, "emails": {"new": {
            "blobId": self.upload(text.replace("\n", "\r\n")), "mailboxIds": {inbox: True}}}}])
        self.assertIn("new", made["created"] or {}, made)


class Keys(Letters, PageTest):
    viewport = {"width": 1200, "height": 700}

    def test_keys_lead_through_messages_and_on_to_the_next_conversation(self):
        for day in (1, 2, 3):
            self.text("Re: Oars" if day > 1 else "Oars", f"Day {day}.\n" + "".join(f"Line {at}.\n" for at in range(150 if day == 2 else 1)),
                      messageId=[f"oars{day}@x.example"], keywords={"$seen": True},
                      receivedAt=f"2026-11-0{day}T08:00:00Z",
                      **({"inReplyTo": ["oars1@x.example"], "references": ["oars1@x.example"]} if day > 1 else {}))
        self.text("Paddles", "The next one.", keywords={"$seen": True}, receivedAt="2026-11-01T07:00:00Z")
        self.page.get_by_role("searchbox").fill("from:ana@elsewhere.example")
        expect(self.page.locator(".row")).to_have_count(2)
        self.show("Oars")
        messages, folds = self.page.get_by_role("article"), self.page.locator(".message-fold")
        expect(messages).to_have_count(3)
        press = self.page.keyboard.press
        press("n")
        expect(messages.nth(1)).to_be_focused()
        press("Enter")
        expect(folds.nth(1)).to_have_attribute("aria-expanded", "true")
        self.assertNoViolations()
        press("n")
        expect(messages.nth(2)).to_be_focused()
        press("p")
        press("p")
        expect(messages.nth(0)).to_be_focused()
        press("p")
        expect(messages.nth(0)).to_be_focused()
        press("n")
        # Also from within the text of a message.
        self.page.frame_locator(".mail-frame >> nth=0").locator("body").click()
        press("Enter")
        expect(folds.nth(1)).to_have_attribute("aria-expanded", "false")
        expect(messages.nth(1)).to_be_focused()
        press("Enter")
        expect(self.page.frame_locator(".mail-frame >> nth=0").locator("body")).to_contain_text("Day 2.")

        pane = self.page.locator(".conversation-scroll")
        top = lambda: pane.evaluate("pane => pane.scrollTop")
        end = lambda: pane.evaluate("pane => pane.scrollTop + pane.clientHeight >= pane.scrollHeight - 4")
        self.wait(lambda: pane.evaluate("pane => pane.scrollHeight > 3 * pane.clientHeight"))
        before = top()
        press("Space")
        self.wait(lambda: top() > before)
        press("Shift+Space")
        self.wait(lambda: top() <= before)
        for _ in range(10):
            if end():
                break
            press("Space")
            self.page.wait_for_timeout(50)
        self.assertTrue(end())
        press("Space")
        expect(self.page.get_by_role("heading", level=2, name="Paddles")).to_be_visible()
        # A button that has the focus is pressed by the same key.
        more = self.page.get_by_role("toolbar").get_by_role("button", name="More")
        more.focus()
        press("Space")
        expect(self.page.get_by_role("menu")).to_be_visible()


class Header(Letters, PageTest):
    def test_the_header_says_how_a_message_came_and_shows_its_source(self):
        self.bring(
            "Received: from mx1.demo.example (localhost [127.0.0.1]) by store.demo.example with LMTP id 1;"
            " Tue, 3 Nov 2026 08:00:02 +0000\n"
            "Received: from lists.example.org (lists.example.org [192.0.2.9]) (using TLSv1.3 with cipher X)\n"
            "\tby mx1.demo.example (Postfix) with ESMTPS id 2; Tue, 3 Nov 2026 08:00:01 +0000\n"
            "From: Ana Lima <ana@elsewhere.example>\nTo: rowers@lists.example.org\n"
            "Cc: mira@demo.example, Ben <ben@x.example>\nReply-To: rowers@lists.example.org\n"
            "List-Id: Rowers of the town <rowers.lists.example.org>\nSubject: Regatta\n"
            "Date: Tue, 3 Nov 2026 08:00:00 +0000\nMessage-ID: <regatta@x.example>\n"
            "X-Turned: \u202eexe.fdp\n\nWe start at nine. <script>alert(1)</script>\n")
        self.bring("Received: from a.example.net by mx.demo.example with ESMTP id 3; Tue, 3 Nov 2026 08:00:01 +0000\n"
                   "From: Ben <ben@x.example>\nTo: others@x.example\nSubject: In the clear\n"
                   "Date: Tue, 3 Nov 2026 08:00:00 +0000\n\nHello.\n")
        self.page.get_by_role("searchbox").fill("subject:clear")
        self.show("In the clear")
        expect(self.page.locator(".message-addressing")).to_contain_text("not addressed to you by name")
        expect(self.page.locator(".message-addressing")).to_contain_text("not encrypted in transit")
        self.page.get_by_role("searchbox").fill("subject:regatta")
        line = self.page.locator(".message-addressing")
        heights, goes = [], []

        def hold(route):
            if "EmailView/get" not in (route.request.post_data or "") or goes:
                return route.fallback()
            expect(line).to_be_visible()
            heights.append(line.bounding_box()["height"])
            goes.append(True)
            route.fallback()

        intercept(self.page, "**/jmap/api", hold)
        self.show("Regatta")
        # The place of what comes with the text is kept for it.
        expect(line).to_contain_text("through the list")
        self.assertEqual(heights, [line.bounding_box()["height"]])
        for part in ("ana@elsewhere.example", "to rowers@lists.example.org", "Cc to me",
                     "through the list “Rowers of the town”"):
            expect(line).to_contain_text(part)
        expect(line).not_to_contain_text("encrypted")
        # The address can be selected.
        line.locator("span").first.dblclick()
        self.assertIn("elsewhere", self.page.evaluate("getSelection().toString() + ' ' + "
                                                      "getSelection().anchorNode.parentElement.textContent"))
        line.get_by_role("button", name="Show details").click()
        details = self.page.locator(".details")
        for part in ("Ben", "ben@x.example", "Reply to", "Rowers of the town",
                     "Encrypted (TLS 1.3) on the last step, from lists.example.org to mx1.demo.example. "
                     "Earlier steps are not known."):
            expect(details).to_contain_text(part)
        expect(details.locator("dd:empty")).to_have_count(0)
        self.assertNoViolations()
        self.choose("Show source and headers")
        source = self.page.get_by_role("group", name="Source")
        expect(source).to_contain_text("List-Id: Rowers of the town")
        expect(source).to_contain_text("X-Turned: ⟨202E⟩exe.fdp")
        expect(source).to_contain_text("<script>alert(1)</script>")
        self.assertNoViolations()
        with self.page.expect_download() as saved:
            self.page.get_by_role("dialog").get_by_role("button", name="Save").click()
        self.assertEqual(saved.value.suggested_filename, "message.eml")
        self.assertIn("We start at nine.", Path(saved.value.path()).read_text())
        self.page.keyboard.press("Escape")
        expect(self.page.get_by_role("dialog")).to_have_count(0)

    def test_addresses_and_attachments_have_menus(self):
        page = self.page
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        notes = self.upload("Some notes.", "text/plain")
        self.html("With menus", "<p>Hello.</p>", attachments=[
            {"blobId": notes, "type": "text/plain", "name": "notes.txt", "disposition": "attachment"}])
        page.get_by_role("searchbox").fill("subject:menus")
        self.show("With menus")
        address = page.locator(".message-addressing").get_by_text("ana@elsewhere.example")
        address.click(button="right")
        menu = page.get_by_role("menu")
        self.assertEqual(menu.locator(".menu-label").all_inner_texts(),
                         ["Write to ana@elsewhere.example", "Show mail from this address", "Copy address"])
        self.assertNoViolations()
        menu.get_by_role("menuitem", name="Copy address").click()
        self.wait(lambda: page.evaluate("navigator.clipboard.readText()") == "ana@elsewhere.example")
        file = page.get_by_role("region", name="Attachments").get_by_text("notes.txt")
        file.click(button="right")
        self.assertEqual(menu.locator(".menu-label").all_inner_texts(), ["Preview attachment", "Save attachment"])
        self.assertNoViolations()
        with page.expect_download() as saved:
            page.keyboard.press("End")
            page.keyboard.press("Enter")
        self.assertEqual(Path(saved.value.path()).read_text(), "Some notes.")
        file.click(button="right")
        menu.get_by_role("menuitem", name="Preview attachment").click()
        expect(page.get_by_role("dialog").get_by_text("Some notes.")).to_be_visible()
        page.keyboard.press("Escape")
        address.click(button="right")
        menu.get_by_role("menuitem", name="Show mail from this address").click()
        expect(page.get_by_role("searchbox")).to_have_value("from:ana@elsewhere.example")

    def choose(self, name):
        self.page.locator(".message-open").last.get_by_role("button", name="More for this message").click()
        self.page.get_by_role("menuitem", name=name).click()

    def test_one_message_is_printed_alone_and_found_again_by_its_link(self):
        self.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        for day in (1, 2, 3):
            self.text("Re: Lanterns" if day > 1 else "Lanterns", f"Lantern {day}.", messageId=[f"lantern{day}@x.example"],
                      keywords={"$seen": True}, receivedAt=f"2026-11-0{day}T08:00:00Z",
                      **({"inReplyTo": ["lantern1@x.example"], "references": ["lantern1@x.example"]} if day > 1 else {}))
        self.page.get_by_role("searchbox").fill("subject:lanterns")
        self.show("Lanterns")
        messages = self.page.locator(".message")
        messages.nth(1).locator(".message-fold").click()
        messages.nth(1).get_by_role("button", name="More for this message").click()
        # What is on paper while the browser prints.
        self.page.evaluate("""() => {
            window.print = () => window.printed = [...document.querySelectorAll(".message")]
                .filter((one) => document.documentElement.dataset.print && one.hasAttribute("data-printed")).length;
        }""")
        self.page.get_by_role("menuitem", name="Print this message").click()
        self.wait(lambda: self.page.evaluate("window.printed") == 1)
        self.page.emulate_media(media="print")
        expect(messages.nth(1)).to_be_visible()
        for other in (0, 2):
            expect(messages.nth(other)).to_be_hidden()
        expect(messages.nth(1).locator(".button, .icon-button").locator("visible=true")).to_have_count(0)
        expect(self.page.get_by_role("heading", name="Lanterns")).to_be_visible()
        self.page.emulate_media(media="screen")
        self.page.evaluate("dispatchEvent(new Event('afterprint'))")
        self.page.emulate_media(media="print")
        expect(messages.nth(0)).to_be_visible()
        self.page.emulate_media(media="screen")

        messages.nth(1).get_by_role("button", name="More for this message").click()
        self.page.get_by_role("menuitem", name="Copy link to this message").click()
        expect(self.page.get_by_text("Link copied.")).to_be_visible()
        link = self.page.evaluate("navigator.clipboard.readText()")
        other = self.open(link)
        expect(other.locator("[data-first] .message-fold")).to_have_attribute("aria-expanded", "true")
        expect(other.frame_locator(".mail-frame >> nth=0").locator("body")).to_contain_text("Lantern 2.")


class Attachments(Letters, PageTest):
    def test_attachments_are_looked_at_one_after_the_other_and_saved_together(self):
        png = self.upload(PNG, "image/png", "base64")
        text = self.upload("One, two.\u202e\nThree.", "text/plain")
        sound = self.upload("RIFF$\0\0\0WAVEfmt ", "audio/wav")
        danger = self.upload("MZ", "application/octet-stream")
        self.html("Bundle", f'<p>See the picture.</p><img src="cid:inside" alt="inside">', attachments=[
            {"blobId": png, "type": "image/png", "name": "inside.png", "cid": "inside", "disposition": "inline"},
            {"blobId": png, "type": "application/octet-stream", "name": "boat.png", "disposition": "attachment"},
            {"blobId": text, "type": "text/plain", "name": "notes.txt", "disposition": "attachment"},
            {"blobId": text, "type": "text/plain", "name": "notes.txt", "disposition": "attachment"},
            {"blobId": sound, "type": "audio/wav", "name": "horn.wav", "disposition": "attachment"},
            {"blobId": danger, "type": "application/octet-stream", "name": "setup.exe", "disposition": "attachment"}])
        self.show("Bundle")
        section = self.page.get_by_role("region", name="Attachments")
        expect(section).to_contain_text("5 attachments")
        expect(section).not_to_contain_text("inside.png")
        thumbnail = section.locator(".attachment-thumbnail")
        expect(thumbnail).to_have_count(1)
        self.wait(lambda: thumbnail.evaluate("image => image.naturalWidth") == 1)
        self.assertNoViolations()
        # A file can be dragged to the desktop; one that may be dangerous cannot.
        dragged = section.get_by_role("listitem").first.evaluate("""(one) => {
            const event = new DragEvent("dragstart", {bubbles: true, dataTransfer: new DataTransfer()});
            one.dispatchEvent(event);
            return event.dataTransfer.getData("DownloadURL");
        }""")
        self.assertRegex(dragged, r"^image/png:boat\.png:http://.*/jmap/download/")
        expect(section.get_by_role("listitem").last).to_have_attribute("draggable", "false")

        section.get_by_role("button", name="Preview boat.png").click()
        dialog = self.page.get_by_role("dialog")
        image = dialog.get_by_role("img", name="boat.png")
        expect(image).to_be_visible()
        expect(dialog.get_by_role("heading")).to_have_text("boat.png (1 of 4)")
        self.assertNoViolations()
        for _ in range(4):
            self.page.keyboard.press("+")
        self.wait(lambda: image.evaluate("image => image.getBoundingClientRect().width") == 4)
        self.page.keyboard.press("0")
        self.page.keyboard.press("ArrowRight")
        expect(dialog.get_by_role("heading")).to_have_text("notes.txt (2 of 4)")
        expect(dialog.locator("pre")).to_have_text("One, two.⟨202E⟩\nThree.")
        self.assertNoViolations()
        with self.page.expect_download() as saved:
            dialog.get_by_role("button", name="Save attachment").click()
        self.assertEqual(saved.value.suggested_filename, "notes.txt")
        dialog.get_by_role("button", name="Next attachment").click()
        dialog.get_by_role("button", name="Next attachment").click()
        expect(dialog.get_by_role("alert")).to_contain_text("The attachment could not be shown")
        self.page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)

        section.get_by_role("button", name="Save all as ZIP").click()
        question = self.page.get_by_role("alertdialog", name="This file may be dangerous")
        expect(question).to_contain_text("setup.exe")
        with self.page.expect_download() as saved:
            question.get_by_role("button", name="Save anyway").click()
        self.assertEqual(saved.value.suggested_filename, "Bundle.zip")
        with zipfile.ZipFile(saved.value.path()) as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(archive.namelist(), ["boat.png", "notes.txt", "notes (2).txt", "horn.wav", "setup.exe"])
            self.assertIn(b"Three.", archive.read("notes (2).txt"))


class Dark(Letters, PageTest):
    viewport = {"width": 1200, "height": 800}
    options = {"color_scheme": "dark"}
    color = "one => one.ownerDocument.defaultView.getComputedStyle(one).color"
    ground = "one => one.ownerDocument.defaultView.getComputedStyle(one).backgroundColor"

    def test_messages_are_dark_and_readable_and_one_key_shows_the_original(self):
        self.html("Sale", """<style>.card{background:#fff;color:#333}.card p{color:#999 !important}
            @media (max-width:2000px){.wide td{background:#fdfdfd!important}}</style>
            <table class="wide" bgcolor="#eeeeee"><tr><td class="card"><h1 style="color:#000">Title</h1><p>Faint</p>
            <a href="https://a.example" style="background:#1a73e8;color:#fff;padding:8px">Button</a>
            <b style="color:#a00 !important">Important</b><i style="color:#fdfdfd">hidden</i>
            <u style="background:#000;color:#fff">Dark already</u></td></tr></table>""")
        self.page.get_by_role("searchbox").fill("subject:sale")
        body = self.show("Sale")
        one = lambda name: body.locator(name)
        self.wait(lambda: one("h1").evaluate(self.color) != "rgb(0, 0, 0)")
        self.assertEqual(body.evaluate(self.ground), "rgb(31, 34, 42)")
        for name in ("h1", "p", "a", "b", "u"):
            with self.subTest(name):
                self.assertGreaterEqual(one(name).evaluate(CONTRAST), 4.5)
        self.assertLess(one("i").evaluate(CONTRAST), 1.1)
        self.assertEqual(one("u").evaluate(self.color), "rgb(255, 255, 255)")
        self.assertNoViolations()
        # On paper it is as it was sent.
        self.page.emulate_media(media="print", color_scheme="dark")
        self.assertEqual([one(name).evaluate(self.color) for name in ("h1", "b")], ["rgb(0, 0, 0)", "rgb(170, 0, 0)"])
        self.page.emulate_media(media="screen", color_scheme="dark")
        self.page.keyboard.press("Shift+O")
        self.wait(lambda: one("h1").evaluate(self.color) == "rgb(0, 0, 0)")
        self.assertEqual(body.evaluate(self.ground), "rgb(255, 255, 255)")
        self.assertEqual(one("b").evaluate(self.color), "rgb(170, 0, 0)")
        self.page.keyboard.press("Shift+O")
        self.wait(lambda: one("b").evaluate(CONTRAST) >= 4.5)
        self.page.emulate_media(color_scheme="light")
        self.wait(lambda: one("b").evaluate(self.color) == "rgb(170, 0, 0)")

    def test_a_dark_style_of_a_message_is_used_and_left_alone(self):
        self.html("Own dark", """<style>.all{background:#fff;color:#222}
            @media (prefers-color-scheme: dark){.all{background:#102030!important;color:#eedd99!important}}</style>
            <div class="all"><p>Text</p></div>""")
        self.page.get_by_role("searchbox").fill("subject:dark")
        body = self.show("Own dark")
        all = body.locator(".all")
        self.wait(lambda: all.evaluate(self.ground) == "rgb(16, 32, 48)")
        self.assertEqual(all.locator("p").evaluate(self.color), "rgb(238, 221, 153)")
        self.page.keyboard.press("Shift+O")
        self.wait(lambda: all.evaluate(self.ground) == "rgb(255, 255, 255)")
