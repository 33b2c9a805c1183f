"""The editor of messages: what is typed, pasted and quoted, as the program keeps it."""

import base64
import re
import unittest
from pathlib import Path

from room import NARROW, ROOT, expect
from test_composer import ComposerTest

CORPUS = ROOT.parent / "shared/corpora/xss"
#: So many payloads are pasted at once.
AT_ONCE = 500
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGNIKdDGihiGlgQAkL1NAZSdzKgAAAAASUVORK5CYII=")
PICTURE = {"name": "harbor at noon.png", "mimeType": "image/png", "buffer": PNG}

PASTE = """(element, parts) => {
    const data = new DataTransfer();
    for (const [type, text] of Object.entries(parts)) data.setData(type, text);
    element.focus();
    element.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
}"""


class EditorTest(ComposerTest):
    def begin(self, subject, page=None):
        composer = self.open_new(page)
        composer.get_by_label("Subject").fill(subject)
        self.body = composer.get_by_label("Message", exact=True)
        self.body.click()
        return composer

    def html(self, subject):
        """The draft as the program keeps it, once all is saved."""
        self.page.keyboard.press("Control+s")
        expect(self.composer().get_by_role("status").filter(has_text=re.compile("^Saved$"))).to_be_visible()
        html = self.draft(subject)["html"]
        return html and html.replace("&nbsp;", "\u00a0")

    def clear(self):
        self.body.press("Control+a")
        self.body.press("Delete")

    def paste(self, html, text="text"):
        self.body.evaluate(PASTE, {"text/html": html, "text/plain": text})


