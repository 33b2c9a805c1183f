#!/usr/bin/env python3
"""Measures the page in Chromium: measure.py DATA CONFIG [--hour] [--json FILE] [--program PROGRAM]

DATA and CONFIG are folders of a program with much mail (mailkernel import many.mbox --data DATA --config CONFIG).
Prints the middle and the worst of several tries. Runs the release build, which `make build` makes. `make bench ONLY=page.`
does all of it."""

import argparse
import json
import re
import statistics
from pathlib import Path

import room
from measure_writing import PAINTED, writing
from room import Browser, CHROMIUM, Program, ROOT, WIDE


class Folder(Program):
    def __init__(self, data, config):
        self.data, self.config = data, config
        super().__init__()

    def places(self):
        return ["--data", self.data, "--config", self.config]


figures = []


def told(id, name, values, limit, unit="ms", pick=statistics.median):
    """Prints a figure, and keeps it for `--json`."""
    value = pick(values)
    print(f"{name}: {value:.0f} {unit}, at most {max(values):.0f} {unit}, of {len(values)} (limit {limit:.0f} {unit})",
          flush=True)
    figures.append({"id": id, "what": name, "value": value, "unit": unit, "limit": limit})


#: When the first row of the list was painted, noted by the page itself: asking from here takes its time too.
FIRST_ROW = f"""window.firstRow = new Promise((done) => {{
    const look = () => document.querySelector(".row:not(.row-empty)")
        ? {PAINTED}.then(() => done(performance.now())) : requestAnimationFrame(look);
    look();
}});"""


def newest(context):
    """First names and words of subjects that the mailbox has, whatever it was filled with."""
    answer = context.request.post("/jmap/api", headers={"Sec-Fetch-Site": "same-origin"}, data={
        "using": ["urn:ietf:params:jmap:core", "urn:ietf:params:jmap:mail"], "methodCalls": [
            ["Email/query", {"accountId": account(context), "limit": 200,
                             "sort": [{"property": "receivedAt", "isAscending": False}]}, "0"],
            ["Email/get", {"accountId": account(context), "properties": ["from", "subject"],
                           "#ids": {"resultOf": "0", "name": "Email/query", "path": "/ids"}}, "1"]]})
    emails = answer.json()["methodResponses"][1][1]["list"]
    names = {(email["from"] or [{}])[0].get("name") or "" for email in emails}
    words = {word for email in emails for word in (email["subject"] or "").split() if len(word) > 5}
    plain = lambda found: sorted(word for word in found if word.isascii() and word.isalpha())
    names, words = plain({name.split()[0] for name in names if name}), plain(words)
    if len(names) < 5 or len(words) < 5:
        raise SystemExit("There is too little mail here to measure with.")
    return names, words


def account(context):
    session = context.request.get("/.well-known/jmap", headers={"Sec-Fetch-Site": "same-origin"}).json()
    return session["primaryAccounts"]["urn:ietf:params:jmap:mail"]


def suggestions(page, names):
    """From a key in the field for recipients until people are painted."""
    page.goto("/#/compose/new")
    field = page.get_by_label("To", exact=True)
    field.wait_for()
    taken = []
    for word in [name[:2 + number % 2] for number, name in enumerate(names[:8])]:
        field.fill("")
        room.expect(page.locator(".person")).to_have_count(0)
        taken.append(field.evaluate(f"""async (field, word) => {{
            const began = performance.now();
            Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, word);
            field.dispatchEvent(new Event('input', {{bubbles: true}}));
            while (!document.querySelector('.person')) {{
                if (performance.now() - began > 2000) return null;
                await new Promise((done) => setTimeout(done, 1));
            }}
            await {PAINTED};
            return performance.now() - began;
        }}""", word))
    page.close()
    # Newsletters have names, too, and are not suggested.
    people = [time for time in taken if time is not None]
    if len(people) < 4:
        raise SystemExit("Hardly a person is suggested.")
    return people


def held(context, page):
    """What scripts hold and how many nodes there are, once garbage is collected."""
    session = context.new_cdp_session(page)
    for _ in range(3):
        session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
    nodes = session.send("Memory.getDOMCounters")
    session.detach()
    return heap, nodes["nodes"], nodes["jsEventListeners"], nodes["documents"]


