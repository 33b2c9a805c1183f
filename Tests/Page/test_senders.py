"""Senders that are not who they seem to be, answers that go elsewhere, and files that are not what they seem to be."""

import re

from room import PageTest, expect
from test_conversation import MailMaker

TWIN = "a@аррӏе.com"
PUNYCODE = "a@xn--80ak6aa92e.com"


class Senders(MailMaker, PageTest):
    def row(self, subject):
        return self.page.locator(".row", has=self.page.locator(".row-subject", has_text=subject)).first

    def open_message(self, subject, **email):
        self.text(subject, "Words.", **email)
        self.show(subject)
        return self.page.locator(".message-open").last

    def test_a_twin_of_a_known_name_is_shown_as_servers_know_it(self):
        message = self.open_message("From a twin", **{"from": [{"name": None, "email": TWIN}]})
        warning = f"{PUNYCODE.split('@')[1]} imitates apple.com."
        row = self.row("From a twin")
        expect(row.locator(".row-who")).to_have_text(PUNYCODE)
        expect(row.locator(".warning-mark")).to_have_attribute("title", re.compile(re.escape(warning)))
        expect(row).to_have_attribute("aria-label", re.compile(re.escape(warning)))
        expect(message.locator("strong")).to_have_text(PUNYCODE)
        expect(message.get_by_role("img", name=re.compile("^Warning: .*apple.com"))).to_be_visible()
        expect(message.locator(".banner").first).to_contain_text(warning)
        self.assertNotIn("аррӏе", self.page.locator("body").inner_text())
        self.assertNoViolations()

    def test_honest_names_of_other_languages_are_readable_and_not_marked(self):
        for subject, email in (("From Munich", "a@xn--mnchen-3ya.de"), ("From Japan", "a@日本語.jp")):
            message = self.open_message(subject, **{"from": [{"name": None, "email": email}]})
            expect(message.locator("strong")).to_have_text("a@münchen.de" if "Munich" in subject else email)
            expect(message.locator(".warning-mark")).to_have_count(0)

    def test_a_name_that_is_another_address_is_marked(self):
        message = self.open_message(
            "Your invoice", **{"from": [{"name": "service@paypal.com", "email": "x@evil.example"}]})
        expect(message.locator(".banner").first).to_contain_text(
            "The name contains another address, service@paypal.com. The real address is x@evil.example.")
        expect(self.row("Your invoice").locator(".warning-mark")).to_have_count(1)

    def test_two_authors_in_fields_of_their_own_are_told(self):
        account = self.mail_accounts()["mira@demo.example"]
        inbox = next(box["id"] for box in self.jmap(["Mailbox/get", {"accountId": account, "ids": None}])[0]["list"]
                     if box["role"] == "inbox")
        blob = self.page.evaluate("""async (account) => (await (await fetch(`/jmap/upload/${account}/`, {
            method: "POST", headers: {"Content-Type": "message/rfc822"},
            body: "From: boss@bank.example\\r\\nFrom: x@evil.example\\r\\nSubject: Two of them\\r\\n\\r\\nWords.\\r\\n"
            })).json()).blobId""", account)
        made, = self.jmap(["Email/import", {"accountId": account, "emails": {"new": {
            "blobId": blob, "mailboxIds": {inbox: True}}}}])
        self.assertIn("new", made["created"] or {}, made)
        self.show("Two of them")
        expect(self.page.locator(".message-open .banner").first).to_contain_text(
            "This message has several From fields with different authors: "
            "boss@bank.example and x@evil.example.")

    def test_signs_that_cannot_be_seen_hide_nothing(self):
        self.text("Pay\u200bment \u202edue", "Words.", **{
            "from": [{"name": "A\u202en\u2066a\u3164\u3164\u200b", "email": "x@y.example"}]})
        row = self.page.locator(".row", has_text="Payment due").first
        expect(row.locator(".row-who")).to_have_text("Ana")
        expect(row.locator(".row-subject")).to_have_text("Payment due")

    def test_where_answers_go_is_said_before_and_while_answering(self):
        message = self.open_message(
            "Answer me", **{"from": [{"name": "Ana", "email": "ana@bank.example"}],
                            "replyTo": [{"name": None, "email": "ana@evil.example"}],
                            "sender": [{"name": None, "email": "robot@mailer.example"}]})
        expect(message.locator(".banner").nth(0)).to_contain_text(
            re.compile("Sent by robot@mailer.example on behalf of .?Ana.? <ana@bank.example>."))
        expect(message.locator(".banner-problem")).to_contain_text(
            re.compile("Replies go to ana@evil.example, not to .?Ana.? <ana@bank.example>."))
        self.page.get_by_role("button", name="Reply", exact=True).first.click()
        expect(self.page.locator(".composer-note")).to_contain_text(
            re.compile("This reply goes to ana@evil.example, not to the sender .?Ana.? <ana@bank.example>."))
        self.assertNoViolations()

    def test_a_typed_recipient_that_imitates_another_is_marked_before_it_is_sent_to(self):
        expect(self.page.get_by_role("option").first).to_be_visible()
        self.page.keyboard.press("c")
        composer = self.page.locator(".composer").first
        composer.get_by_label("Subject").fill("To a twin")
        expect(composer.get_by_role("status").filter(has_text="Saved")).to_be_visible()
        # The next save by itself is half a minute away: the warning does not wait for it.
        composer.get_by_label("To", exact=True).fill(TWIN)
        composer.get_by_label("Message", exact=True).fill("Words.")
        warnings = composer.locator(".composer-warnings")
        expect(warnings).to_contain_text("xn--80ak6aa92e.com imitates apple.com.", timeout=20_000)
        expect(composer.locator(".token-main")).to_have_accessible_name(re.compile("Warning: .*apple.com"))
        expect(composer.get_by_role("button", name="Send", exact=True)).to_be_enabled()
        self.assertNoViolations()
        composer.get_by_role("button", name=re.compile("^Remove ")).click()
        expect(warnings).not_to_contain_text("apple.com")

    def test_nothing_is_sent_to_an_imitation_before_the_warning_was_seen(self):
        expect(self.page.get_by_role("option").first).to_be_visible()
        self.page.keyboard.press("c")
        composer = self.page.locator(".composer").first
        composer.get_by_label("Subject").fill("To a twin at once")
        composer.get_by_label("Message", exact=True).fill("Words.")
        field = composer.get_by_label("To", exact=True)
        field.fill(TWIN)
        field.press("Control+Enter")
        question = self.page.get_by_role("alertdialog", name="Send to this address?")
        expect(question).to_contain_text("xn--80ak6aa92e.com imitates apple.com.")
        self.assertNoViolations()
        question.get_by_role("button", name="Keep Editing").click()
        expect(composer.locator(".composer-warnings")).to_contain_text("imitates apple.com.")
        composer.get_by_role("button", name=re.compile("^Remove ")).click()
        field.fill("ana@bank.example")
        field.press("Control+Enter")
        expect(composer).to_be_hidden()
        expect(question).to_be_hidden()

    def test_every_sender_is_named(self):
        pair = [{"name": None, "email": "service@paypal.com"}, {"name": None, "email": "x@evil.example"}]
        message = self.open_message("From two", **{"from": pair})
        expect(message.locator("strong")).to_have_text("service@paypal.com, x@evil.example")
        expect(message.locator(".banner-problem")).to_contain_text("service@paypal.com and x@evil.example")
        expect(self.row("From two").locator(".warning-mark")).to_have_count(1)
        named = [{"name": "Ana", "email": "ana@bank.example"}, {"name": "Ben", "email": "ben@bank.example"}]
        message = self.open_message("From a pair", **{"from": named})
        expect(message.locator("strong")).to_have_text("Ana, Ben")
        expect(message.locator(".message-addressing")).to_contain_text("ana@bank.example, ben@bank.example")
        expect(message.locator(".banner-problem")).to_have_count(0)

    def test_another_who_gets_the_answer_besides_the_sender_is_named(self):
        message = self.open_message(
            "Answer us", **{"from": [{"name": "Ana", "email": "ana@bank.example"}],
                            "replyTo": [{"name": "Ana", "email": "ana@bank.example"},
                                        {"name": "Ana", "email": "x@evil.example"}]})
        expect(message.locator(".banner-problem")).to_contain_text(
            re.compile("Replies also go to .?Ana.? <x@evil.example>.$"))
        self.page.get_by_role("button", name="Reply", exact=True).first.click()
        composer = self.page.locator(".composer").first
        expect(composer.locator(".composer-note")).to_contain_text(
            re.compile("This reply also goes to .?Ana.? <x@evil.example>."))
        self.assertNoViolations()
        composer.get_by_role("button", name="Remove Ana, x@evil.example").click()
        expect(composer.locator(".composer-note")).to_have_count(0)

    def test_a_mailing_list_is_said_calmly(self):
        message = self.open_message(
            "To the list", **{"from": [{"name": "Ana", "email": "ana@bank.example"}],
                              "replyTo": [{"name": "Rowers", "email": "rowers@lists.example"}],
                              "header:List-Id:asText": "Rowers <rowers.lists.example>"})
        expect(message.locator(".banner")).to_contain_text(
            re.compile("This is a mailing list. Replies go to .?Rowers.? <rowers@lists.example>."))
        expect(message.locator(".banner-problem")).to_have_count(0)

    def attach(self, subject, files):
        account = self.mail_accounts()["mira@demo.example"]
        blobs = [self.page.evaluate("""async ([account, bytes]) => (await (await fetch(`/jmap/upload/${account}/`, {
            method: "POST", headers: {"Content-Type": "application/octet-stream"},
            body: new Uint8Array(bytes)})).json()).blobId""", [account, list(data)]) for _, data in files]
        self.make(subject=subject, bodyValues={"1": {"value": "See the files."}},
                  textBody=[{"partId": "1", "type": "text/plain"}], attachments=[
                      {"blobId": blob, "name": name, "type": "application/octet-stream", "disposition": "attachment"}
                      for blob, (name, _) in zip(blobs, files)])
        self.show(subject)
        return self.page.locator(".attachment")

    def test_programs_are_marked_whatever_they_are_called(self):
        chips = self.attach("Files", [
            ("run.zsh", b"echo"), ("notes.txt", b"Words."),
            ("invoice.pdf               .exe", b"MZ")])
        expect(chips).to_have_count(3)
        for index, said in enumerate(("This is a script.", None, "hides what it is")):
            mark = chips.nth(index).get_by_role("img", name=re.compile("^Warning: "))
            if said is None:
                expect(mark).to_have_count(0)
            else:
                expect(mark).to_have_attribute("title", re.compile(said))
                expect(chips.nth(index)).to_contain_text("May be dangerous")
        self.assertNoViolations()
        chip = self.attach("Another file", [("movie.mp4", b"\x7fELF")])
        expect(chip).to_have_count(1)
        question = self.page.get_by_role("alertdialog", name="This file may be dangerous")
        # What its bytes showed was noted when the message came.
        expect(chip.get_by_role("img", name=re.compile("^Warning: "))).to_be_visible()
        chip.get_by_role("button", name="Save movie.mp4").click()
        expect(question).to_contain_text("“movie.mp4”: This is a program.")
        self.page.keyboard.press("Escape")
        expect(chip.get_by_role("img", name=re.compile("^Warning: "))).to_be_visible()

    def test_a_link_to_a_twin_asks_first(self):
        self.html("A twin", '<p><a href="https://xn--80ak6aa92e.com/">Sign in</a> '
                            '<a href="https://xn--mnchen-3ya.de/">Munich</a></p>')
        body = self.show("A twin")
        body.get_by_text("Sign in").click()
        question = self.page.get_by_role("alertdialog", name="This link goes to a different site")
        expect(question).to_contain_text("xn--80ak6aa92e.com imitates apple.com.")
        self.page.keyboard.press("Escape")
        expect(body.get_by_text("Munich")).to_have_attribute("href", "https://xn--mnchen-3ya.de/")
