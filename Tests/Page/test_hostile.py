"""Mail that means harm, through the real program and the real browser: it runs nothing and contacts no server."""

import unittest
from pathlib import Path

from room import PageTest, ROOT, expect

CORPUS = ROOT.parent / "shared/corpora/xss"
#: So many payloads in one message.
AT_ONCE = 150


class Hostile(PageTest):
    long = True

    def payloads(self):
        for path in sorted(Path(CORPUS).glob("*.txt")):
            yield from (line for line in path.read_text(errors="replace").splitlines() if "<" in line)

    @unittest.skipUnless(CORPUS.is_dir(), "The collections of hostile HTML are not beside this checkout.")
    def test_thousands_of_known_attacks_do_nothing(self):
        payloads = list(self.payloads())
        self.assertGreater(len(payloads), 500)
        account = self.mail_accounts()["mira@demo.example"]
        inbox = next(box["id"] for box in self.jmap(["Mailbox/get", {"accountId": account, "ids": None}])[0]["list"]
                     if box["role"] == "inbox")
        chunks = [payloads[at:at + AT_ONCE] for at in range(0, len(payloads), AT_ONCE)]
        made = self.jmap(["Email/set", {"accountId": account, "create": {f"n{index}": {
            "mailboxIds": {inbox: True}, "from": [{"name": "Mallory", "email": "m@evil.example"}],
            "subject": f"Attack{index:03}", "receivedAt": "2026-11-20T10:00:00Z",
            "bodyValues": {"1": {"value": f"<p>begin {index:03}</p>" + "\n".join(chunk)}},
            "htmlBody": [{"partId": "1", "type": "text/html"}]} for index, chunk in enumerate(chunks)}}])[0]
        self.assertEqual(len(made["created"] or {}), len(chunks), made.get("notCreated"))
        dialogs = []
        self.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        self.page.reload()
        address = self.page.url
        for index in range(len(chunks)):
            self.page.get_by_role("searchbox").fill(f"subject:Attack{index:03}")
            self.page.locator(".row", has_text=f"Attack{index:03}").first.click()
            expect(self.page.get_by_role("heading", level=2, name=f"Attack{index:03}", exact=True)).to_be_visible()
            body = self.page.frame_locator(".mail-frame").locator("body")
            expect(body).to_contain_text(f"begin {index:03}")
            body.evaluate("""body => { for (const one of body.querySelectorAll('*')) for (const type of
                ['mouseover', 'focus', 'error', 'load', 'toggle']) one.dispatchEvent(new Event(type)); }""")
            self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
        self.page.wait_for_timeout(300)
        self.assertEqual(dialogs, [])
        self.assertEqual(self.page.url.split("#")[0], address.split("#")[0])
