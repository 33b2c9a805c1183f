"""The page around the mail: density, panes, folders, the command palette, menus, progress, fingers, the web app."""

import re
import zipfile

from room import NARROW, WIDE, PageTest, asked, expect, intercept

ROW = ".row:not(.row-empty)"


class ShellTest(PageTest):
    def setUp(self):
        super().setUp()
        expect(self.page.locator(ROW).first).to_be_visible()
        self.addCleanup(self.set, listDensity=None, readingPane=None, textSizePercent=None, paneSizes=None,
                        collapsedFolders=None)

    def set(self, **values):
        self.jmap(["Preferences/set", {"accountId": "program", "update": {"singleton": values}}])

    def preference(self, key):
        answer, = self.jmap(["Preferences/get", {"accountId": "program"}])
        return answer["list"][0][key]

    def box(self, selector):
        return self.page.locator(selector).first.bounding_box()

    def whole_rows(self):
        """The conversations that can be seen without scrolling."""
        return self.page.evaluate(
            """() => {
                const list = document.querySelector(".virtual").getBoundingClientRect();
                const bottom = Math.min(list.bottom, innerHeight);
                return [...document.querySelectorAll(".row")].map((row) => row.getBoundingClientRect())
                    .filter(({top, bottom: end}) => top >= list.top - 1 && end <= bottom + 1).length;
            }""")


class Looks(ShellTest):
    def test_density_is_a_setting_that_holds_at_once_and_nothing_covers_the_date(self):
        page = self.page
        for density, least, height in (("cozy", 14, (50, 58)), ("compact", 24, (28, 32)), ("roomy", 8, (80, 88))):
            with self.subTest(density):
                self.set(listDensity=density)
                expect(page.locator(f".row-{density}").first).to_be_visible()
                row = self.box(ROW)
                self.assertTrue(height[0] <= row["height"] <= height[1], row)
                self.assertGreaterEqual(self.whole_rows(), least)
                page.locator(ROW).nth(2).hover()
                actions = page.locator(ROW).nth(2).locator(".row-actions")
                expect(actions).to_be_visible()
                covered, date = actions.bounding_box(), page.locator(ROW).nth(2).locator("time").bounding_box()
                apart = covered["x"] + covered["width"] <= date["x"] or covered["y"] >= date["y"] + date["height"] - 4
                self.assertTrue(apart, (covered, date))
                self.assertNoViolations()
        page.mouse.move(0, 0)
        self.set(listDensity="compact")
        # A window without room for one line has two.
        page.set_viewport_size({"width": 320, "height": 640})
        expect(page.locator(".row-cozy").first).to_be_visible()
        self.assertFits()

    def test_panes_are_resized_with_pointer_and_keys_and_stay_that_way(self):
        page = self.page
        line = page.get_by_role("separator", name="Width of the list")
        before = self.box(".mail-list")["width"]
        place = line.bounding_box()
        page.mouse.move(place["x"], 400)
        page.mouse.down()
        page.mouse.move(place["x"] - 60, 400, steps=4)
        page.mouse.up()
        dragged = self.box(".mail-list")["width"]
        self.assertAlmostEqual(dragged, before - 60, delta=4)
        line.focus()
        page.keyboard.press("ArrowRight")
        expect(line).to_have_attribute("aria-valuenow", re.compile(r"^\d+$"))
        wider = self.box(".mail-list")["width"]
        self.assertGreater(wider, dragged + 10)
        sidebar = page.get_by_role("separator", name="Width of the folders")
        sidebar.focus()
        page.keyboard.press("End")
        self.wait(lambda: set(self.preference("paneSizes")) == {"sidebar", "list"})
        self.assertNoViolations()
        page.reload()
        expect(page.locator(ROW).first).to_be_visible()
        self.assertGreater(self.box(".sidebar")["width"], 300)
        sidebar.focus()
        page.keyboard.press("Enter")
        self.wait(lambda: set(self.preference("paneSizes")) == {"list"})

    def test_the_reading_pane_is_right_below_or_off(self):
        page = self.page
        self.set(readingPane="below")
        expect(page.locator(".pane-below")).to_be_visible()
        page.get_by_role("option").first.click()
        expect(page.locator(".conversation-tools")).to_be_visible()
        self.assertGreater(self.box(".conversation")["y"], self.box(".mail-list")["y"] + 200)
        self.assertNoViolations()
        self.set(readingPane="off")
        expect(page.get_by_role("listbox")).to_have_count(0)
        expect(page.get_by_role("button", name="Back to the list")).to_be_visible()
        page.keyboard.press("u")
        expect(page.get_by_role("listbox")).to_be_visible()
        self.assertGreater(self.box(".mail-list")["width"], 1000)
        self.assertNoViolations()

    def test_accounts_and_folders_collapse_and_the_text_has_its_size(self):
        page = self.page
        fold = page.get_by_role("button", name="Folders of Mira Lindqvist")
        account = page.locator(".sidebar-account", has_text="Mira Lindqvist")
        expect(account.get_by_role("link").first).to_be_visible()
        fold.click()
        expect(account.get_by_role("link")).to_have_count(0)
        expect(fold).to_have_attribute("aria-expanded", "false")
        self.wait(lambda: len(self.preference("collapsedFolders")) == 1)
        page.reload()
        expect(fold).to_have_attribute("aria-expanded", "false")
        fold.press("Enter")
        expect(account.get_by_role("link").first).to_be_visible()
        # A folder hides those in it, by its button and by the arrows of a tree.
        mira = self.mail_accounts()["mira@demo.example"]
        boxes, = self.jmap(["Mailbox/get", {"accountId": mira, "ids": None}])
        travel = next(box["id"] for box in boxes["list"] if box["name"] == "Travel")
        made, = self.jmap(["Mailbox/set", {"accountId": mira, "create": {"one": {"name": "Iceland", "parentId": travel}}}])
        self.addCleanup(self.jmap, ["Mailbox/set", {"accountId": mira, "destroy": [made["created"]["one"]["id"]]}])
        inner = account.get_by_role("link", name=re.compile("^Iceland"))
        expect(inner).to_be_visible()
        account.get_by_role("button", name=re.compile("Travel")).click()
        expect(inner).to_have_count(0)
        self.assertNoViolations()
        outer = account.get_by_role("link", name=re.compile("^Travel"))
        outer.focus()
        page.keyboard.press("ArrowRight")
        expect(inner).to_be_visible()
        page.keyboard.press("ArrowLeft")
        expect(inner).to_have_count(0)
        self.set(textSizePercent=150)
        self.wait(lambda: page.evaluate("getComputedStyle(document.documentElement).fontSize") == "24px")

    def test_the_settings_have_density_pane_and_text_size(self):
        page = self.page
        page.goto("/#/settings/appearance")
        page.get_by_role("radio", name="Compact").click()
        self.wait(lambda: self.preference("listDensity") == "compact")
        page.get_by_role("radio", name="Below").click()
        self.wait(lambda: self.preference("readingPane") == "below")
        page.get_by_label("Text size").select_option(label="125 %")
        self.wait(lambda: page.evaluate("getComputedStyle(document.documentElement).fontSize") == "20px")
        self.assertNoViolations()


