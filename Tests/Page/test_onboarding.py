import re
import signal
import time
import unittest
from contextlib import suppress
from urllib.parse import urljoin

from fresh import Answers, FreshTest
from room import NARROW, WIDE, Error, expect, open_other_ways, repeated

SKIP = "Skip — the app works without AI features."
STORAGE = (
    "Syncing your email typically uses 500 MB – 2 GB of storage on this device, depending on email volume. "
    "AI features require an additional 500 MB – 2 GB.")


class Onboarding(FreshTest):
    """FR-OB-01, AC-U-13: the first steps."""

    def button(self, name, page=None):
        return (page or self.page).get_by_role("button", name=name, exact=True)

    def heading(self, name, page=None):
        return (page or self.page).get_by_role("heading", level=1, name=name, exact=True)

    def to_accounts(self):
        self.button("Continue").click()
        open_other_ways(self.page)
        expect(self.page.get_by_text("Mail on this device")).to_be_visible()

    def add_account(self, name="Ada Lovelace"):
        self.page.get_by_role("button", name="Mail on this device").click()
        self.page.get_by_label("Your name").fill(name)
        self.button("Continue").click()
        expect(self.page.get_by_role("list", name="Added accounts")).to_contain_text(
            name.lower().replace(" ", "."))

    def in_sight(self, *all):
        """Without scrolling, on an ordinary screen."""
        self.settle()
        for one in all:
            expect(one).to_be_in_viewport(ratio=1)

    def test_AC_U_13_five_steps_lead_from_the_welcome_to_the_inbox(self):
        page = self.page
        text = lambda words: page.get_by_text(words, exact=True)
        step = lambda number: page.get_by_role("img", name=f"Step {number} of 5")
        self.in_sight(step(1), self.button("Continue"), text(
            "Your emails stay on your device. No servers. No tracking. No compromise."))
        self.assertNoViolations()
        self.to_accounts()
        self.in_sight(step(2), self.button("Next"))
        expect(self.button("Next")).to_be_disabled()
        self.assertNoViolations()
        self.add_account()
        self.in_sight(self.button("Next"))
        self.assertNoViolations()
        self.button("Next").click()
        expect(self.heading("Protect your data")).to_be_focused()
        self.in_sight(step(3), self.button("Next"), page.get_by_text(re.compile("LUKS|encrypted disk")), *map(text, (
            "Lock your computer", "Turn on app lock", "Encrypt your backups", "Keep your system up to date",
            "Review your accounts from time to time")))
        self.assertNoViolations()
        self.button("Next").click()
        self.in_sight(step(4), self.button(SKIP), text(STORAGE).filter(visible=True))
        self.assertNoViolations()
        self.button(SKIP).click()
        expect(self.heading("You're all set")).to_be_focused()
        self.in_sight(step(5), self.button("Go to Inbox"), *map(text, ("Swipe", "Categories", "Smart reply", "Search")))
        self.assertNoViolations()
        self.button("Go to Inbox").click()
        expect(page.get_by_role("img", name=re.compile("Step"))).to_have_count(0)
        preferences, = self.jmap(["Preferences/get", {"accountId": "program"}])
        self.assertTrue(preferences["list"][0]["isOnboardingComplete"])
        page.reload()
        expect(page.locator("main")).to_be_visible()
        expect(page.get_by_text("Welcome to mailkernel")).to_have_count(0)

    def test_every_step_leads_back(self):
        page, back = self.page, self.button("Back")
        expect(self.button("Continue")).to_be_visible()
        expect(back).to_have_count(0)
        self.to_accounts()
        page.get_by_role("button", name="Mail on this device").click()
        expect(page.get_by_label("Your name")).to_be_visible()
        # First back to the choice of a service.
        self.button("Cancel").click()
        expect(page.get_by_label("Your name")).to_have_count(0)
        page.get_by_role("button", name="Mail on this device").click()
        page.get_by_label("Your name").fill("Ada Back")
        self.button("Continue").click()
        expect(page.get_by_role("list", name="Added accounts")).to_contain_text("ada.back")
        for name in ("Next", "Next", SKIP):
            self.button(name).click()
        steps = page.get_by_role("img", name=re.compile("Step"))
        for step in (4, 3, 2, 1):
            back.click()
            expect(steps).to_have_attribute("aria-label", re.compile(f"Step {step} of"))
        self.assertNoViolations()
        # Nothing is asked or lost on the way there again.
        self.button("Continue").click()
        expect(page.get_by_role("list", name="Added accounts")).to_contain_text("ada.back")

    def test_AC_U_13_it_can_be_done_without_a_pointer(self):
        page = self.page
        began = time.monotonic()
        expect(self.button("Continue")).to_be_focused()
        page.keyboard.press("Enter")
        self.tab_to(page.locator("summary", has_text="Other ways to add an account"))
        page.keyboard.press("Enter")
        self.tab_to(page.get_by_role("button", name="Mail on this device"))
        page.keyboard.press("Enter")
        expect(page.get_by_label("Your name")).to_be_focused()
        page.keyboard.press("Enter")
        expect(self.button("Next")).to_be_enabled()
        for name in ("Next", "Next", SKIP, "Go to Inbox"):
            self.tab_to(self.button(name))
            page.keyboard.press("Enter")
        expect(page.get_by_role("img", name=re.compile("Step"))).to_have_count(0)
        # NFR-SET-03, PV-SO-02.
        self.assertLess(time.monotonic() - began, 120)

    def tab_to(self, target):
        for _ in range(30):
            if target.evaluate("(element) => element === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        self.fail("Tab does not lead there")

    def test_NFR_SET_02_nothing_is_clipped_on_small_screens_with_large_text(self):
        for size, scale in ((NARROW, 100), ({"width": 430, "height": 932}, 100), ({"width": 932, "height": 430}, 100),
                            ({"width": 320, "height": 640}, 310), ({"width": 1440, "height": 900}, 80)):
            with self.subTest(size=size, scale=scale):
                page = self.open("/", viewport=size)
                page.evaluate(f"document.documentElement.style.fontSize = '{scale}%'")
                self.walk(page, f"Ada {size['width']} {scale}", lambda: self.assertFits(page))

    def walk(self, page, name, look):
        expect(self.button("Continue", page)).to_be_visible()
        look()
        self.button("Continue", page).click()
        look()
        open_other_ways(page)
        expect(page.get_by_text("Mail on this device")).to_be_visible()
        look()
        page.get_by_role("button", name="Mail on this device").click()
        page.get_by_label("Your name").fill(name)
        look()
        self.button("Continue", page).click()
        expect(page.get_by_role("list", name="Added accounts")).to_contain_text(name.lower().replace(" ", "."))
        look()
        for button in ("Next", "Next", SKIP):
            self.button(button, page).click()
            look()

    def test_NFR_SET_02_steps_fade_instead_of_sliding_with_reduced_motion(self):
        name = "getComputedStyle(document.querySelector('.step')).animationName"
        expect(self.button("Continue")).to_be_visible()
        self.assertEqual(self.page.evaluate(name), "step-in")
        self.page.emulate_media(reduced_motion="reduce")
        self.assertEqual(self.page.evaluate(name), "step-fade")

    def test_NFR_SET_02_nothing_is_wrong_in_the_dark(self):
        page = self.open("/", color_scheme="dark")
        self.walk(page, "Ada Dark", lambda: self.assertNoViolations(page))

    # The error table. The program's sentences are tried in its own tests; here, that they are shown.

    def sign_in_fails(self, problem, reason="imap.example.com did not answer."):
        state = {"state": "failed", "problem": problem, "reason": reason}
        self.failing, self.is_mended = True, False

        def made(arguments, real):
            # Only what the user does shows the change: what the page asks for by itself meanwhile still fails.
            if self.is_mended:
                self.failing = False
            if not self.failing:
                return real
            for object in (real.get("created") or {}).values():
                object.update(state)
            if "update" in arguments:
                self.failing = False
            return real

        def got(arguments, real):
            for object in real["list"]:
                if self.failing:
                    object.update(state)
            return real

        Answers(self.page, {"SignIn/set": made, "SignIn/get": got})

    def test_E_SO_02_without_a_network_it_says_so_and_tries_again(self):
        self.retried("Network unavailable. Check your connection and try again.")

    def test_FR_OB_01_a_failed_authentication_can_be_tried_again(self):
        self.retried("Authentication failed. Please try again.")

    def test_E_SO_03_an_account_that_cannot_connect_is_not_added(self):
        self.retried("Couldn't connect to Gmail. Please check account permissions.")

    def retried(self, problem):
        self.to_accounts()
        self.sign_in_fails(problem)
        self.page.get_by_role("button", name="Mail on this device").click()
        expect(self.page.get_by_role("alert").get_by_text(problem)).to_be_visible()
        expect(self.button("Next")).to_have_count(0)
        self.assertNoViolations()
        self.is_mended = True
        self.button("Retry").click()
        expect(self.page.get_by_label("Your name")).to_be_visible()
        expect(self.page.get_by_role("img", name="Step 2 of 5")).to_be_visible()

    def test_E_SO_01_who_declines_in_the_browser_comes_back_to_the_accounts(self):
        self.to_accounts()
        self.sign_in_fails(None, None)
        self.page.get_by_role("button", name="Mail on this device").click()
        expect(self.page.get_by_role("button", name="Mail on this device")).to_be_visible()
        expect(self.page.get_by_role("alert").filter(has_text=re.compile("."))).to_have_count(0)
        expect(self.button("Next")).to_be_disabled()

    def test_FR_OB_01_the_service_opens_in_a_tab_of_its_own(self):
        self.to_accounts()
        place = f"http://{self.program.place}/icon.svg?state=1"

        def shown(arguments, real):
            for object in [*(real.get("created") or {}).values(), *real.get("list", [])]:
                object.update({"state": "browser", "url": place, "fields": None})
            return real

        Answers(self.page, {"SignIn/set": shown, "SignIn/get": shown})
        with self.page.context.expect_page() as opened:
            self.page.get_by_role("button", name="Mail on this device").click()
        self.assertEqual(opened.value.url, place)
        self.assertTrue(opened.value.evaluate("window.opener === null"))
        expect(self.page.get_by_text("in the new tab")).to_be_visible()
        expect(self.page.get_by_role("link", name="Open it again")).to_have_attribute("href", place)
        self.button("Cancel").click()
        expect(self.page.get_by_role("button", name="Mail on this device")).to_be_visible()

    def test_FR_ACCT_03_the_privacy_policy_and_the_plugin_s_help_are_read_before_anything_is_entered(self):
        self.to_accounts()

        def with_help(arguments, real):
            for setup in real["list"]:
                setup["helpUrl"] = "/icon.svg?help"
            return real

        Answers(self.page, {"AccountSetup/get": with_help})
        self.page.reload()
        about, = self.jmap(["About/get", {"accountId": "program", "properties": ["privacyPolicyUrl"]}])
        self.to_accounts()
        self.page.get_by_role("button", name="Mail on this device").click()
        expect(self.page.get_by_label("Your name")).to_be_visible()
        self.assertNoViolations()
        for name, place in (("Privacy policy", about["list"][0]["privacyPolicyUrl"]),
                            ("Where to find this information", "/icon.svg?help")):
            link = self.page.get_by_role("link", name=name)
            self.assertEqual(link.get_attribute("rel"), "noopener noreferrer")
            with self.page.context.expect_page() as opened:
                link.click()
            self.assertEqual(opened.value.url, urljoin(f"http://{self.program.place}", place))
            self.assertTrue(opened.value.evaluate("window.opener === null"))
        # Nothing of the form was lost by that.
        expect(self.page.get_by_label("Your name")).to_be_visible()

    def sign_ins(self):
        answer, = self.jmap(["SignIn/get", {"accountId": "program", "ids": None}])
        return answer["list"]

    def test_FR_OB_01_a_sign_in_that_was_left_before_it_had_begun_is_cancelled(self):
        self.to_accounts()
        held = []

        def hold(route):
            if "SignIn/set" in route.request.post_data and "create" in route.request.post_data:
                held.append(route)
            else:
                route.fallback()

        self.page.route("**/jmap/api", hold)
        self.page.get_by_role("button", name="Mail on this device").click()
        self.wait(lambda: held)
        self.button("Cancel").click()
        expect(self.page.get_by_role("button", name="Mail on this device")).to_be_visible()
        answer = repeated(held[0])
        self.assertEqual(len(self.sign_ins()), 1)
        held[0].fulfill(response=answer)
        self.wait(lambda: not self.sign_ins())

    def test_FR_OB_01_a_sign_in_that_ended_with_the_program_says_so_and_begins_again(self):
        self.allowed_errors = ("Failed to load resource", "ERR_")
        self.to_accounts()
        self.page.get_by_role("button", name="Mail on this device").click()
        self.page.get_by_label("Your name").fill("Ada Lovelace")
        self.again(signal.SIGKILL)
        # The browser that was signed in before is so still, and finds the program by itself.
        expect(self.page.get_by_role("alert").get_by_text("mailkernel was restarted")).to_be_visible(
            timeout=60_000)
        self.assertNoViolations()
        self.button("Start again").click()
        self.page.get_by_label("Your name").fill("Ada Lovelace")
        self.button("Continue").click()
        expect(self.page.get_by_role("list", name="Added accounts")).to_contain_text("ada.lovelace")

    def test_FR_OB_01_a_wrong_answer_is_said_beside_its_field(self):
        self.to_accounts()
        self.page.get_by_role("button", name="Mail on this device").click()
        self.page.get_by_label("Your name").fill("")
        self.button("Continue").click()
        field = self.page.get_by_label("Your name")
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_have_accessible_description(re.compile("Please fill in"))
        expect(field).to_be_focused()
        self.assertNoViolations()

    def test_FR_OB_01_the_demo_mailbox_brings_two_accounts_at_once(self):
        self.to_accounts()
        self.page.get_by_role("button", name="Try a demo mailbox").click()
        expect(self.page.get_by_role("list", name="Added accounts").get_by_role("listitem")).to_have_count(2)

    # Left midway, or nothing left.

    def test_E_SO_06_killed_midway_it_begins_anew_and_keeps_what_was_added(self):
        self.allowed_errors = ("Failed to load resource", "ERR_")
        self.to_accounts()
        self.add_account()
        self.button("Next").click()
        self.again(signal.SIGKILL)
        page = self.open("/")
        expect(self.heading("Welcome to mailkernel", page)).to_be_visible()
        self.button("Continue", page).click()
        expect(page.get_by_role("list", name="Added accounts")).to_contain_text("ada.lovelace")
        expect(self.button("Next", page)).to_be_enabled()

    def test_E_SO_08_E_SO_20_without_any_account_it_comes_again(self):
        account = self.add_local_account()
        self.jmap(["Preferences/set", {"accountId": "program",
                                       "update": {"singleton": {"isOnboardingComplete": True}}}])
        expect(self.page.get_by_text("Welcome to mailkernel")).to_have_count(0)
        self.jmap(["AccountSettings/set", {"accountId": "program", "destroy": [account]}])
        expect(self.heading("Welcome to mailkernel")).to_be_visible()


MODEL = {
    "id": "m1", "pluginId": "org.mailkernel.mock.models", "name": "Little Helper", "purpose": "Sorts, replies, sums up.",
    "abilities": ["classify", "generate"], "sourceUrl": "https://models.example/little-helper.gguf",
    "size": 812_000_000, "sha256": "0" * 64, "license": "Apache-2.0", "licenseText": "The license in full.",
    "memoryNeeded": 1_600_000_000, "status": "notDownloaded", "received": None, "bytesPerSecond": None,
    "secondsLeft": None, "problem": None, "reason": None, "usedFor": [],
}


class ModelStep(FreshTest):
    """FR-OB-01 step 4: the model."""

    def setUp(self):
        super().setUp()
        self.add_local_account()
        self.model = dict(MODEL)
        self.after_start = {"status": "downloading", "received": 203_000_000, "bytesPerSecond": 4_000_000,
                            "secondsLeft": 152}

        def change(arguments, real):
            wanted = arguments["update"]["m1"]["status"]
            self.model.update({**MODEL, "received": 203_000_000} if wanted == "paused" else self.after_start)
            return {"accountId": "program", "updated": {"m1": None}, "oldState": "0", "newState": "1"}

        self.answers = Answers(self.page, {
            "Model/get": lambda arguments, real: {"accountId": "program", "list": [self.model], "state": "0"},
            "Model/set": change,
        }, capabilities=["urn:mailkernel:models"])
        self.page.reload()
        for name in ("Continue", "Next", "Next"):
            self.button(name).click()
        self.card = self.page.get_by_role("region", name="Little Helper")

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def test_AC_U_13_source_size_and_license_come_before_the_download(self):
        for fact in ("https://models.example/little-helper.gguf", "812 MB", "Apache-2.0", "Not downloaded"):
            expect(self.card.get_by_text(fact, exact=True)).to_be_visible()
        self.card.get_by_text("Read the license").click()
        expect(self.card.get_by_text("The license in full.")).to_be_visible()
        self.assertNoViolations()
        self.assertEqual([name for name, _ in self.answers.calls if name == "Model/set"], [])
        expect(self.button(SKIP)).to_be_visible()

    def test_FR_OB_01_the_storage_needed_is_in_sight_at_both_choices(self):
        page = self.page
        for size, scale in ((WIDE, 100), (NARROW, 100), ({"width": 932, "height": 430}, 100), (NARROW, 200),
                            ({"width": 320, "height": 640}, 310)):
            with self.subTest(size=size, scale=scale):
                page.set_viewport_size(size)
                page.evaluate(f"document.documentElement.style.fontSize = '{scale}%'")
                notes = page.get_by_text(STORAGE).filter(visible=True)
                self.button(SKIP).evaluate("(button) => button.scrollIntoView({block: 'end'})")
                expect(notes.last).to_be_in_viewport()
                if scale == 100:
                    page.evaluate("scrollTo(0, 0)")
                    expect(notes.first).to_be_in_viewport(ratio=1)
        # Where the text is largest, the note ends where the button for the download begins.
        note = self.card.get_by_text(STORAGE).bounding_box()
        button = self.button("Download (812 MB)").bounding_box()
        self.assertLess(note["y"] + note["height"], button["y"])
        self.assertLess(button["y"] - note["y"] - note["height"], 100)

    def test_FR_OB_01_a_list_of_models_that_cannot_be_loaded_can_be_tried_again(self):
        listed = self.answers.answers["Model/get"]
        self.answers.answers["Model/get"] = lambda arguments, real: {
            "type": "serverFail", "description": "The store was busy."}
        self.page.reload()
        for name in ("Continue", "Next", "Next"):
            self.button(name).click()
        expect(self.page.get_by_text("The store was busy.")).to_be_visible()
        expect(self.button(SKIP)).to_be_visible()
        self.answers.answers["Model/get"] = listed
        # News of models has the page ask again by itself.
        with suppress(Error):
            self.button("Try again").click(timeout=5000)
        expect(self.card).to_be_visible()

    def test_NFR_SET_02_what_has_the_focus_is_above_the_way_on(self):
        self.page.set_viewport_size({"width": 360, "height": 2000})
        download = self.button("Download (812 MB)")
        box = download.bounding_box()
        # As high as the button is far down: the buttons at the bottom lie on it.
        self.page.set_viewport_size({"width": 360, "height": round(box["y"] + box["height"]) + 8})
        download.focus()
        self.assertTrue(download.evaluate("""(button) => {
            const {x, y, width, height} = button.getBoundingClientRect();
            return button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
        }"""))

    def test_FR_OB_01_a_download_shows_its_progress_and_can_be_cancelled(self):
        self.button("Download (812 MB)").click()
        expect(self.card.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "25")
        expect(self.card.get_by_text("203 MB of 812 MB, 4 MB a second, about 3 minutes left")).to_be_visible()
        expect(self.button("Continue while downloading")).to_be_visible()
        self.assertNoViolations()
        self.button("Cancel download").click()
        expect(self.card.get_by_text("Not downloaded")).to_be_visible()
        expect(self.card.get_by_text("203 MB of 812 MB downloaded.")).to_be_visible()
        expect(self.button("Continue")).to_be_visible()
        expect(self.button(SKIP)).to_be_visible()

    def test_E_SO_04_without_a_network_the_download_can_be_skipped(self):
        self.fails("Download failed. Please retry.", shown="Download failed. You can download later in Settings.",
                   is_failed_download=True)

    def test_E_SO_05_a_file_that_is_not_the_right_one_can_be_fetched_again(self):
        self.fails("Download verification failed. Please retry.")

    def fails(self, problem, shown=None, is_failed_download=False):
        self.after_start = {"problem": problem, "reason": "models.example did not answer.",
                            "isFailedDownload": is_failed_download}
        self.button("Download (812 MB)").click()
        expect(self.card.get_by_text(shown or problem)).to_be_visible()
        expect(self.button("Retry")).to_be_visible()
        expect(self.button(SKIP)).to_be_visible()
        self.assertNoViolations()


if __name__ == "__main__":
    unittest.main()
