"""Links that say one thing and open another: no way of opening them goes without a question."""

import re

from room import PageTest, expect
from test_conversation import MailMaker

EVIL = "https://evil.example/login"

#: An image that is there.
DOT = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

#: What is tried, the HTML of a link to another host that looks like bank.com, and what it is said to say.
TRICKS = {
    "an address": ("", "https://bank.com/login"),
    "a name": ("", "bank.com"),
    "words around": ("", "Sign in at bank.com today"),
    "brackets around": ("", "(bank.com)"),
    "a zero-width space": ("", "bank&#x200b;.com"),
    "a word joiner and a soft hyphen": ("", "ba&#x2060;nk.c&shy;om"),
    "an override of the direction": ("", "&#x202d;bank.com&#x202c;"),
    "letters turned round": ("", "&#x202e;moc.knab&#x202c;"),
    "letters turned round by an element": ("", '<bdo dir="rtl">moc.knab</bdo>'),
    "letters turned round by style": ("", '<span style="direction:rtl;unicode-bidi:bidi-override">moc.knab</span>'),
    "an ideographic full stop": ("", "bank&#x3002;com"),
    "a full-width full stop": ("", "bank&#xff0e;com"),
    "a one dot leader": ("", "bank&#x2024;com"),
    "full-width letters": ("", "&#xff42;ank.com"),
    "a Cyrillic ending": ("", "bank.&#x441;om"),
    "a hair space": ("", "bank&#x200a;.com"),
    "a hidden span": ("", 'bank<span style="display:none">.evil.example/</span>.com'),
    "an invisible span": ("", 'bank<span style="visibility:hidden;font-size:5px"> no </span>.com'),
    "letters of no size": ("", 'bank<span style="font-size:0"> or not </span>.com'),
    "letters of one pixel": ("", 'bank<span style="font-size:1px"> </span>.com'),
    "transparent letters": ("", 'bank<span style="opacity:0;font-size:4px">&nbsp;a </span>.com'),
    "letters in no color": ("", 'bank<span style="color:rgba(0,0,0,0)">/ </span>.com'),
    "white on white": ("", 'bank<span style="color:#fff">/ </span>.com'),
    "white on nearly white": ("", '<span style="background:#fefefe">bank<font color="white">/ </font>.com</span>'),
    "dark on dark": ("background:#222;color:#eee", 'bank<span style="color:#222">/ </span>.com'),
    "a gradient over a color": ("", '<span style="background-color:#000;background-image:linear-gradient(#fff,#fff);'
                                    'color:#00e">bank.com<span style="color:#fff">.evil.example</span></span>'),
    "a gradient that ends": ("", '<span style="background:linear-gradient(90deg,#000 40%,#fff 40%);color:#fff">'
                                 "bank.com.evil.example</span>"),
    "a gradient around": ("display:block;background-image:linear-gradient(#fff,#eee)",
                          'bank<b style="color:#fff">-or-not</b>.com<b style="color:#fefefe">.evil.example</b>'),
    "a translucent color behind": ("", '<span style="background:rgba(255,255,255,.4);color:#00e">bank.com'
                                       '<span style="color:#fff">.evil.example</span></span>'),
    "letters hardly drawn": ("", 'bank.com<span style="opacity:.11;color:#eee">.evil.example</span>'),
    "letters pushed together": ("", 'bank.com<span style="letter-spacing:-.4em;font-size:5px">.evil.example</span>'),
    "large letters pushed together": ("", 'bank.com<span style="letter-spacing:-.5em">.evil.example</span>'),
    "letters cut off": ("", 'bank<span style="display:inline-block;width:0;height:0;overflow:hidden">/ </span>.com'),
    "letters out of sight": ("", 'bank<span style="display:inline-block;width:0;overflow:hidden;'
                                 'text-indent:-999px">/ </span>.com'),
    "several elements": ("", "<b>ba</b><i>nk</i><u>.</u><span><span>co</span>m</span>"),
    "floating pieces": ("display:inline-block", '<span style="float:right">.com</span><span>bank</span>'),
    "what is far to the right": ("", 'bank.com<span style="padding-left:3000px">.evil.example</span>'),
    "what is far below": ("", 'bank.com<span style="display:block;padding-top:900px">.evil.example</span>'),
    "what has to be scrolled to": ("display:inline-block;width:70px;overflow:auto;white-space:nowrap",
                                   "bank.com.evil.example"),
    "blanks without end": ("", f'<bdo dir="rtl">{" " * 1500}moc.knab</bdo>'),
    "letters without end": ("", f'<bdo dir="rtl">{"&#x200b;" * 1500}moc.knab</bdo>'),
    "words in place of an image": ("", '<img alt="bank.com">'),
    "what is read aloud of an image": ("", f'<img alt="bank.com" src="{DOT}">'),
    "nested elements": ("", '<table><tr><td style="padding:4px"><p><b>bank.com</b></p></td></tr></table>'),
    "a name for screen readers": ("", '<span>Sign in</span>', 'aria-label="bank.com"'),
    "an internet address": ("", "http://192.0.2.7/login"),
    "an internet address alone": ("", "192.0.2.7"),
    "one of version six": ("", "http://[2001:db8::7]/"),
    "a name before the host": ("", "https://bank.com@evil.example/"),
    "a mail address": ("", "service@bank.com"),
    "a label inside": ("", '<span role="img" aria-label="bank.com">Sign in</span>'),
    "labels of pieces": ("", '<b aria-label="bank">x</b><b aria-label=".com">y</b>'),
    "a small square": ("", 'bank<span style="font-size:6px">&#x25aa;</span>com'),
    "a low apostrophe": ("", "bank<span style=\"vertical-align:-.5em;font-size:8px\">'</span>com"),
    "a square of four pixels": ("", 'bank<b style="font-size:4px">&#x25fc;</b>com'),
    "a letter of three pixels": ("", 'bank<b style="font-size:3px">o</b>com'),
    "a low ring": ("", "bank&#x2f3;com"),
    "a mark that has no letter": ("", "bank&#x2009;&#x323;&#x2009;com"),
    "a space with less space": ("", 'bank<span style="word-spacing:-.25em"> </span>.com'),
    "an ellipsis": ("display:inline-block;width:5.5em;overflow:hidden;text-overflow:ellipsis;white-space:nowrap",
                    "bank.com.evil.example"),
    "a line of two pixels": ("", 'bank<hr style="display:inline-block;width:2px;height:2px;margin:0 1px;border:0;'
                                 'background:#00e">com'),
    "a box of three pixels": ("", 'bank<span style="display:inline-block;width:3px;height:3px;background:#00e"></span>'
                                  "com"),
    "a box in a box": ("", 'bank<b style="display:inline-block;width:3px;height:3px"><b style="display:block;'
                           'height:3px;background:#00e"></b></b>com'),
    "a border": ("text-decoration:none", 'bank<span style="border-bottom:3px solid #00e;padding-left:3px;font-size:0">'
                                         "</span>com"),
    "a small space": ("", 'bank.<span style="font-size:6px"> </span>com'),
    "another slash": ("", "https://bank.com&#x2044;.evil.example"),
    "another below a common ending": ("", "bank.github.io"),
}