class Finding(ShellTest):
    def palette(self):
        return self.page.get_by_role("dialog", name="Command palette")

    def find(self, text):
        self.page.keyboard.press("Control+k")
        expect(self.palette()).to_be_visible()
        self.page.keyboard.type(text)

    def test_the_palette_finds_commands_folders_people_and_settings(self):
        page = self.page
        # What Enter would do now is said whole.
        page.get_by_role("option", name=re.compile("Schoolyard")).first.click()
        heading = page.locator(".conversation-header h2")
        expect(heading).to_be_visible()
        self.find("")
        expect(self.palette().get_by_role("option").first).to_have_accessible_name(
            re.compile(f"^Archive “(Re: )?{re.escape(heading.inner_text())}”"))
        page.keyboard.press("Escape")
        page.keyboard.press("u")
        self.find("star")
        first = self.palette().get_by_role("option").first
        expect(first).to_have_attribute("aria-selected", "true")
        self.assertNoViolations()
        page.keyboard.press("Escape")
        expect(self.palette()).to_have_count(0)
        self.find("sent")
        self.palette().get_by_role("option", name=re.compile("^Go to Sent")).click()
        expect(page.get_by_role("heading", level=1, name="Sent")).to_be_visible()
        self.find("travel")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1, name="Travel")).to_be_visible()
        self.find("mira")
        expect(self.palette().get_by_role("option", name=re.compile("^Write to"))).not_to_have_count(0)
        page.keyboard.press("Escape")
        self.find("list density: compact")
        page.keyboard.press("Enter")
        expect(page.locator(".row-compact").first).to_be_visible()
        self.find("xyzzyplugh")
        expect(self.palette().get_by_text("Nothing found.")).to_be_visible()
        self.assertNoViolations()
        page.keyboard.press("Escape")
        # It also opens from the search field, and acts on the conversation under the cursor.
        page.keyboard.press("g")
        page.keyboard.press("i")
        expect(page.get_by_role("heading", level=1, name="Inbox")).to_be_visible()
        page.keyboard.press("/")
        self.find("label")
        page.keyboard.press("Escape")
        expect(page.get_by_role("searchbox")).to_be_focused()

    def test_the_palette_of_the_settings_finds_them_and_leads_back_to_the_mail(self):
        page = self.page
        with page.expect_popup() as opened:
            page.keyboard.press("Control+,")
        settings = opened.value
        palette = settings.get_by_role("dialog", name="Command palette")
        security = settings.locator("#settings-security h2")
        expect(settings.get_by_role("region", name="Accounts", exact=True)).to_be_visible()
        settings.get_by_label("Search settings").fill("theme")
        expect(security).not_to_be_visible()
        # A search does not hide it, and it comes into view again after it was scrolled away.
        for _ in range(2):
            settings.keyboard.press("Control+k")
            expect(palette).to_be_visible()
            settings.keyboard.type("app lock")
            settings.keyboard.press("Enter")
            expect(security).to_be_focused()
            expect(security).to_be_in_viewport()
            settings.locator(".settings-list").evaluate("(list) => list.scrollTo(0, 0)")
        self.assertNoViolations(settings)
        settings.keyboard.press("Control+k")
        settings.keyboard.type("travel")
        with settings.expect_event("close"):
            settings.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1, name="Travel")).to_be_visible()

    def test_g_and_a_letter_lead_to_a_folder(self):
        page = self.page
        for letter, title in (("s", "Starred"), ("d", "Drafts"), ("t", "Sent"), ("a", "Archive"), ("i", "Inbox")):
            page.keyboard.press("g")
            page.keyboard.press(letter)
            expect(page.get_by_role("heading", level=1, name=title, exact=True)).to_be_visible()
        page.keyboard.press("g")
        page.keyboard.press("l")
        dialog = page.get_by_role("dialog", name="Go to a folder or label")
        expect(dialog).to_be_visible()
        page.keyboard.type("receipts")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1, name="Receipts")).to_be_visible()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keyboard shortcuts").get_by_text("g then i")).to_be_visible()


