#!/usr/bin/env python3
"""Composes fourteen messages in the real browser, sends them, and writes what their recipient got: sent_samples.py FOLDER [NAME…]

Of each there is the tree of its parts, its text, and a picture of its HTML as a program without a style of its own shows
it. With names, only these are composed, and FOLDER/README.md has no others."""

import base64
import email
import email.policy
import re
import sys
from pathlib import Path

from room import Browser, Program, expect
from test_composer import ComposerTest
from test_editor import PASTE

NEWSLETTER = """From: The Harbor Market <news@market.example>
To: mira@demo.example
Subject: What the boats bring
Date: Mon, 02 Mar 2026 08:00:00 +0000
MIME-Version: 1.0
Content-Type: text/html; charset=utf-8

<html><head><style>
body { background: #eef3f7; font-family: Georgia, serif; color: #22313f; }
.card { background: #ffffff; border: 1px solid #c9d6e2; width: 460px; }
.card td { padding: 14px 20px; }
h1 { color: #ffffff; font-size: 22px; margin: 0; }
td.head { background: #1f5f8b; }
.button a { background: #d9822b; color: #ffffff; padding: 8px 16px; text-decoration: none; }
</style></head><body><table class="card" align="center" cellspacing="0">
<tr><td class="head"><h1>What the boats bring</h1></td></tr>
<tr><td><p>Herring and mussels from Thursday on, and the first crabs of the year.</p>
<p class="button"><a href="https://market.example/order">Order a box</a></p></td></tr></table></body></html>
"""

PICTURE = """() => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [240, 120];
    const context = canvas.getContext("2d");
    for (const [color, top, height] of [["#bfe3f5", 0, 70], ["#2f7fae", 70, 50]]) {
        context.fillStyle = color;
        context.fillRect(0, top, 240, height);
    }
    context.fillStyle = "#d9822b";
    context.fillRect(80, 62, 80, 16);
    context.fillRect(116, 20, 6, 44);
    return canvas.toDataURL("image/png").split(",")[1];
}"""