class Typing(EditorTest):
    def test_FR_COMP_01_only_the_word_between_two_presses_of_bold_is_bold(self):
        composer = self.begin("Bold")
        bold = composer.get_by_role("button", name="Bold")
        keys = self.page.keyboard
        keys.type("This is ")
        keys.press("Control+b")
        expect(bold).to_have_attribute("aria-pressed", "true")
        keys.type("one")
        keys.press("Control+b")
        expect(bold).to_have_attribute("aria-pressed", "false")
        keys.type(" word, and I keep typing")
        self.assertEqual(self.html("Bold"), "<p>This is <b>one</b> word, and I keep typing</p>")
        self.assertEqual(self.draft("Bold")["body"], "This is one word, and I keep typing")

    def test_FR_COMP_01_tab_indents_lists_and_goes_from_cell_to_cell(self):
        self.begin("Tabs")
        keys = self.page.keyboard
        keys.type("- one\ntwo")
        keys.press("Tab")
        self.assertEqual(self.html("Tabs"), "<ul><li>one<ul><li>two</li></ul></li></ul>")
        keys.press("Shift+Tab")
        keys.type("!")
        self.assertEqual(self.html("Tabs"), "<ul><li>one</li><li>two!</li></ul>")
        self.clear()
        self.paste("<table><tr><td>a</td><td>b</td></tr></table><p>after</p>")
        # On a busy machine the caret comes after the click, and the news of it after the next key.
        self.page.evaluate("""() => addEventListener(
            "selectionchange", (event) => event.isTrusted && event.stopImmediatePropagation(), {capture: true})""")
        self.body.get_by_text("a", exact=True).click()
        self.wait(lambda: self.page.evaluate("!!getSelection().anchorNode?.parentElement?.closest('td')"))
        keys.press("Tab")
        keys.press("End")
        keys.type("2")
        expect(self.body.locator("td").nth(1)).to_have_text("b2")
        keys.press("Tab")
        expect(self.body).not_to_be_focused()

    def test_FR_COMP_01_keys_and_typed_signs_format_text_and_can_be_undone(self):
        composer = self.begin("Typed")
        keys = self.page.keyboard
        for key, tag in (("b", "b"), ("i", "i"), ("u", "u"), ("Shift+x", "s")):
            keys.press(f"Control+{key}")
            keys.type(tag)
            keys.press(f"Control+{key}")
        typed = "<b>b</b><i>i</i><u>u</u><s>s</s>"
        self.assertEqual(self.html("Typed"), f"<p>{typed}</p>")
        self.clear()
        for line in ("**one** *two* ~~three~~ `four`", "# Title", "- first", "second", "", "1. number", "", "> quoted",
                     "", "at https://a.example/x. or www.b.example ", "```", "a  b"):
            keys.type(line)
            keys.press("Enter")
        self.assertEqual(
            self.html("Typed"),
            "<p><b>one</b> <i>two</i> <s>three</s> <code>four</code></p><h1>Title</h1>"
            "<ul><li>first</li><li>second</li></ul><ol><li>number</li></ol><blockquote><p>quoted</p></blockquote>"
            '<p>at <a href="https://a.example/x">https://a.example/x</a>. or '
            '<a href="https://www.b.example">www.b.example</a>\u00a0</p><pre>a  b\n</pre>')
        self.clear()
        keys.type("so **bold**")
        self.assertIn("<b>bold</b>", self.html("Typed"))
        keys.press("Control+z")
        self.assertEqual(self.html("Typed"), "<p>so **bold**</p>")
        keys.press("Control+Shift+z")
        self.assertEqual(self.html("Typed"), "<p>so <b>bold</b></p>")
        expect(composer.get_by_role("button", name="Send", exact=True)).to_be_visible()

    def test_FR_COMP_01_the_toolbar_has_one_stop_and_shows_what_is_on(self):
        composer = self.begin("Toolbar")
        keys = self.page.keyboard
        bar = composer.get_by_role("toolbar", name="Formatting")
        keys.type("words")
        bar.get_by_role("button", name="Bulleted list").click()
        expect(bar.get_by_role("button", name="Bulleted list")).to_have_attribute("aria-pressed", "true")
        keys.press("Tab")
        first = bar.get_by_role("button", name="Text style")
        expect(first).to_be_focused()
        keys.press("ArrowRight")
        expect(bar.get_by_role("button", name="Bold")).to_be_focused()
        keys.press("End")
        keys.press("ArrowRight")
        expect(first).to_be_focused()
        keys.press("Enter")
        self.page.get_by_role("menuitem", name="Heading 2").click()
        expect(self.body).to_be_focused()
        keys.press("Control+a")
        bar.get_by_role("button", name="Text color").click()
        self.page.get_by_role("menuitem", name="Red").click()
        bar.get_by_role("button", name="Text size").click()
        self.page.get_by_role("menuitem", name="Large").click()
        self.assertNoViolations()
        self.assertIn("words</span></span>", self.html("Toolbar"))
        bar.get_by_role("button", name="More formatting").click()
        self.page.get_by_role("menuitem", name="Remove formatting").click()
        self.assertEqual(self.html("Toolbar").count("span"), 0)
        for size, scale in ((NARROW, 100), ({"width": 375, "height": 640}, 310)):
            self.page.set_viewport_size(size)
            self.page.evaluate(f"document.documentElement.style.fontSize = '{scale}%'")
            self.assertNoViolations()
            self.assertFits(place=".composer")

    def test_FR_COMP_01_a_link_is_made_changed_and_removed(self):
        self.begin("Links")
        keys = self.page.keyboard
        keys.type("see the page")
        keys.press("Control+Shift+ArrowLeft")
        self.settle()
        keys.press("Control+k")
        dialog = self.page.get_by_role("dialog", name="Link", exact=True)
        expect(dialog.get_by_label("Text")).to_have_value("page")
        dialog.get_by_label("Address").fill("example.com/a")
        self.assertNoViolations()
        keys.press("Enter")
        expect(self.body).to_be_focused()
        self.assertEqual(self.html("Links"), '<p>see the <a href="https://example.com/a">page</a></p>')
        keys.press("Control+k")
        dialog.get_by_label("Address").fill("mailto:ana@example.com")
        dialog.get_by_role("button", name="Save link").click()
        self.assertEqual(self.html("Links"), '<p>see the <a href="mailto:ana@example.com">page</a></p>')
        keys.press("Control+k")
        dialog.get_by_role("button", name="Remove link").click()
        self.assertEqual(self.html("Links"), "<p>see the page</p>")

    def test_FR_COMP_01_an_input_method_composes_also_where_bold_was_chosen(self):
        self.begin("Composed")
        keys = self.page.keyboard
        method = self.page.context.new_cdp_session(self.page)
        keys.type("a")
        keys.press("Control+b")
        for text in ("に", "にほ", "にほん"):
            method.send("Input.imeSetComposition",
                        {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
            expect(self.body).to_contain_text(f"a{text}")
        method.send("Input.insertText", {"text": "日本"})
        expect(self.body).to_have_text("a日本")
        keys.press("Control+b")
        keys.type("b")
        self.assertEqual(self.html("Composed"), "<p>a<b>日本</b>b</p>")


class Pasting(EditorTest):
    def test_FR_COMP_01_pasted_html_keeps_what_mail_can_say_and_nothing_else(self):
        self.begin("Pasted")
        self.paste(
            '<meta charset="utf-8"><style>p { color: red }</style><p class="x" style="color: #b3202a" onclick="a()">Red '
            '<b style="font-weight: normal">not bold</b> <span style="font-weight: 700">bold</span></p><script>a()</script>'
            '<table style="width: 90%"><thead><tr><th colspan="2">Both</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr>'
            '</tbody></table><a href="javascript:a()">bad</a> <img src="https://tracker.example/x.png">')
        expect(self.page.get_by_text("Images on web pages were left out.")).to_be_visible()
        self.assertEqual(
            self.html("Pasted"),
            '<p><span style="color:#b3202a">Red not bold <b>bold</b></span></p><table><tbody><tr><th colspan="2">Both</th>'
            "</tr><tr><td>1</td><td>2</td></tr></tbody></table><p>bad</p>")
        self.clear()
        self.body.evaluate(PASTE, {"text/plain": "one\n\nhttps://a.example/ two"})
        self.assertEqual(
            self.html("Pasted"),
            '<p>one</p><p><br></p><p><a href="https://a.example/">https://a.example/</a> two</p>')

    def test_FR_COMP_01_formatted_text_is_pasted_plain_on_request_and_copied_whole(self):
        page = self.open(permissions=["clipboard-read", "clipboard-write"])
        self.page = page
        self.begin("Plainly")
        page.evaluate("""navigator.clipboard.write([new ClipboardItem({
            "text/html": new Blob(["<b>real</b> clipboard"], {type: "text/html"}),
            "text/plain": new Blob(["real clipboard"], {type: "text/plain"})})])""")
        page.keyboard.press("Control+Shift+v")
        expect(self.body).to_have_text("real clipboard")
        self.assertEqual(self.html("Plainly"), "<p>real clipboard</p>")
        self.clear()
        page.keyboard.press("Control+v")
        expect(self.body).to_have_text("real clipboard")
        page.keyboard.press("Control+a")
        page.keyboard.press("Control+x")
        expect(self.body).to_have_text("")
        page.keyboard.press("Control+v")
        expect(self.body).to_have_text("real clipboard")
        self.assertEqual(self.html("Plainly"), "<p><b>real</b> clipboard</p>")

    @unittest.skipUnless(CORPUS.is_dir(), "The collections of hostile HTML are not beside this checkout.")
    def test_FR_COMP_01_of_thousands_of_pasted_attacks_none_runs_and_none_is_kept(self):
        payloads = [line for path in sorted(Path(CORPUS).glob("*.txt"))
                    for line in path.read_text(errors="replace").splitlines() if "<" in line]
        self.assertGreater(len(payloads), 500)
        # Tags too broken to be quieted are refused by the page's policy.
        self.allowed_errors = ("Content Security Policy", "Blocked")
        self.begin("Attacked")
        dialogs = []
        self.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        address = self.page.url
        for at in range(0, len(payloads), AT_ONCE):
            self.clear()
            self.paste("<div>begin</div>" + "\n".join(payloads[at:at + AT_ONCE]))
            expect(self.body).to_contain_text("begin")
            found = self.body.evaluate("""(body) => [...body.querySelectorAll("*")].flatMap((one) => [
                ...(/^(SCRIPT|IFRAME|OBJECT|EMBED|FORM|INPUT|META|BASE|LINK|STYLE|SVG|MATH|VIDEO|AUDIO)$/i
                    .test(one.tagName) ? [one.outerHTML] : []),
                ...[...one.attributes].filter(({name, value}) => /^on/i.test(name) ||
                    (/^(href|src)$/i.test(name) && !/^(https?:|mailto:|tel:|blob:|\\/jmap\\/)/i.test(value)))
                    .map(({name, value}) => `${name}=${value}`)])""")
            self.assertEqual(found, [])
            self.body.evaluate("""(body) => { for (const one of body.querySelectorAll("*")) for (const type of
                ["mouseover", "error", "load", "toggle"]) one.dispatchEvent(new Event(type)); }""")
            kept = self.html("Attacked")
            self.assertIsNone(re.search(r"<(script|iframe|svg|object|style|form)|<[^>]*\son\w+=|<[^>]*javascript:", kept))
        self.assertEqual(dialogs, [])
        self.assertEqual(self.page.url, address)


class Images(EditorTest):
    def test_FR_COMP_01_an_image_in_the_text_is_sized_described_sent_and_kept(self):
        self.undo_delay(0)
        composer = self.begin("A picture")
        composer.get_by_label("To", exact=True).fill("jonas@demo.example")
        self.body.click()
        self.page.keyboard.type("Look: ")
        composer.get_by_label("Images to insert").set_input_files(PICTURE)
        picture = self.body.locator(".inline-image img")
        expect(picture).to_have_js_property("naturalWidth", 8)
        expect(composer.get_by_text("1 attachment")).to_have_count(0)
        bar = composer.get_by_role("toolbar", name="Formatting")
        height = bar.bounding_box()["height"]
        picture.click()
        expect(bar.get_by_role("button", name="Larger image")).to_be_visible()
        self.assertEqual(bar.bounding_box()["height"], height)
        bar.get_by_role("button", name="Larger image").click()
        expect(picture).to_have_css("width", "24px")
        bar.get_by_role("button", name="Image description").click()
        self.page.get_by_role("dialog", name="Image description").get_by_label("Description").fill("A white square")
        self.page.keyboard.press("Enter")
        expect(picture).to_have_attribute("alt", "A white square")
        corner = self.body.locator(".inline-image-corner").bounding_box()
        self.page.mouse.move(corner["x"] + 4, corner["y"] + 4)
        self.page.mouse.down()
        self.page.mouse.move(corner["x"] + 44, corner["y"] + 4, steps=4)
        self.page.mouse.up()
        expect(picture).to_have_css("width", "64px")
        self.page.keyboard.press("-")
        expect(picture).to_have_css("width", "58px")
        self.assertNoViolations()
        html = self.html("A picture")
        kept, = self.draft("A picture")["attachments"]
        self.assertEqual((kept["disposition"], kept["name"]), ("inline", PICTURE["name"]))
        self.assertIn(f'<img src="cid:{kept["cid"]}" alt="A white square" width="58" height="58">', html)
        # It is opened again from what the program has.
        composer.get_by_role("button", name="Close").click()
        page, composer = self.own_window(f"/#/compose/{self.mira}/{self.draft('A picture')['id']}")
        expect(composer.locator(".inline-image img")).to_have_js_property("naturalWidth", 8)
        composer.get_by_role("button", name="Send", exact=True).click()
        there = self.wait(lambda: self.arrived("A picture"))[0]["attachments"]
        self.assertEqual([one["type"] for one in there], ["image/png"])

    def test_FR_COMP_01_images_are_inserted_where_they_are_pasted_and_dropped(self):
        composer = self.begin("Inserted")
        for kind in ("paste", "drop"):
            self.body.evaluate("""(element, [kind, bytes]) => {
                const data = new DataTransfer();
                data.items.add(new File([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))], "image.png",
                    {type: "image/png"}));
                const box = element.getBoundingClientRect();
                const options = {bubbles: true, cancelable: true, clientX: box.x + 30, clientY: box.y + 20};
                element.dispatchEvent(kind === "drop"
                    ? new DragEvent("drop", {...options, dataTransfer: data})
                    : new ClipboardEvent("paste", {...options, clipboardData: data}));
            }""", [kind, base64.b64encode(PNG).decode()])
        expect(self.body.locator(".inline-image")).to_have_count(2)
        expect(composer.locator(".drop-hint")).to_have_count(0)
        self.assertEqual(self.html("Inserted").count('<img src="cid:'), 2)
        # One that is taken out comes back with “undo”, also after it was saved. What is done in a moment is undone at once.
        self.page.wait_for_timeout(600)
        self.clear()
        self.assertEqual(self.html("Inserted"), "<p><br></p>")
        self.page.keyboard.press("Control+z")
        expect(self.body.locator(".inline-image")).to_have_count(2)
        self.assertEqual(self.html("Inserted").count('<img src="cid:'), 2)


    def test_FR_COMP_01_an_image_that_was_not_attached_goes_from_the_text_and_one_that_was_lost_is_told(self):
        self.allowed_errors = ("Failed to load resource",)
        composer = self.begin("Not attached")
        identity = (self.html("Not attached"), self.draft("Not attached"))[1]["identityId"]
        self.page.route("**/jmap/upload/**", lambda route: route.abort())
        composer.get_by_label("Images to insert").set_input_files(PICTURE)
        expect(self.body.locator(".inline-image")).to_have_count(1)
        composer.get_by_role("button", name=re.compile("^Remove harbor")).click()
        expect(self.body.locator(".inline-image")).to_have_count(0)
        # A draft that was saved while its image was on its way.
        made, = self.jmap(["Draft/set", {"accountId": self.mira, "create": {"new": {
            "identityId": identity, "subject": "Lost", "html": '<p>Look: <img src="cid:1@mailkernel"></p>'}}}])
        composer = self.own_window(f"/#/compose/{self.mira}/{made['created']['new']['id']}")[1]
        expect(composer.get_by_text("An image in this draft was lost")).to_be_visible()
        expect(composer.locator(".inline-image")).to_have_count(0)


class Quoting(EditorTest):
    def test_FR_COMP_01_the_original_is_folded_and_can_be_answered_between_its_paragraphs(self):
        source = self.email()
        composer = self.own_window(f"/#/compose/new?mode=reply&accountId={self.mira}&emailId={source['id']}")[1]
        page = self.page = composer.page
        self.body = composer.get_by_label("Message", exact=True)
        page.keyboard.type("Above.")
        show = self.body.get_by_role("button", name="Show quoted text")
        self.assertNoViolations(page)
        before = self.html(composer.get_by_label("Subject").input_value())
        self.assertRegex(before, r'(?s)^<p>Above\.</p>.*<blockquote type="cite">.+</blockquote>$')
        show.focus()
        page.keyboard.press("Enter")
        quoted = self.body.locator("blockquote[type=cite]")
        expect(quoted).to_have_count(1)
        # The caret stays where the user was writing.
        page.keyboard.type(" Still above.")
        expect(self.body.locator("p").first).to_have_text("Above. Still above.")
        first = quoted.locator("p, div").first
        first.click()
        page.keyboard.press("End")
        self.settle(page)
        page.keyboard.press("Enter")
        page.keyboard.type("Between.")
        expect(quoted).to_have_count(2)
        self.assertRegex(self.html(composer.get_by_label("Subject").input_value()),
                         r"(?s)</blockquote><p>Between\.</p><blockquote type=\"cite\">")
        page.keyboard.press("Control+z")
        self.assertNoViolations(page)


    def test_FR_COMP_01_an_original_with_a_layout_is_sent_as_it_came_unless_the_user_edits_it(self):
        boxes, = self.jmap(["Mailbox/get", {"accountId": self.mira, "ids": None}])
        inbox = next(box["id"] for box in boxes["list"] if box["role"] == "inbox")
        made, = self.jmap(["Email/set", {"accountId": self.mira, "create": {"new": {
            "mailboxIds": {inbox: True}, "from": [{"email": "news@demo.example"}], "subject": "Laid out",
            "bodyValues": {"1": {"value": '<table bgcolor="#663300"><tr><td style="color:#fff">White on brown</td></tr></table>'}},
            "htmlBody": [{"partId": "1", "type": "text/html"}]}}}])
        source = made["created"]["new"]["id"]
        before = len(self.drafts())
        composer = self.own_window(f"/#/compose/new?mode=forward&accountId={self.mira}&emailId={source}")[1]
        page = composer.page
        body = composer.get_by_label("Message", exact=True)
        body.get_by_role("button", name="Edit forwarded message").click()
        question = page.get_by_role("alertdialog", name="Edit the original message?")
        self.assertNoViolations(page)
        question.get_by_role("button", name="Cancel").click()
        expect(body.get_by_role("table")).to_have_count(0)
        # Having looked is no edit.
        self.assertEqual(len(self.drafts()), before)
        body.get_by_role("button", name="Edit forwarded message").click()
        question.get_by_role("button", name="Edit", exact=True).click()
        expect(body.get_by_role("table")).to_contain_text("White on brown")


class Plain(EditorTest):
    def test_FR_COMP_01_a_message_becomes_plain_text_and_formatted_again(self):
        composer = self.begin("Plainer")
        self.page.keyboard.type("very **good**\n- a\nb")
        switch = composer.get_by_role("button", name="Plain text")
        switch.click()
        question = self.page.get_by_role("alertdialog", name="Switch to plain text?")
        self.assertNoViolations()
        question.get_by_role("button", name="Keep Editing").click()
        expect(composer.get_by_role("toolbar")).to_have_count(1)
        switch.click()
        question.get_by_role("button", name="Switch").click()
        expect(composer.get_by_role("toolbar")).to_have_count(0)
        self.assertBody(composer, "very good\n\n- a\n- b")
        composer.get_by_label("Message", exact=True).fill("Plain\nwords")
        self.assertIsNone(self.html("Plainer"))
        self.assertEqual(self.draft("Plainer")["body"], "Plain\nwords")
        self.assertNoViolations()
        expect(switch).to_have_attribute("aria-pressed", "true")
        switch.click()
        expect(composer.get_by_role("toolbar")).to_have_count(1)
        self.assertEqual(self.html("Plainer"), "<p>Plain<br>words</p>")

    def test_FR_COMP_01_messages_begin_as_plain_text_where_that_is_set(self):
        def set(value):
            self.jmap(["Preferences/set", {
                "accountId": "program", "update": {"singleton": {"writesPlainText": value}}}])

        self.page.goto("/#/settings/composition")
        self.page.get_by_role("switch", name="Write in plain text").click()
        self.addCleanup(set, False)
        source = self.email()
        composer = self.own_window(f"/#/compose/new?mode=reply&accountId={self.mira}&emailId={source['id']}")[1]
        self.assertBody(composer, re.compile(r"^\s*On .* wrote:\n>", re.S))
        expect(composer.get_by_role("button", name="Plain text")).to_have_attribute("aria-pressed", "true")
