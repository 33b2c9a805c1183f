"""What the tests of the page share: the real program with its demo, and a real browser."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from playwright.sync_api import Error, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / ".build/debug/mailkernel"
CHROMIUM = "/usr/bin/chromium"
#: The same engine without windows: a page opens in half the time, since nothing is drawn around it.
WINDOWLESS = "/usr/bin/chromium-headless-shell"
NARROW = {"width": 375, "height": 667}
WIDE = {"width": 1440, "height": 900}

#: The keyring and the notifications of the desktop that the tests run on are none of their business.
ENVIRONMENT = {"SWIFT_BACKTRACE": "enable=no", "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
# Long enough for a slow and busy machine; what comes sooner is seen sooner.
expect.set_options(timeout=30_000)


class Browser:
    """One browser for all tests: starting it takes longer than most of them."""

    playwright = None
    running = {}

    @classmethod
    def get(cls, program=WINDOWLESS):
        if cls.playwright is None:
            cls.playwright = sync_playwright().start()
        if program not in cls.running:
            cls.running[program] = cls.playwright.chromium.launch(
                executable_path=program, headless=True, args=["--no-sandbox", "--disable-dev-shm-usage"])
        return cls.running[program]

    @classmethod
    def close(cls):
        for browser in cls.running.values():
            browser.close()
        cls.running.clear()
        if cls.playwright:
            cls.playwright.stop()
            cls.playwright = None


class Program:
    """The program on folders of its own. `arguments` are added to `mailkernel serve`."""

    def __init__(self, *arguments, folder=None, environment=None, tls_port="none"):
        self.tls_port = str(tls_port)
        self.folder = Path(folder or tempfile.mkdtemp(prefix="page-"))
        self.owns = folder is None
        self.arguments = arguments
        self.environment = environment or {}
        self.start()

    def start(self, port=0):
        self.log = open(self.folder / "log.txt", "ab")
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--no-browser", "--port", str(port), "--tls-port", self.tls_port, *self.places(),
             "--plugins", ROOT / "Plugins", *self.arguments],
            stdout=subprocess.PIPE, stderr=self.log, stdin=subprocess.DEVNULL, text=True,
            env={**os.environ, **ENVIRONMENT, **self.no_desktop(), **self.environment})
        for line in self.process.stdout:
            if found := re.match(r"Open (http://(\S+?)/\S+)", line):
                self.link, self.place = found.groups()
                return
        raise RuntimeError("the program did not start: " + (self.folder / "log.txt").read_text())

    def no_desktop(self):
        """Nor are its downloads."""
        return {"XDG_RUNTIME_DIR": str(self.folder), "HOME": str(self.folder)}

    def places(self):
        return ["--data", self.folder / "data", "--config", self.folder / "config"]

    @property
    def port(self):
        return int(self.place.rpartition(":")[2])

    def new_link(self):
        command = [PROGRAM, "open", *self.places(), *(["--demo"] if "--demo" in self.arguments else [])]
        said = subprocess.run(command, capture_output=True, text=True, timeout=30).stdout
        return re.search(r"http://\S+", said).group()

    def command(self, *words, seconds=120):
        """Runs another command of the program on the same folders. Returns what it said."""
        demo = ["--demo"] if "--demo" in self.arguments and words[0] == "token" else []
        return subprocess.run(
            [PROGRAM, *words, *self.places(), *demo], check=True, capture_output=True, timeout=seconds, text=True,
            env={**os.environ, **self.no_desktop(), **self.environment}).stdout

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(timeout=30)
        self.process.stdout.close()
        self.log.close()

    def close(self):
        if self.process.poll() is None:
            self.stop()
        if self.owns:
            shutil.rmtree(self.folder, ignore_errors=True)


def open_other_ways(page):
    """Unfolds all ways to add an account but the address."""
    page.get_by_text("Other ways to add an account", exact=True).click()


def repeated(route, body=None):
    """The program's answer to a request that was stopped on its way, or to another one in its place."""
    options = {} if body is None else {"post_data": json.dumps(body)}
    # What a browser adds by itself is not in a request that is repeated.
    return route.fetch(headers={**route.request.headers, "sec-fetch-site": "same-origin"}, **options)


def asked(route, body=None):
    """What the program answered, as an object."""
    answer = repeated(route, body)
    if not answer.ok:
        raise AssertionError(f"{route.request.method} {route.request.url} was answered with {answer.status}: "
                             f"{answer.text()[:500]}")
    return answer.json()


