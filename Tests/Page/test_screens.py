"""axe on every screen and dialog, in each size, with the largest text, and in both themes."""

import json
import re
from importlib import resources
from pathlib import Path

import organizing
from fresh import Answers, FreshTest
from room import NARROW, PageTest, WIDE, expect, open_other_ways
from test_onboarding import MODEL, SKIP

PHONE_ON_ITS_SIDE = {"width": 932, "height": 430}
#: Size of the window and of the text.
LOOKS = {"desktop": (WIDE, 100), "phone": (NARROW, 100), "phone on its side": (PHONE_ON_ITS_SIDE, 100),
         "largest text": (NARROW, 310)}

#: The rules that look at colors.
COLORS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}


#: Texts that have so little width that their words are broken into letters.
BROKEN = r"""(selector) => {
    const texts = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT), found = [];
    while (texts.nextNode()) {
        const text = texts.currentNode, range = document.createRange();
        const words = text.data.split(/[\s@.:-]+/).filter((word) => word !== "");
        if (words.length === 0 || text.parentElement.closest(".hidden, option")) continue;
        range.selectNodeContents(text);
        const lines = new Set([...range.getClientRects()].map(({top}) => Math.round(top)));
        if (lines.size > words.length + 1) found.push(`${text.data.trim()}: ${lines.size} lines`);
    }
    return found;
}"""


def axe_source():
    package = resources.files("axe_playwright_python")
    return next(Path(str(package)).rglob("axe.min.js")).read_text()


class Walk(PageTest):
    """Goes through screens in one page. A journey is a list of (name, step): a step brings the screen up from the
    one before it, in whatever size."""

    def button(self, name, place=None):
        return (place or self.page).get_by_role("button", name=name, exact=True)

    #: Some walks need not be in all sizes.
    looks = LOOKS

    def look(self, name, percent):
        """Everything in the light, and what depends on colors in the dark."""
        page = self.page
        page.evaluate(f"document.documentElement.style.fontSize = '{percent}%'")
        for theme, options in (("light", {}), ("dark", {"runOnly": COLORS})):
            page.emulate_media(color_scheme=theme)
            self.settle(page)
            if not page.evaluate("'axe' in window"):
                page.evaluate(self.axe)
            with self.subTest(name, theme=theme):
                found = page.evaluate(
                    "async (options) => (await axe.run({resultTypes: ['violations'], ...options})).violations", options)
                told = [f"{one['id']}: {node['target']} {node.get('failureSummary', '')}"
                        for one in found for node in one["nodes"]]
                self.assertEqual(told, [], "what axe finds")
        with self.subTest(name, what="it fits"):
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)

    def walk(self, journey):
        self.axe = axe_source()
        for look, (size, percent) in self.looks.items():
            self.page.set_viewport_size(size)
            for name, step in journey:
                step()
                self.look(f"{look}: {name}", percent)


