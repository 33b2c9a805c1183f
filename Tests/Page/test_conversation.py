"""A conversation: what is open, what is folded, what is held back, what came with it."""

import json
import re
from pathlib import Path

from room import PageTest, asked, expect, intercept


class MailMaker:
    """Makes messages and opens them."""

    def make(self, **email):
        """Puts a message into the first account's inbox; returns its id."""
        account = self.mail_accounts()["mira@demo.example"]
        inbox = next(box["id"] for box in self.jmap(["Mailbox/get", {"accountId": account, "ids": None}])[0]["list"]
                     if box["role"] == "inbox")
        email = {"mailboxIds": {inbox: True}, "from": [{"name": "Ana Lima", "email": "ana@elsewhere.example"}],
                 "to": [{"name": None, "email": "mira@demo.example"}], **email}
        made = self.jmap(["Email/set", {"accountId": account, "create": {"new": email}}])[0]
        self.assertIn("new", made["created"] or {}, made)
        return made["created"]["new"]

    def html(self, subject, html, **more):
        return self.make(subject=subject, bodyValues={"1": {"value": html}},
                         htmlBody=[{"partId": "1", "type": "text/html"}], **more)

    def text(self, subject, text, **more):
        return self.make(subject=subject, bodyValues={"1": {"value": text}},
                         textBody=[{"partId": "1", "type": "text/plain"}], **more)

    def show(self, subject):
        written = self.page.locator(".row-subject", has_text=re.compile(rf"^(Re: )?{re.escape(subject)}"))
        self.page.locator(".row", has=written).first.click()
        expect(self.page.get_by_role("heading", level=2, name=subject)).to_be_visible()
        return self.page.frame_locator(".mail-frame >> nth=-1").locator("body")


