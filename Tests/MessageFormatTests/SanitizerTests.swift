import Foundation
import Testing

@testable import MessageFormat

@Suite("HTML is made safe") struct SanitizerTests {
    private func safe(_ html: String, remote: Bool = false) -> SafeHTML {
        HTMLSanitizer(showsRemote: remote).sanitize(html) { $0 == "gone" ? nil : "/blob/\($0)" }
    }

    @Test(arguments: [
        ("<p onclick=x()>a<script>b</script></p>", "<div><p>a</p></div>"),
        ("<a href=' java\nscript:alert(1)'>a</a>", "<div><a>a</a></div>"),
        ("<a href='&#106;avascript:x'>a</a><a href='data:text/html,x'>b</a>", "<div><a>a</a><a>b</a></div>"),
        ("<form action=x><input name=a><button>Go</button></form>", "<div>Go</div>"),
        ("<svg><script>x</script><a xlink:href='javascript:x'>y</a></svg>z", "<div>z</div>"),
        ("<math><mtext><style><img src onerror=x></style></mtext></math>z", "<div>z</div>"),
        ("<base href=//evil.example><meta http-equiv=refresh content=0>x", "<div>x</div>"),
        (
            "<b style='position:fixed;color:red;background:url(http://x/)'>x</b>",
            "<div><b style=\"color:red\">x</b></div>"
        ),
        ("<b style='width:expression(alert(1))'>x</b>", "<div><b>x</b></div>"),
        ("<b style='w\\69 dth:1px;color:r\\65 d'>x</b>", "<div><b>x</b></div>"),
        ("<b style='color:/**/red;font-family:\"a;b\"'>x</b>", "<div><b style=\"color:red\">x</b></div>"),
        ("<o:p>Office</o:p>", "<div>Office</div>"), ("a &lt;script&gt; b", "<div>a &lt;script&gt; b</div>"),
        (
            "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
            "<div><p title=\"&lt;/noscript&gt;&lt;img src=x onerror=alert(1)&gt;\"></p></div>"
        ),
    ]) func whatIsLeft(_ html: String, _ expected: String) {
        #expect(safe(html).html == expected)
    }

    @Test func styleSheets() {
        let html = """
            <style>@import "http://x/"; @font-face { src: url(http://x/) } p { color: red; position: fixed }
            @media (max-width: 600px) { .a > b { width: 100% } } q { background: url(https://x/y.png) #fff }
            </style></style><p>x
            """
        let result = safe(html)
        #expect(
            result.html.hasPrefix(
                "<style>p{color:red}@media (max-width: 600px){.a > b{width:100%}}q{background:#fff}</style>"))
        #expect(result.blockedRemoteCount == 3)
    }

    @Test func remoteImagesAreHeldBackAndCounted() {
        let html =
            "<img src=https://a.example/x.png alt=Logo><img src='http://a.example/y.png'><td background=https://z/>"
        let blocked = safe(html)
        #expect(blocked.blockedRemoteCount == 2)
        #expect(!blocked.html.contains("a.example"))
        #expect(blocked.html.contains("alt=\"Logo\""))
        let shown = safe(html, remote: true)
        #expect(shown.html.contains("src=\"https://a.example/x.png\""))
        #expect(!shown.html.contains("http://"))
        #expect(shown.blockedRemoteCount == 1)
    }

    @Test(arguments: [
        "<img src=https://t.example/a width=1 height=1>",
        "<img src=https://t.example/a style='width:1px;height:1px'>",
        "<img src=https://t.example/a width=0>",
        "<div style='display:none'><img src=https://t.example/a></div>",
        "<img style='display:none' src=https://t.example/a>",
        "<img src='https://x.list-manage.com/track/open.php?u=1'>", "<img src=//t.example/wf/open?upn=abc>",
    ]) func trackersGoForGood(_ html: String) {
        for remote in [false, true] {
            let result = safe(html, remote: remote)
            #expect(result.removedTrackerCount == 1)
            #expect(result.blockedRemoteCount == 0)
            #expect(!result.html.contains("<img"))
        }
    }

    @Test func imagesThatCameAlong() {
        #expect(safe("<img src='cid:a%40b'>").html == "<div><img src=\"/blob/a@b\"></div>")
        #expect(safe("<img src='cid:gone'>").html == "<div><img></div>")
        #expect(safe("<img src='data:image/png;base64,AAAA'>").html.contains("data:image/png"))
        #expect(safe("<img src='data:image/svg+xml;base64,AAAA'>").html == "<div><img></div>")
    }

    @Test func linksAreOpenedElsewhereAndTheirHostsKnown() {
        let result = safe(
            """
            <a href="https://Example.com/x" onclick=y>a</a> <a href="https://user@evil.example:80/">b</a>
            <a href="//example.com/y">c</a> <a href="https:\\\\back.example\\x">d</a> <a href="mailto:a@b.c">e</a>
            <a href="#top">f</a> <a href="/relative">g</a>
            """)
        #expect(result.linkHosts == ["example.com", "evil.example", "back.example"])
        #expect(
            result.html.contains(
                "<a href=\"https://Example.com/x\" rel=\"noopener noreferrer\" target=\"_blank\">a</a>"))
        #expect(result.html.contains("<a href=\"#top\">f</a>"))
        #expect(result.html.contains("<a>g</a>"))
    }

    @Test(arguments: [
        ("<p>new</p><blockquote type=cite>old</blockquote>", "quote"),
        (
            "new<div class='gmail_quote'>On Monday<blockquote class=gmail_quote>old</blockquote></div>",
            "quote"
        ),
        (
            "<p>On Mon, 1 Jan 2026, Ana &lt;ana@example.com&gt; wrote:</p><blockquote>old</blockquote>",
            "quote"
        ),
        ("<p>Am 1.1.2026 um 10:00 schrieb Ana:<br></p><blockquote>alt</blockquote>", "quote"),
        ("new<div id=divRplyFwdMsg>From: x</div>old", "rest"),
        (
            "new<div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'>From</div>",
            "rest"
        ),
        ("<div class='moz-cite-prefix'>On 1/1/26 wrote</div><blockquote type=cite>x</blockquote>", "intro"),
    ]) func quotedPartsAreMarked(_ html: String, _ mark: String) {
        let result = safe(html)
        #expect(result.html.contains("data-quote=\"\(mark)\""))
        #expect(result.hasQuote)
    }

    @Test func aQuoteOfAPoetIsNone() {
        let result = safe("<p>Goethe says:</p><blockquote data-quote=quote>Stay</blockquote>")
        #expect(!result.hasQuote)
        #expect(!result.html.contains("data-quote"))
    }
}

extension HTMLSanitizer {
    /// With the images of other servers at their own addresses, or without them.
    init(showsRemote: Bool) {
        self.init()
        if showsRemote { remoteURL = { $0 } }
    }
}