#: What a user does in six minutes: thirty conversations opened, some of them archived and put back, searches, a
#: message begun and left.
SIX_MINUTES = """async () => {
    const pause = (ms) => new Promise((done) => setTimeout(done, ms));
    const until = async (holds) => { for (let n = 0; n < 2000 && !holds(); n += 1) await pause(5); };
    const press = (key) => document.querySelector('[role=listbox]').dispatchEvent(
        new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
    const type = (field, words) => {
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, words);
        field.dispatchEvent(new Event('input', {bubbles: true}));
    };
    for (let index = 0; index < 30; index += 1) {
        document.querySelectorAll('.row')[index % 8].click();
        await until(() => document.querySelector('.mail-frame')?.offsetHeight > 10);
        document.querySelector('.conversation-tools .action-leave')?.click();
        if (index % 3 === 0) {
            press('e');
            await until(() => document.querySelector('.toast'));
            press('z');
            await pause(60);
        }
        if (index % 10 === 0) {
            const field = document.querySelector('[role=searchbox], input[type=search]');
            for (const words of ['an', 'and', 'from:an', '']) { type(field, words); await pause(150); }
            await until(() => document.querySelector('.row:not(.row-empty)'));
            document.querySelector('.virtual').scrollTop = 100 * index;
            await pause(100);
            document.querySelector('.virtual').scrollTop = 0;
            await pause(100);
        }
    }
}"""


def an_hour(context, page):
    """An hour's use, without the pauses: what is held has to stay as it is after the first round."""
    page.set_default_timeout(120_000)
    for minutes in range(6, 66, 6):
        page.evaluate(SIX_MINUTES)
        page.wait_for_timeout(6000)  # toasts go
        heap, nodes, listeners, documents = held(context, page)
        print(f"after {minutes} minutes' use: {heap:.1f} MB, {nodes} nodes, {listeners} listeners, "
              f"{documents} documents", flush=True)


#: Opens a conversation and shows the list again; how long the text took to be painted.
BODY = f"""async (index) => {{
    const row = document.querySelectorAll('.row')[index];
    const began = performance.now();
    row.click();
    const isShown = () => [...document.querySelectorAll('.mail-frame')].some((frame) => frame.offsetHeight > 10);
    while (!isShown()) await new Promise((done) => setTimeout(done, 1));
    await {PAINTED};
    const took = performance.now() - began;
    await new Promise((done) => setTimeout(done, 100));
    document.querySelector('.conversation-tools .action-leave').click();
    await new Promise((done) => setTimeout(done, 200));
    return took;
}}"""


def reading(page):
    opened = []
    page.add_init_script(FIRST_ROW)
    for _ in range(10):
        page.goto("about:blank")
        page.goto("/", wait_until="commit")
        opened.append(page.evaluate("window.firstRow"))
    told("first-row", "page to first row", opened, 250)
    # The first one prepares what all share.
    bodies = [page.evaluate(BODY, index) for index in range(9)]
    told("body", "opening a conversation for the first time", bodies[1:], 100)
    again = [page.evaluate(BODY, index) for index in range(9)]
    told("body-again", "opening a conversation again", again[1:], 50)


def archiving(page):
    page.locator("[role=listbox]").focus()
    archived = []
    for _ in range(10):
        page.locator("[role=listbox]").press("Home")
        # Another row would leave the first where it is.
        page.wait_for_function("document.querySelector('.row-cursor')?.dataset.index === '0'")
        archived.append(page.evaluate(f"""async () => {{
            const first = document.querySelector('.row').id;
            const began = performance.now();
            document.querySelector('[role=listbox]').dispatchEvent(
                new KeyboardEvent('keydown', {{key: 'e', bubbles: true, cancelable: true}}));
            while (document.querySelector('.row').id === first) await new Promise((done) => setTimeout(done, 0));
            await {PAINTED};
            return performance.now() - began;
        }}"""))
        page.wait_for_timeout(300)
        page.keyboard.press("z")
        page.wait_for_timeout(500)
    told("archive", "key to archived row", archived, 50)