#: Links whose text is no address, and where the address is what tells.
ADDRESSES = {
    "a decimal address": ("http://3221226219/", "bank.com"),
    "a hexadecimal address": ("http://0xC00002EB/", "bank.com"),
    "an octal address": ("http://0300.0.2.235/", "bank.com"),
    "a name in front": ("https://bank.com@evil.example/", "Sign in"),
    "a name and a word in front": ("https://bank.com:443@evil.example/", "Sign in"),
    "a mailbox": ("mailto:service@evil.example", "service@bank.com"),
    "the whole in front": ("https://bank.com.evil.example/", "bank.com"),
    "a password in front": ("https://:bank.com@evil.example/", "Sign in"),
    "a twin in escapes": ("https://%D0%B0pple.com/", "Sign in"),
    "a twin with a dot": ("https://\u0430pple.com./", "Sign in"),
    "a twin with hyphens": ("https://r1--x.\u0430pple.com/", "Sign in"),
}

#: Ways to lay a link that cannot be seen over a text, wherever that is in the message.
OVER = {
    "a height of nothing": '<div style="height:0">bank.com</div>{}',
    "a largest height": '<div style="max-height:0">bank.com</div>{}',
    "a float": '<span style="float:left;width:0;white-space:nowrap">bank.com</span>{}',
    "a box of no width": '<span style="display:inline-block;width:0;white-space:nowrap">bank.com</span>{}',
    "lines of no height": '<div style="padding:20px;line-height:0">bank.com<br>{}</div>',
    "a cell of no width": '<table style="table-layout:fixed;width:0" cellspacing=0><tr>'
                          '<td style="white-space:nowrap;width:0">bank.com</td><td style="width:200px">{}</td></table>',
}

