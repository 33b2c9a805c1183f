"""What is there while a model is, and is absent without one."""

import re

from room import PageTest, asked, expect, intercept


class Models(PageTest):
    """The program is bent to say that it has a model: none of a gigabyte comes with the tests."""

    BENT = ("Category/get", "Category/set", "ThreadSummary/get", "Model/get", "Plugin/get")

    def bend(self, page, summary="They want to meet on Tuesday.", holds=False, is_written=True, is_short=False,
             refusal=None, paused_by=None):
        self.held = []
        self.summaries = []

        def session(route):
            said = asked(route)
            said["capabilities"]["urn:mailkernel:models"] = {"categories": True, "replies": True, "summaries": True}
            route.fulfill(json=said)

        def api(route):
            calls = route.request.post_data_json["methodCalls"]
            named = [(index, call) for index, call in enumerate(calls)
                     if call[0] in self.BENT]
            if not named:
                return route.continue_()
            others = [call for call in calls if call[0] not in self.BENT]
            said = {"methodResponses": []}
            if others:
                said = asked(route, {**route.request.post_data_json, "methodCalls": others})
            for _, (name, values, call) in named:
                if name == "Model/get":
                    answer = {"list": [{"id": "m", "pluginId": "org.example.tiny", "usedFor": ["summaries"]}]}
                elif name == "Plugin/get":
                    answer = {"list": [{"id": "org.example.tiny", "name": "Tiny Models"}]}
                elif name == "Category/get":
                    answer = {"list": [{"id": id, "category": "social", "isCorrected": False} for id in values["ids"]],
                              "pausedBy": paused_by}
                elif name == "Category/set":
                    self.corrected = values["update"]
                    answer = ({"notUpdated": {id: refusal for id in values["update"]}} if refusal
                              else {"updated": {id: None for id in values["update"]}})
                else:
                    self.summaries.append(values)
                    is_offered = is_short and not values.get("onRequest")
                    answer = {"list": [{"id": values["ids"][0], "text": None if is_offered else summary,
                                        "writtenByAI": is_written, "isOnRequest": is_offered}]}
                said["methodResponses"].append([name, answer, call])
            if holds and "ThreadSummary/get" in [call[0] for _, call in named]:
                return self.held.append((route, said))
            route.fulfill(json=said)

        intercept(page, "**/.well-known/jmap", session)
        intercept(page, "**/jmap/api", api)
        page.goto("/?again")

    def test_without_a_model_nothing_of_it_is_there(self):
        expect(self.page.get_by_role("option").first).to_be_visible()
        expect(self.page.get_by_role("group", name="Category")).to_have_count(0)
        self.page.get_by_role("option").first.click()
        expect(self.page.locator(".mail-frame").first).to_be_visible()
        expect(self.page.get_by_role("complementary", name="Summary")).to_have_count(0)

    def test_tabs_marks_and_corrections_of_categories(self):
        self.bend(self.page)
        tabs = self.page.get_by_role("group", name="Category")
        expect(tabs.get_by_role("button")).to_have_text(["All", "Primary", "Social", "Promotions", "Updates"])
        expect(self.page.get_by_role("option").first).to_have_attribute("aria-label", re.compile(", in Social"))
        self.assertNoViolations()
        self.page.get_by_role("option").first.click()
        self.page.get_by_role("toolbar").get_by_role("button", name="More").click()
        self.page.get_by_role("menuitem", name="Category: Updates").click()
        expect(self.page.get_by_text("Mail like this will now be in Updates")).to_be_visible()
        self.assertTrue(all(patch == {"category": "updates"} for patch in self.corrected.values()))
        self.assertTrue(self.corrected)
        tabs.get_by_role("button", name="Promotions").click()
        expect(self.page.get_by_text("No messages in Promotions")).to_be_visible()

    def test_a_pause_in_sorting_is_said_where_categories_are(self):
        for why, words in (("battery", "runs on battery"), ("busy", "is busy")):
            with self.subTest(why):
                page = self.open(None)
                self.bend(page, paused_by=why)
                said = page.get_by_role("status").filter(
                    has_text=f"Older mail is not sorted into categories while this computer {words}.")
                expect(said).to_be_visible()
                self.assertNoViolations(page)
                # Also where no row is there to ask for.
                page.get_by_role("group", name="Category").get_by_role("button", name="Promotions").click()
                expect(page.get_by_text("No messages in Promotions")).to_be_visible()
                expect(said).to_be_visible()
        self.bend(self.page)
        expect(self.page.get_by_role("group", name="Category")).to_be_visible()
        expect(self.page.get_by_text("Older mail is not sorted")).to_have_count(0)

    def test_a_correction_that_is_refused_is_taken_back_and_says_why(self):
        self.bend(self.page, refusal={"type": "notFound", "description": "The message is gone."})
        self.page.get_by_role("option").first.click()
        self.page.get_by_role("toolbar").get_by_role("button", name="More").click()
        self.page.get_by_role("menuitem", name="Category: Updates").click()
        expect(self.page.get_by_text("The category could not be changed: The message is gone.")).to_be_visible()
        expect(self.page.get_by_text("Mail like this will now be in")).to_have_count(0)
        expect(self.page.get_by_role("option").first).to_have_attribute("aria-label", re.compile(", in Social"))

    def test_a_short_conversation_is_summed_up_when_asked(self):
        self.bend(self.page, is_short=True)
        self.page.get_by_role("option").first.click()
        summary = self.page.get_by_role("complementary", name="Summary")
        button = summary.get_by_role("button", name="Summarize this conversation")
        expect(button).to_have_text("Summarize")
        expect(summary).not_to_contain_text("They want to meet")
        self.assertNotIn("onRequest", self.summaries[-1])
        self.assertNoViolations()
        button.focus()
        self.page.keyboard.press("Enter")
        expect(summary).to_contain_text("They want to meet on Tuesday.")
        expect(button).to_have_count(0)
        expect(summary).to_be_focused()
        self.assertIs(self.summaries[-1]["onRequest"], True)
        self.page.get_by_role("option").nth(1).click()
        expect(button).to_be_visible()

    def test_where_a_model_finds_nothing_it_says_so_to_whoever_asked(self):
        self.bend(self.page, is_short=True, summary=None)
        self.page.get_by_role("option").first.click()
        summary = self.page.get_by_role("complementary", name="Summary")
        summary.get_by_role("button", name="Summarize this conversation").click()
        expect(summary.get_by_role("status")).to_have_text("The model found nothing to sum up here.")
        self.assertNoViolations()

    def test_moving_on_ends_the_request(self):
        """A browser has six connections for everything, and a model one turn."""
        self.bend(self.page, holds=True)
        options = self.page.get_by_role("option")
        options.first.click()
        summary = self.page.get_by_role("complementary", name="Summary")
        expect(summary.get_by_role("status")).to_contain_text("is reading the conversation")
        with self.page.expect_event(
                "requestfailed", lambda request: "ThreadSummary/get" in (request.post_data or "")):
            options.nth(1).click()
        expect(summary.get_by_role("status")).to_contain_text("is reading the conversation")
        route, said = self.held[-1]
        route.fulfill(json=said)
        expect(summary).to_contain_text("They want to meet on Tuesday.")
        expect(self.page.get_by_text("is not responding")).to_have_count(0)

    def test_a_model_that_takes_its_time_is_said_to_be_at_work(self):
        self.bend(self.page, holds=True)
        self.page.get_by_role("option").first.click()
        summary = self.page.get_by_role("complementary", name="Summary")
        expect(summary.get_by_role("status")).to_contain_text("is reading the conversation")
        self.assertNoViolations()
        for route, said in self.held:
            route.fulfill(json=said)
        expect(summary).to_contain_text("They want to meet on Tuesday.")
        expect(summary.get_by_role("status")).to_have_count(0)

    def test_a_model_that_takes_long_is_named_with_its_plugin_and_can_be_canceled(self):
        self.bend(self.page, holds=True)
        self.page.get_by_role("option").first.click()
        summary = self.page.get_by_role("complementary", name="Summary")
        expect(summary.get_by_role("status")).to_have_text(
            "Still waiting for the plugin “Tiny Models”, which runs the model…")
        self.assertNoViolations()
        with self.page.expect_event(
                "requestfailed", lambda request: "ThreadSummary/get" in (request.post_data or "")):
            summary.get_by_role("button", name="Cancel the summary").click()
        # It can be asked for again, whatever the length of the conversation.
        expect(summary).to_be_focused()
        summary.get_by_role("button", name="Summarize this conversation").click()
        expect(summary.get_by_role("status")).to_contain_text("is reading the conversation")
        # It comes here after the page has shown that it was sent.
        while len(self.held) < 2:
            self.page.wait_for_timeout(20)
        route, said = self.held[-1]
        route.fulfill(json=said)
        expect(summary).to_contain_text("They want to meet on Tuesday.")

    def test_a_summary_says_who_wrote_it(self):
        self.bend(self.page)
        self.page.get_by_role("option").first.click()
        summary = self.page.get_by_role("complementary", name="Summary")
        expect(summary).to_contain_text("They want to meet on Tuesday.")
        expect(summary).to_contain_text("Written by a model on this computer")
        self.assertNoViolations()

    def test_a_summary_that_is_quoted_says_so(self):
        self.bend(self.page, is_written=False)
        self.page.get_by_role("option").first.click()
        summary = self.page.get_by_role("complementary", name="Summary")
        expect(summary).to_contain_text("Quotes from the messages, selected by a model on this computer.")