def scrolling(page):
    """A quiet scroll of the first rows, then quickly to the last of at most 50,000."""
    frames, empty, rows = page.evaluate("""async () => {
        const list = document.querySelector('.virtual'), row = document.querySelector('.row').offsetHeight;
        const rows = Math.min(50_000, Math.floor(list.scrollHeight / row));
        const times = [];
        let last = performance.now(), at = 0, empty = 0;
        while (at < rows) {
            at += at < 2000 ? 4 : 60;
            list.scrollTop = at * row;
            await new Promise(requestAnimationFrame);
            const now = performance.now();
            times.push(now - last);
            last = now;
            if (document.querySelector('.row-empty')) empty += 1;
        }
        return [times, empty, rows];
    }""")
    late = sum(time > 50 for time in frames)
    print(f"scrolling {rows} rows: {len(frames)} frames, the middle {statistics.median(frames):.1f} ms, {late} over 50 ms; "
          f"{empty} had a row that was not there yet")
    told("scroll", f"the longest frame of scrolling {rows} rows", frames, 50, pick=max)
    page.evaluate("document.querySelector('.virtual').scrollTop = 1e9")
    room.expect(page.locator(".row-empty")).to_have_count(0)


def searching(page, names, words):
    field = page.get_by_role("searchbox")
    found = []
    for words in (words[0], f"from:{names[0]}", f"{words[1]} is:unread", words[2], words[3]):
        found.append(field.evaluate("""async (field, words) => {
            const began = performance.now();
            Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, words);
            field.dispatchEvent(new Event('input', {bubbles: true}));
            const before = document.querySelector('.pane-count').textContent;
            while (performance.now() - began < 10_000) {
                await new Promise((done) => setTimeout(done, 2));
                const count = document.querySelector('.pane-count').textContent;
                if (count !== before && count !== '') return performance.now() - began;
            }
            throw new Error(`The list does not show what “${words}” finds.`);
        }""", words))
        page.wait_for_timeout(300)
    told("search", "search as you type", found, 200)
    page.keyboard.press("Escape")


def bundle():
    """The scripts of the first view without React. Other screens, the editor and what draws PDF files come later."""
    outputs = json.loads((ROOT / ".build/page-inputs.json").read_text())["outputs"]
    first, ahead = set(), [path for path in outputs if re.search(r"/(start|main)-\w+\.js$", path)]
    while ahead:
        path = ahead.pop()
        if path not in first:
            first.add(path)
            ahead += [one["path"] for one in outputs[path]["imports"] if one["kind"] == "import-statement"]
    total = sum(outputs[path]["bytes"] for path in first)
    react = sum(one["bytesInOutput"] for path in first for name, one in outputs[path]["inputs"].items()
                if "/react" in name or "/scheduler/" in name)
    told("bundle", "the scripts of the first view without React", [(total - react) / 1000], 350, "KB")


def options():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("data")
    parser.add_argument("config")
    parser.add_argument("--hour", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--program", type=Path, default=ROOT / ".build/release/mailkernel")
    return parser.parse_args()


def measure(program, hour):
    context = Browser.get(CHROMIUM).new_context(viewport=WIDE, base_url=f"http://{program.place}")
    context.request.get(program.link)
    page = context.new_page()
    context.request.post("/jmap/api", headers={"Sec-Fetch-Site": "same-origin"}, data={
        "using": ["urn:mailkernel:preferences"], "methodCalls": [["Preferences/set", {
            "accountId": "program", "update": {"singleton": {"isOnboardingComplete": True}}}, "0"]]})
    for part in (reading, archiving, scrolling):
        part(page)
    names, words = newest(context)
    searching(page, names, words)
    told("suggestions", "keystroke to suggestions", suggestions(context.new_page(), names), 60)
    print(f"memory of scripts after all that: {held(context, page)[0]:.1f} MB")
    if hour:
        an_hour(context, page)
    context.close()


def main():
    chosen = options()
    room.PROGRAM = chosen.program
    program = Folder(chosen.data, chosen.config)
    try:
        measure(program, chosen.hour)
    finally:
        program.close()
    writing(told)
    bundle()
    Browser.close()
    if chosen.json:
        chosen.json.write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
