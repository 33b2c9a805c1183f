"""The frame of a message: as high as the message, whatever the message measures."""

import base64
import re

from room import PageTest, asked, expect, intercept

#: Waits until the frame has kept its height for many frames of the browser: what follows its own height would change
#: it with each.
SETTLED = """async (frame) => {
    let height = -1;
    for (let still = 0, all = 0; still < 20 && all < 2000; still += 1, all += 1) {
        await new Promise((drawn) => requestAnimationFrame(drawn));
        if (frame.offsetHeight !== height || height === 0) still = 0;
        height = frame.offsetHeight;
    }
    return height;
}"""

#: Everything that measures the frame.
MEASURING = {
    **{unit: f'<div style="min-height:calc(100{unit} + 40px)">text</div>' for unit in (
        "vh", "svh", "lvh", "dvh", "vb", "dvb", "vmin", "vmax", "dvmin", "svmax", "cqh", "cqb", "cqmin", "cqmax")},
    "200vh": '<div style="height:200vh">text</div>',
    "padding": '<div style="padding:60vh 0">text</div>',
    "font": '<p style="font-size:60vh">text</p>',
    "important": "<style>div p{height:150vh!important}</style><p>text</p>",
    "page": "<style>html,body{height:100%!important;min-height:100%;padding:20px}</style><p>text</p>",
    "page in vh": "<style>html body{min-height:150vh!important;padding:10px}</style><p>text</p>",
    "margin": "<style>html body{margin:20px!important;height:100vh}</style><p>text</p>",
    "chain": "<style>html,body,div,p{height:100%;padding:5px}</style><div><div><p>text</p></div></div>",
    "table": '<table height="100%" style="height:100%"><tr><td height="100%">text</td></tr></table>',
    "media": "<style>p{height:900px}@media(min-height:500px){p{height:100px}}</style><p>text</p>",
    "portrait": "<style>p{height:2000px}@media(orientation:portrait){p{height:50px}}</style><p>text</p>",
    "ratio": '<div style="width:100%;aspect-ratio:1/1;max-width:400px">text</div>',
    "fixed": '<div style="position:fixed;inset:0;height:150vh">over</div><p>text</p>',
    "absolute": '<div style="position:absolute;top:100%;height:100%">below</div><p>text</p>',
}


class FrameTest(PageTest):
    viewport = {"width": 1200, "height": 800}
    allowed_errors = ("violates", "Refused to")

    def mail(self, subject, html):
        account = self.mail_accounts()["mira@demo.example"]
        inbox = next(box["id"] for box in self.jmap(["Mailbox/get", {"accountId": account, "ids": None}])[0]["list"]
                     if box["role"] == "inbox")
        made = self.jmap(["Email/set", {"accountId": account, "create": {"new": {
            "mailboxIds": {inbox: True}, "from": [{"name": "Ana Lima", "email": "ana@elsewhere.example"}],
            "subject": subject, "bodyValues": {"1": {"value": html}},
            "htmlBody": [{"partId": "1", "type": "text/html"}]}}}])[0]
        self.assertIn("new", made["created"] or {}, made)

    def show(self, subject):
        written = self.page.locator(".row-subject", has_text=re.compile(rf"^{re.escape(subject)}$"))
        self.page.locator(".row", has=written).first.click()
        expect(self.page.get_by_role("heading", level=2, name=subject, exact=True)).to_be_visible()
        frame = self.page.locator(".mail-frame")
        expect(frame).to_have_count(1)
        return frame

    def inside(self):
        return self.page.frame_locator(".mail-frame").locator("body")