class Conversation(MailMaker, PageTest):
    def test_the_unread_message_is_open_the_others_folded_and_it_is_read_then(self):
        self.text("Boats", "The first.", messageId=["one@x.example"], keywords={"$seen": True},
                  receivedAt="2026-11-01T08:00:00Z")
        self.text("Re: Boats", "The second.", messageId=["two@x.example"], inReplyTo=["one@x.example"],
                  references=["one@x.example"], receivedAt="2026-11-02T08:00:00Z")
        self.page.get_by_role("searchbox").fill("subject:boats")
        row = self.page.locator(".row", has_text="Boats").first
        expect(row).to_have_attribute("aria-label", re.compile("^Unread.*2 messages"))
        body = self.show("Boats")
        expect(body).to_contain_text("The second.")
        folds = self.page.locator(".message-fold")
        expect(folds.nth(0)).to_have_attribute("aria-expanded", "false")
        expect(folds.nth(1)).to_have_attribute("aria-expanded", "true")
        expect(row).to_have_attribute("aria-label", re.compile("^Conversation"))
        folds.nth(0).click()
        expect(self.page.frame_locator(".mail-frame >> nth=0").locator("body")).to_contain_text("The first.")
        self.assertNoViolations()

    def test_NFR_SET_02_with_the_largest_text_a_name_is_below_its_picture_and_whole(self):
        self.text("A long name", "Hello.", **{"from": [{"name": "Oluwaseun Adeyemi", "email": "o@x.example"}]})
        page = self.open(viewport={"width": 375, "height": 667})
        page.locator(".row", has_text="A long name").first.click()
        name, picture = page.locator(".message-who strong"), page.locator(".message-fold .avatar")
        expect(name).to_be_visible()
        beside = name.bounding_box()["y"] < picture.bounding_box()["y"] + picture.bounding_box()["height"]
        self.assertTrue(beside, "in ordinary text it is beside it")
        page.evaluate("document.documentElement.style.fontSize = '310%'")
        self.assertGreaterEqual(name.bounding_box()["y"], picture.bounding_box()["y"] + picture.bounding_box()["height"])
        lines = name.evaluate("(e) => { const r = document.createRange(); r.selectNodeContents(e);"
                              " return new Set([...r.getClientRects()].map((b) => Math.round(b.top))).size; }")
        self.assertLessEqual(lines, 2, "it breaks between words alone")

    def test_plain_text_has_links_that_show_where_they_lead(self):
        self.text("A walk", "The map is at https://maps.example/route?a=1 and <script>alert(1)</script> is text.")
        body = self.show("A walk")
        link = body.get_by_role("link", name="https://maps.example/route?a=1")
        link.hover()
        expect(self.page.locator(".link-target")).to_have_text("https://maps.example/route?a=1")
        self.assertEqual(link.get_attribute("rel"), "noopener noreferrer")
        expect(body).to_contain_text("<script>alert(1)</script>")

    def test_the_quoted_end_is_folded_until_asked_for(self):
        self.text("Rowing", "Yes, at seven.\n\nOn 1 November, Ana wrote:\n> When do we meet?\n> At six?\n")
        body = self.show("Rowing")
        expect(body.get_by_text("Yes, at seven.")).to_be_visible()
        expect(body.get_by_text("When do we meet?")).to_be_hidden()
        self.page.get_by_role("button", name="Show quoted text").click()
        expect(body.get_by_text("When do we meet?")).to_be_visible()

    def test_a_body_that_was_cut_says_so_and_can_be_saved_whole(self):
        # More than the program makes safe for the page: its end is not there.
        account = self.mail_accounts()["mira@demo.example"]
        inbox = next(box["id"] for box in self.jmap(["Mailbox/get", {"accountId": account, "ids": None}])[0]["list"]
                     if box["role"] == "inbox")
        blob = self.page.evaluate("""async (account) => (await (await fetch(`/jmap/upload/${account}/`, {
            method: "POST", headers: {"Content-Type": "message/rfc822"},
            body: "From: ana@elsewhere.example\\r\\nSubject: A long story\\r\\n\\r\\nIt begins.\\r\\n" +
                "And it goes on and on.\\r\\n".repeat(480_000) + "It ends.\\r\\n"})).json()).blobId""", account)
        made, = self.jmap(["Email/import", {"accountId": account, "emails": {"new": {
            "blobId": blob, "mailboxIds": {inbox: True}}}}])
        self.assertIn("new", made["created"] or {}, made)
        body = self.show("A long story")
        expect(body).to_contain_text("It begins.")
        expect(body).not_to_contain_text("It ends.")
        first = self.page.locator(".banner", has_text="Only the first part of its text is shown.")
        expect(first).to_contain_text("This message is 12 MB.")
        shown = body.evaluate("body => body.textContent.length")
        self.assertLess(shown, 600_000)
        first.get_by_role("button", name="Show more").click()
        notice = self.page.locator(".banner", has_text="This message is very long, and the end is not shown.")
        expect(notice).to_be_visible()
        self.wait(lambda: body.evaluate("body => body.textContent.length") > 2 * shown)
        self.assertNoViolations()
        with self.page.expect_download() as saved:
            notice.get_by_role("button", name="Save the full message").click()
        self.assertTrue(Path(saved.value.path()).read_text().rstrip().endswith("It ends."))
        # What is shown whole says nothing of the kind.
        self.text("A short story", "It begins and ends.")
        expect(self.show("A short story")).to_contain_text("It begins and ends.")
        expect(notice).to_have_count(0)

    def test_a_message_nested_too_deeply_says_so_and_can_be_saved(self):
        account = self.mail_accounts()["mira@demo.example"]
        inbox = next(box["id"] for box in self.jmap(["Mailbox/get", {"accountId": account, "ids": None}])[0]["list"]
                     if box["role"] == "inbox")
        blob = self.page.evaluate("""async account => (await (await fetch(`/jmap/upload/${account}/`, {
            method: "POST", headers: {"Content-Type": "message/rfc822"},
            body: "From: ana@elsewhere.example\\r\\nSubject: Deep down\\r\\n" + Array.from({length: 80}, (_, level) =>
                `Content-Type: multipart/mixed; boundary=b${level}\\r\\n\\r\\n--b${level}\\r\\n`).join("") +
                "\\r\\nThe innermost text.\\r\\n"})).json()).blobId""", account)
        made, = self.jmap(["Email/import", {"accountId": account, "emails": {"new": {
            "blobId": blob, "mailboxIds": {inbox: True}}}}])
        self.assertIn("new", made["created"] or {}, made)
        self.show("Deep down")
        notice = self.page.locator(".banner", has_text="Part of this message is nested too deeply to be shown.")
        expect(notice).to_be_visible()
        expect(self.page.get_by_text("This message has no text.")).to_have_count(0)
        self.assertNoViolations()
        with self.page.expect_download() as saved:
            notice.get_by_role("button", name="Save the full message").click()
        self.assertIn("The innermost text.", Path(saved.value.path()).read_text())

    def test_a_quote_that_is_answered_below_stays(self):
        self.text("Inline", "On 1 November, Ana wrote:\n> When do we meet?\n\nAt seven.\n")
        body = self.show("Inline")
        expect(body.get_by_text("When do we meet?")).to_be_visible()

    def test_remote_images_and_trackers_are_held_back_and_counted(self):
        self.allowed_errors = ("404",)  # the program asks for the image itself, and there is no such server
        self.html("Newsletter", '<p>News</p><img src="https://img.example/a.png" width="300" height="200">'
                  '<img src="https://track.example/p.gif" width="1" height="1">')
        self.show("Newsletter")
        expect(self.page.get_by_text("1 tracker blocked")).to_be_visible()
        expect(self.page.get_by_role("button", name="Load remote images")).to_be_visible()
        expect(self.page.get_by_role("button", name="Always for ana@elsewhere.example")).to_be_visible()
        self.assertNoViolations()
        self.page.get_by_role("button", name="Always for").click()
        expect(self.page.get_by_role("button", name="Load remote images")).to_be_hidden()
        self.assertEqual([one["email"] for one in self.jmap(["TrustedSender/get", {"accountId": "program", "ids": None}])
                          [0]["list"]], ["ana@elsewhere.example"])

    def test_hostile_mail_runs_nothing_asks_nobody_and_breaks_no_layout(self):
        """The frame is tried with HTML that was not made safe, as if the program's own cleaning had failed."""
        self.allowed_errors = ("Blocked script execution", "Content Security Policy", "Refused to", "violates",
                               "ERR_BLOCKED_BY", "404 (Not Found)")
        hostile = """<div><script>parent.document.title='owned'</script><img src=x onerror="parent.owned=1">
            <svg onload="parent.owned=2"></svg><iframe srcdoc="<script>parent.parent.owned=3</script>"></iframe>
            <a href="javascript:parent.owned=4">click me</a><form action="https://evil.example"><button>go</button></form>
            <img src="https://evil.example/pixel.png"><style>@import url(https://evil.example/x.css);
            body{position:fixed;inset:0;width:9999px}</style><p>The text is there.</p>
            <meta http-equiv=refresh content="0;url=https://evil.example"><link rel=stylesheet href=https://evil.example>
            <div style="position:fixed;inset:0;background:url(https://evil.example/b.png);width:9999px">over</div></div>"""

        def bend(route):
            said = asked(route)
            for name, values, _ in said.get("methodResponses", []):
                if name == "EmailView/get":
                    for view in values["list"]:
                        view["html"] = hostile
            route.fulfill(json=said)

        self.text("Prize", "You won.")
        intercept(self.page, "**/jmap/api", bend)
        body = self.show("Prize")
        expect(body.get_by_text("The text is there.")).to_be_attached()
        body.get_by_text("click me").dispatch_event("click")
        self.page.wait_for_timeout(300)
        self.assertIsNone(self.page.evaluate("window.owned ?? null"))
        self.assertNotEqual(self.page.title(), "owned")
        self.assertTrue(self.page.url.startswith(f"http://{self.program.place}/"))
        self.assertEqual(self.page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)

    def test_a_menu_goes_when_the_window_changes_and_the_focus_is_on_its_button_again(self):
        self.page.get_by_role("option").nth(2).click()
        more = self.page.get_by_role("toolbar").get_by_role("button", name="More")
        more.click()
        expect(self.page.get_by_role("menu")).to_be_visible()
        self.page.set_viewport_size({"width": 1200, "height": 800})
        expect(self.page.get_by_role("menu")).to_have_count(0)
        expect(more).to_be_focused()

    def test_names_that_turn_letters_around_are_shown_as_they_are_written(self):
        turned = "\u202e"
        account = self.mail_accounts()["mira@demo.example"]
        inbox = next(box["id"] for box in self.jmap(["Mailbox/get", {"accountId": account, "ids": None}])[0]["list"]
                     if box["role"] == "inbox")
        blob = self.page.evaluate("""async (account) => (await (await fetch(`/jmap/upload/${account}/`, {
            method: "POST", headers: {"Content-Type": "application/octet-stream"}, body: "MZ"})).json()).blobId""", account)
        self.jmap(["Email/set", {"accountId": account, "create": {"n": {
            "mailboxIds": {inbox: True}, "from": [{"name": f"{turned}knab ruoY", "email": "m@evil.example"}],
            "subject": f"Turned {turned}around", "receivedAt": "2026-11-20T10:00:00Z",
            "bodyValues": {"1": {"value": "Look"}}, "textBody": [{"partId": "1", "type": "text/plain"}],
            "attachments": [{"blobId": blob, "type": "application/octet-stream", "disposition": "attachment",
                             "name": f"invoice{turned}fdp.exe"}]}}}])
        self.page.get_by_role("searchbox").fill("subject:Turned")
        self.show("Turned")
        expect(self.page.get_by_role("button", name="Save invoicefdp.exe", exact=True)).to_be_visible()
        self.assertNotIn(turned, self.page.locator("#root").inner_text())
        self.assertNotIn(turned, self.page.locator(".row", has_text="Turned").first.get_attribute("aria-label"))

    def test_attachments_say_what_they_are_and_dangerous_ones_warn(self):
        account = self.mail_accounts()["mira@demo.example"]
        png = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
        blobs = self.page.evaluate("""async ([account, png]) => {
            const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
            const send = async (body, type) => (await (await fetch(`/jmap/upload/${account}/`,
                {method: "POST", headers: {"Content-Type": type}, body})).json()).blobId;
            return [await send(bytes, "image/png"), await send("MZ", "application/octet-stream")];
        }""", [account, png])
        self.text("Files", "See below.", attachments=[
            {"blobId": blobs[0], "type": "image/png", "name": "boat.png"},
            {"blobId": blobs[1], "type": "application/octet-stream", "name": "invoice.exe"}])
        self.show("Files")
        expect(self.page.get_by_text("2 attachments")).to_be_visible()
        expect(self.page.get_by_text("May be dangerous")).to_be_visible()
        expect(self.page.get_by_role("button", name="Preview invoice.exe")).to_be_hidden()
        self.page.get_by_role("button", name="Preview boat.png").click()
        image = self.page.get_by_role("img", name="boat.png")
        expect(image).to_be_visible()
        self.wait(lambda: image.evaluate("image => image.naturalWidth") == 1)
        self.assertNoViolations()
        self.page.keyboard.press("Escape")
        self.page.get_by_role("button", name="Save invoice.exe").click()
        expect(self.page.get_by_role("alertdialog", name="This file may be dangerous")).to_be_visible()
        self.page.get_by_role("button", name="Cancel").click()
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name="Save boat.png").click()
        self.assertEqual(download.value.suggested_filename, "boat.png")

    def test_the_mail_follows_the_theme_and_the_text_size(self):
        self.text("Evening", "It is dark.")
        self.page.emulate_media(color_scheme="dark")
        body = self.show("Evening")
        expect(body).to_contain_text("It is dark.")
        color = body.evaluate("body => getComputedStyle(body).color")
        self.assertEqual(color, "rgb(233, 235, 240)")
        small = body.evaluate("body => parseFloat(getComputedStyle(body).fontSize)")
        self.page.evaluate("document.documentElement.style.fontSize = '200%'")
        self.wait(lambda: abs(body.evaluate("body => parseFloat(getComputedStyle(body).fontSize)") - 2 * small) < 0.1)

    def test_on_paper_there_is_the_conversation_alone_and_dark_on_white(self):
        self.text("On paper", "Print me.")
        self.page.emulate_media(color_scheme="dark", media="print")
        self.page.locator(".row", has_text="On paper").first.dispatch_event("click")
        body = self.page.frame_locator(".mail-frame >> nth=-1").locator("body")
        expect(body.get_by_text("Print me.")).to_be_visible()
        expect(self.page.get_by_role("heading", name="On paper")).to_be_visible()
        self.assertEqual(body.evaluate("body => getComputedStyle(body).color"), "rgb(23, 26, 33)")
        for part in (".sidebar", ".mail-list", ".conversation-tools", ".reply-bar"):
            expect(self.page.locator(part)).to_be_hidden()

    def test_a_link_that_says_another_host_than_it_leads_to_asks_first(self):
        self.html("Your bank", '<p><a href="https://evil.example/login">https://bank.example/login</a></p>')
        body = self.show("Your bank")
        body.get_by_role("link").click()
        question = self.page.get_by_role("alertdialog", name="This link goes to a different site")
        expect(question).to_contain_text("this link opens evil.example")
        self.page.keyboard.press("Escape")
        expect(question).to_be_hidden()
        self.assertEqual(len(self.page.context.pages), 1)

    def test_the_keys_hold_while_the_focus_is_in_the_message(self):
        self.text("Keys", "Press them here: https://keys.example")
        body = self.show("Keys")
        body.get_by_role("link").focus()
        self.page.keyboard.press("?")
        expect(self.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()

    def test_archiving_from_the_toolbar_keeps_the_focus_in_the_conversation(self):
        self.text("Focus", "Where is it?")
        self.show("Focus")
        archive = self.page.get_by_role("toolbar").get_by_role("button", name="Archive")
        archive.focus()
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_text("Conversation archived")).to_be_visible()
        expect(self.page.locator(".conversation h2")).to_be_focused()

    def test_a_long_thread_comes_in_parts_from_the_first_unread_message_on_and_is_read_then(self):
        """500 messages, 300 of them unread: the ends, where reading goes on, and the rest when asked for."""
        account = self.mail_accounts()["mira@demo.example"]
        inbox = next(box["id"] for box in self.jmap(["Mailbox/get", {"accountId": account, "ids": None}])[0]["list"]
                     if box["role"] == "inbox")
        for start in range(0, 500, 100):
            create = {f"n{index}": {
                "mailboxIds": {inbox: True}, "keywords": {"$seen": True} if index < 200 else {},
                "from": [{"name": f"Writer {index}", "email": f"w{index}@elsewhere.example"}],
                "subject": "Very long", "messageId": [f"l{index}@x.example"],
                **({"inReplyTo": ["l0@x.example"], "references": ["l0@x.example"]} if index else {}),
                "receivedAt": f"2026-11-{1 + index // 50:02}T{index % 50 // 3:02}:{index % 50 % 3:02}:00Z",
                "bodyValues": {"1": {"value": f"Number {index}"}},
                "textBody": [{"partId": "1", "type": "text/plain"}]} for index in range(start, start + 100)}
            made = self.jmap(["Email/set", {"accountId": account, "create": create}])[0]
            self.assertEqual(len(made["created"] or {}), 100, made.get("notCreated"))
        self.page.get_by_role("searchbox").fill("subject:very subject:long")
        row = self.page.locator(".row", has_text="Very long").first
        expect(row).to_have_attribute("aria-label", re.compile("^Unread"))
        bodies = set()

        def note(request):
            if "/jmap/api" in request.url:
                for name, values, _ in json.loads(request.post_data)["methodCalls"]:
                    bodies.update(values["ids"] if name == "EmailView/get" else [])

        self.page.on("request", note)
        self.show("Very long")
        expect(self.page.get_by_role("list", name="500 messages")).to_be_visible()
        articles = self.page.get_by_role("article")
        expect(articles).to_have_count(101)
        # The first that is unread is open, and in view.
        opened = self.page.locator(".message-open")
        expect(opened).to_have_count(10)
        expect(opened.first.get_by_text("Writer 200")).to_be_in_viewport()
        self.assertEqual(len(bodies), 10)
        # All of it is read, also what is not listed.
        expect(row).to_have_attribute("aria-label", re.compile("^Conversation"))
        search = {"operator": "AND", "conditions": [{"subject": "very long"}, {"notKeyword": "$seen"}]}
        self.wait(lambda: self.jmap(["Email/query", {"accountId": account, "filter": search}])[0]["ids"] == [])
        older = self.page.get_by_role("button", name="Show 100 older messages of 199")
        older.focus()
        self.page.keyboard.press("Enter")
        expect(articles).to_have_count(201)
        expect(self.page.get_by_text("Showing 201 of 500 messages.")).to_be_attached()
        self.page.get_by_role("button", name="Show 99 older messages").click()
        expect(articles).to_have_count(300)
        expect(articles.nth(1).locator(".message-fold")).to_be_focused()
        self.page.get_by_role("button", name="Show 100 more messages of 200").click()
        expect(articles).to_have_count(400)
        self.page.get_by_role("button", name="Show 100 more messages").click()
        expect(articles).to_have_count(500)
        expect(self.page.locator(".more-messages")).to_have_count(0)
        self.assertEqual(len(bodies), 10)
        # What is done to it is done to all of it.
        self.page.get_by_role("toolbar").get_by_role("button", name="Archive").click()
        expect(self.page.get_by_text("Conversation archived")).to_be_visible()
