"""What the page says and keeps while the program cannot be reached, and when it comes back."""

import json
import re
import signal
import time
from datetime import datetime, timedelta, timezone

from fresh import Answers
from room import expect
from test_composer import ComposerTest

UNKNOWN = "It is unknown whether your message was sent."
#: What a browser writes when there is no answer.
REFUSED = ("Failed to load resource", "ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_EMPTY", "401", "423")


class Gone(ComposerTest):
    allowed_errors = REFUSED

    def end(self, how=signal.SIGKILL):
        self.port = self.program.port
        self.program.stop(how)
        expect(self.page.get_by_text("mailkernel is not responding.").first).to_be_visible()

    def begin(self):
        self.program.start(self.port)
        self.begin_again()

    def begin_again(self):
        # The browser pauses before it looks again.
        expect(self.page.get_by_text("mailkernel is not responding.")).to_have_count(0, timeout=60_000)

    def test_FR_COMP_02_what_is_in_its_undo_window_when_the_program_ends_is_unknown_and_then_not_sent(self):
        self.undo_delay(30)
        composer = self.open_new()
        self.write(composer, subject="Cut off")
        self.page.keyboard.press("Control+Enter")
        expect(self.page.locator(".toast").get_by_role("button", name="Undo")).to_be_visible()
        self.end()
        toast = self.page.get_by_role("status").filter(has_text=UNKNOWN)
        expect(toast).to_be_visible()
        self.assertNoViolations()
        for untrue in ("Your message will be sent", "Sending…"):
            expect(self.page.get_by_text(untrue)).to_have_count(0)
        expect(self.page.locator(".toast").get_by_role("button", name="Undo")).to_have_count(0)
        self.begin()
        told = self.page.get_by_role("status").filter(has_text="Your message was not sent. It is in Drafts.")
        expect(told).to_be_visible()
        expect(toast).to_have_count(0)
        told.get_by_role("button", name="Open").click()
        expect(composer.get_by_label("Subject")).to_have_value("Cut off")
        self.assertBody(composer, "Shall we?")

    def test_FR_COMP_01_of_what_was_typed_a_kill_takes_the_last_second(self):
        composer = self.open_new()
        self.write(composer, subject="To the last word", body="")
        composer.get_by_label("Message", exact=True).focus()
        typed = []
        for number in range(40):
            self.page.keyboard.type(f"word{number} ", delay=10)
            typed.append(time.monotonic())
        killed = time.monotonic()
        self.end()
        # The page still has the text, which would go with the power as well.
        self.page.route("**/jmap/api", lambda route: route.abort())
        self.program.start(self.port)
        answer, = self.jmap(["Draft/get", {"accountId": self.mira}], page=self.open("/"))
        kept, = (one["body"] for one in answer["list"] if one["subject"] == "To the last word")
        self.page.unroute("**/jmap/api")
        # One second between two savings, and one for the busiest machine to carry one out.
        last = max(number for number, when in enumerate(typed) if when < killed - 2)
        self.assertIn(f"word{last} ", f"{kept} ")
        self.begin_again()

    def test_FR_COMP_02_a_page_that_is_loaded_again_shows_the_countdown_and_undo(self):
        self.undo_delay(30)
        composer = self.open_new()
        self.write(composer, subject="Loaded again")
        self.page.keyboard.press("Control+Enter")
        expect(self.page.locator(".toast").get_by_role("button", name="Undo")).to_be_visible()
        self.page.reload()
        toast = self.page.get_by_role("status").filter(has_text="Your message will be sent")
        expect(toast.locator(".toast-countdown")).to_be_visible()
        toast.get_by_role("button", name="Undo").click()
        expect(composer.get_by_label("Subject")).to_have_value("Loaded again")
        self.wait(lambda: self.draft("Loaded again"))

    def test_FR_COMP_02_a_page_that_opens_shows_what_waits_for_the_network_and_undo(self):
        self.undo_delay(30)
        composer = self.open_new()
        self.write(composer, subject="Offline")
        self.page.keyboard.press("Control+Enter")
        expect(self.page.locator(".toast").get_by_role("button", name="Undo")).to_be_visible()

        def offline(arguments, real):
            for one in real["list"]:
                if one["undoStatus"] == "pending":
                    one.update({"undoStatus": "final", "failure": "There is no connection."})
            return real

        answers = Answers(self.page, {"EmailSubmission/get": offline})
        self.page.reload()
        toast = self.page.get_by_role("status").filter(
            has_text="There is no connection. Your message is waiting in the Outbox.")
        expect(toast).to_be_visible()
        answers.answers.clear()
        toast.get_by_role("button", name="Undo").click()
        expect(composer.get_by_label("Subject")).to_have_value("Offline")

    def test_FR_COMP_02_a_page_that_was_closed_for_a_while_shows_the_countdown_and_no_notice(self):
        self.undo_delay(30)
        composer = self.open_new()
        self.write(composer, subject="Closed")
        self.page.keyboard.press("Control+Enter")
        # Not that of the editor, which is there until the message is on its way.
        expect(self.page.locator(".toast").get_by_role("button", name="Undo")).to_be_visible()
        self.page.goto("about:blank")
        self.wait(lambda: self.submission()["isPaused"])
        self.page.goto("/")
        expect(self.page.locator(".toast").get_by_role("button", name="Undo")).to_be_visible()
        expect(self.page.get_by_text("once mailkernel is open again")).to_have_count(0)
        self.page.locator(".toast").get_by_role("button", name="Undo").click()
        expect(composer.get_by_label("Subject")).to_have_value("Closed")

    def submission(self):
        """The message that was sent last, as a program without a window asks for it."""
        body = {"using": ["urn:ietf:params:jmap:core", "urn:ietf:params:jmap:submission"], "methodCalls": [
            ["EmailSubmission/query", {"accountId": self.mira, "filter": {"undoStatus": "pending"}}, "0"],
            ["EmailSubmission/get", {"accountId": self.mira, "#ids": {
                "resultOf": "0", "name": "EmailSubmission/query", "path": "/ids"}}, "1"]]}
        answer = self.page.context.request.post(
            f"http://{self.program.place}/jmap/api", data=body, headers={"Sec-Fetch-Site": "same-origin"}).json()
        return answer["methodResponses"][1][1]["list"][0]

    def test_FR_COMP_02_what_was_in_its_undo_window_when_the_program_was_killed_is_told_by_the_next_page(self):
        self.undo_delay(30)
        composer = self.open_new()
        self.write(composer, subject="Killed")
        self.page.keyboard.press("Control+Enter")
        # Not that of the editor, which is there until the message is on its way.
        expect(self.page.locator(".toast").get_by_role("button", name="Undo")).to_be_visible()
        self.page.goto("about:blank")
        port = self.program.port
        self.program.stop(signal.SIGKILL)
        self.program.start(port)
        self.page.goto("/")
        told = self.page.get_by_role("status").filter(has_text="Your message was not sent. It is in Drafts.")
        expect(told).to_have_count(1)
        self.assertNoViolations()
        told.get_by_role("button", name="Open").click()
        expect(composer.get_by_label("Subject")).to_have_value("Killed")

    def test_FR_COMP_02_what_was_sent_before_the_program_ended_is_told_when_it_is_back(self):
        self.undo_delay(30)
        composer = self.open_new()
        self.write(composer, subject="Just in time")
        self.page.keyboard.press("Control+Enter")
        expect(self.page.locator(".toast").get_by_role("button", name="Undo")).to_be_visible()
        self.end()

        def sent(arguments, real):
            for one in real["list"]:
                one.update({"sendState": "sent", "undoStatus": "final"})
            return real

        Answers(self.page, {"EmailSubmission/get": sent})
        self.listen()
        self.begin()
        self.assertTold("Message sent")
        expect(self.page.get_by_text(UNKNOWN)).to_have_count(0)

    def test_FR_COMP_02_the_outbox_knows_nothing_of_a_message_while_the_program_is_gone(self):
        self.undo_delay(30)
        composer = self.open_new()
        self.write(composer, subject="In between")

        def sending(arguments, real):
            for one in real["list"]:
                if one["undoStatus"] == "pending":
                    one.update({"sendState": "sending", "undoStatus": "final"})
            return real

        answers = Answers(self.page, {"EmailSubmission/get": sending})
        self.page.keyboard.press("Control+Enter")
        self.page.get_by_role("link", name=re.compile("^Outbox, 1 message")).click()
        item = self.page.get_by_role("list", name="Messages to be sent").get_by_role("listitem").first
        expect(item).to_contain_text("Sending…")
        self.end()
        expect(item).to_contain_text("The result will be known once mailkernel responds.")
        expect(self.page.get_by_text("Sending…")).to_have_count(0)
        self.assertNoViolations()
        answers.answers.clear()
        self.begin()
        expect(self.page.get_by_text("The Outbox is empty")).to_be_visible()
        # The program tells it once; told to the next page, it would stand beside that page's own.
        expect(self.page.get_by_role("status").filter(has_text="It is in Drafts.")).to_be_visible()
        self.wait(lambda: self.jmap(["Notice/get", {"accountId": "program"}])[0]["list"] == [])

    def test_FR_COMP_02_an_answer_that_got_lost_leaves_the_message_open_until_it_is_known(self):
        self.undo_delay(30)
        composer = self.open_new()
        self.write(composer, subject="Did it go")
        self.page.keyboard.press("Control+s")
        self.wait(lambda: self.draft("Did it go"))
        lost = []

        def lose(route):
            if lost or "Draft/send" not in route.request.post_data:
                return route.fallback()
            # The program has it, and its answer is lost.
            lost.append(route.fetch(headers={**route.request.headers, "sec-fetch-site": "same-origin"}).status)
            route.abort("connectionreset")

        self.page.route("**/jmap/api", lose)
        composer.get_by_role("button", name="Send", exact=True).click()
        expect(self.page.get_by_role("status").filter(has_text=UNKNOWN)).to_be_visible()
        self.assertEqual(lost, [200])
        expect(composer.get_by_role("button", name="Send", exact=True)).to_be_disabled()
        # The program is there, and says that it is on its way.
        expect(composer).to_have_count(0)
        self.page.locator(".toast").get_by_role("button", name="Undo").click()
        expect(composer.get_by_label("Subject")).to_have_value("Did it go")

    def test_FR_COMP_02_while_a_message_can_be_taken_back_that_is_offered(self):
        """The undo window stands still while no window of the page is looked at."""
        self.undo_delay(10)
        composer = self.open_new()
        self.write(composer, subject="Not yet")
        asked = []

        def later(arguments, real):
            asked.append(arguments)
            for one in real["list"]:
                at = datetime.now(timezone.utc) + timedelta(seconds=28)
                one.update({"sendState": "queued", "undoStatus": "pending", "failure": None,
                            "sendAt": f"{at:%Y-%m-%dT%H:%M:%SZ}"})
            return real

        Answers(self.page, {"EmailSubmission/get": later})
        self.page.keyboard.press("Control+Enter")
        toast = self.page.get_by_role("status").filter(has_text="Your message will be sent")
        bar = toast.locator(".toast-countdown")
        expect(bar).to_have_css("animation-duration", "10s")
        # The ten seconds are over, and the program says that more are left.
        expect(bar).to_have_css("animation-duration", re.compile(r"^(1\d\.|2)"))
        expect(self.page.locator(".toast").get_by_role("button", name="Undo")).to_be_visible()
        self.assertTrue(asked)

    def test_NFR_COMP_01_what_is_written_while_the_program_is_gone_is_kept_as_soon_as_it_is_back(self):
        composer = self.open_new()
        self.end()
        composer.get_by_label("Subject").fill("Written alone")
        expect(composer.get_by_text("The draft could not be saved.")).to_be_visible()
        composer.get_by_label("Message", exact=True).fill("Nobody listens")
        self.begin()
        self.wait(lambda: (self.draft("Written alone") or {}).get("body") == "Nobody listens")
        expect(composer.get_by_text("The draft could not be saved.")).to_have_count(0)
        self.assertEqual(len([one for one in self.drafts() if one["subject"] == "Written alone"]), 1)

    def test_NFR_COMP_01_what_is_written_when_the_session_ends_is_there_after_the_next_sign_in(self):
        for path in ("/", "/#/compose/new"):
            with self.subTest(path):
                page = self.open(path)
                composer = self.composer(page) if "compose" in path else self.open_new(page)
                composer.get_by_label("Subject").fill("First words")
                self.wait(lambda: self.draft("First words"))
                expect(composer.get_by_role("status").filter(has_text="Saved")).to_be_visible()
                # More than was saved before the lock.
                composer.get_by_label("Message", exact=True).fill("Last words")
                page.context.clear_cookies()
                page.keyboard.press("Control+s")
                expect(page.get_by_role("heading", name="This browser is not signed in")).to_be_visible()
                expect(page.get_by_text("Your unsaved text is kept in this window")).to_be_visible()
                self.assertNoViolations(page)
                page.context.request.get(self.program.new_link())
                page.evaluate("dispatchEvent(new Event('focus'))")
                self.assertBody(composer, "Last words")
                self.wait(lambda: (self.draft("First words") or {}).get("body") == "Last words")
                composer.get_by_role("button", name="Delete draft").click()
                page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
                self.wait(lambda: not self.draft("First words"))
                page.context.close()

    def test_NFR_COMP_01_what_is_written_when_the_program_locks_is_there_after_it_is_unlocked(self):
        page = self.open("/#/compose/new")
        composer = self.composer(page)
        composer.get_by_label("Subject").fill("Before the lock")
        self.wait(lambda: self.draft("Before the lock"))
        expect(composer.get_by_role("status").filter(has_text="Saved")).to_be_visible()
        composer.get_by_label("Message", exact=True).fill("Behind the lock")
        is_locked = [True]

        def refuse(route):
            if not is_locked:
                return route.fallback()
            route.fulfill(status=423, content_type="application/problem+json", body=json.dumps(
                {"type": "urn:mailkernel:error:locked", "status": 423, "detail": "mailkernel is locked."}))

        page.route("**/jmap/**", refuse)
        page.route("**/unlock", lambda route: (is_locked.clear(), route.fulfill(json={"isLocked": False})))
        page.keyboard.press("Control+s")
        expect(page.get_by_role("heading", name="mailkernel is locked")).to_be_visible()
        expect(composer).to_have_count(0)
        page.get_by_label("Login password").fill("right")
        page.get_by_role("button", name="Unlock").click()
        self.assertBody(composer, "Behind the lock")
        self.wait(lambda: (self.draft("Before the lock") or {}).get("body") == "Behind the lock")