class FramesAhead(FrameTest):
    def test_a_frame_is_loaded_ahead_and_holds_one_message(self):
        spare = self.page.locator("[hidden] > iframe")
        for subject in ("Measured first", "Measured second"):
            self.mail(subject, f"<p>{subject}.</p>")
        for subject in ("Measured first", "Measured second"):
            expect(spare).to_have_count(1)
            self.page.wait_for_function(
                "document.querySelector('[hidden] > iframe')?.contentDocument?.readyState === 'complete'"
                " && document.querySelector('[hidden] > iframe').contentDocument.URL.endsWith('/mail.frame.html')")
            spare.evaluate("(frame, subject) => frame.contentDocument.documentElement.lang = subject", subject)
            frame = self.show(subject)
            expect(self.inside()).to_have_text(f"{subject}.")
            self.assertEqual(frame.evaluate("(frame) => frame.contentDocument.documentElement.lang"), subject)
            self.assertEqual(frame.get_attribute("sandbox"),
                             "allow-same-origin allow-popups allow-popups-to-escape-sandbox")

    def test_what_was_read_is_there_at_once_and_read_again(self):
        for subject in ("Read twice", "Read between"):
            self.mail(subject, f"<p>{subject}.</p>")
        for subject in ("Read twice", "Read between"):
            self.show(subject)
            expect(self.inside()).to_have_text(f"{subject}.")
        held, changed = [], []

        def hold(route):
            if "EmailView/get" not in (route.request.post_data or ""):
                return route.fallback()
            if not changed:
                held.append(route)
                return None
            said = asked(route)
            for name, values, _ in said["methodResponses"]:
                if name == "EmailView/get":
                    for view in values["list"]:
                        view["html"] = "<div><p>Cleaned again.</p></div>"
            return route.fulfill(json=said)

        intercept(self.page, "**/jmap/api", hold)
        self.show("Read twice")
        expect(self.inside()).to_have_text("Read twice.")
        self.page.wait_for_timeout(200)
        self.assertEqual(len(held), 1)
        changed.append(True)
        hold(held[0])
        expect(self.inside()).to_have_text("Cleaned again.")


