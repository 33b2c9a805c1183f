"""What is to happen later: snoozed conversations, and messages that are sent at a time to come."""

import datetime
import re
import time

from room import NARROW, expect
from test_acting import ActingTest
from test_composer import ComposerTest


def utc(seconds):
    """So many seconds from now, as JMAP writes it."""
    then = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return then.strftime("%Y-%m-%dT%H:%M:%SZ")


class Snooze(ActingTest):
    """ORG-50, ORG-51, ORG-55, ORG-59."""

    def picker(self, page=None):
        return (page or self.page).get_by_role("dialog", name="Snooze conversation until")

    def test_ORG_59_a_conversation_is_snoozed_by_key_and_by_pointer_and_undone(self):
        id = self.mail("The zoo", "inbox")
        list = self.search(1)
        list.focus()
        for key in ("Home", "b"):
            self.page.keyboard.press(key)
        when = self.picker().get_by_label("When", exact=True)
        expect(when).to_be_focused()
        status = self.picker().get_by_role("status").first
        for typed, told in (("soon", "Type a time such as"), ("yesterday", "Type a time such as"), ("today 0:00", "passed"),
                            ("in 50 years", "too far")):
            when.fill(typed)
            expect(status).to_contain_text(told)
            self.page.keyboard.press("Enter")
            expect(self.picker()).to_be_visible()
        when.fill("tomorrow 14:30")
        expect(status).to_contain_text(re.compile("14:30|2:30"))
        self.assertNoViolations()
        self.page.keyboard.press("Enter")
        expect(self.picker()).to_have_count(0)
        toast = self.page.locator(".toast").get_by_text(re.compile("^Conversation snoozed until tomorrow at (14:30|2:30)"))
        expect(toast).to_be_visible()
        self.wait(lambda: self.places() == {id: ["snoozed"]})
        self.page.locator(".toast").get_by_role("button", name="Undo").click()
        self.wait(lambda: self.places() == {id: ["inbox"]})
        # By the menu of the row, and a time that is offered.
        self.page.locator(".row:not(.row-empty)").first.click(button="right")
        self.page.get_by_role("menuitem", name="Snooze").click()
        self.picker().get_by_role("button", name=re.compile("^Next week|^Tomorrow")).last.click()
        self.wait(lambda: self.places() == {id: ["snoozed"]})
        snooze, = self.jmap(["Snooze/get", {"accountId": self.mira, "ids": [id]}])
        at = datetime.datetime.fromisoformat(snooze["list"][0]["until"]).astimezone()
        self.assertEqual((at.hour, at.minute), (8, 0))
        # The folder says when it returns, and returns it.
        self.page.get_by_role("navigation", name="Folders").get_by_role("link", name="Snoozed").first.click()
        row = self.page.get_by_role("option").filter(has_text="The zoo")
        expect(row.get_by_title(re.compile("^Returns .* at "))).to_be_visible()
        expect(row).to_have_accessible_name(re.compile("returns .* at "))
        self.assertNoViolations()
        row.click()
        self.page.get_by_role("button", name="Unsnooze", exact=True).click()
        expect(row).to_have_count(0)
        self.assertEqual(self.places(), {id: ["inbox"]})

    def test_ORG_54_a_time_is_read_and_shown_in_the_zone_that_the_computer_is_in_by_then(self):
        id = self.mail("The zoo", "inbox")
        list = self.search(1)
        session = self.page.context.new_cdp_session(self.page)
        self.addCleanup(session.detach)
        list.focus()
        for key in ("Home", "b"):
            self.page.keyboard.press(key)
        when = self.picker().get_by_label("When", exact=True)
        status = self.picker().get_by_role("status").first
        when.fill("tomorrow 14:30")
        expect(status).to_contain_text(re.compile("14:30|2:30"))
        # The user travels, with the page open, to where clocks are 14 hours ahead of UTC.
        session.send("Emulation.setTimezoneOverride", {"timezoneId": "Pacific/Kiritimati"})
        # The page looks once a second, on a busy machine a little later.
        self.page.wait_for_timeout(2500)
        when.fill("tomorrow 15:40")
        expect(status).to_contain_text(re.compile("15:40|3:40"))
        self.page.keyboard.press("Enter")
        toast = self.page.locator(".toast").get_by_text(re.compile("^Conversation snoozed until tomorrow at (15:40|3:40)"))
        expect(toast).to_be_visible()
        self.wait(lambda: self.places() == {id: ["snoozed"]})
        snooze, = self.jmap(["Snooze/get", {"accountId": self.mira, "ids": [id]}])
        there = datetime.timezone(datetime.timedelta(hours=14))
        at = datetime.datetime.fromisoformat(snooze["list"][0]["until"]).astimezone(there)
        tomorrow = datetime.datetime.now(there) + datetime.timedelta(days=1)
        self.assertEqual((at.date(), at.hour, at.minute), (tomorrow.date(), 15, 40))

    def test_ORG_51_it_returns_in_time_and_is_unread_also_on_a_narrow_screen(self):
        page = self.open("/", NARROW)
        expect(page.get_by_role("option").first).to_be_visible()
        id = self.mail("The zoo", "inbox")
        at = utc(15)
        self.jmap(["MailAction/set", {"accountId": self.mira, "create": {
            "a": {"verb": "snooze", "until": at, "emailIds": [id]}}}])
        self.assertEqual(self.places(), {id: ["snoozed"]})
        self.page.goto(f"/#/mail/{self.mira}/{self.box('snoozed')}")
        row = self.page.get_by_role("option").filter(has_text="The zoo")
        expect(row).to_be_visible()
        due = datetime.datetime.fromisoformat(at).timestamp()
        self.wait(lambda: self.places() == {id: ["inbox"]})
        self.assertGreaterEqual(time.time(), due)
        expect(row).to_have_count(0)
        found, = self.jmap(["Email/get", {"accountId": self.mira, "ids": [id], "properties": ["keywords"]}])
        self.assertNotIn("$seen", found["list"][0]["keywords"])
        # There is room for the picker.
        page.get_by_role("option").first.click()
        page.keyboard.press("b")
        expect(self.picker(page)).to_be_visible()
        self.assertFits(page, ".dialog")
        pick = self.picker(page).get_by_label("Date and time")
        choose = self.picker(page).get_by_role("button", name="Choose", exact=True)
        pick.fill("2020-01-01T09:00")
        expect(choose).to_be_disabled()
        expect(self.picker(page).get_by_text("That time has passed.")).to_be_visible()
        pick.fill(f"{datetime.date.today().year + 1}-03-12T09:00")
        expect(choose).to_be_enabled()
        self.assertNoViolations(page)
        page.keyboard.press("Escape")
        expect(self.picker(page)).to_have_count(0)


