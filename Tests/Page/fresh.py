"""Tests that need a program that is new, and answers that no plugin gives on demand."""

import json

from room import Browser, PageTest, Program, asked, intercept, repeated


class FreshTest(PageTest):
    """A test with a program of its own, without any account."""

    arguments = ()
    #: Added to the program's environment.
    environment = {}

    @classmethod
    def setUpClass(cls):
        pass

    def prepared(self):
        """The folder of the program, where there is to be something in it already."""
        return None

    def setUp(self):
        folder = self.prepared()
        self.program = Program(*self.arguments, folder=folder, environment=self.environment)
        self.addCleanup(self.program.close)
        self.state = self.signed_in()
        super().setUp()

    def signed_in(self, link=None):
        context = Browser.get().new_context()
        context.request.get(link or self.program.link)
        state = context.storage_state()
        context.close()
        return state

    def again(self, how):
        """Ends the program and starts it on the same folders and port; the browser stays signed in."""
        port = self.program.port
        self.program.stop(how)
        self.program.start(port)
        self.state = self.signed_in()

    def add_local_account(self, name="Ada Lovelace", page=None):
        """An account on this device, added as a second window would."""
        setups, = self.jmap(["AccountSetup/get", {"accountId": "program"}], page=page)
        local = next(one["id"] for one in setups["list"] if one["kind"] == "local")
        made, = self.jmap(["SignIn/set", {"accountId": "program", "create": {"a": {"setupId": local}}}], page=page)
        id = made["created"]["a"]["id"]
        self.jmap(["SignIn/set", {"accountId": "program", "update": {id: {"form": {"name": name, "address": ""}}}}],
                  page=page)
        signed_in, = self.jmap(["SignIn/get", {"accountId": "program", "ids": [id]}], page=page)
        self.jmap(["SignIn/set", {"accountId": "program", "destroy": [id]}], page=page)
        return signed_in["list"][0]["addedAccountIds"][0]


class Answers:
    """Puts answers of a test's own in place of the program's, or in place of methods that it does not have.

    `answers` maps a method to a function of (arguments, the program's answer or None). What is in `instead`
    is not asked of the program at all."""

    def __init__(self, page, answers, capabilities=(), instead=(), values=None):
        self.values = values or {}
        self.answers = answers
        self.instead = set(instead)
        self.capabilities = capabilities
        self.calls = []
        intercept(page, "**/jmap/api", self.api)
        intercept(page, "**/.well-known/jmap", self.session)

    def session(self, route):
        session = asked(route)
        for name in self.capabilities:
            session["capabilities"].setdefault(name, {})
        session["capabilities"].update(self.values)
        route.fulfill(json=session)

    def api(self, route):
        request = json.loads(route.request.post_data)
        real = set(request["using"]) - set(self.capabilities)
        forwarded = [call for call in request["methodCalls"] if call[0] not in self.instead]
        answer = repeated(route, {
            **request, "using": sorted(real), "methodCalls": forwarded or [["Core/echo", {}, "none"]]})
        if not answer.ok:
            return route.fulfill(response=answer)
        body = answer.json()
        told = {id: (name, values) for name, values, id in body["methodResponses"]}
        responses = []
        for name, arguments, id in request["methodCalls"]:
            own = self.answers.get(name)
            real_name, real_values = told.get(id, ("error", None))
            if own:
                self.calls.append((name, arguments))
                given = own(arguments, real_values if real_name != "error" else None)
                responses.append(["error" if "type" in given else name, given, id])
            else:
                responses.append([real_name, real_values, id])
        body["methodResponses"] = responses
        route.fulfill(json=body)
