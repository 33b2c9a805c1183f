"""Measures writing: how soon a composer is there, and a typed letter, beside an element that the browser edits alone."""

import statistics

import room
from room import Browser, CHROMIUM, Program, WIDE

# Until the browser has painted what the DOM says.
PAINTED = "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))"

#: From now on the time of each key: from its event until the frame with its letter is painted.
LISTEN = f"""() => {{
    window.keyTimes = [];
    addEventListener("keydown", async ({{timeStamp}}) => {{
        await {PAINTED};
        window.keyTimes.push(performance.now() - timeStamp);
    }}, true);
}}"""

#: From a key until the composer has its editor and is painted.
OPENED = f"""async (key) => {{
    const began = performance.now();
    const place = document.querySelector(".conversation [tabindex], [role=listbox]") ?? document.body;
    place.dispatchEvent(new KeyboardEvent("keydown", {{key, bubbles: true, cancelable: true}}));
    for (let tries = 0; tries < 5000 && !document.querySelector(".composer .body-rich"); tries += 1) {{
        await new Promise((done) => setTimeout(done, 1));
    }}
    await {PAINTED};
    return performance.now() - began;
}}"""

PARAGRAPH = "The quick brown fox jumps over the lazy dog while the harbor is still asleep. " * 7
LONG = f"<p>{PARAGRAPH[:500]}</p>" * 100
LETTERS = "the letters of a reply are typed one after the other by a quick hand "


def p95(values):
    return sorted(values)[int(len(values) * 0.95)]


def typed(page, place):
    """The times of some keys, at the beginning of a long text."""
    place.click(position={"x": 40, "y": 12})
    page.keyboard.press("Control+Home")
    page.wait_for_timeout(300)
    page.evaluate("window.keyTimes.length = 0")
    for letter in LETTERS:
        page.keyboard.type(letter)
        page.wait_for_timeout(20)
    page.wait_for_timeout(200)
    return page.evaluate("window.keyTimes")


def typing(context):
    """The times of keys in the editor, and in a plain element with the same text, which take turns."""
    draft = room_draft(context, LONG)
    editor = context.new_page()
    editor.goto(f"/#/compose/{draft}")
    body = editor.locator(".body-rich")
    body.wait_for()
    editor.evaluate(LISTEN)
    plain = context.new_page()
    plain.set_content(f'<style>body{{font:15px/1.5 sans-serif}}</style><div contenteditable>{LONG}</div>')
    plain.evaluate(LISTEN)
    ours, theirs = [], []
    for _ in range(4):
        for page, place, times in ((editor, body, ours), (plain, plain.locator("div"), theirs)):
            page.bring_to_front()
            times += typed(page, place)
    editor.close()
    plain.close()
    return ours, theirs


def room_draft(context, html):
    """A saved draft, as the page's address names it."""
    session = context.request.get("/.well-known/jmap", headers={"Sec-Fetch-Site": "same-origin"}).json()
    account = next(id for id, one in session["accounts"].items() if one["name"] == "mira@demo.example")
    answer = context.request.post("/jmap/api", headers={"Sec-Fetch-Site": "same-origin"}, data={
        "using": list(session["capabilities"]), "methodCalls": [["Draft/set", {"accountId": account, "create": {
            "new": {"html": html, "subject": "Long"}}}, "0"]]}).json()
    return f"{account}/{answer['methodResponses'][0][1]['created']['new']['id']}"


def opening(context, key):
    """The times until a composer is there: the first, which loads the editor, and the others."""
    page = context.new_page()
    page.goto("/")
    page.locator(".row:not(.row-empty)").first.wait_for()
    if key == "r":
        page.get_by_role("option").nth(2).click()
        page.locator(".mail-frame").last.wait_for()
    page.wait_for_timeout(1000)
    times = []
    for _ in range(9):
        times.append(page.evaluate(OPENED, key))
        page.locator(".composer").get_by_role("button", name="Close").click()
        room.expect(page.locator(".composer")).to_have_count(0)
        page.wait_for_timeout(200)
    page.close()
    return times[0], times[1:]


def writing(told):
    program = Program("--demo")
    try:
        context = Browser.get(CHROMIUM).new_context(viewport=WIDE, base_url=f"http://{program.place}")
        context.request.get(program.link)
        context.new_page().goto("/")
        ours, theirs = typing(context)
        print(f"key to letter: {statistics.median(ours):.1f} ms, p95 {p95(ours):.1f} ms; in a plain element "
              f"{statistics.median(theirs):.1f} ms, p95 {p95(theirs):.1f} ms, of {len(ours)}", flush=True)
        # On a quiet machine; on any other, beside what the browser takes alone.
        limit = max(16, 1.3 * p95(theirs))
        told("typing", "p95 from a key to its letter in a message of 50 KB", [p95(ours)], limit)
        for key, name in (("c", "a new message"), ("r", "a reply")):
            first, others = opening(context, key)
            told(f"composer-{key}", f"key to the composer of {name} (the first took {first:.0f} ms)", others, 60)
        context.close()
    finally:
        program.close()
