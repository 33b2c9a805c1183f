import FoundationEssentials

/// Pages for when the real one cannot be shown. They have no script, no style and no link elsewhere.
enum PlainPages {
    static func badLink() -> HTTPResponse {
        .html(
            403,
            document(
                "This link has been used, or is too old",
                """
                <p>A link that opens mailkernel is good once, and for ten minutes. To get a new one, run this in a \
                terminal:</p><pre>mailkernel open</pre><p>If you had the page open in this browser before, \
                <a href="/">go to it</a>: you need no link then.</p>
                """))
    }

    /// The program was built without its page.
    static func noPage() -> HTTPResponse {
        .html(
            200,
            document(
                "mailkernel is running",
                """
                <p>The web page is not part of this build. Other mail programs that speak JMAP can be used:</p>\
                <ol><li>Run <code>mailkernel token create NAME</code> in a terminal. It prints a token and \
                the address to give to the mail program.</li><li>In the mail program, use the token as \
                password; the user name does not matter.</li></ol>
                """))
    }

    static func notFound() -> HTTPResponse {
        .html(404, document("There is nothing here", "<p><a href=\"/\">Go to mailkernel</a></p>"))
    }

    /// A page of plain text, whatever the text looks like.
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
