#!/usr/bin/env python3
"""Pictures of every screen, in each size and theme, for a person to leaf through: screenshots.py FOLDER [NAME…]

With names, only screens whose name has one of them in it. FOLDER/index.html shows them beside each other."""

import html
import itertools
import re
import sys
from pathlib import Path

from fresh import Answers
from organizing import steps as organizing_steps
from room import Browser, NARROW, PageTest, Program, WIDE, expect, open_other_ways
from test_onboarding import MODEL, SKIP

SIZES = {"375x667": NARROW, "430x932": {"width": 430, "height": 932}, "932x430": {"width": 932, "height": 430},
         "1440x900": WIDE}
#: The picture in README.md, which is copied to docs/images/inbox.png.
README = ("1280x640", "light", 100)
#: The last: as large as text gets, on the smallest screen.
LOOKS = [(*look, 100) for look in itertools.product(SIZES, ("light", "dark"))] + [("375x667", "light", 310)]


class Photographer(PageTest):
    """Goes through the screens of a signed-in page, and takes a picture of each."""

    def __init__(self, folder, names, look):
        super().__init__()
        self.folder, self.names = folder, names
        self.size, self.theme, self.percent = look
        width, height = map(int, self.size.split("x"))
        self.viewport, self.is_mobile = {"width": width, "height": height}, width < 1000
        self.errors, self.foreign = [], []
        context = Browser.get().new_context()
        context.request.get(self.program.new_link())
        self.state = context.storage_state()
        if self.account_count:
            self.await_first_sync(context)
        context.close()

    def runTest(self):
        pass

    def page_at(self, path):
        page = self.open(None, color_scheme=self.theme,
                         has_touch=self.is_mobile, is_mobile=self.is_mobile)
        if self.percent != 100:
            page.add_init_script(
                f"addEventListener('DOMContentLoaded', () => "
                f"document.documentElement.style.fontSize = '{self.percent}%')")
        if path:
            page.goto(path)
        return page

    def take(self, page, name):
        if self.names and not any(part in name for part in self.names):
            return
        self.settle(page)
        page.evaluate("document.fonts.ready.then(() => null)")
        large = "" if self.percent == 100 else f"-{self.percent}"
        page.screenshot(path=self.folder / f"{name}-{self.size}-{self.theme}{large}.png")

    def close(self):
        self.doCleanups()


def inbox(photographer):
    page = photographer.page_at("/")
    expect(page.locator(".row:not(.row-empty)").first).to_be_visible()
    page.get_by_role("option", name=re.compile("Schoolyard")).first.click()
    expect(page.locator(".mail-frame").last).to_be_visible()
    expect(page.locator(".message-loading")).to_have_count(0)
    page.mouse.move(0, 0)
    photographer.take(page, "00-inbox")


def reading(photographer):
    page = photographer.page_at("/")
    expect(page.locator(".row:not(.row-empty)").first).to_be_visible()
    photographer.take(page, "01-list")
    page.get_by_role("option").nth(2).click()
    expect(page.locator(".mail-frame").last).to_be_visible()
    photographer.take(page, "02-conversation")
    page.get_by_role("toolbar").get_by_role("button", name="More").click()
    photographer.take(page, "03-menu")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Move to folder").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    photographer.take(page, "04-move")
    page = photographer.page_at("/#/search?q=parcel%20this%20year&in=all/inbox")
    expect(page.locator(".row mark").first).to_be_visible()
    photographer.take(page, "05-search")
    page = photographer.page_at("/#/search?q=xyzzyplugh&in=all/inbox")
    expect(page.get_by_text("No results")).to_be_visible()
    photographer.take(page, "06-nothing-found")
    page = photographer.page_at("/#/outbox")
    expect(page.get_by_text("The Outbox is empty")).to_be_visible()
    photographer.take(page, "07-outbox")
    page = photographer.page_at("/")
    expect(page.locator(".row:not(.row-empty)").first).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    photographer.take(page, "08-keys")
    page.keyboard.press("Escape")
    if page.get_by_role("button", name="Folders", exact=True).count():
        page.get_by_role("button", name="Folders", exact=True).click()
        photographer.take(page, "09-mailboxes")
        page.keyboard.press("Escape")
    for _ in range(2):
        page.locator("[role=listbox]").focus()
        page.keyboard.press("x")
        page.keyboard.press("j")
    photographer.take(page, "10-selected")


