"""Messages that hide their text, or lose what is behind it."""

import re

from room import expect
from test_frames import SETTLED, FrameTest

#: Rules for elements that the program puts around a message.
REACHING = (
    "div{display:none}", "body{display:none}", "html{visibility:hidden}", "body>div{height:0;overflow:hidden}",
    "html,body,div{opacity:0!important}", "div{color:transparent}", "div{font-size:0}", "head,head *{display:block}",
    "body>*{display:none}", "body>*{height:0;max-height:0;overflow:hidden}", "body *:not(p){visibility:hidden}",
)

#: Rules that hide all text of a message.
HIDING = (
    "*{display:none}", "*{color:transparent}", "p{opacity:0}", "body{font-size:0}", "p{visibility:hidden}", "p{color:#fff}",
    "p{height:0;overflow:hidden}", "body>*{width:0;max-width:0;overflow:hidden}", "body{display:none}p{display:none}",
)

#: Whether an element's text can be seen.
SEEN = """one => {
    const range = one.ownerDocument.createRange();
    range.selectNodeContents(one);
    const { left, top, width, height } = range.getBoundingClientRect();
    const { color, fontSize } = one.ownerDocument.defaultView.getComputedStyle(one);
    return one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && width > 5 && height > 5
        && parseFloat(fontSize) > 6 && !/, 0\\)$|255, 255, 255/.test(color)
        && one.ownerDocument.elementFromPoint(left + width / 2, top + height / 2) === one; }"""


class Legible(FrameTest):
    def test_no_style_sheet_reaches_what_is_around_a_message(self):
        for rule in REACHING:
            with self.subTest(rule):
                self.mail(f"Reached by {rule}", f"<style>{rule}</style><p>text</p>")
                frame = self.show(f"Reached by {rule}")
                expect(self.inside()).to_contain_text("text")
                height = frame.evaluate(SETTLED)
                self.assertTrue(self.inside().locator("p").evaluate(SEEN))
                self.assertLess(height, 100)
                expect(self.page.get_by_role("button", name="Show without formatting")).to_have_count(0)

    def test_a_message_that_hides_all_its_text_can_be_shown_without_formatting(self):
        for rule in HIDING:
            with self.subTest(rule):
                link = '<a href="https://a.example/">Us</a>'
                self.mail(f"Hidden by {rule}", f"<style>{rule}</style><p>A text of some length that ends in a link: {link}</p>")
                frame = self.show(f"Hidden by {rule}")
                expect(self.page.locator(".banner")).to_contain_text("hides its text")
                self.page.get_by_role("button", name="Show without formatting").click()
                expect(self.page.get_by_role("button", name="Show without formatting")).to_have_count(0)
                frame.evaluate(SETTLED)
                self.assertTrue(self.inside().locator("p").evaluate(SEEN))
        self.assertNoViolations()

    def test_a_message_of_images_hides_nothing(self):
        preheader = '<div style="display:none">Our offers of the week</div>'
        for name, html in {
            "blocked": '<img src="https://a.example/1.png" width="300" height="80">',
            "small": '<img src="https://a.example/1.png">',
            "embedded": '<img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">',
        }.items():
            self.mail(f"Pictures {name}", preheader + html)
            self.show(f"Pictures {name}").evaluate(SETTLED)
            expect(self.inside().locator("img")).to_have_count(1)
            expect(self.page.get_by_role("button", name="Show without formatting")).to_have_count(0)

    def test_light_text_stays_readable_where_its_background_image_is_blocked(self):
        """Only there: other text of the color of its background was hidden by its sender."""
        image = "https://a.example/hero.png"
        self.mail("Hero", f"""<style>.hero{{background:url({image}) no-repeat}}.dark{{background:#222 url({image})}}</style>
            <table background="{image}"><tr><td><p style="color:#fff">attribute <a style="color:#ffe">link</a></p></td></tr>
            </table><div class="hero"><h1 style="color:white">sheet</h1><p style="color:#a00">red</p></div>
            <div style="background-image:url({image});color:#fefefe">inline</div>
            <div class="dark"><p style="color:#fff">on dark</p><p style="color:#222">on dark too</p></div>
            <div class="hero"><div style="background:#fff"><p style="color:#fff">hidden inside</p></div></div>
            <p style="color:#fff">hidden</p>""")
        self.show("Hero").evaluate(SETTLED)
        inside = self.inside()
        color = "one => one.ownerDocument.defaultView.getComputedStyle(one).color"
        dark, light, lighter = "rgb(23, 26, 33)", "rgb(255, 255, 255)", "rgb(233, 235, 240)"
        for text, expected in {
            "attribute": dark, "link": dark, "sheet": dark, "inline": dark, "red": "rgb(170, 0, 0)", "on dark": light,
            "on dark too": lighter, "hidden inside": light, "hidden": light,
        }.items():
            with self.subTest(text):
                found = inside.locator("p, a, h1, div", has_text=re.compile(rf"^\s*{text}\b(?! too| inside)"))
                self.assertEqual(found.last.evaluate(color), expected)