class SendLater(ComposerTest):
    """ORG-56, ORG-59."""

    def scheduled(self):
        return self.page.get_by_role("list", name="Scheduled messages").get_by_role("listitem")

    def schedule(self, typed):
        composer = self.composer()
        composer.get_by_role("button", name="Send later").click()
        dialog = self.page.get_by_role("dialog", name="Send later")
        expect(dialog.get_by_text("this computer: it must be on")).to_be_visible()
        dialog.get_by_label("When", exact=True).fill(typed)
        self.page.keyboard.press("Enter")
        expect(composer).to_have_count(0)

    def test_ORG_56_a_message_is_sent_later_and_until_then_edited_given_another_time_or_sent_now(self):
        composer = self.open_new()
        self.write(composer, subject="Not before Monday")
        self.schedule("tomorrow 9:15")
        toast = self.page.locator(".toast").filter(has_text=re.compile("Your message will be sent tomorrow at 0?9:15"))
        toast.get_by_role("button", name="Undo").click()
        expect(self.composer().get_by_label("Subject")).to_have_value("Not before Monday")
        self.schedule("tomorrow 9:15")
        toast.last.get_by_role("button", name="Show").click()
        expect(self.page.get_by_role("heading", level=1, name="Scheduled")).to_be_visible()
        expect(self.page.get_by_role("link", name="Scheduled, 1 message")).to_be_visible()
        expect(self.page.get_by_role("link", name="Outbox", exact=True)).to_be_visible()
        item = self.scheduled().first
        expect(item).to_contain_text("Not before Monday")
        expect(item).to_contain_text(re.compile("Will be sent tomorrow at 0?9:15"))
        expect(self.page.get_by_text("this computer: it must be on")).to_be_visible()
        self.assertNoViolations()
        item.get_by_role("button", name="Change time").click()
        dialog = self.page.get_by_role("dialog", name="Send later")
        dialog.get_by_label("When", exact=True).fill("in 2 years")
        expect(dialog.get_by_text("That is too far away.")).to_be_visible()
        dialog.get_by_label("When", exact=True).fill("in 300 days")
        self.page.keyboard.press("Enter")
        expect(item).not_to_contain_text("tomorrow")
        # It is there after the page was loaded again, and nothing counts down.
        self.page.reload()
        expect(item).to_contain_text("Not before Monday")
        expect(self.page.locator(".toast")).to_have_count(0)
        item.get_by_role("button", name="Edit").click()
        expect(self.composer().get_by_label("Subject")).to_have_value("Not before Monday")
        self.composer().get_by_label("Subject").fill("After all")
        self.schedule("in 5 hours")
        expect(item).to_contain_text("After all")
        item.get_by_role("button", name="Send now").click()
        expect(self.page.get_by_text("Nothing is scheduled")).to_be_visible()
        self.wait(lambda: len(self.arrived("After all")) == 1)
        self.assertEqual(self.arrived("Not before Monday"), [])

    def test_ORG_56_it_is_sent_at_its_time(self):
        composer = self.open_new()
        self.write(composer, subject="In a moment")
        self.page.keyboard.press("Control+s")
        draft = self.wait(lambda: self.draft("In a moment"))
        at = utc(10)
        sent, = self.jmap(["Draft/send", {"accountId": self.mira, "id": draft["id"], "sendAt": at}])
        self.assertTrue(sent["isScheduled"])
        due = datetime.datetime.fromisoformat(at).timestamp()
        self.wait(lambda: self.arrived("In a moment"))
        self.assertGreaterEqual(time.time(), due)
        self.assertEqual(len(self.arrived("In a moment")), 1)


