import FoundationEssentials

/// Pages for when the real one cannot be shown. They have no script, no style and no link elsewhere.
enum PlainPages {
    static func badLink() -> HTTPResponse {
        .html(
            403,
            document(
                "This link was already used or has expired",
                """
                <p>A link works once, within ten minutes. To get a new one, run this in a terminal:</p>\
                <pre>mailkernel open</pre><p>If you have used the page in this browser before, you can \
                <a href="/">open it without a link</a>.</p>
                """))
    }

    /// The program was built without its page.
    static func noPage() -> HTTPResponse {
        .html(
            200,
            document(
                "mailkernel is running",
                """
                <p>The web page is not part of this build. You can use another mail program that supports \
                JMAP:</p><ol><li>Run <code>mailkernel token create NAME</code> in a terminal. It prints a token \
                and the URL for the mail program.</li><li>In the mail program, use the token as the password; \
                any user name works.</li></ol>
                """))
    }

    static func notFound() -> HTTPResponse {
        .html(404, document("Page not found", "<p><a href=\"/\">Go to mailkernel</a></p>"))
    }

    /// A page of plain text; the text is escaped.
    static func plain(_ status: Int, _ title: String, _ paragraphs: [String]) -> HTTPResponse {
        .html(status, document(escaped(title), paragraphs.map { "<p>\(escaped($0))</p>" }.joined()))
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    private static func document(_ title: String, _ body: String) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
        <meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"></head>
        <body><main><h1>\(title)</h1>\(body)</main></body></html>

        """
    }
}
