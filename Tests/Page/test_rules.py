"""Rules: made in words, rehearsed and applied, edited as text, and begun from a message."""

from room import NARROW, expect
from test_acting import ActingTest

FOREIGN = """require ["regex"];

# Written by hand.
if header :regex "subject" "^a+$" {
    keep;
}
"""


class Rules(ActingTest):
    """ORG-16, ORG-17, ORG-18, ORG-19 and ORG-79."""

    def clear(self):
        super().clear()
        for account in (self.mira, self.jonas):
            self.jmap(["RuleList/set", {"accountId": account, "update": {"singleton": {"entries": []}}}])

    def entries(self):
        found, = self.jmap(["RuleList/get", {"accountId": self.mira}])
        return found["list"][0]["entries"]

    def settings(self, path="/#/settings/rules"):
        self.page.goto(path)
        section = self.page.get_by_role("region", name="Rules", exact=True)
        expect(section).to_be_visible()
        return section

    def begin(self, section):
        """Opens the form of a new rule of the first account."""
        section.get_by_role("button", name="New rule").first.click()
        return self.page.get_by_role("dialog", name="New rule")

    def question(self, name):
        """What is asked before a rule is turned on."""
        return self.page.get_by_role("dialog", name=f"Turn on the rule “{name}”?")

    def turn_on(self, name):
        self.question(name).get_by_role("button", name="Turn on", exact=True).click()
        expect(self.question(name)).to_have_count(0)

    def test_ORG_18_a_rule_is_made_in_words_rehearsed_applied_and_kept(self):
        ids = [self.mail(f"Zebra {number}", "inbox") for number in range(3)]
        section = self.settings()
        expect(section.get_by_text("No rules yet.").first).to_be_visible()
        dialog = self.begin(section)
        save = dialog.get_by_role("button", name="Save")
        expect(save).to_be_disabled()
        dialog.get_by_label("Name", exact=True).fill("Zebras")
        dialog.get_by_label("What of condition 1").select_option("Subject contains")
        dialog.get_by_label("Text of condition 1").fill("zebra")
        dialog.get_by_label("Folder of action 1").or_(dialog.get_by_label("Label of action 1")).select_option("Travel")
        dialog.get_by_role("button", name="Add action").click()
        dialog.get_by_label("Do of action 2").select_option("Star")
        dialog.get_by_role("button", name="Rehearse with past mail").click()
        expect(dialog.get_by_text("It would have acted on 3 of the last")).to_be_visible()
        expect(dialog.get_by_role("list", name="Messages found").get_by_role("listitem")).to_have_count(3)
        self.assertNoViolations()
        self.assertFits(place=".dialog")
        self.assertEqual(set(map(tuple, self.places().values())), {("inbox",)})
        dialog.get_by_role("button", name="Apply to the 3 messages in the inbox now").click()
        self.wait(lambda: all(boxes == ["Travel"] for boxes in self.places().values()))
        expect(dialog.get_by_text("3 messages changed.")).to_be_visible()
        dialog.get_by_role("button", name="Undo").click()
        self.wait(lambda: all(boxes == ["inbox"] for boxes in self.places().values()))
        self.assertEqual(len(ids), len(self.places()))
        save.click()
        expect(dialog).to_have_count(0)
        expect(self.question("Zebras")).to_contain_text("It would have acted on 3 of the last")
        self.turn_on("Zebras")
        expect(section.get_by_text("When subject contains “zebra”, then star and move to “Travel”.")).to_be_visible()

        switch = section.get_by_role("switch", name="Zebras")
        switch.click()
        self.wait(lambda: self.entries()[0]["isOn"] is False)
        switch.click()
        expect(self.question("Zebras")).to_contain_text("It would have acted on 3 of the last")
        self.turn_on("Zebras")
        self.wait(lambda: self.entries()[0]["isOn"])

        # ORG-79: so does a rule that is on and changes; another name alone changes nothing.
        section.get_by_role("button", name="Edit “Zebras”").click()
        dialog = self.page.get_by_role("dialog", name="Edit rule")
        dialog.get_by_label("Text of condition 1").fill("okapi")
        dialog.get_by_role("button", name="Save").click()
        question = self.page.get_by_role("dialog", name="Save the rule “Zebras”?")
        expect(question).to_contain_text("It would have acted on 0 of the last")
        question.get_by_role("button", name="Back").click()
        dialog.get_by_label("Text of condition 1").fill("zebra")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_have_count(0)

        # A message arrives from the other account.
        self.send("A zebra for you")
        self.wait(lambda: self.place_of("A zebra for you") == ["Travel"])
        section.get_by_role("button", name="Show muted").click()
        expect(self.page.get_by_role("heading", level=1, name="Search results")).to_be_visible()
        expect(self.page.get_by_role("searchbox", name="Search mail")).to_have_value("is:muted")

    def test_ORG_79_a_new_rule_says_what_it_would_have_done_and_is_applied(self):
        for number in range(52):
            self.mail(f"Okapi {number}", "inbox" if number else "archive", keywords={}, receivedAt=f"2026-11-01T08:{number:02}:00Z")
        section = self.settings()
        dialog = self.begin(section)
        dialog.get_by_label("Name", exact=True).fill("Okapis")
        dialog.get_by_label("What of condition 1").select_option("Subject contains")
        dialog.get_by_label("Text of condition 1").fill("okapi")
        dialog.get_by_label("Do of action 1").select_option("Mark as read")
        dialog.get_by_role("button", name="Save").click()
        question = self.question("Okapis")
        expect(question.get_by_text("It would have acted on 52 of the last")).to_be_visible()
        found = question.get_by_role("list", name="Messages found").get_by_role("listitem")
        expect(found).to_have_count(50)
        question.get_by_role("button", name="Show more").click()
        expect(found).to_have_count(52)
        self.assertNoViolations()
        self.assertFits(place=".dialog")
        question.get_by_role("button", name="Back").click()
        expect(dialog.get_by_label("Name", exact=True)).to_have_value("Okapis")
        self.assertEqual(self.entries(), [])
        dialog.get_by_role("button", name="Save").click()
        expect(question.get_by_role("button", name="Turn on and apply to the 51 messages in the inbox")).to_be_visible()
        question.get_by_role("button", name="Turn on and apply to all 52 messages").click()
        expect(question).to_have_count(0)
        self.listen()
        toast = self.page.locator(".toast").filter(has_text="52 messages changed by “Okapis”")
        toast.get_by_role("button", name="Undo").click()
        self.assertTold("Undone")
        self.assertTrue(self.entries()[0]["isOn"])

    def test_ORG_78_ORG_19_a_rule_notifies_and_muted_conversations_are_listed(self):
        self.jmap(["RuleList/set", {"accountId": self.mira, "update": {"singleton": {"entries": [{
            "kind": "rule", "name": "Quaggas", "isOn": True, "joining": "all",
            "conditions": [{"field": "subject", "value": "quagga", "isNegated": False}],
            "actions": [{"verb": "move", "value": "Travel"}, {"verb": "notify", "value": None}]}]}}}])
        section = self.settings()
        expect(section.get_by_text("then move to “Travel” and notify me.")).to_be_visible()
        expect(section.get_by_text("Muted conversations: 0")).to_be_visible()
        self.listen()
        self.send("A quagga for you")
        self.assertTold("A quagga for you")
        self.wait(lambda: self.place_of("A quagga for you") == ["Travel"])
        found, = self.jmap(["Email/query", {"accountId": self.mira, "filter": {"subject": "A quagga for you"}}])
        emails, = self.jmap(["Email/get", {
            "accountId": self.mira, "ids": found["ids"], "properties": ["threadId"]}])
        thread = emails["list"][0]["threadId"]
        self.jmap(["MailAction/set", {"accountId": self.mira, "create": {
            "mute": {"verb": "mute", "threadIds": [thread]}}}])
        expect(section.get_by_text("Muted conversations: 1")).to_be_visible()
        self.assertNoViolations()
        section.get_by_role("button", name="Unmute “A quagga for you”").press("Enter")
        expect(section.get_by_text("Muted conversations: 0")).to_be_visible()
        # The keyboard goes on there.
        expect(section.get_by_role("button", name="Show muted")).to_be_focused()

    def test_ORG_16_rules_and_text_are_the_same_and_foreign_text_stays(self):
        section = self.settings()
        section.get_by_role("button", name="Sieve text of").first.click()
        dialog = self.page.get_by_role("dialog", name="as Sieve text")
        field = dialog.get_by_label("Sieve text", exact=True)
        field.fill("keep;\nfileinto 3;")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog.get_by_text("Line 2, column ")).to_be_visible()
        self.assertNoViolations()
        field.fill(FOREIGN)
        dialog.get_by_role("button", name="Save").click()
        question = self.page.get_by_role("dialog", name="Save the rules of")
        expect(question).to_contain_text("It would have acted on")
        question.get_by_role("button", name="Save", exact=True).click()
        expect(question).to_have_count(0)
        expect(dialog).to_have_count(0)
        expect(section.get_by_label("Sieve text", exact=True)).to_contain_text("# Written by hand.")
        dialog = self.begin(section)
        dialog.get_by_label("Name", exact=True).fill("Stars")
        dialog.get_by_label("Text of condition 1").fill("ana@")
        dialog.get_by_label("Do of action 1").select_option("Star")
        dialog.get_by_role("button", name="Save").click()
        self.turn_on("Stars")
        expect(section.get_by_role("switch", name="Stars")).to_be_checked()
        section.get_by_role("button", name="Move “Stars” up").click()
        self.wait(lambda: [entry["kind"] for entry in self.entries()] == ["rule", "text"])
        found, = self.jmap(["RuleList/get", {"accountId": self.mira}])
        self.assertIn('if header :regex "subject" "^a+$" {\n    keep;\n}', found["list"][0]["text"])
        self.page.set_viewport_size(NARROW)
        self.assertFits()
        self.assertNoViolations()
        section.get_by_role("button", name="Delete “Stars”").click()
        self.page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
        self.wait(lambda: [entry["kind"] for entry in self.entries()] == ["text"])
        expect(section.get_by_role("button", name="Delete “Sieve text”")).to_be_focused()

    def test_ORG_75_ORG_76_a_saved_search_is_a_condition_and_cannot_be_deleted(self):
        made, = self.jmap(["SavedSearch/set", {"accountId": "program", "create": {
            "new": {"name": "Zebra search", "text": "subject:zebra"}}}])
        id = made["created"]["new"]["id"]
        self.addCleanup(lambda: self.jmap(["SavedSearch/set", {"accountId": "program", "destroy": [id]}]))
        self.addCleanup(lambda: self.jmap(
            ["RuleList/set", {"accountId": self.mira, "update": {"singleton": {"entries": []}}}]))
        section = self.settings()
        dialog = self.begin(section)
        dialog.get_by_label("Name", exact=True).fill("Zebras")
        dialog.get_by_label("What of condition 1").select_option("Matches the saved search")
        expect(dialog.get_by_role("button", name="Save")).to_be_disabled()
        dialog.get_by_label("Search of condition 1").select_option("Zebra search")
        dialog.get_by_label("Do of action 1").select_option("Star")
        self.assertNoViolations()
        self.assertFits(place=".dialog")
        dialog.get_by_role("button", name="Save").click()
        self.turn_on("Zebras")
        expect(section.get_by_text("When it matches the saved search “Zebra search”, then star.")).to_be_visible()
        self.page.goto("/#/mail/all/inbox")
        self.page.get_by_role("button", name="More for Zebra search").click()
        self.page.get_by_role("menuitem", name="Delete").click()
        expect(self.page.get_by_text("The rule “Zebras” uses this search.")).to_be_visible()

    def test_ORG_29_a_vacation_reply_says_that_this_computer_must_be_on(self):
        section = self.settings()
        section.get_by_role("button", name="Edit the vacation reply of").first.click()
        dialog = self.page.get_by_role("dialog", name="Vacation reply of")
        expect(dialog.get_by_text("only while this computer is on")).to_be_visible()
        dialog.get_by_role("switch", name="Reply automatically").click()
        save = dialog.get_by_role("button", name="Save")
        expect(save).to_be_disabled()
        dialog.get_by_label("First day").fill("2030-05-06")
        dialog.get_by_label("Last day").fill("2030-05-01")
        dialog.get_by_label("Subject").fill("Away")
        dialog.get_by_label("Text", exact=True).fill("I am away.")
        save.click()
        expect(dialog.get_by_text("The vacation reply ends before it begins.")).to_be_visible()
        self.assertNoViolations()
        self.assertFits(place=".dialog")
        dialog.get_by_label("Last day").fill("2030-05-20")
        save.click()
        expect(dialog).to_have_count(0)
        expect(section.get_by_text("Replies are sent only while this computer is on").first).to_be_visible()
        found, = self.jmap(["VacationResponse/get", {"accountId": self.mira}])
        reply = found["list"][0]
        self.assertEqual((reply["isEnabled"], reply["subject"], reply["textBody"]), (True, "Away", "I am away."))

    def test_ORG_20_a_service_without_rules_says_so(self):
        section = self.settings()
        section.get_by_role("button", name="Check the service of").first.click()
        expect(section.get_by_text("This service does not let mail programs add rules.").first).to_be_visible()
        expect(section.get_by_role("switch", name="Run rules at the service")).to_have_count(0)

    def test_ORG_19_a_sender_is_blocked_from_a_message_and_rules_begin_there(self):
        self.mail("Zebra crossing", "inbox", "Travel")
        self.page.reload()
        self.search(1).get_by_role("option").first.click()
        more = self.page.get_by_role("button", name="More for this message")
        more.click()
        self.page.get_by_role("menuitem", name="Block this sender").click()
        toast = self.page.locator(".toast").filter(has_text="Rule added: Block ana@elsewhere.example")
        expect(toast).to_be_visible()
        self.assertEqual([entry["name"] for entry in self.entries()], ["Block ana@elsewhere.example"])
        toast.get_by_role("button", name="Undo").click()
        self.wait(lambda: self.entries() == [])
        more.click()
        self.page.get_by_role("menuitem", name="Always star this sender (VIP)").click()
        self.wait(lambda: [entry["name"] for entry in self.entries()] == ["VIP ana@elsewhere.example"])
        more.click()
        self.page.get_by_role("menuitem", name="Always label this sender “Travel”").click()
        self.wait(lambda: [(entry["name"], entry["actions"]) for entry in self.entries()][0] == (
            "ana@elsewhere.example in Travel", [{"verb": "label", "value": "Travel"}]))
        more.click()
        with self.page.context.expect_page() as opened:
            self.page.get_by_role("menuitem", name="Create rule from this message…").click()
        other = opened.value
        dialog = other.get_by_role("dialog", name="New rule")
        expect(dialog.get_by_label("Name", exact=True)).to_have_value("Ana Lima")
        expect(dialog.get_by_label("Text of condition 1")).to_have_value("ana@elsewhere.example")
        other.close()
        # The palette offers the same.
        self.page.keyboard.press("Control+k")
        self.page.keyboard.type("always move this sender to")
        self.page.keyboard.press("Enter")
        dialog = self.page.get_by_role("dialog", name="Always move mail from Ana Lima to")
        expect(dialog.get_by_label("Find a folder")).to_be_focused()
        self.assertNoViolations()
        self.page.keyboard.type("family")
        self.page.keyboard.press("Enter")
        expect(self.page.locator(".toast").filter(has_text="Rule added: ana@elsewhere.example in Family")).to_be_visible()
        self.wait(lambda: [(entry["name"], entry["actions"]) for entry in self.entries()][0] == (
            "ana@elsewhere.example in Family", [{"verb": "move", "value": "Family"}]))
        self.wait(lambda: "inbox" not in self.places().popitem()[1])

    def send(self, subject):
        """Sends a message from the other account, at once."""
        identities, = self.jmap(["Identity/get", {"accountId": self.jonas, "ids": None}])
        self.jmap(["Preferences/set", {"accountId": "program", "update": {"singleton": {"undoSendDelaySeconds": 0}}}])
        made, sent = self.jmap(
            ["Email/set", {"accountId": self.jonas, "create": {"new": {
                "mailboxIds": {self.box("drafts", self.jonas): True}, "subject": subject,
                "keywords": {"$draft": True, "$seen": True},
                "from": [{"name": "Jonas", "email": "jonas@demo.example"}],
                "to": [{"name": None, "email": "mira@demo.example"}],
                "bodyValues": {"1": {"value": "Here."}}, "textBody": [{"partId": "1", "type": "text/plain"}]}}}],
            ["EmailSubmission/set", {"accountId": self.jonas, "create": {"sent": {
                "emailId": "#new", "identityId": identities["list"][0]["id"]}}}])
        self.assertIn("sent", sent["created"] or {}, sent)

    def place_of(self, subject):
        found, boxes = self.jmap(["Email/query", {"accountId": self.mira, "filter": {"subject": subject}}],
                                 ["Mailbox/get", {"accountId": self.mira, "ids": None}])
        if not found["ids"]:
            return None
        emails, = self.jmap(["Email/get", {"accountId": self.mira, "ids": found["ids"], "properties": ["mailboxIds"]}])
        names = {box["id"]: box["role"] or box["name"] for box in boxes["list"]}
        return sorted(names[id] for email in emails["list"] for id in email["mailboxIds"])
