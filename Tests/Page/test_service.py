"""A real mail service, Dovecot on loopback, from the first steps to mail that is read, starred and sent."""

import datetime
import imaplib
import re
import signal
import time
import unittest
from pathlib import Path

from imap_service import ADDRESS, PASSWORD, ServiceTest
from room import expect


class Service(ServiceTest):
    """FR-ACCT-01, FR-OB-01: an account of a service that the person knows the servers of."""

    def test_E_SO_03_a_wrong_password_and_a_server_that_is_not_there_are_told_apart(self):
        self.to_the_form()
        self.fill_in(password="not the password")
        alert = self.page.get_by_role("alert").filter(has_text=re.compile(r"\S"))
        expect(alert).to_contain_text("Couldn't connect to your mail server. Please check account permissions.")
        expect(alert).to_contain_text("Authentication failed")
        self.assertNoViolations()
        self.button("Retry").click()
        # The password is asked for again, and what else was entered is still there.
        expect(self.page.get_by_label("Mail address")).to_have_value(ADDRESS)
        self.page.get_by_label("Password", exact=True).fill(PASSWORD)
        self.button("Continue").click()
        expect(self.page.get_by_label("Incoming server")).to_have_value("localhost")
        # Port 1 of this computer: nothing listens there.
        self.servers(receiving=1)
        expect(alert).to_contain_text("localhost does not respond: no server responded on port 1.")
        expect(alert).not_to_contain_text("permissions")
        self.button("Retry").click()
        expect(self.page.get_by_label("Incoming port")).to_have_value("1")
        self.servers()
        expect(self.page.get_by_role("list", name="Added accounts")).to_contain_text(ADDRESS)

    def test_FR_SYNC_03_mail_is_there_a_star_of_another_program_shows_at_once_and_an_answer_arrives(self):
        self.service.deliver("Analytical engine", "Shall we meet at seven?")
        self.to_the_form()
        self.fill_in()
        self.to_the_inbox()
        row = self.row("Analytical engine").first
        expect(row).to_be_visible()
        expect(self.page.locator(".sync-account")).to_have_count(0)

        # NFR-SYNC: while the service is listened to, news come within moments.
        with self.service.client() as other:
            other.select("INBOX")
            began = time.monotonic()
            other.store("1", "+FLAGS", "\\Flagged")
            expect(row).to_have_attribute("aria-label", re.compile("starred"))
            print(f"a star of another program was seen after {time.monotonic() - began:.2f} s")
            other.store("1", "-FLAGS", "\\Flagged")
            expect(row).not_to_have_attribute("aria-label", re.compile("starred"))
        self.service.deliver("Letter", sender="Grace <grace@example.test>")
        expect(self.row("Letter")).to_be_visible()
        # Few words and what is done with them have room in one line.
        told = self.page.locator(".toast").filter(has_text="Grace: Letter")
        tops = told.evaluate("(toast) => [...toast.children].map((child) => {"
                             "const box = child.getBoundingClientRect(); return box.top + box.height / 2; })")
        self.assertLess(max(tops) - min(tops), 4, tops)

        row.click()
        body = self.page.frame_locator(".mail-frame >> nth=-1").locator("body")
        expect(body).to_contain_text("Shall we meet at seven?")
        self.wait(lambda: self.flags_of_the_first() >= {"\\Seen"})
        self.button("Reply").click()
        composer = self.page.locator(".composer").first
        expect(composer.get_by_label("Subject")).to_have_value("Re: Analytical engine")
        expect(composer.get_by_label("Message", exact=True)).to_be_focused()
        self.page.keyboard.type("Yes, at seven.")
        composer.get_by_role("button", name="Send", exact=True).click()
        expect(self.page.get_by_role("status").get_by_text("Message sent")).to_be_visible()
        sent = self.wait(lambda: self.service.messages("INBOX", "grace@example.test"))
        self.assertEqual(sent[-1]["Subject"], "Re: Analytical engine")
        self.assertIn("Yes, at seven.", str(sent[-1]))
        # One copy among sent mail, there and here.
        self.wait(lambda: len(self.service.messages("Sent")) == 1)
        self.page.get_by_role("link", name="Sent").first.click()
        expect(self.row("Re: Analytical engine")).to_have_count(1)

    def test_FR_SYNC_07_the_words_of_a_refusal_stay_with_the_draft(self):
        self.to_the_form()
        self.fill_in()
        self.to_the_inbox()
        self.jmap(["Preferences/set", {"accountId": "program", "update": {"singleton": {"undoSendDelaySeconds": 0}}}])
        # Whether an account can send is known after its first sync.
        expect(self.page.locator(".row").first).to_be_visible()
        self.button("New message").click()
        composer = self.page.locator(".composer").first
        composer.get_by_label("To", exact=True).fill("nobody@example.test")
        composer.get_by_label("Subject").fill("Refused")
        composer.get_by_label("Message", exact=True).fill("Are you there?")
        composer.get_by_role("button", name="Send", exact=True).click()
        toast = self.page.get_by_role("alert").filter(has_text="Couldn't send message. Tap to retry.")
        expect(toast).to_contain_text("There is no such user")
        toast.get_by_role("button", name="Edit").click()
        note = composer.locator(".composer-note")
        expect(note).to_contain_text("This message was not sent.")
        expect(note).to_contain_text("There is no such user")
        # A page that is loaded again finds the draft in Drafts, and still says why it is there.
        composer.get_by_role("button", name="Close").click()
        expect(composer).to_have_count(0)
        self.page.goto("/#/mail/all/drafts")
        self.page.reload()
        self.row("Refused").click()
        self.assertBody(composer, "Are you there?")
        expect(note).to_contain_text("There is no such user")

    def test_ORG_57_a_scheduled_message_is_handed_over_to_a_service_that_holds_it(self):
        page = self.page
        self.service.deliver("Are you free on Tuesday?")
        self.to_the_form()
        self.fill_in()
        self.to_the_inbox()
        expect(page.locator(".row").first).to_be_visible()
        self.button("New message").click()
        composer = page.locator(".composer").first
        composer.get_by_label("To", exact=True).fill("grace@example.test")
        composer.get_by_label("Subject").fill("On Tuesday")
        composer.get_by_label("Message", exact=True).fill("I am.")
        composer.get_by_role("button", name="Send later").click()
        dialog = page.get_by_role("dialog", name="Send later")
        service = dialog.get_by_role("radio", name=re.compile("^The mail service of "))
        expect(service).to_be_checked()
        dialog.get_by_role("radio", name="This computer").check()
        asked = time.time()
        dialog.get_by_label("When", exact=True).fill("in 3 hours")
        expect(dialog.get_by_text(re.compile(", from this computer$")).first).to_be_visible()
        page.keyboard.press("Enter")
        page.locator(".toast").get_by_role("button", name="Show").click()
        hand_over = self.button("Let the service send it")
        hand_over.click()
        question = page.get_by_role("alertdialog", name="Let the service send this message?")
        expect(question).to_contain_text("it can’t be changed or stopped here")
        self.assertNoViolations()
        question.get_by_role("button", name="Let the service send it").click()
        item = page.get_by_role("list", name="Scheduled messages").get_by_role("listitem")
        expect(item).to_contain_text("The service sends it")
        held = Path(self.service.place["folder"]) / "held"
        times = lambda: [datetime.datetime.fromisoformat(line.split()[0]).timestamp()
                         for line in held.read_text().splitlines() if "grace@example.test" in line]
        self.wait(lambda: held.exists() and any(abs(at - asked - 3 * 3600) < 120 for at in times()))
        self.wait(lambda: "On Tuesday" in [one["Subject"] for one in self.service.messages("Sent")])
        self.assertNotIn("On Tuesday", [one["Subject"] for one in self.service.messages("INBOX", "grace@example.test")])

    def test_ORG_84_the_picker_says_who_sends_it_and_what_the_service_has_is_listed(self):
        page = self.page
        self.service.deliver("Are you free on Wednesday?")
        self.to_the_form()
        self.fill_in()
        self.to_the_inbox()
        expect(page.locator(".row").first).to_be_visible()
        self.button("New message").click()
        composer = page.locator(".composer").first
        composer.get_by_label("To", exact=True).fill("grace@example.test")
        composer.get_by_label("Subject").fill("On Wednesday")
        composer.get_by_label("Message", exact=True).fill("I am.")
        composer.get_by_role("button", name="Send later").click()
        dialog = page.get_by_role("dialog", name="Send later")
        # This service holds messages for a week.
        expect(dialog.get_by_role("radio", name=re.compile("^The mail service of "))).to_be_checked()
        expect(dialog.get_by_text("can’t be changed or stopped once the time to undo is over")).to_be_visible()
        when = dialog.get_by_label("When", exact=True)
        when.fill("in 8 days")
        expect(dialog.get_by_role("status").first).to_contain_text("from this computer")
        when.fill("in 5 hours")
        expect(dialog.get_by_role("status").first).to_contain_text("by the mail service")
        self.assertNoViolations()
        page.keyboard.press("Enter")
        expect(composer).to_have_count(0)
        # Until then it can be undone.
        expect(page.locator(".toast").filter(has_text="The mail service will send your message")).to_be_visible()
        toast = page.locator(".toast").filter(has_text="The mail service sends the message")
        expect(toast).to_be_visible()
        toast.get_by_role("button", name="Show").click()
        item = page.get_by_role("list", name="Scheduled messages").get_by_role("listitem").filter(has_text="On Wednesday")
        expect(item).to_contain_text(re.compile("The service sends it (today|tomorrow) at"))
        expect(item).to_contain_text("It can’t be changed or stopped here.")
        expect(item.get_by_role("button")).to_have_count(0)
        self.assertNoViolations()
        page.reload()
        expect(item).to_contain_text("On Wednesday")
        self.assertNotIn("On Wednesday", [one["Subject"] for one in self.service.messages("INBOX", "grace@example.test")])

    def test_FR_COMP_01_a_draft_keeps_its_formatting_there_and_after_another_program_changed_it(self):
        self.addCleanup(self.service.empty)
        self.addCleanup(self.service.empty, "Drafts")
        self.service.deliver("Any letter")
        self.to_the_form()
        self.fill_in()
        self.to_the_inbox()
        expect(self.row("Any letter").first).to_be_visible()
        self.button("New message").click()
        composer = self.page.locator(".composer").first
        composer.get_by_label("To", exact=True).fill("grace@example.test")
        composer.get_by_label("Subject").fill("Plans")
        body = composer.get_by_label("Message", exact=True)
        body.click()
        self.page.keyboard.type("Bring ")
        self.page.keyboard.press("Control+b")
        self.page.keyboard.type("both cards")
        self.page.keyboard.press("Control+b")
        self.page.keyboard.type(" please.")
        composer.get_by_role("button", name="Close", exact=True).click()
        draft, = self.wait(lambda: self.drafts(containing="both cards"))
        self.assertIn("<b>both cards</b>", self.html_of(draft))

        # The other program writes its own version, and removes ours.
        text, html = draft.get_payload()
        text.set_payload("Bring both cards today.\n")
        html.set_payload(self.html_of(draft).replace("please", "<i>today</i>"))
        with self.service.client() as other:
            other.append("Drafts", "(\\Draft \\Seen)", None, draft.as_bytes())
            other.select("Drafts")
            other.store("1", "+FLAGS", "\\Deleted")
            other.expunge()
        self.page.goto("/#/mail/all/drafts")
        row = self.row("Plans")
        expect(row).to_be_visible()
        self.button("Refresh").click()
        expect(row).to_contain_text("today")
        expect(row).to_have_count(1)
        row.click()
        expect(body.locator("b")).to_have_text("both cards")
        expect(body.locator("i")).to_have_text("today")
        body.click()
        self.page.keyboard.press("Control+End")
        self.page.keyboard.type(" At seven.")
        composer.get_by_role("button", name="Close", exact=True).click()
        draft, = self.wait(lambda: self.drafts(containing="At seven."))
        for kept in ("<b>both cards</b>", "<i>today</i>", "At seven."):
            self.assertIn(kept, self.html_of(draft))
        self.wait(lambda: len(self.service.messages("Drafts")) == 1)
        expect(row).to_have_count(1)

    def html_of(self, message):
        return next((part.get_payload(decode=True).decode() for part in message.walk()
                     if part.get_content_type() == "text/html"), "")

    def drafts(self, containing):
        return [message for message in self.service.messages("Drafts") if containing in self.html_of(message)]

    def test_ORG_02_the_mail_of_a_deleted_folder_is_in_trash_also_what_only_the_server_had(self):
        page = self.page
        self.addCleanup(self.service.empty)
        self.service.deliver("Invoice")
        self.to_the_form()
        self.fill_in()
        self.to_the_inbox()
        folders = page.get_by_role("navigation", name="Folders")
        # ORG-05: where there are folders, mail is moved, and there are no labels.
        self.row("Invoice").first.click(button="right")
        expect(page.get_by_role("menuitem", name="Label")).to_have_count(0)
        page.get_by_role("menuitem", name="Move to folder").click()
        page.keyboard.type("Receipts")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Conversation moved to Receipts")).to_be_visible()
        self.wait(lambda: len(self.service.messages("Receipts")) == 1)
        # ORG-01: what the server does not take is said, and not kept.
        folders.get_by_role("button", name="New folder").click()
        page.keyboard.type("Paid/unpaid")
        page.keyboard.press("Enter")
        refused = page.get_by_role("alert").filter(has_text="A folder could not be created")
        expect(refused).to_contain_text("The server does not support this mailbox name here.")
        expect(folders.get_by_role("link", name="Paid/unpaid")).to_have_count(0)
        with self.service.client() as other:
            other.append("Receipts", None, imaplib.Time2Internaldate(time.time() - 400 * 86_400),
                         b"Subject: Long ago\r\nMessage-ID: <old@example.test>\r\n\r\nPaid.\r\n")
        folders.get_by_role("link", name="Receipts").click(button="right")
        page.get_by_role("menuitem", name="Delete folder").click()
        question = page.get_by_role("alertdialog", name="Delete the folder “Receipts”?")
        expect(question).to_contain_text("1 message in it moves to Trash. "
                                         "Older mail that is only on the server moves to Trash as well.")
        question.get_by_role("button", name="Delete").click()
        expect(page.get_by_text("“Receipts” deleted")).to_be_visible()
        self.wait(lambda: {one["Subject"] for one in self.service.messages("Trash")} >= {"Invoice", "Long ago"})
        with self.service.client() as other:
            self.wait(lambda: not any(b"Receipts" in line for line in other.list()[1]))
            other.select("Trash")
            other.store("1:*", "+FLAGS", "\\Deleted")
            other.expunge()

    def invite(self, subject, sequence=0, day=10, sender="grace@example.test", more=""):
        """An invitation in a zone that is not that of the browser, as Google sends them."""
        calendar = (
            "BEGIN:VCALENDAR\nVERSION:2.0\nMETHOD:REQUEST\nBEGIN:VEVENT\nUID:engine@example.test\n"
            f"DTSTAMP:2026030{sequence + 1}T090000Z\nSEQUENCE:{sequence}\n"
            f"DTSTART;TZID=America/New_York:203003{day}T090000\nDURATION:PT1H\n{more}"
            "SUMMARY:The analytical engine\nLOCATION:Room 4\\, upstairs\n"
            "ORGANIZER;CN=Grace Hopper:mailto:grace@example.test\n"
            f"ATTENDEE;CN=Ada;PARTSTAT=NEEDS-ACTION:mailto:{ADDRESS}\n"
            "ATTENDEE;CN=Bob;PARTSTAT=ACCEPTED:mailto:bob@example.test\nEND:VEVENT\nEND:VCALENDAR\n")
        self.service.append(
            f"From: Grace Hopper <{sender}>\nTo: {ADDRESS}\nSubject: {subject}\nMIME-Version: 1.0\n"
            f"Message-ID: <{time.monotonic_ns()}@example.test>\nContent-Type: multipart/mixed; boundary=m\n\n"
            "--m\nContent-Type: multipart/alternative; boundary=a\n\n"
            "--a\nContent-Type: text/plain\n\nYou are invited.\n"
            f"--a\nContent-Type: text/calendar; charset=UTF-8; method=REQUEST\n\n{calendar}--a--\n"
            "--m\nContent-Type: application/ics; name=invite.ics\n"
            f"Content-Disposition: attachment; filename=invite.ics\n\n{calendar}--m--\n")

    def answers(self):
        """The calendars that the organizer was sent."""
        return [part.get_payload(decode=True).decode() for message in self.service.messages("INBOX", "grace@example.test")
                for part in message.walk() if part.get_content_type() == "text/calendar"]

    def test_an_invitation_is_answered_by_keys_taken_back_and_sent_once(self):
        self.addCleanup(self.service.empty)
        self.service.empty("Sent")
        self.invite("Invitation: engine")
        self.to_the_form()
        self.fill_in()
        self.to_the_inbox()
        self.row("Invitation: engine").first.click()
        card = self.page.get_by_role("region", name="Invitation The analytical engine")
        expect(card).to_contain_text("Sunday, March 10, 2030")
        expect(card).to_contain_text("America/New York")
        expect(card).to_contain_text("Room 4, upstairs")
        expect(card).to_contain_text("Bob: Yes")
        files = self.page.get_by_role("region", name="Attachments")
        expect(files.get_by_role("listitem")).to_have_count(1)
        expect(card.get_by_role("button", name="Save as calendar file")).to_be_visible()
        self.assertNoViolations()

        # Taken back in time, nothing was sent and nothing is left.
        self.jmap(["Preferences/set", {"accountId": "program", "update": {"singleton": {"undoSendDelaySeconds": 30}}}])
        self.page.keyboard.press("y")
        said = card.get_by_role("status")
        expect(said).to_contain_text("Your answer “Yes” will be sent in a moment.")
        expect(card.get_by_role("button", name="Yes")).to_have_attribute("aria-pressed", "true")
        self.page.locator(".toast").get_by_role("button", name="Undo").click()
        expect(said).to_be_empty()
        expect(card.get_by_role("button", name="Yes")).to_have_attribute("aria-pressed", "false")
        account = next(iter(self.mail_accounts().values()))
        drafts, = self.jmap(["Draft/get", {"accountId": account, "ids": None}])
        self.assertEqual(drafts["list"], [])

        # An answer with a note, on a narrow screen.
        self.jmap(["Preferences/set", {"accountId": "program", "update": {"singleton": {"undoSendDelaySeconds": 0}}}])
        self.page.keyboard.press("w")
        note = card.get_by_label("Note for the organizer")
        expect(note).to_be_focused()
        self.page.keyboard.type("Perhaps a little late")
        card.get_by_role("button", name="Maybe").click()
        expect(said).to_have_text("You answered “Maybe” with a note.")
        sent = self.wait(self.answers)
        self.assertEqual(len(sent), 1)
        lines = sent[0].replace("\r\n ", "").splitlines()
        for line in ("METHOD:REPLY", "UID:engine@example.test", "SEQUENCE:0", "COMMENT:Perhaps a little late"):
            self.assertIn(line, lines)
        self.assertIn(f'ATTENDEE;PARTSTAT=TENTATIVE;CN="Ada":mailto:{ADDRESS}', lines)
        self.wait(lambda: len(self.service.messages("Sent")) == 1)

        # A later version says what changed, and a stranger who sends one is pointed out.
        self.invite("Updated: engine", sequence=1, day=11, sender="eve@example.test")
        self.page.goto("/#/mail/all/inbox")
        self.row("Updated: engine").first.click()
        card = self.page.get_by_role("region", name="Updated invitation The analytical engine")
        expect(card).to_contain_text("New time (was: Sunday, March 10, 2030")
        expect(card).to_contain_text(re.compile("The organizer is .*<grace@example.test>, but .* from .*<eve@example.test>"))
        expect(card.get_by_role("status")).to_have_text("You answered “Maybe” to an earlier version.")
        self.page.set_viewport_size({"width": 375, "height": 700})
        self.assertFits()
        self.assertNoViolations()
        self.assertEqual(len(self.answers()), 1)

    def test_E_SO_10_a_smaller_sync_window_takes_old_mail_away_here_and_not_there(self):
        self.addCleanup(self.service.empty)
        self.service.deliver("From this week")
        self.service.deliver("Three weeks old", days=21)
        self.to_the_form()
        self.fill_in()
        self.to_the_inbox()
        expect(self.row("Three weeks old").first).to_be_visible()
        expect(self.row("From this week").first).to_be_visible()
        there = sorted(str(one["Subject"]) for one in self.service.messages("INBOX"))
        self.assertIn("Three weeks old", there)
        self.page.goto("/#/settings")
        self.page.get_by_label("Sync window").select_option("7 days")
        dialog = self.page.get_by_role("alertdialog")
        expect(dialog).to_contain_text("Server emails are not affected.")
        dialog.get_by_role("button", name="Reduce").click()
        expect(self.page.get_by_label("Sync window")).to_have_value("7")
        # Old mail goes within a day: at the latest with the next start.
        self.again(signal.SIGTERM)
        self.page.goto("/#/mail/all/inbox")
        self.page.reload()
        expect(self.row("From this week").first).to_be_attached()
        expect(self.row("Three weeks old")).to_have_count(0)
        self.assertEqual(sorted(str(one["Subject"]) for one in self.service.messages("INBOX")), there)

    def flags_of_the_first(self):
        with self.service.client() as other:
            other.select("INBOX", readonly=True)
            return set(re.search(rb"FLAGS \((.*?)\)", other.fetch("1", "(FLAGS)")[1][0])[1].decode().split())


if __name__ == "__main__":
    unittest.main()