class Acting(ShellTest):
    def test_folders_have_a_menu(self):
        page = self.page
        inbox = page.get_by_role("navigation", name="Folders").get_by_role("link", name=re.compile("^Inbox")).first
        expect(inbox).to_have_attribute("aria-label", re.compile("unread"))
        inbox.click(button="right")
        menu = page.get_by_role("menu", name="Inbox")
        self.assertNoViolations()
        menu.get_by_role("menuitem", name="Mark all as read").click()
        expect(inbox).to_have_attribute("aria-label", "Inbox")
        page.keyboard.press("z")
        expect(inbox).to_have_attribute("aria-label", re.compile("unread"))
        trash = page.get_by_role("navigation", name="Folders").get_by_role("link", name=re.compile("^Trash")).first
        trash.click(button="right")
        page.get_by_role("menuitem", name="Empty Trash").click()
        expect(page.get_by_role("alertdialog")).to_be_visible()
        page.keyboard.press("Escape")

    def test_select_all_is_all_matches_and_the_bar_offers_what_a_conversation_offers(self):
        page = self.page
        total = page.locator(".pane-count").inner_text()
        page.get_by_role("listbox").focus()
        page.keyboard.press("Control+a")
        expect(page.get_by_role("heading", name=f"{total} selected")).to_be_visible()
        page.get_by_role("button", name="More for the selection").click()
        menu = page.get_by_role("menu")
        offered = menu.locator(".menu-label").all_inner_texts()
        offered += page.get_by_role("toolbar", name="Selected conversations").get_by_role("button").evaluate_all(
            "(buttons) => buttons.map((button) => button.getAttribute('aria-label'))")
        for words in ("Archive", "Delete", "Move to folder", "Star", "Mute", "Mark as unread", "Mark as read",
                      "Mark as spam", "Forward as attachments", "Save as files", "Print"):
            self.assertIn(words, offered)
        # What is not loaded is not put into one message or one file.
        expect(menu.get_by_role("menuitem", name="Save as files")).to_have_attribute("aria-disabled", "true")
        self.assertNoViolations()
        page.keyboard.press("Escape")
        with page.expect_request(lambda request: "MailAction/set" in (request.post_data or "")) as sent:
            page.keyboard.press("s")
        asked_for = next(values for name, values, _ in sent.value.post_data_json["methodCalls"] if name == "MailAction/set")
        action, = asked_for["create"].values()
        self.assertIn("filter", action)
        page.keyboard.press("Escape")
        page.keyboard.press("z")

    def test_selected_messages_are_saved_and_passed_on_as_files(self):
        page = self.page
        mira = self.mail_accounts()["mira@demo.example"]
        boxes, = self.jmap(["Mailbox/get", {"accountId": mira, "ids": None}])
        inbox = next(box["id"] for box in boxes["list"] if box["role"] == "inbox")
        made, = self.jmap(["Email/set", {"accountId": mira, "create": {f"n{number}": {
            "mailboxIds": {inbox: True}, "from": [{"name": "Kofi", "email": "kofi@kept.example"}], "subject": subject,
            "bodyValues": {"1": {"value": f"Number {number}."}}, "textBody": [{"partId": "1", "type": "text/plain"}]}
            for number, subject in enumerate(("Plan: A/B", "Plan: A/B", "Budget"))}}])
        self.addCleanup(self.jmap, ["Email/set", {
            "accountId": mira, "destroy": [one["id"] for one in made["created"].values()]}])
        page.get_by_role("searchbox").fill("from:kofi@kept.example")
        rows = page.locator(ROW)
        expect(page.locator(".pane-count")).to_have_text(re.compile("[23]"))
        expect(rows.filter(has_text="Budget")).to_have_count(1)

        def choose(name):
            page.get_by_role("button", name="More for the selection").click()
            page.get_by_role("menuitem", name=name).click()

        for index in range(rows.count()):
            rows.nth(index).locator("[data-action=select]").click()
        with page.expect_download() as saved:
            choose("Save as files")
        self.assertEqual(saved.value.suggested_filename, "3 messages.zip")
        with zipfile.ZipFile(saved.value.path()) as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(sorted(archive.namelist()), ["Budget.eml", "Plan_ A_B (2).eml", "Plan_ A_B.eml"])
            self.assertIn(b"Number 2.", archive.read("Budget.eml"))
        # What is on paper while the browser prints.
        page.evaluate("""() => {
            window.print = () => window.onPaper = [...document.querySelectorAll(".printed .mail-frame")]
                .map((frame) => frame.contentDocument.body.innerText.trim());
        }""")
        choose("Print")
        self.wait(lambda: sorted(page.evaluate("window.onPaper || []")) == ["Number 0.", "Number 1.", "Number 2."])
        page.emulate_media(media="print")
        expect(page.locator(".printed-conversation h2", has_text="Budget")).to_be_visible()
        for part in (".mail-list", ".sidebar", "dialog", ".message-tools"):
            expect(page.locator(part).locator("visible=true")).to_have_count(0)
        page.emulate_media(media="screen")
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        expect(page.locator(".printed")).to_have_count(0)
        choose("Forward as attachments")
        files = page.locator(".composer .file-name")
        expect(files).to_have_count(3)
        self.assertEqual(sorted(files.all_inner_texts()), ["Budget.eml", "Plan_ A_B (2).eml", "Plan_ A_B.eml"])
        self.assertNoViolations()
        page.locator(".composer").get_by_label("Subject").fill("All the plans")
        page.keyboard.press("Control+s")
        kept = self.wait(lambda: next((one for one in self.jmap(["Draft/get", {"accountId": mira}])[0]["list"]
                                       if one["subject"] == "All the plans"), None))
        self.assertEqual([one["type"] for one in kept["attachments"]], ["message/rfc822"] * 3)
        page.get_by_role("button", name="Delete draft").click()
        page.get_by_role("alertdialog").get_by_role("button", name="Delete", exact=True).click()
        expect(page.locator(".composer")).to_have_count(0)

    def test_a_slow_answer_shows_progress_and_the_outbox_does_not_move_the_folders(self):
        page = self.page
        expect(page.get_by_role("link", name="Outbox")).to_be_visible()

        def late(route):
            if "Email/query" in (route.request.post_data or ""):
                page.wait_for_timeout(900)
            route.fulfill(json=asked(route))

        intercept(page, "**/jmap/api", late)
        page.keyboard.press("g")
        page.keyboard.press("t")
        expect(page.get_by_role("progressbar", name="Loading conversations")).to_be_visible()
        expect(page.locator(ROW).first).to_be_visible()
        expect(page.get_by_role("progressbar", name="Loading conversations")).to_have_count(0)