#: Ways to make the end of a link's text invisible by drawing over it. The link opens bank.com.evil.example.
COVERS = {
    "a box after a height of nothing": '<div style="height:0;white-space:nowrap">{}</div><span style="display:inline-'
                                       'block;width:170px;margin-left:70px;background:#fff">&nbsp;</span>',
    "a box after a float": '<span style="float:left;width:0;white-space:nowrap">{}</span><span style="display:inline-'
                           'block;width:160px;margin-left:73px;background:#fff">&nbsp;</span>',
    "a box in the link": '<a href="https://bank.com.evil.example/" style="white-space:nowrap">bank.com'
                         '<span style="display:inline-block;width:0">.evil.example</span>'
                         '<span style="display:inline-block;width:120px;background:#fff">&nbsp;</span></a>',
    "a border": '<a href="https://bank.com.evil.example/" style="white-space:nowrap">bank.com'
                '<span style="display:inline-block;width:0">.evil.example</span>'
                '<span style="border-left:110px solid #fff"></span></a>',
    "letters": '<a href="https://bank.com.evil.example/" style="white-space:nowrap">bank.com'
               '<span style="display:inline-block;width:0">.evil.example</span>'
               '<span style="color:#fff;font-weight:900">████████</span></a>',
    "a line through larger letters": '<a href="https://bank.com.evil.example/">bank.com<s style="font-size:90px;'
                                     'text-decoration:line-through #fff"><span style="font-size:14px;vertical-align:'
                                     'middle">.evil.example</span></s></a>',
}

#: Texts that touch a link's, wherever they are in the message.
BESIDE = {
    "empty elements": "bank" + "<i></i>" * 20 + "{}",
    "blocks in a line": '{0}<div style="display:inline">.com</div>',
    "a block before": '<div style="display:inline">www.ban</div>{1}',
    "boxes": '<div style="display:inline-block">bank</div><div style="display:inline-block">{1}</div>',
    "cells": '<table cellspacing=0 cellpadding=0><tr><td>{0}<td>.com</table>',
    "a cell of a dot": '<table cellspacing=0 cellpadding=0><tr><td>{0}<td>.<td>com</table>',
    "floats": '<div style="float:left">{0}</div><div>.com/login</div><br>',
}

HONEST = {
    "a struck host": ("https://www.bank.com/", "<s>www.bank.com</s>"),
    "a host between others": ("https://one.com/", "one.com</a> | <a href='https://two.com/'>two.com</a><a>"),
    "a list without spaces": (
        "mailto:ana@bank.com", "ana@bank.com</a>,<a href='mailto:bo@bank.com'>bo@bank.com</a><a>"),
    "who is written to, with a copy": ("mailto:ana@bank.com?cc=bo@bank.com", "ana@bank.com, bo@bank.com"),
    "a number": ("tel:+4989123456", "+49 (0)89 123456"),
    "a word": ("https://tracker.example/c?u=1", "Read more"),
    "a brand": ("https://tracker.example/c?u=2", "Yahoo!"),
    "a version": ("https://tracker.example/c?u=3", "Version 3.5, e.g. this one"),
    "a file": ("https://tracker.example/c?u=4", "report.pdf"),
    "a page": ("https://tracker.example/c?u=5", "index.html"),
    "a host": ("https://www.bank.com/login", "bank.com"),
    "a longer host": ("https://bank.com/", "https://www.bank.com/in?to=https://other.com/"),
    "a host of the same owner": ("https://login.bank.co.uk/", "bank.co.uk"),
    "letters of a language": ("https://xn--mnchen-3ya.de/", "münchen.de"),
    "an image": ("https://tracker.example/c?u=6", '<img alt="Our offers">'),
    "a word and an image": ("https://shop.example/", f'Visit<img alt="shop.example" src="{DOT}">'),
    "a long name in a narrow place": (
        "https://a-very-long-name-of-a-host.example/",
        '<span style="display:inline-block;width:80px;overflow-wrap:break-word">https://a-very-long-name-of-a-host.example/'
        "</span>"),
    "an ellipsis after a path": (
        "https://bank.com/", '<span style="display:inline-block;width:80px;overflow:hidden;text-overflow:ellipsis;'
                             'white-space:nowrap">bank.com/a/path/that/is/long</span>'),
    "a small letter": ("https://tracker.example/c?u=8", '1<b style="font-size:5px">o</b> Yahoo<b>!</b>'),
    "a button with a gradient": ("https://www.bank.com/", '<b style="background:linear-gradient(#00f,#00a);color:#fff">'
                                                          "www.bank.com</b>"),
    "a host of a country on a gradient": (
        "https://www.bank.co.uk/", '<b style="background:linear-gradient(#00f,#00a);color:#fff">www.bank.co.uk</b>'),
    "words": ("https://tracker.example/c?u=7", "We moved. Is it new? Yes... it is"),
    "who one writes to": ("mailto:ana.lima@bank.com", "Ana Lima (ana.lima@bank.com)"),
}


