"""The screens of organizing mail, with answers of services that the demo's accounts do not have."""

from fresh import Answers
from room import asked, expect

CHECKED = "2026-11-02T08:00:00Z"
SUBJECTS = ("The ferry to Almada on the first weekend in June", "Invoice 2023-114", "Photos of the harbor")


def rule(name, word, *actions):
    return {"kind": "rule", "name": name, "isOn": True, "joining": "all",
            "conditions": [{"field": "subject", "value": word, "isNegated": False}],
            "actions": [{"verb": verb, "value": value} for verb, value in actions]}


RULES = [
    rule("Travel and tickets", "ticket", ("move", "Travel"), ("stop", None)),
    rule("Invoices", "invoice", ("star", None)),
    rule("To the accountant", "tax", ("forward", "accountant@a-rather-long-name-of-a-company.example")),
]

#: Where the rules run: an account whose rules are at the service, and one that has to decide and cannot be reached.
SERVICES = {
    "mira@demo.example": {
        "isWanted": True, "isActive": True, "mayBeThere": True, "isForeign": False, "question": None, "obstacle": None,
        "scripts": [{"name": "mailkernel", "isActive": True, "isOurs": True},
                    {"name": "holiday", "isActive": False, "isOurs": False}],
        "rules": [{"title": "Travel and tickets", "isOff": False, "reason": None},
                  {"title": "Invoices", "isOff": False, "reason": None},
                  {"title": "To the accountant", "isOff": False,
                   "reason": "mailkernel forwards messages itself, within its limits."}],
        "checkedAt": CHECKED, "problem": None, "problemSince": None},
    "jonas@demo.example": {
        "isWanted": True, "isActive": False, "mayBeThere": True, "isForeign": False, "obstacle": None,
        "question": {"kind": "displace", "subject": "roundcube"},
        "scripts": [{"name": "roundcube", "isActive": True, "isOurs": False}], "rules": [], "checkedAt": CHECKED,
        "problem": "mail.demo.example does not respond: no server responded on port 4190.", "problemSince": CHECKED},
}

OLDER = [
    {"feedId": "INBOX", "remoteId": str(number), "from": [{"name": "Ana Sampaio", "email": "ana@example.com"}], "to": None,
     "subject": subject, "receivedAt": f"2021-0{number + 1}-03T08:00:00Z", "hasAttachment": False, "size": 4000,
     "preview": "Shall we go early, before it gets hot? The first boat leaves at seven.",
     "keywords": {} if number == 0 else {"$seen": True}}
    for number, subject in enumerate(SUBJECTS)]


class Services(Answers):
    """Answers as services that run rules and search older mail."""

    def __init__(self, page):
        self.names = {}
        super().__init__(page, {
            "ServiceRules/get": lambda arguments, real: {
                "accountId": arguments["accountId"], "state": "services", "notFound": [],
                "list": [{"id": "singleton", **SERVICES[self.names[arguments["accountId"]]]}]},
            "ServiceRules/script": lambda arguments, real: {
                "text": 'require ["fileinto"];\r\n\r\n# Written by another program.\r\n'
                        'if header :contains "subject" "holiday" {\r\n    fileinto "Holiday";\r\n}\r\n'},
            "OlderMail/query": lambda arguments, real: {
                "accountId": arguments["accountId"], "list": OLDER, "nextPosition": 25, "isCut": False},
        }, instead=["ServiceRules/get", "ServiceRules/script", "OlderMail/query"])

    def session(self, route):
        session = asked(route)
        for id, account in session["accounts"].items():
            self.names[id] = account["name"]
            if "urn:mailkernel:reading" in account["accountCapabilities"]:
                account["accountCapabilities"]["urn:mailkernel:reading"]["hasOlderMail"] = True
        route.fulfill(json=session)


def steps(test, page):
    """The screens, as (name, step): each comes up from the one before it, in whatever size."""
    Services(page)
    page.goto("/")
    session = page.evaluate("fetch('/.well-known/jmap').then((answer) => answer.json())")
    mira = next(id for id, account in session["accounts"].items() if account["name"] == "mira@demo.example")
    test.jmap(["RuleList/set", {"accountId": mira, "update": {"singleton": {"entries": RULES}}}], page=page)

    def at(path):
        page.goto("about:blank")
        page.goto(path)

    def rules():
        at("/#/settings/rules")
        expect(page.get_by_text("Runs at the service.", exact=True).first).to_be_visible()
        page.get_by_text("To the accountant", exact=True).evaluate("(name) => name.scrollIntoView()")

    def question():
        page.get_by_text("Run mailkernel’s rules instead").evaluate("(words) => words.scrollIntoView({block: 'center'})")

    def script():
        page.get_by_role("button", name="Show the script “holiday”").click()
        expect(page.get_by_role("dialog").locator("pre")).to_be_visible()

    def leave():
        """Closes the dialog of the step before."""
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)

    def builder():
        leave()
        page.get_by_role("button", name="New rule").first.click()
        dialog = page.get_by_role("dialog", name="New rule")
        dialog.get_by_label("Name", exact=True).fill("Everything about the harbor")
        dialog.get_by_label("What of condition 1").select_option("Subject or text contains")
        dialog.get_by_label("Text of condition 1").fill("a")
        dialog.get_by_role("button", name="Add condition").click()
        dialog.get_by_label("What of condition 2").select_option("Larger than (KB)")
        dialog.get_by_label("KB of condition 2").fill("1")
        dialog.get_by_label("Do of action 1").select_option("Forward to")
        dialog.get_by_label("Address of action 1").fill("ana@example.com")
        dialog.get_by_role("button", name="Add action").click()

    def rehearsal():
        dialog = page.get_by_role("dialog", name="New rule")
        dialog.get_by_role("button", name="Rehearse with past mail").click()
        found = dialog.get_by_role("list", name="Messages found")
        expect(found).to_be_visible()
        found.scroll_into_view_if_needed()

    def vacation():
        leave()
        page.get_by_role("button", name="Edit the vacation reply of").first.click()
        dialog = page.get_by_role("dialog", name="Vacation reply of")
        dialog.get_by_role("switch", name="Reply automatically").click()
        dialog.get_by_label("First day").fill("2030-05-06")

    def reminder():
        at("/#/compose/new")
        page.locator(".composer").get_by_label("To", exact=True).fill("ana@example.com,")
        page.get_by_role("button", name="Remind me if there is no reply").click()
        dialog = page.get_by_role("dialog", name="Remind me if there is no reply by")
        dialog.get_by_label("When", exact=True).fill("tomorrow 14:30")

    def senders():
        at("/#/senders")
        expect(page.get_by_role("list", name="Senders found").get_by_role("listitem").first).to_be_visible()

    def older():
        at("/#/search?q=harbor&in=all/inbox")
        page.get_by_role("button", name="Search older mail at").first.click()
        expect(page.get_by_role("button", name="Show more").first).to_be_visible()

    return [("rules at the service", rules), ("question", question), ("script", script), ("rule builder", builder), ("rehearsal", rehearsal),
            ("vacation reply", vacation), ("reminder", reminder), ("senders", senders), ("older mail", older)]