class Fingers(ShellTest):
    viewport = NARROW
    options = {"has_touch": True, "is_mobile": True}

    def touch(self, *steps):
        self.page.get_by_role("option").nth(1).evaluate(
            """(row, steps) => {
                const box = row.getBoundingClientRect();
                for (const [type, x, y] of steps) {
                    const touches = /end|cancel/.test(type) ? [] : [new Touch({identifier: 1, target: row,
                        clientX: x, clientY: box.top + 20 + y})];
                    row.dispatchEvent(new TouchEvent(type, {bubbles: true, cancelable: true, touches}));
                }
            }""", steps)

    def test_a_row_follows_the_finger_and_says_what_will_happen(self):
        page = self.page
        name = page.get_by_role("option").nth(1).get_attribute("aria-label")
        self.touch(("touchstart", 40, 0), ("touchmove", 80, 0), ("touchmove", 100, 0))
        under = page.locator(".swipe")
        expect(under).to_have_text("Archive")
        expect(under.locator("svg")).to_be_visible()
        self.assertEqual(page.get_by_role("option").nth(1).evaluate("row => row.style.transform"), "translateX(60px)")
        expect(page.locator(".swipe-far")).to_have_count(0)
        self.touch(("touchmove", 300, 0))
        expect(page.locator(".swipe-far")).to_have_text("Archive")
        # A call comes in: nothing is done.
        self.touch(("touchcancel", 0, 0))
        expect(under).to_have_count(0)
        expect(page.get_by_role("option").nth(1)).to_have_attribute("aria-label", name)
        expect(page.locator(".toast")).to_have_count(0)
        self.touch(("touchstart", 300, 0), ("touchmove", 250, 0), ("touchmove", 40, 0))
        expect(page.locator(".swipe-far")).to_have_text("Delete")
        self.touch(("touchend", 0, 0))
        expect(page.get_by_text("Conversation moved to Trash")).to_be_visible()
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_role("option").nth(1)).to_have_attribute("aria-label", name)

    def test_the_list_is_pulled_down_to_refresh_it(self):
        page = self.page
        self.touch(("touchstart", 100, 0), ("touchmove", 100, 40), ("touchmove", 100, 60))
        expect(page.get_by_text("Pull to refresh")).to_be_visible()
        self.touch(("touchmove", 100, 200))
        expect(page.get_by_text("Release to refresh")).to_be_visible()
        with page.expect_request(lambda request: "SyncStatus/refresh" in (request.post_data or "")):
            self.touch(("touchend", 0, 0))
        expect(page.locator(".pull")).to_have_count(0)