def intercept(page, place, handle):
    """Lets `handle` answer the page's requests to `place`."""
    def guarded(route):
        try:
            handle(route)
        except Error as error:
            # The program may have ended, which the page is to find out itself.
            if "ECONN" in str(error) or "socket hang up" in str(error):
                return route.abort("connectionrefused")
            # The page may be gone before its answer comes.
            if "disposed" not in str(error) and "closed" not in str(error) and "already handled" not in str(error):
                raise

    page.route(place, guarded)


#: The elements under a selector that are wider than the place they have, with the text in them. What scrolls
#: sideways by itself may hold anything.
STICKING_OUT = """([selector, limit]) => {
    const root = document.querySelector(selector), right = limit ?? root.getBoundingClientRect().right;
    const isHeld = (one) => {
        for (let at = one.parentElement; at && at !== root; at = at.parentElement) {
            if (getComputedStyle(at).overflowX !== "visible") return true;
        }
        return false;
    };
    return [...root.querySelectorAll("*")].filter((one) => {
        const box = one.getBoundingClientRect();
        return box.width > 1 && box.right > right + 1 && !isHeld(one) && !one.closest(".hidden, svg");
    }).map((one) => `${one.cloneNode().outerHTML.slice(0, 160)} “${one.textContent.trim().slice(0, 40)}” ` +
        `ends at ${Math.round(one.getBoundingClientRect().right)} of ${Math.round(right)}`);
}"""