#: How the message is when it is first drawn, and what becomes of its last link when it is pressed then.
FIRST_LOOK = """() => { window.firstLook = new Promise((done) => {
    const look = () => {
        const frame = document.querySelector(".mail-frame");
        const inside = frame?.contentDocument?.body;
        const last = inside?.querySelector("#last");
        if (!last || frame.clientHeight < 20) return requestAnimationFrame(look);
        const before = last.hasAttribute("href");
        last.dispatchEvent(new MouseEvent("mousedown", {bubbles: true}));
        done([inside.querySelector("#first").getBoundingClientRect().height > 0, before, last.hasAttribute("href")]);
    };
    look();
}); }"""


class Links(MailMaker, PageTest):
    def links(self, subject, pieces):
        """A message with all the links, when they have been compared."""
        html = "".join(f"<div>{piece}</div>" for piece in pieces)
        end = '<div><a id="end" href="https://tracker.example/">report.pdf</a></div>'
        self.html(subject, f"<style>.none {{ color: inherit }}</style>{html}{end}")
        body = self.show(subject)
        expect(body.locator("#last")).to_have_count(1)
        # The list of endings of hosts is there, and links are compared from the first to the last.
        expect(body.locator("#end[href][title='https://tracker.example/']")).to_have_count(1)
        return body

    def test_whatever_the_trick_the_link_has_no_address(self):
        pieces = ['<a id="word" href="https://tracker.example/">report.pdf</a>']
        for index, (style, text, *more) in enumerate(TRICKS.values()):
            pieces.append(f'<a id="t{index}" href="{EVIL}" style="{style}" {" ".join(more)}>{text}</a>')
        for index, (address, text) in enumerate(ADDRESSES.values()):
            pieces.append(f'<a id="a{index}" href="{address}">{text}</a>')
        for index, (address, text) in enumerate(HONEST.values()):
            pieces.append(f'<a id="h{index}" href="{address}">{text}</a>')
        pieces += [f'<b>ban</b><a id="beside" href="{EVIL}">k.com</a> is split', '<span id="last"></span>']
        for index, over in enumerate(OVER.values()):
            invisible = f'<a id="o{index}" href="{EVIL}" style="color:rgba(0,0,0,0)">xxxxxxxxxxxxxxx</a>'
            pieces.insert(1, over.format(invisible))
        body = self.links("All tricks", pieces)
        for index, over in enumerate(OVER):
            with self.subTest(over):
                self.assertIsNone(body.locator(f"#o{index}").get_attribute("href"))
        for index, trick in enumerate(TRICKS):
            with self.subTest(trick):
                link = body.locator(f"#t{index}")
                self.assertIsNone(link.get_attribute("href"))
                self.assertRegex(link.get_attribute("title"), "^The text says .* opens evil.example.$")
        for index, trick in enumerate(ADDRESSES):
            with self.subTest(trick):
                self.assertIsNone(body.locator(f"#a{index}").get_attribute("href"))
        for index, (what, (address, _)) in enumerate(HONEST.items()):
            with self.subTest(what):
                link = body.locator(f"#h{index}")
                self.assertEqual(link.get_attribute("href"), address)
                self.assertEqual(link.get_attribute("rel"), "noopener noreferrer")
        self.assertIsNone(body.locator("#beside").get_attribute("href"))

    def test_what_is_drawn_over_a_link_does_not_end_its_text(self):
        evil = '<a href="https://bank.com.evil.example/">bank.com.evil.example</a>'
        body = self.links("Covered", [
            '<a id="word" href="https://tracker.example/">report.pdf</a>',
            *(f'<div id="c{index}" style="margin:30px 0">{cover.format(evil)}</div>'
              for index, cover in enumerate(COVERS.values())),
            f'<div id="free">{evil}</div><div style="height:0"></div><span id="last"></span>'])
        for index, cover in enumerate(COVERS):
            with self.subTest(cover):
                link = body.locator(f"#c{index} a")
                expect(link).to_have_attribute("title", re.compile("^The text says bank.com, .* opens bank.com.evil"))
                self.assertIsNone(link.get_attribute("href"))
        expect(body.locator("#free a")).to_have_attribute("href", "https://bank.com.evil.example/")

    def test_letters_that_touch_a_link_belong_to_its_text_whatever_holds_them(self):
        pieces = ['<a id="word" href="https://tracker.example/">report.pdf</a>']
        for index, text in enumerate(BESIDE.values()):
            end = "k.com" if "www.ban" in text else ".com"
            text = text.replace("{}", "{1}").format(f'<a href="{EVIL}">bank</a>', f'<a href="{EVIL}">{end}</a>')
            pieces.append(f'<div id="b{index}" style="clear:both">{text}</div>')
        body = self.links("Beside", [*pieces, '<span id="last"></span>'])
        for index, beside in enumerate(BESIDE):
            with self.subTest(beside):
                self.assertIsNone(body.locator(f"#b{index} a").get_attribute("href"))

    def test_a_text_that_is_too_long_to_be_compared_is_asked_about(self):
        clip = "display:inline-block;overflow:hidden;white-space:nowrap;width:5em"
        body = self.links("Too long", [
            '<a id="word" href="https://tracker.example/">report.pdf</a>',
            f'<a id="long" href="{EVIL}" style="{clip}"><bdo dir="rtl">{"x" * 1100} moc.knab</bdo></a>',
            f'<a id="endless" href="{EVIL}" style="{clip}"><bdo dir="rtl">{"x" * 9000} moc.knab</bdo></a>',
            '<span id="last"></span>'])
        self.assertRegex(body.locator("#long").get_attribute("title"), "^The text says bank.com, ")
        self.assertEqual(body.locator("#endless").get_attribute("title"),
                         "The text of this link is too long to check. It opens evil.example.")

    def test_no_way_of_opening_it_goes_without_a_question(self):
        body = self.links("Ways to open", [
            '<a id="word" href="https://tracker.example/">report.pdf</a>',
            f'<a id="held" href="{EVIL}"><b title="https://bank.com">bank.com</b></a><span id="last"></span>'])
        self.page.context.route("**/*evil.example/**", lambda route: route.fulfill(body="Given away"))
        link = body.locator("#held")
        question = self.page.get_by_role("alertdialog", name="This link goes to a different site")
        ways = {
            "a click": lambda: link.click(),
            "the middle button": lambda: link.click(button="middle"),
            "Control": lambda: link.click(modifiers=["Control"]),
            "Shift": lambda: link.click(modifiers=["Shift"]),
            "the command key": lambda: link.click(modifiers=["Meta"]),
            "Enter": lambda: link.press("Enter"),
            "Control and Enter": lambda: link.press("Control+Enter"),
        }
        for way, act in ways.items():
            with self.subTest(way):
                act()
                expect(question).to_contain_text("The text says bank.com, but this link opens evil.example.")
                self.page.keyboard.press("Escape")
                expect(question).to_be_hidden()
                self.assertEqual(len(self.page.context.pages), 1)
        # What a menu opens or copies, and what is dragged, is the address; there is none.
        self.assertIsNone(link.get_attribute("href"))
        self.assertIsNone(link.locator("b").get_attribute("title"))
        link.focus()
        expect(link).to_be_focused()
        expect(body.get_by_role("link", name="bank.com")).to_have_count(1)
        expect(self.page.locator(".link-target")).to_have_text(EVIL)
        link.click()
        with self.page.context.expect_page() as opened:
            question.get_by_role("button", name="Open anyway").click()
        self.assertEqual(opened.value.url, EVIL)
        self.foreign.clear()

    def test_thousands_of_links_do_not_hold_up_the_text_and_none_opens_before_it_is_compared(self):
        links = f'<a href="{EVIL}">bank.com</a> ' * 5000
        self.html("Thousands of links", f'<p id="first">Hello</p>{links}<a id="last" href="{EVIL}">bank.com</a>')
        self.page.evaluate(FIRST_LOOK)
        body = self.show("Thousands of links")
        is_drawn, had_address, has_address = self.page.evaluate("window.firstLook")
        self.assertTrue(is_drawn)
        self.assertTrue(had_address, "All links were compared before the text was drawn.")
        self.assertFalse(has_address)
        # Later all have been.
        expect(body.locator("a[href]")).to_have_count(0)

    def test_a_link_that_changes_under_the_pointer_is_compared_again(self):
        body = self.links("Under the pointer", [
            '<style>.b { display: none } a:hover .b { display: inline } a:hover .a { display: none }</style>'
            '<a id="word" href="https://tracker.example/">report.pdf</a>',
            f'<a id="held" href="{EVIL}"><span class="a">Read</span><span class="b">ba<i>nk</i>.com</span></a>'
            '<span id="last"></span>'])
        link = body.locator("#held")
        link.hover()
        self.page.mouse.down()
        self.assertIsNone(link.get_attribute("href"))
        self.page.mouse.up()
        expect(self.page.get_by_role("alertdialog")).to_be_visible()