class Installed(ShellTest):
    #: The program is gone on purpose.
    allowed_errors = ("ERR_CONNECTION_REFUSED", "Failed to load resource")

    def test_the_page_can_be_installed_and_says_what_to_do_while_the_program_is_not_running(self):
        page = self.page
        manifest = page.evaluate("fetch(document.querySelector('[rel=manifest]').href).then((answer) => answer.json())")
        self.assertEqual(manifest["display"], "standalone")
        for icon in manifest["icons"]:
            self.assertTrue(page.evaluate("(path) => fetch(path).then(({ok}) => ok)", icon["src"]))
        # In a tab there is no service worker.
        self.assertEqual(page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)"), 0)
        app = self.open(None)
        app.add_init_script(
            """const before = matchMedia.bind(window);
            window.matchMedia = (query) => query.includes("standalone") ? {matches: true} : before(query);""")
        app.goto("/")
        expect(app.locator(ROW).first).to_be_visible()
        app.evaluate("navigator.serviceWorker.ready.then(() => null)")
        kept = app.evaluate(
            """async () => (await Promise.all((await caches.keys()).map(async (name) =>
                (await (await caches.open(name)).keys()).map(({url}) => new URL(url).pathname)))).flat()""")
        self.assertEqual(sorted(kept), ["/icon.svg", "/offline.css", "/offline.html"])
        app.reload()
        expect(app.locator(ROW).first).to_be_visible()
        port = self.program.port
        self.program.stop()
        try:
            app.goto("/")
            expect(app.get_by_role("heading", name="mailkernel is not running")).to_be_visible()
            self.assertNoViolations(app)
            # Dark, on a phone, with text as large as it gets.
            app.emulate_media(color_scheme="dark")
            app.set_viewport_size(NARROW)
            app.evaluate("document.documentElement.style.fontSize = '310%'")
            self.assertFits(app)
            self.assertNoViolations(app)
        finally:
            self.program.start(port)
        app.get_by_role("link", name="Try again").click()
        expect(app.locator(ROW).first).to_be_visible()