class Mail(Walk):
    long = True

    def setUp(self):
        super().setUp()
        Answers(self.page, {
            "Model/get": lambda arguments, real: {"accountId": "program", "state": "0", "list": [
                {**MODEL, "status": "downloading", "received": 203_000_000, "bytesPerSecond": 4_000_000,
                 "secondsLeft": 152},
                {**MODEL, "id": "m2", "name": "Large Helper", "problem": "Download failed.", "reason": "No answer."}]}},
            capabilities=["urn:mailkernel:models"], instead=["Model/get"])

    def at(self, path, *shown):
        def step():
            self.page.goto("about:blank")
            self.page.goto(path)
            for text in shown:
                expect(self.page.locator(text).first).to_be_visible()
        return step

    def press(self, key, shown):
        def step():
            self.page.keyboard.press(key)
            expect(self.page.locator(shown).first).to_be_visible()
        return step

    def open(self, *arguments, **options):
        return super().open(*arguments, **options)

    def test_NFR_SET_02_every_screen_of_the_mail_passes_axe_in_every_size_and_theme(self):
        page = self.page
        listed = ".row:not(.row-empty)"

        def conversation():
            page.get_by_role("option").nth(2).click()
            expect(page.locator(".mail-frame").last).to_be_visible()

        def more():
            page.get_by_role("toolbar").get_by_role("button", name="More").click()
            expect(page.get_by_role("menu")).to_be_visible()

        def move():
            page.keyboard.press("Escape")
            self.button("Move to folder").click()
            expect(page.get_by_role("dialog")).to_be_visible()

        def details():
            page.keyboard.press("Escape")
            self.button("More for this message").last.click()
            page.get_by_role("menuitem", name="Show details").click()
            expect(page.locator(".details")).to_be_visible()

        def selected():
            page.locator("[role=listbox]").focus()
            for key in ("x", "j", "x"):
                page.keyboard.press(key)
            expect(page.get_by_role("toolbar", name="Selected conversations")).to_be_visible()

        def archived():
            page.keyboard.press("e")
            expect(page.get_by_text("2 conversations archived")).to_be_visible()

        def drawer():
            page.keyboard.press("z")
            menu = self.button("Folders")
            if menu.count():
                menu.click()
                expect(page.get_by_role("dialog", name="Folders")).to_be_visible()

        self.walk([
            ("list", self.at("/", listed)),
            ("selection", selected),
            ("toast", archived),
            ("mailboxes", drawer),
            ("keys", lambda: (self.at("/", listed)(), self.press("?", "dialog.dialog")())),
            ("conversation", lambda: (page.keyboard.press("Escape"), conversation())),
            ("menu", more),
            ("move", move),
            ("details", details),
            ("search", self.at("/#/search?q=parcel%20this%20year&in=all/inbox", ".row mark")),
            ("nothing found", self.at("/#/search?q=xyzzyplugh&in=all/inbox", "text=No results")),
            ("outbox", self.at("/#/outbox", "text=The Outbox is empty")),
        ])

    def test_NFR_SET_02_every_screen_of_writing_passes_axe_in_every_size_and_theme(self):
        page = self.page

        def filled():
            self.at("/#/compose/new", ".composer [aria-label=Message]")()
            composer = page.locator(".composer").first
            composer.get_by_label("To", exact=True).fill("Ana Sampaio <ana@example.com>, nobody,")
            composer.get_by_label("Message", exact=True).press_sequentially("Dear Ana,\nshall we go **early**?")
            composer.get_by_label("Files to attach").set_input_files([
                {"name": "The plan of the harbor, second edition.pdf", "mimeType": "application/pdf",
                 "buffer": b"x" * 250_000}])
            expect(composer.get_by_text("1 attachment")).to_be_visible()

        def people():
            page.locator(".composer").get_by_label("To", exact=True).press_sequentially("jo")
            expect(page.locator(".person").first).to_be_visible()

        def link():
            page.keyboard.press("Escape")
            page.locator(".composer").get_by_role("button", name="Link").click()
            expect(page.get_by_role("dialog", name="Link")).to_be_visible()

        def question():
            page.keyboard.press("Escape")
            page.locator(".composer").get_by_role("button", name="Delete draft").click()
            expect(page.get_by_role("alertdialog")).to_be_visible()

        def docked():
            self.button("Delete", page.get_by_role("alertdialog")).click()
            self.at("/", ".row:not(.row-empty)")()
            page.keyboard.press("c")
            expect(page.locator(".composer").get_by_label("To", exact=True)).to_be_focused()

        self.walk([("composer", filled), ("people", people), ("link", link), ("question", question),
                   ("beside the mail", docked)])

    def test_NFR_SET_02_every_section_of_the_settings_passes_axe_in_every_size_and_theme(self):
        page = self.page

        def dialog(button, role="dialog"):
            def step():
                # Without a dialog it would leave the settings.
                if page.locator("dialog").count():
                    page.keyboard.press("Escape")
                expect(page.locator("dialog")).to_have_count(0)
                self.button(button).first.click()
                expect(page.get_by_role(role)).to_be_visible()
            return step

        def settings():
            self.at("/#/settings", "section[aria-labelledby]")()
            expect(page.get_by_role("region", name="About", exact=True)).to_be_visible()
            expect(page.locator(".settings-list .spinner")).to_have_count(0)

        self.walk([
            ("all sections", settings),
            ("add an account", dialog("Add Account")),
            ("add a model", dialog("Add model file")),
            ("wipe", dialog("Wipe All Data", "alertdialog")),
            ("licenses", dialog("Show licenses")),
        ])

    def test_NFR_SET_02_locked_and_signed_out_pass_axe_in_every_size_and_theme(self):
        page = self.page
        self.allowed_errors = ("423", "401", "500")

        def refused(status):
            def step():
                page.route("**/.well-known/jmap", lambda route: route.fulfill(
                    status=status, content_type="application/problem+json",
                    body=json.dumps({"type": "about:blank", "status": status, "detail": "No."})))
                page.goto("about:blank")
                page.goto("/")
                expect(page.get_by_role("heading", level=1)).to_be_visible()
            return step

        self.walk([("locked", refused(423)), ("signed out", refused(401)), ("not reached", refused(500))])


class Organizing(Walk):
    """Rules, reminders, senders and older mail, on a phone and in the largest text."""

    long = True
    looks = {look: LOOKS[look] for look in ("phone", "largest text")}

    def look(self, name, percent):
        super().look(name, percent)
        place = ".dialog" if self.page.locator(".dialog").count() else "body"
        with self.subTest(name, what="nothing sticks out"):
            self.assertFits(place=place)
        with self.subTest(name, what="words are whole"):
            self.assertEqual(self.page.evaluate(BROKEN, place), [])

    def test_NFR_SET_02_every_screen_of_organizing_passes_axe_on_a_phone_and_in_the_largest_text(self):
        self.walk(organizing.steps(self, self.page))


class FirstSteps(FreshTest, Walk):
    long = True

    def test_NFR_SET_02_every_first_step_passes_axe_in_every_size_and_theme(self):
        page = self.page

        def welcome():
            page.goto("about:blank")
            page.goto("/")
            expect(self.button("Continue")).to_be_visible()

        def accounts():
            self.button("Continue").click()
            open_other_ways(page)
            expect(page.get_by_text("Mail on this device")).to_be_visible()

        def form():
            page.get_by_role("button", name="Mail on this device").click()
            page.get_by_label("Your name").fill(f"Ada {self.count}")

        def added():
            self.button("Continue").click()
            expect(page.get_by_role("list", name="Added accounts")).to_contain_text(f"ada.{self.count}")
            self.count += 1

        def on(button):
            return lambda: self.button(button).click()

        self.count = 1
        self.walk([("welcome", welcome), ("accounts", accounts), ("form", form), ("added", added),
                   ("protect", on("Next")), ("model", on("Next")), ("ready", on(SKIP))])