def writing(photographer):
    page = photographer.page_at("/")
    expect(page.locator(".row:not(.row-empty)").first).to_be_visible()
    page.keyboard.press("c")
    composer = page.locator(".composer").first
    composer.get_by_label("To", exact=True).fill("Ana Sampaio <ana@example.com>, nobody,")
    composer.get_by_label("Subject").fill("The harbor on Saturday")
    composer.get_by_label("Message", exact=True).press_sequentially(
        "Dear Ana,\nshall we go **early**, before it gets hot?\nMira")
    composer.get_by_label("Files to attach").set_input_files([
        {"name": "The plan of the harbor, second edition.pdf", "mimeType": "application/pdf", "buffer": b"x" * 250_000},
        {"name": "boat.png", "mimeType": "image/png", "buffer": b"x" * 31_000}])
    expect(composer.get_by_text("2 attachments")).to_be_visible()
    photographer.take(page, "11-composer")
    composer.get_by_label("To", exact=True).press_sequentially("jo")
    expect(page.locator(".person").first).to_be_visible()
    photographer.take(page, "12-suggestions")
    page.keyboard.press("Escape")
    composer.get_by_role("button", name="Delete draft").click()
    photographer.take(page, "13-question")
    page.get_by_role("button", name="Delete", exact=True).click()


def settings(photographer):
    page = photographer.page_at(None)
    Answers(page, {"Model/get": lambda arguments, real: {"accountId": "program", "state": "0", "list": [
        {**MODEL, "status": "downloading", "received": 203_000_000, "bytesPerSecond": 4_000_000, "secondsLeft": 152},
        {**MODEL, "id": "m2", "name": "Large Helper", "problem": "Download failed. Please retry.", "isFailedDownload": True,
         "reason": "models.example did not answer."}]}},
        capabilities=["urn:mailkernel:models"], instead=["Model/get"])
    page.goto("/#/settings")
    expect(page.get_by_role("region", name="About", exact=True)).to_be_visible()
    expect(page.locator(".settings-list .spinner")).to_have_count(0)
    for number, name in enumerate(("Accounts", "Appearance", "AI Features", "Data Management", "Plugins"), 14):
        page.get_by_role("region", name=name, exact=True).evaluate("(section) => section.scrollIntoView()")
        photographer.take(page, f"{number}-settings-{name.lower().replace(' ', '-')}")


def organizing(photographer):
    page = photographer.page_at(None)
    for number, (name, step) in enumerate(organizing_steps(photographer, page), 30):
        step()
        photographer.take(page, f"{number}-{name.replace(' ', '-')}")


def first_steps(photographer):
    page = photographer.page_at("/")
    button = lambda name: page.get_by_role("button", name=name, exact=True)
    expect(button("Continue")).to_be_visible()
    photographer.take(page, "20-welcome")
    button("Continue").click()
    expect(page.get_by_label("Mail address")).to_be_visible()
    photographer.take(page, "21-accounts")
    open_other_ways(page)
    page.get_by_role("button", name="Mail on this device").click()
    page.get_by_label("Your name").fill(f"Ada {photographer.size} {photographer.theme} {photographer.percent}")
    photographer.take(page, "22-account-form")
    button("Continue").click()
    expect(page.get_by_role("list", name="Added accounts")).to_contain_text(photographer.theme)
    photographer.take(page, "23-account-added")
    button("Next").click()
    photographer.take(page, "24-protect")
    button("Next").click()
    expect(button(SKIP)).to_be_visible()
    photographer.take(page, "25-model")
    button(SKIP).click()
    photographer.take(page, "26-ready")


def contents(folder):
    names = sorted(path.name for path in folder.glob("*.png"))
    screens = itertools.groupby(names, lambda name: re.match(r"(.+?)-\d+x\d+", name).group(1))
    parts = [f"<h2>{html.escape(screen)}</h2>" + "".join(
        f'<figure><a href="{name}"><img loading="lazy" src="{name}" height="420" alt=""></a>'
        f"<figcaption>{html.escape(name)}</figcaption></figure>" for name in group) for screen, group in screens]
    (folder / "index.html").write_text(
        "<!doctype html><meta charset=utf-8><title>Screens</title><style>body{font:14px system-ui;margin:2rem}"
        "figure{display:inline-block;margin:0 1rem 1rem 0}img{border:1px solid #ccc}</style>" + "".join(parts))


def main():
    folder, names = Path(sys.argv[1]), sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    for arguments, journeys in ((("--demo",), (reading, writing, settings, organizing)), ((), (first_steps,))):
        program = Photographer.program = Program(*arguments)
        Photographer.account_count = 2 if arguments else 0
        try:
            first = [(README, inbox)] if arguments else []
            for look, journey in [*first, *itertools.product(LOOKS, journeys)]:
                photographer = Photographer(folder, names, look)
                try:
                    journey(photographer)
                finally:
                    photographer.close()
        finally:
            program.close()
    Browser.close()
    contents(folder)
    print(f"{len(list(folder.glob('*.png')))} pictures are in {folder}; open {folder}/index.html")


if __name__ == "__main__":
    main()
