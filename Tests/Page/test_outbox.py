"""What waits to be sent, and what arrives."""

import re

from room import PageTest, expect


class Outbox(PageTest):
    def send(self, subject, to="jonas@demo.example"):
        account = self.mail_accounts()["mira@demo.example"]
        boxes, identities = self.jmap(
            ["Mailbox/get", {"accountId": account, "ids": None}], ["Identity/get", {"accountId": account, "ids": None}])
        drafts = next(box["id"] for box in boxes["list"] if box["role"] == "drafts")
        sent = next(box["id"] for box in boxes["list"] if box["role"] == "sent")
        identity = identities["list"][0]
        return self.jmap(
            ["Email/set", {"accountId": account, "create": {"mail": {
                "mailboxIds": {drafts: True}, "keywords": {"$draft": True, "$seen": True},
                "from": [{"name": identity["name"], "email": identity["email"]}],
                "to": [{"name": None, "email": to}], "subject": subject,
                "bodyValues": {"1": {"value": "Hello"}}, "textBody": [{"partId": "1", "type": "text/plain"}]}}}],
            ["EmailSubmission/set", {"accountId": account, "create": {"s": {
                "emailId": "#mail", "identityId": identity["id"]}},
                "onSuccessUpdateEmail": {"#s": {f"mailboxIds/{drafts}": None, f"mailboxIds/{sent}": True,
                                                "keywords/$draft": None}}}])

    def delay(self, seconds):
        self.jmap(["Preferences/set", {"accountId": "program", "update": {"singleton": {"undoSendDelaySeconds": seconds}}}])

    def test_what_waits_is_in_the_outbox_and_can_be_taken_back(self):
        expect(self.page.get_by_role("option").first).to_be_visible()
        self.delay(30)
        self.send("Not yet")
        self.page.get_by_role("link", name=re.compile("^Outbox, 1 message")).click()
        item = self.page.get_by_role("list", name="Messages to be sent").get_by_role("listitem").first
        expect(item).to_contain_text("Not yet")
        expect(item).to_contain_text("Waiting to be sent")
        self.assertNoViolations()
        item.get_by_role("button", name="Don’t send").click()
        expect(self.page.get_by_text("The Outbox is empty")).to_be_visible()
        expect(self.page.get_by_text("The message is in Drafts again")).to_be_visible()

    def test_mail_that_arrives_is_in_the_list_at_once_and_own_mail_is_no_news(self):
        expect(self.page.get_by_role("option").first).to_be_visible()
        self.delay(0)
        self.listen()
        self.send("News for Jonas", to="jonas@demo.example")
        row = self.page.locator(".row", has_text="News for Jonas").first
        expect(row).to_be_visible()
        # News come one after the other: when these are told, those would have been.
        self.send("Anybody there?", to="nobody@demo.example")
        self.assertTold("Not delivered: nobody@demo.example")
        told = [one for one in self.page.evaluate("window.told") if "News for Jonas" in one]
        self.assertEqual(told, [], "what the person wrote herself is no news")
