"""What is there while a model is, and is absent without one."""

import re

from room import PageTest, asked, expect, intercept


class Models(PageTest):
    """The program is bent to say that it has a model: none of a gigabyte comes with the tests."""

    def bend(self, page, summary="They want to meet on Tuesday.", holds=False, is_written=True):
        self.held = []

        def session(route):
            said = asked(route)
            said["capabilities"]["urn:mailkernel:models"] = {"categories": True, "replies": True, "summaries": True}
            route.fulfill(json=said)

        def api(route):
            calls = route.request.post_data_json["methodCalls"]
            named = [(index, call) for index, call in enumerate(calls)
                     if call[0] in ("Category/get", "Category/set", "ThreadSummary/get")]
            if not named:
                return route.continue_()
            others = [call for call in calls if call[0] not in ("Category/get", "Category/set", "ThreadSummary/get")]
            said = {"methodResponses": []}
            if others:
                said = asked(route, {**route.request.post_data_json, "methodCalls": others})
            for _, (name, values, call) in named:
                if name == "Category/get":
                    answer = {"list": [{"id": id, "category": "social", "isCorrected": False} for id in values["ids"]]}
                elif name == "Category/set":
                    self.corrected = values["update"]
                    answer = {"updated": {id: None for id in values["update"]}}
                else:
                    answer = {"list": [{"id": values["ids"][0], "text": summary, "writtenByAI": is_written}]}
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
        expect(self.page.get_by_role("option").first).to_have_attribute("aria-label", re.compile("category Social"))
        self.assertNoViolations()
        self.page.get_by_role("option").first.click()
        self.page.get_by_role("toolbar").get_by_role("button", name="More").click()
        self.page.get_by_role("menuitem", name="This is Updates").click()
        expect(self.page.get_by_text("Mail like this is in Updates from now on")).to_be_visible()
        self.assertEqual(set(self.corrected.values()), {"updates"})
        tabs.get_by_role("button", name="Promotions").click()
        expect(self.page.get_by_text("Nothing in Promotions")).to_be_visible()

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
        expect(summary).to_contain_text("Quoted from the messages, chosen by a model on this computer.")