class Frames(FrameTest):
    def test_no_unit_makes_a_frame_grow(self):
        for name, html in MEASURING.items():
            with self.subTest(name):
                self.mail(f"Measured by {name}", html)
                frame = self.show(f"Measured by {name}")
                expect(self.inside()).to_contain_text("text")
                height = frame.evaluate(SETTLED)
                self.assertGreater(height, 10)
                self.assertLess(height, 2100)

    def test_a_frame_that_is_measured_nevertheless_stops_growing(self):
        """As if the program's own cleaning had failed."""
        shown = {}

        def bend(route):
            said = asked(route)
            for name, values, _ in said.get("methodResponses", []):
                if name == "EmailView/get":
                    for view in values["list"]:
                        view["html"] = f"<div>{shown['html']}</div>"
            route.fulfill(json=said)

        intercept(self.page, "**/jmap/api", bend)
        for name, html in MEASURING.items():
            with self.subTest(name):
                shown["html"] = html
                self.mail(f"Raw {name}", "<p>text</p>")
                frame = self.show(f"Raw {name}")
                expect(self.inside()).to_contain_text("text")
                self.assertLess(frame.evaluate(SETTLED), 100_001)
                # All of it can be reached.
                reach = """body => {
                    const root = body.ownerDocument.documentElement;
                    return getComputedStyle(root).overflowY === "auto" || root.scrollHeight <= root.clientHeight + 1
                        || getComputedStyle(body).overflowY === "auto"; }"""
                if name not in ("fixed", "absolute"):
                    self.wait(lambda: self.inside().evaluate(reach))

    def test_a_message_without_end_scrolls_inside(self):
        self.mail("Endless", '<p>begin</p><div style="height:30000000px"></div><p>end</p>')
        frame = self.show("Endless")
        expect(self.inside()).to_contain_text("begin")
        self.assertEqual(frame.evaluate(SETTLED), 100_000)
        end = self.inside().get_by_text("end", exact=True)
        end.evaluate("one => one.scrollIntoView()")
        expect(end).to_be_in_viewport()

    def test_a_message_keeps_the_height_of_its_text_when_its_page_wants_the_window(self):
        self.mail("Whole page", "<style>html,body{height:100%;margin:0;padding:0;width:100%!important}</style>"
                  "<body>" + "<p>a line</p>" * 60 + "</body>")
        frame = self.show("Whole page")
        expect(self.inside()).to_contain_text("a line")
        height = frame.evaluate(SETTLED)
        last = self.inside().locator("p").last.evaluate("one => one.getBoundingClientRect().bottom")
        self.assertGreater(height, 1000)
        self.assertGreaterEqual(height, int(last))

    def test_an_image_that_loads_late_and_what_is_unfolded_make_room(self):
        self.mail("Folded", "<details><summary>More</summary>" + "<p>a line</p>" * 30 + "</details>")
        frame = self.show("Folded")
        expect(self.inside()).to_contain_text("More")
        low = frame.evaluate(SETTLED)
        for _ in range(8):
            self.inside().get_by_text("More").click()
            high = frame.evaluate(SETTLED)
            self.assertGreater(high, low + 500)
            self.inside().get_by_text("More").click()
            self.assertEqual(frame.evaluate(SETTLED), low)

    def banner(self):
        return self.page.locator(".banner", has=self.page.locator(".privacy-refused, .privacy-buttons"))

    def test_images_of_every_place_load_through_the_program(self):
        png = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
                               "gg==")
        asked_for = []

        def serve(route):
            asked_for.append(route.request.url)
            route.fulfill(body=png, content_type="image/png")

        intercept(self.page, re.compile(r"/download/[^/]+/R[^/]*/image"), serve)
        self.mail("All places", """<style>.c{background-image:url(https://img.example/css.png);height:20px}
            @import "https://img.example/sheet.css"; @font-face{font-family:x;src:url(https://img.example/x.woff)}</style>
            <table background="http://img.example/table.png"><tr><td style="background:url(https://img.example/td.png)">
            cell</td></tr></table><div class="c">text</div><img src="https://img.example/a.png" width="30" height="30">
            <img srcset="https://img.example/b.png 2x" width="30" height="30"><input type="image"
            src="http://img.example/c.png" width="30" height="30"><img src="http://img.example:8080/d.png" width="30">
            <img src="https://192.168.1.1/e.png" width="30">""")
        self.show("All places")
        expect(self.banner()).to_contain_text("6 remote images not loaded")
        expect(self.banner()).to_contain_text("1 image is only offered over an unencrypted connection and was not loaded.")
        expect(self.banner()).to_contain_text("1 image was not loaded: the address is invalid or in a private network.")
        expect(self.banner()).to_contain_text("2 style sheets or fonts were not loaded")
        self.assertEqual(asked_for, [])
        self.assertNoViolations()
        self.page.get_by_role("button", name="Load remote images").click()
        self.wait(lambda: len(set(asked_for)) == 6)
        expect(self.page.get_by_role("button", name="Load remote images")).to_have_count(0)
        expect(self.banner()).to_contain_text("1 image is only offered over an unencrypted connection and was not loaded.")
        for place in ("table", "td", ".c"):
            self.assertIn("/download/", self.inside().locator(place).first.evaluate(
                "one => getComputedStyle(one).backgroundImage"))

    def test_there_is_no_button_where_nothing_can_be_loaded(self):
        self.mail("Only refused", '<style>@import "https://img.example/sheet.css";</style><p>text</p>'
                  '<img src="http://img.example:8080/d.png" width="30"><video src="https://img.example/v.mp4"></video>')
        self.show("Only refused")
        expect(self.banner()).to_contain_text("1 image is only offered over an unencrypted connection and was not loaded.")
        expect(self.banner()).to_contain_text("1 style sheet or font was not loaded")
        expect(self.banner()).to_contain_text("1 embedded item, such as a video or drawing, was not loaded")
        self.assertEqual(self.banner().get_by_role("button").count(), 0)

    def test_video_and_audio_are_neither_loaded_nor_played(self):
        asked_for = []
        intercept(self.page, re.compile(r"\.(mp4|ogg|vtt|jpg)"), lambda route: (asked_for.append(route.request.url), route.abort()))
        self.mail("Loud", """<p>text</p><video autoplay muted loop src="https://v.example/a.mp4"
            poster="https://v.example/p.jpg"><source src="https://v.example/b.mp4"><track default
            src="https://v.example/t.vtt"></video><audio autoplay controls src="https://v.example/c.ogg"></audio>
            <audio autoplay src="data:audio/wav;base64,UklGRiQAAABXQVZFZm10IBAAAAABAAEAgD4AAAB9AAACABAAZGF0YQAAAAA="></audio>
            <embed src="https://v.example/d.mp4"><object data="https://v.example/e.mp4"></object>""")
        frame = self.show("Loud")
        expect(self.inside()).to_contain_text("text")
        expect(self.banner()).to_contain_text("7 embedded items, such as a video or drawing, were not loaded")
        frame.evaluate(SETTLED)
        self.assertEqual(self.inside().locator("video, audio, source, track, embed, object").count(), 0)
        self.assertEqual(self.page.locator("video, audio").count(), 0)
        self.assertEqual(asked_for, [])

    def test_images_that_do_not_come_are_counted(self):
        self.allowed_errors = ("502",)
        intercept(self.page, re.compile(r"/download/[^/]+/R[^/]*/image"), lambda route: route.fulfill(status=502))
        self.mail("Gone images", '<img src="http://img.example/a.png" width="30"><img src="https://img.example/b.png" '
                  'width="30"><p>text</p>')
        self.show("Gone images")
        self.page.get_by_role("button", name="Load remote images").click()
        expect(self.banner()).to_contain_text("2 images could not be loaded over an encrypted connection.")

    LONG = "<p>a line</p>" * 80

    def test_a_link_to_a_place_scrolls_there(self):
        self.mail("Contents", f"""<p><a href="#one">First</a> <a href="#caf%C3%A9">Second</a> <a href="#quoted">Old</a>
            <a href="#nowhere">Missing</a></p>{self.LONG}<h2 id="one">Chapter one</h2>{self.LONG}
            <a name="café"></a><h2>Chapter two</h2>{self.LONG}<p><a href="#top">Back up</a> <a href="#">Up</a></p>
            <blockquote type="cite">{self.LONG}<p id="quoted">Very old</p></blockquote>""")
        self.show("Contents")
        inside, scroll = self.inside(), self.page.locator(".conversation-scroll")
        top = self.page.get_by_role("article")
        for press in ("click", "Enter"):
            for link, heading in (("First", "Chapter one"), ("Second", "Chapter two")):
                self.follow(link, press)
                expect(inside.get_by_text(heading)).to_be_in_viewport()
            for link in ("Back up", "Up"):
                self.follow(link, press)
                expect(top.locator("header")).to_be_in_viewport()
        before = scroll.evaluate("one => one.scrollTop")
        self.follow("Missing", "click")
        self.follow("Missing", "middle")
        self.assertEqual(scroll.evaluate("one => one.scrollTop"), before)
        self.follow("Old", "click")
        expect(inside.get_by_text("Very old")).to_be_in_viewport()
        expect(self.page.get_by_role("button", name="Hide quoted text")).to_be_visible()
        self.assertEqual(len(self.page.context.pages), 1)

    def follow(self, name, how):
        link = self.inside().get_by_role("link", name=name, exact=True)
        if how == "Enter":
            link.focus()
            self.page.keyboard.press("Enter")
        else:
            link.click(button="middle" if how == "middle" else "left")

    #: The words of a message that are broken over lines.
    BROKEN = """body => {
        const broken = [], walker = body.ownerDocument.createTreeWalker(body, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            if (node.parentElement.closest("style")) continue;
            for (const word of node.data.matchAll(/[A-Za-z]+/g)) {
                const range = body.ownerDocument.createRange();
                range.setStart(node, word.index);
                range.setEnd(node, word.index + word[0].length);
                if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) broken.push(word[0]);
            }
        }
        return broken;
    }"""

    NEWSLETTER = """<style>.lead{font:16px/24px Arial} .small{font-size:9pt} .head{font-size:32px;line-height:38px}
        .space{font-size:1px;line-height:20px} @media(min-width:1px){.wide{font-size:15px!important}}</style>
        <div style="display:none;font-size:1px;max-height:0;overflow:hidden">preheader</div>
        <table width="600" cellpadding="0" cellspacing="0" align="center"><tr><td style="padding:20px">
        <p class="head">The news of May</p><p class="lead">Herring and <em>mussels</em> from Thursday on.</p>
        <p class="wide">Wide.</p><div class="space">&nbsp;</div><p><font size="2">Fine <font size="5">print</font></font></p>
        <a class="button" href="https://x.example/" style="display:inline-block;height:40px;line-height:20px;font-size:14px;
        padding:0 16px;white-space:nowrap;background:#1f5f8b;color:#fff">Order a box for the whole family</a>
        <p class="small">To stop these messages, unsubscribe.</p><p class="own">Own</p></td></tr></table>"""
    SIZES = """body => Object.fromEntries([".lead", ".lead em", ".head", ".wide", ".small", ".space", "font", "font font",
        ".button", ".own"].map((one) => [one, parseFloat(getComputedStyle(body.querySelector(one)).fontSize)]))"""

    def test_NFR_SET_02_text_of_a_fixed_size_follows_the_text_size(self):
        self.mail("News", self.NEWSLETTER)
        self.show("News")
        body = self.inside()
        usual = {".lead": 16, ".lead em": 16, ".head": 32, ".wide": 15, ".small": 12, ".space": 1, "font": 13,
                 "font font": 24, ".button": 14, ".own": 15}
        self.assertEqual(body.evaluate(self.SIZES), usual)
        for width, percent in ((1200, 200), (375, 310), (1200, 80)):
            with self.subTest(f"{width} px, {percent} %"):
                self.page.set_viewport_size({"width": width, "height": 800})
                self.page.evaluate("size => document.documentElement.style.fontSize = `${size}%`", percent)
                self.wait(lambda: body.evaluate(self.SIZES)[".lead"] == 16 * percent / 100)
                self.page.locator(".mail-frame").evaluate(SETTLED)
                more = percent / 100 - 1
                for name, size in body.evaluate(self.SIZES).items():
                    # What `<font>` says is a share of the text size, as what has no size is.
                    grown = usual[name] * more if name.startswith("font") else min(usual[name], 16) * more
                    self.assertAlmostEqual(size, usual[name] + (0 if name == ".space" else grown), delta=0.1, msg=name)
                # It has room, and hides nothing of the text below.
                held = body.locator(".button").evaluate("one => one.scrollHeight <= one.clientHeight + 2")
                self.assertTrue(held)
                wide = body.evaluate("""body => body.querySelector("mail-body").scrollWidth -
                    body.ownerDocument.documentElement.clientWidth""")
                self.assertLessEqual(wide, 0)
                self.assertEqual(self.page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
                expect(body.get_by_text("preheader")).to_be_hidden()
        self.page.evaluate("document.documentElement.style.fontSize = ''")
        self.wait(lambda: body.evaluate(self.SIZES) == usual)
        self.assertEqual(body.locator("[data-roomy]").count(), 0)

    def test_nothing_is_wrong_inside_a_message(self):
        """A message of whom axe finds nothing wrong with elsewhere."""
        self.mail("Well made", """<h1>The regatta</h1><p>See <a href="https://x.example/">the programme</a>.</p>
            <ul><li>one</li><li>two</li></ul><table><tr><th>Boat</th><td>Aurora</td></tr></table>
            <p style="color:#5f6b7a">In gray.</p><div style="background:#1f5f8b;color:#fff;padding:9px">On blue.</div>
            <pre>As written</pre><blockquote type="cite">Old <a href="https://y.example/">words</a>.</blockquote>""")
        self.show("Well made")
        for scheme in ("light", "dark"):
            with self.subTest(scheme):
                self.page.emulate_media(color_scheme=scheme)
                expect(self.inside()).to_contain_text("On blue.")
                self.page.locator(".mail-frame").evaluate(SETTLED)
                self.settle()
                self.assertNoViolationsInside(
                    self.page.locator(".mail-frame").element_handle().content_frame())

    def test_words_in_tables_stay_whole(self):
        """On a phone and with large text too; what is wider than the frame scrolls inside of it."""
        cells = "<td width=290><p>Important information</p></td><td width=290>Newsletter subscription</td>"
        self.mail("Columns", f"""<style>td p{{word-break:break-word}}</style><table width=600><tr>{cells}</tr></table>
            <table><tr><td>Price</td><td style="overflow-wrap:anywhere">{"A description of some length. " * 20}</td>
            <td>Availability</td></tr></table><table class="letter" width=600><tr><td width=600>A newsletter in one column
            that fits any phone.</td></tr></table><p class="long">{"x" * 900}</p>""")
        for width, size in ((1200, 100), (1200, 310), (360, 100), (360, 310)):
            with self.subTest(f"{width} px, {size} %"):
                self.page.set_viewport_size({"width": width, "height": 800})
                self.page.evaluate("size => document.documentElement.style.fontSize = `${size}%`", size)
                if width == 1200 and size == 100:
                    self.show("Columns")
                body = self.inside()
                expect(body).to_contain_text("Availability")
                self.page.locator(".mail-frame").evaluate(SETTLED)
                self.assertEqual([word for word in body.evaluate(self.BROKEN) if len(word) < 40], [])
                self.assertEqual(self.page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
                self.assertEqual(body.evaluate("body => getComputedStyle(body.querySelector('mail-body')).overflowX"), "auto")
                wide = body.locator(".letter").evaluate("""one =>
                    one.getBoundingClientRect().width - one.ownerDocument.documentElement.clientWidth""")
                self.assertLessEqual(wide, 0)
                self.assertGreater(body.locator(".long").evaluate("one => one.getClientRects()[0].height"), 60)