class PageTest(unittest.TestCase):
    """A test with `self.page`, signed in to a program that all tests of the class share.

    A test fails if the page logs an error or contacts any server but the program."""

    arguments = ("--demo",)
    #: How many accounts have mail to be read before a test begins.
    account_count = 2
    viewport = WIDE
    browser = WINDOWLESS
    options = {}
    #: What the browser may write to its console in this test.
    allowed_errors = ()

    @classmethod
    def setUpClass(cls):
        cls.program = Program(*cls.arguments)
        cls.addClassCleanup(cls.program.close)
        context = Browser.get().new_context()
        context.request.get(cls.program.link)
        cls.state = context.storage_state()
        cls.await_first_sync(context)
        context.close()

    @classmethod
    def await_first_sync(cls, context):
        """Until the demo's mail is all there: lists that grow by themselves prove nothing."""
        body = {"using": ["urn:mailkernel:sync"],
                "methodCalls": [["SyncStatus/get", {"accountId": "program", "ids": None}, "0"]]}
        until = time.monotonic() + 120
        while time.monotonic() < until:
            answer = context.request.post(
                f"http://{cls.program.place}/jmap/api", data=body, headers={"Sec-Fetch-Site": "same-origin"}).json()
            phases = [status["phase"] for status in answer["methodResponses"][0][1]["list"]]
            if len(phases) == cls.account_count and set(phases) <= {"listening"}:
                return
            time.sleep(0.1)
        raise RuntimeError(f"the first sync did not end: {phases}")

    def setUp(self):
        self.errors = []
        self.foreign = []
        self.page = self.open()
        self.addCleanup(self.check)

    def open(self, path="/", viewport=None, **options):
        """A browser of its own that is signed in, with one page."""
        context = Browser.get(self.browser).new_context(
            viewport=viewport or self.viewport, storage_state=self.state,
            base_url=f"http://{self.program.place}", **{**self.options, **options})
        self.addCleanup(self.close, context)
        context.on("request", self.asked)
        context.on("requestfailed", self.refused)
        context.on("page", self.watch)
        page = context.new_page()
        if path is not None:
            page.goto(path)
        return page

    def close(self, context):
        for page in context.pages:
            page.unroute_all(behavior="ignoreErrors")
        context.close()

    def watch(self, page):
        page.on("console", lambda said: said.type == "error" and self.errors.append(said.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def asked(self, request):
        # The browser's own PDF viewer is an extension.
        if not re.match(rf"(http://{re.escape(self.program.place)}/|data:|blob:|about:|chrome)", request.url):
            self.foreign.append(request.url)

    def refused(self, request):
        """A request that the page's policy stopped was never sent, though the browser tells of it."""
        if "csp" in (request.failure or "") and request.url in self.foreign:
            self.foreign.remove(request.url)

    def check(self):
        errors = [text for text in self.errors if not any(part in text for part in self.allowed_errors)]
        self.assertEqual(errors, [], "what the browser's console says")
        self.assertEqual(self.foreign, [], "whom else the page asked")

    def move_by_dragging(self, row, place):
        """Drags with Shift, which moves also where dropping adds a label. Pressed earlier, Shift would select text."""
        page = row.page
        row.hover()
        page.mouse.down()
        place.hover()
        page.keyboard.down("Shift")
        place.hover()
        page.mouse.up()
        page.keyboard.up("Shift")

    def settle(self, page=None):
        """Waits until what moves has come to rest; a countdown or a spinner does not. What was pressed just now
        is drawn with the next frames, and begins to move only then."""
        (page or self.page).evaluate(
            """async () => {
                const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
                for (let still = 0; still < 3; still += 1) {
                    await frame();
                    const moving = document.getAnimations().filter((one) =>
                        one.playState === "running" && one.effect.getComputedTiming().endTime < 2000);
                    if (moving.length > 0) still = -1;
                    await Promise.allSettled(moving.map((one) => one.finished));
                }
            }""")

    def assertFits(self, page=None, place="body"):
        """Nothing at the place sticks out to the right of it, and nothing scrolls sideways."""
        page = page or self.page
        self.settle(page)
        page.evaluate("document.fonts.ready.then(() => null)")
        self.assertEqual(page.evaluate(STICKING_OUT, [place, None]), [], "what sticks out")
        for one in ("document.documentElement", f"document.querySelector({place!r})"):
            self.assertLessEqual(page.evaluate(f"{one}.scrollWidth - {one}.clientWidth"), 0, one)

    def wait(self, holds, page=None, seconds=30):
        """Until `holds` says something true, which is returned."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if found := holds():
                return found
            (page or self.page).wait_for_timeout(50)
        return self.fail("it did not come about")

    def listen(self, page=None):
        """Notes all that toasts say from now on, for `assertTold`: some are gone before a busy machine looks."""
        (page or self.page).evaluate(
            """() => {
                window.told = [];
                new MutationObserver(() => {
                    for (const toast of document.querySelectorAll(".toasts .toast")) {
                        if (toast.checkVisibility()) window.told.push(toast.textContent);
                    }
                }).observe(document.body, {subtree: true, childList: true, characterData: true});
            }""")

    def assertTold(self, text, page=None, seconds=30):
        self.wait(lambda: any(text in one for one in (page or self.page).evaluate("window.told")), page, seconds)

    def assertNoViolations(self, page=None, **options):
        """axe finds nothing on the page as it is."""
        from axe_playwright_python.sync_playwright import Axe

        self.settle(page)
        self.assertFound(Axe().run(page or self.page, **options).response["violations"])

    def assertNoViolationsInside(self, frame):
        """Nor in a frame. Its sandbox runs no scripts, so axe looks at what is in it on a page of its own. What a whole
        page must have is no matter of a frame."""
        from axe_playwright_python.sync_playwright import Axe

        context = Browser.get().new_context(viewport=self.viewport)
        self.addCleanup(context.close)
        page = context.new_page()
        page.set_content(frame.content())
        of_pages = ("html-has-lang", "region", "landmark-one-main", "page-has-heading-one", "bypass")
        rules = {rule: {"enabled": False} for rule in of_pages}
        self.assertFound(Axe().run(page, options={"rules": rules}).response["violations"])

    def assertFound(self, violations):
        told = [f"{one['id']}: {node['target']} {node.get('failureSummary', '')}"
                for one in violations for node in one["nodes"]]
        self.assertEqual(told, [], "what axe finds")

    def assertBody(self, composer, expected):
        """The text of a message being written, whether it is plain or formatted: a string, or a pattern in it."""
        body = composer.get_by_label("Message", exact=True)
        seen = []

        def isSo():
            text = body.evaluate("(element) => element.value ?? element.innerText")
            seen[:] = [text]
            return re.search(expected, text) if isinstance(expected, re.Pattern) else text.strip() == expected

        with contextlib.suppress(AssertionError):
            return self.wait(isSo, composer.page)
        self.fail(f"the text is not {expected!r} but {seen}")

    def jmap(self, *calls, page=None):
        """Asks the program with the page's session, as another window would."""
        return (page or self.page).evaluate(
            """async (methodCalls) => {
                const session = await (await fetch("/.well-known/jmap")).json();
                const answer = await fetch("/jmap/api", {
                    method: "POST", headers: {"Content-Type": "application/json"},
                    body: JSON.stringify({using: Object.keys(session.capabilities), methodCalls: methodCalls
                        .map(([name, values], index) => [name, values, String(index)])})});
                return (await answer.json()).methodResponses.map(([name, values]) => {
                    if (name === "error") throw new Error(JSON.stringify(values));
                    return values;
                });
            }""", list(calls))

    def mail_accounts(self):
        session = self.page.evaluate("fetch('/.well-known/jmap').then((answer) => answer.json())")
        return {account["name"]: id for id, account in session["accounts"].items() if id != "program"}


__all__ = ["Browser", "Error", "NARROW", "PageTest", "Program", "ROOT", "WIDE", "asked", "expect",
           "intercept", "repeated"]