class Writer(ComposerTest):
    """Composes, as a user does."""

    def runTest(self):
        pass

    def begin(self, subject, query=None):
        path = f"/#/compose/new{f'?{query}' if query else ''}"
        self.page, composer = self.own_window(path)
        composer.get_by_label("To", exact=True).fill("jonas@demo.example")
        composer.get_by_label("Subject").fill(subject)
        self.body = composer.get_by_label("Message", exact=True)
        expect(self.body).to_be_visible()
        self.body.press("Control+Home")
        self.settle()
        return composer

    def type(self, *lines):
        for index, line in enumerate(lines):
            if index:
                self.page.keyboard.press("Enter")
            self.page.keyboard.type(line)

    def answer(self, mode, source, subject):
        return self.begin(subject, f"mode={mode}&accountId={self.mira}&emailId={source}")

    def message(self, composer, subject):
        """Sends it, and returns what arrives."""
        composer.get_by_role("button", name="Send", exact=True).click()
        return email.message_from_bytes(
            self.wait(lambda: self.source(subject), self.reader), policy=email.policy.default)

    def source(self, subject):
        """The newest of Jonas's messages with this subject, as it came."""
        _, got = self.jmap(
            ["Email/query", {"accountId": self.jonas, "filter": {"subject": f'"{subject}"'}}],
            ["Email/get", {"accountId": self.jonas, "properties": ["subject", "blobId"],
                           "#ids": {"resultOf": "0", "name": "Email/query", "path": "/ids"}}], page=self.reader)
        for one in got["list"]:
            if one["subject"] == subject:
                text = self.reader.evaluate("""async (path) => {
                    const bytes = new Uint8Array(await (await fetch(path)).arrayBuffer());
                    return btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(""));
                }""", f"/jmap/download/{self.jonas}/{one['blobId']}/message?accept=message/rfc822")
                return base64.b64decode(text)
        return None

    # The messages.

    def bold(self, subject):
        composer = self.begin(subject)
        self.type("# The harbor on Saturday", "We go **early**, *before* the heat, and ~~not~~ by bike. Bring `map.gpx`. ")
        return composer

    def lists(self, subject):
        composer = self.begin(subject)
        self.type("What we need:", "- bread", "cheese")
        self.page.keyboard.press("Enter")
        self.page.keyboard.press("Control+]")
        self.type("a hard one", "a soft one", "", "", "And in this order:", "1. the bakery", "the market", "", "Mira")
        return composer

    def table(self, subject):
        composer = self.begin(subject)
        self.type("The times:", "")
        self.body.evaluate(PASTE, {"text/html": "<table><tr><th>Boat</th><th>Leaves</th><th>Is back</th></tr>"
                           "<tr><td>Möwe</td><td>9:00</td><td>11:30</td></tr><tr><td>Aurora</td><td>10:15</td>"
                           "<td>13:00</td></tr></table>", "text/plain": "Boat"})
        return composer

    def image(self, subject):
        composer = self.begin(subject)
        self.type("This is how it looked:", "")
        composer.get_by_label("Images to insert").set_input_files(
            {"name": "harbor.png", "mimeType": "image/png", "buffer": base64.b64decode(self.page.evaluate(PICTURE))})
        expect(self.body.locator(".inline-image img")).to_have_js_property("naturalWidth", 240)
        return composer

    def quote(self, subject):
        composer = self.begin(subject)
        self.type("The sign at the pier says:", "> No swimming before the ferry has left.", "", "So we wait.")
        return composer

    def answers(self, subject):
        composer = self.answer("reply", self.email()["id"], subject)
        self.type("Thank you, my answers are below.")
        self.body.get_by_role("button", name="Show quoted text").click()
        quoted = self.body.locator("blockquote[type=cite]").first
        quoted.locator("p, div").first.click()
        self.page.keyboard.press("End")
        self.settle()
        self.page.keyboard.press("Enter")
        self.type("Yes, gladly.")
        return composer

    def forward(self, subject):
        _, (source,) = self.bring(NEWSLETTER)
        composer = self.answer("forward", source, subject)
        self.type("Shall we order?")
        return composer

    def plain(self, subject):
        composer = self.begin(subject)
        self.page.get_by_role("button", name="Plain text").click()
        self.body = composer.get_by_label("Message", exact=True)
        self.body.fill("A message without formatting, whose lines are longer than seventy-eight characters and so flow "
                       "where they are read.\n\n- one\n- two\n\nMira")
        return composer

    def signature(self, subject):
        identities, = self.jmap(["Identity/get", {"accountId": self.mira}], page=self.reader)
        mine = identities["list"][0]
        set = lambda html: self.jmap(["Identity/set", {"accountId": self.mira, "update": {
            mine["id"]: {"htmlSignature": html}}}], page=self.reader)
        set('<p><b>Mira Okafor</b><br><span style="color:#5f6b7a">Harbor office, pier 4</span></p>')
        composer = self.begin(subject)
        self.type("The key is in the office.")
        set(mine["htmlSignature"])
        return composer

    def languages(self, subject):
        composer = self.begin(subject)
        self.type("مرحبا، نلتقي عند الميناء في التاسعة.", "שלום, ניפגש בנמל בתשע.", "港で九時に会いましょう。",
                  "Καλημέρα, добрый день, grüß dich 🙂 ⛵")
        return composer

    def links(self, subject):
        composer = self.begin(subject)
        self.type("The plan is at https://harbor.example/plan and the times are on ")
        self.page.keyboard.press("Control+k")
        dialog = self.page.get_by_role("dialog", name="Link", exact=True)
        dialog.get_by_label("Text").fill("the timetable")
        dialog.get_by_label("Address").fill("harbor.example/times")
        self.page.keyboard.press("Enter")
        expect(self.body).to_be_focused()
        self.page.keyboard.press("End")
        self.type(". Or ask ana@example.com ")
        return composer

    def long(self, subject):
        composer = self.begin(subject)
        for number in range(1, 7):
            self.type(f"## Part {number}", "The ferry leaves the pier at nine and is back before noon. " * 6, "- a ticket",
                      "something to eat", "", "")
        return composer

    def file(self, subject):
        composer = self.begin(subject)
        self.type("The times of all boats are in the table.")
        composer.get_by_label("Files to attach").set_input_files(
            {"name": "Möwe & Aurora.csv", "mimeType": "text/csv", "buffer": b"boat,leaves\nM\xc3\xb6we,9:00\n"})
        expect(composer.get_by_role("button", name="Remove Möwe & Aurora.csv")).to_be_visible()
        return composer

    def rich(self, subject):
        composer = self.answer("reply", self.email()["id"], subject)
        bar = composer.get_by_role("toolbar", name="Formatting")
        for menu, item, words in (("Text color", "Green", "Yes, "), ("Text size", "Large", "gladly. ")):
            bar.get_by_role("button", name=menu).click()
            self.page.get_by_role("menuitem", name=item, exact=True).click()
            self.settle()
            self.type(words)
        self.type("", "")
        composer.get_by_label("Images to insert").set_input_files(
            {"name": "harbor.png", "mimeType": "image/png", "buffer": base64.b64decode(self.page.evaluate(PICTURE))})
        expect(self.body.locator(".inline-image img")).to_have_js_property("naturalWidth", 240)
        return composer

    def bring(self, text):
        """Puts a message into Mira's inbox."""
        boxes, = self.jmap(["Mailbox/get", {"accountId": self.mira, "ids": None}], page=self.reader)
        inbox = next(box["id"] for box in boxes["list"] if box["role"] == "inbox")
        blob = self.reader.evaluate("""async ([account, body]) =>
            (await (await fetch(`/jmap/upload/${account}/`, {method: "POST", body})).json()).blobId""", [self.mira, text])
        made, = self.jmap(["Email/import", {"accountId": self.mira, "emails": {
            "one": {"blobId": blob, "mailboxIds": {inbox: True}}}}], page=self.reader)
        return self.mira, [made["created"]["one"]["id"]]


