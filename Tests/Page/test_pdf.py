"""PDF attachments in a browser that has a viewer for them, and in one that has none."""

import base64

from room import CHROMIUM, NARROW, PageTest, expect
from test_conversation import MailMaker

#: As phones have it.
WITHOUT_VIEWER = "Object.defineProperty(Navigator.prototype, 'pdfViewerEnabled', {get: () => false})"

#: How many dark pixels the picture of a page has.
INK = """(canvas) => {
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) count += data[at] < 128 && data[at + 3] > 128;
    return count;
}"""

SCRIPTED = (b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>>>endobj\n"
            b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>"
            b"endobj\ntrailer<</Root 1 0 R>>\n%%EOF")


class WithViewer(MailMaker, PageTest):
    browser = CHROMIUM

    def test_a_pdf_is_previewed_from_memory(self):
        pdf = ("%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
               "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF")
        account = self.mail_accounts()["mira@demo.example"]
        blob = self.page.evaluate("""async ([account, pdf]) => (await (await fetch(`/jmap/upload/${account}/`,
            {method: "POST", headers: {"Content-Type": "application/pdf"}, body: pdf})).json()).blobId""", [account, pdf])
        self.text("A paper", "See the paper.", attachments=[
            {"blobId": blob, "type": "application/pdf", "name": "paper.pdf"}])
        self.show("A paper")
        self.page.get_by_role("button", name="Preview paper.pdf").click()
        frame = self.page.locator(".preview iframe")
        expect(frame).to_be_visible()
        self.assertTrue(frame.get_attribute("src").startswith("blob:"))
        self.page.wait_for_timeout(500)  # for what the policy would say
        # A viewer that takes the focus does not take the keys of the dialog with it.
        dialog, close = self.page.get_by_role("dialog"), self.page.get_by_role("button", name="Close", exact=True)
        self.page.mouse.move(1, 1)
        close.focus()
        frame.evaluate("one => one.focus()")
        expect(close).to_be_focused()
        self.page.keyboard.press("Tab")
        frame.evaluate("one => one.focus()")
        self.page.wait_for_timeout(100)
        expect(frame).to_be_focused()
        close.focus()
        self.page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)


class WithoutViewer(MailMaker, PageTest):
    def attach(self, subject, **files):
        account = self.mail_accounts()["mira@demo.example"]
        blobs = self.page.evaluate("""async ([account, files]) => Promise.all(files.map(async (file) => {
            const body = Uint8Array.from(atob(file), (one) => one.charCodeAt(0));
            return (await (await fetch(`/jmap/upload/${account}/`,
                {method: "POST", headers: {"Content-Type": "application/pdf"}, body})).json()).blobId;
        }))""", [account, [base64.b64encode(file).decode() for file in files.values()]])
        self.text(subject, "See the papers.", attachments=[
            {"blobId": blob, "type": "application/pdf", "name": f"{name}.pdf"} for name, blob in zip(files, blobs)])

    def printed(self):
        """Three pages, as browsers print them, with their fonts."""
        page = self.open("about:blank")
        page.set_content("".join(f"<h1 style='break-before:page'>Plan, page {n}</h1>" for n in (1, 2, 3)))
        file = page.pdf(width="400px", height="500px")
        page.close()
        return file

    def test_a_pdf_is_drawn_with_its_text_and_can_be_zoomed(self):
        self.attach("Papers", plan=self.printed(), scripted=SCRIPTED, broken=b"%PDF-1.4 nothing")
        for viewport in (None, NARROW):
            page = self.page = self.open(None, viewport=viewport)
            page.add_init_script(WITHOUT_VIEWER)
            asked = []
            page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
            page.goto("/")
            page.locator(".row", has_text="Papers").first.click()
            self.assertNotIn("pdf.js", asked)
            # One with scripts is not shown at all.
            expect(page.get_by_role("button", name="Save scripted.pdf")).to_be_visible()
            expect(page.get_by_role("button", name="Preview scripted.pdf")).to_have_count(0)
            page.get_by_role("button", name="Preview plan.pdf").click()
            sheet = page.get_by_role("group", name="Page 1 of 3")
            expect(sheet.locator("canvas")).to_be_visible()
            self.assertGreater(sheet.locator("canvas").evaluate(INK), 200)
            expect(sheet).to_contain_text("Plan, page 1")
            expect(page.locator(".preview iframe")).to_have_count(0)
            self.assertNoViolations(page)
            wide = sheet.bounding_box()["width"]
            page.get_by_role("button", name="Zoom in").click()
            expect(sheet.locator("canvas")).to_be_visible()
            self.wait(lambda: sheet.bounding_box()["width"] != wide, page)
            page.keyboard.press("0")
            self.wait(lambda: abs(sheet.bounding_box()["width"] - wide) < 1, page)
            page.get_by_role("group", name="plan.pdf").evaluate("(one) => one.scrollTo(0, one.scrollHeight)")
            expect(page.get_by_role("group", name="Page 3 of 3")).to_contain_text("Plan, page 3")
            page.get_by_role("button", name="Next attachment").click()
            expect(page.get_by_role("alert")).to_contain_text("the file is damaged")
            page.keyboard.press("Escape")
            expect(page.get_by_role("dialog")).to_have_count(0)