class Reminders(ComposerTest):
    """ORG-68, ORG-70, ORG-71."""

    def reminders(self):
        got, = self.jmap(["Reminder/get", {"accountId": self.mira, "ids": None}])
        return got["list"]

    def test_ORG_85_the_time_is_kept_with_the_draft(self):
        composer = self.open_new()
        self.write(composer, subject="Any answer")
        composer.get_by_role("button", name="Remind me if there is no reply").click()
        dialog = self.page.get_by_role("dialog", name="Remind me if there is no reply by")
        dialog.get_by_label("When", exact=True).fill("tomorrow 9:15")
        self.page.keyboard.press("Enter")
        composer.get_by_role("button", name="Close", exact=True).click()
        expect(composer).to_have_count(0)
        draft = self.wait(lambda: self.draft("Any answer"))
        self.assertIsNotNone(draft["remindAt"])
        self.page.goto(f"/#/compose/{self.mira}/{draft['id']}")
        expect(composer.get_by_text(re.compile("You will be reminded tomorrow at 0?9:15"))).to_be_visible()
        composer.get_by_role("button", name="Remove reminder").click()
        self.wait(lambda: self.draft("Any answer")["remindAt"] is None)

    def test_ORG_71_a_reminder_is_set_while_writing_changed_and_removed_and_returns_the_conversation(self):
        composer = self.open_new()
        self.write(composer, subject="Any news")
        composer.get_by_role("button", name="Remind me if there is no reply").click()
        dialog = self.page.get_by_role("dialog", name="Remind me if there is no reply by")
        dialog.get_by_label("When", exact=True).fill("tomorrow 9:15")
        self.page.keyboard.press("Enter")
        note = composer.get_by_text(re.compile("You will be reminded tomorrow at 0?9:15.* if there is no reply"))
        expect(note).to_be_visible()
        self.assertNoViolations()
        composer.get_by_role("button", name="Send", exact=True).click()
        expect(composer).to_have_count(0)
        self.page.get_by_role("link", name="Reminders, 1 message").click()
        item = self.page.get_by_role("list", name="Reminders").get_by_role("listitem")
        expect(item).to_contain_text("Any news")
        self.wait(lambda: self.reminders()[0]["sentAt"] and self.reminders()[0]["emailId"])
        item.get_by_role("button", name="Remove reminder").click()
        expect(self.page.get_by_text("No reminders")).to_be_visible()
        self.page.locator(".toast").filter(has_text="Reminder removed").get_by_role("button", name="Undo").click()
        expect(item).to_contain_text(re.compile("tomorrow at 0?9:15"))
        self.assertNoViolations()
        # Another time, which is soon: it is above the inbox then, and in the conversation.
        reminder, = self.reminders()
        self.jmap(["MailAction/set", {"accountId": self.mira, "create": {
            "a": {"verb": "remind", "until": utc(6), "emailIds": [reminder["emailId"]]}}}])
        since = "No reply since (today|yesterday) at"  # shortly before midnight, too
        expect(item).to_contain_text(re.compile(since))
        item.get_by_role("button", name="Open").click()
        conversation = self.page.get_by_role("region", name="Conversation", exact=True)
        expect(conversation.get_by_text(re.compile(since))).to_be_visible()
        expect(conversation.get_by_role("button", name="Remind me again")).to_be_visible()
        banner = self.page.locator(".banners").get_by_text(re.compile(f"{since} .*“Any news”"))
        expect(banner).to_be_visible()
        self.assertNoViolations()
        conversation.get_by_role("button", name="Dismiss").click()
        expect(banner).to_have_count(0)
        self.wait(lambda: not self.reminders())