#: Pictures are cut there: they are part of the checkout.
TALLEST = 560

SAMPLES = [
    ("bold", "Bold, italic, a heading and code"), ("lists", "Lists"), ("table", "A table"),
    ("image", "An image in the text"), ("quote", "A quote"), ("answers", "Answers between the quoted paragraphs"),
    ("forward", "A forwarded newsletter with a style sheet"), ("plain", "Plain text"), ("signature", "A signature"),
    ("languages", "Several scripts, two of them from right to left"), ("links", "Links"), ("long", "A long message"),
    ("file", "A file"), ("rich", "A reply with an image, a color and a size"),
]

#: What the parts of a message must be, from the outside in.
TEXTS = ["multipart/alternative", "text/plain", "text/html"]
PARTS = {"plain": ["text/plain"], "image": [*TEXTS[:2], "multipart/related", TEXTS[2], "image/png"],
         "file": ["multipart/mixed", *TEXTS, "text/csv"],
         "rich": [*TEXTS[:2], "multipart/related", TEXTS[2], "image/png"]}
#: What the HTML must say.
SAID = {"bold": ["<b>early</b>", "<h1"], "lists": ["<ul", "<ol"], "links": ['href="https://harbor.example/times"'],
        "rich": ["color:#1c7040", "font-size:"]}


def tree(part, indent=""):
    words = [part.get_content_type()]
    for name in ("charset", "format"):
        if value := part.get_param(name):
            words.append(f"{name}={value}")
    if part.get_content_disposition():
        words.append(part.get_content_disposition())
    if part.get_filename():
        words.append(f"“{part.get_filename()}”")
    lines = [indent + " ".join(words)]
    for child in part.iter_parts() if part.is_multipart() else ():
        lines += tree(child, indent + "  ")
    return lines


def check(message, name):
    """It is what the sample is to show, and nothing in it is missing."""
    assert [part.get_content_type() for part in message.walk()] == PARTS.get(name, TEXTS), tree(message)
    page = message.get_body(("html",))
    html = page.get_content() if page else ""
    assert all(text in html for text in SAID.get(name, [])), html
    shown = set(re.findall(r'"cid:([^"]+)"', html))
    assert shown == {(part["Content-ID"] or "").strip("<>") for part in message.walk() if part["Content-ID"]}, html
    assert not re.search(r"blob:|/jmap/", html), html


def as_shown(message):
    """The HTML with its images, or nothing."""
    page = message.get_body(("html",))
    if page is None:
        return None
    html = page.get_content()
    for part in message.walk():
        if cid := (part["Content-ID"] or "").strip("<>"):
            data = base64.b64encode(part.get_content()).decode()
            html = html.replace(f'"cid:{cid}"', f'"data:{part.get_content_type()};base64,{data}"')
    return html


def photograph(html, path):
    page = Browser.get().new_context(viewport={"width": 600, "height": 120}, java_script_enabled=False).new_page()
    page.set_content(html)
    height = page.evaluate("Math.max(80, document.documentElement.scrollHeight)")
    page.screenshot(path=path, full_page=True, clip={"x": 0, "y": 0, "width": 600, "height": min(TALLEST, height)})
    page.context.close()


def shown_text(message):
    lines = message.get_body(("plain",)).get_content().rstrip().splitlines()
    return lines if len(lines) <= 14 else [*lines[:14], "…"]


def sample(writer, folder, number, name, title):
    message = writer.message(getattr(writer, name)(title), title)
    check(message, name)
    parts = [f"## {number}. {title}", "", "```", *tree(message), "```", ""]
    html = as_shown(message)
    if html:
        picture = f"{number:02}-{name}.png"
        photograph(html, folder / picture)
        parts += [f"![{title}]({picture})", ""]
    else:
        parts += ["It has no HTML.", ""]
    return [*parts, "Its text:", "", "```", *shown_text(message), "```", ""]


INTRODUCTION = """# What recipients get

Fourteen messages that were composed in the page and sent: the parts of each, its HTML as a program without a style of its
own shows it, and its text. `make samples` composes them again.
"""


def main():
    folder, names = Path(sys.argv[1]), sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    ComposerTest.setUpClass.__func__(Writer)
    try:
        writer = Writer()
        writer.setUp()
        writer.reader = writer.page
        writer.undo_delay(0)
        lines = [INTRODUCTION]
        for number, (name, title) in enumerate(SAMPLES, 1):
            if not names or name in names:
                lines += sample(writer, folder, number, name, title)
        (folder / "README.md").write_text("\n".join(lines).rstrip() + "\n")
    finally:
        writer.doCleanups()
        Writer.doClassCleanups()
        Browser.close()
    print(f"The messages are in {folder}")


if __name__ == "__main__":
    main()
