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
            "<div><b style=\"color:red;--blocked-image:1\">x</b></div>"
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
                "<style>p{color:red}@media (max-width: 600px){.a > b{width:100%}}"
                    + "q{background:none #fff;--blocked-image:1}</style>"
            ))
        #expect(result.blockedRemoteCount == 3)
    }

    /// A length that follows the height of the frame makes the frame higher, and that the length.
    @Test(arguments: [
        ("min-height:100vh", "min-height:600px"), ("height:50VH", "height:300px"),
        ("height:calc(100dvh - 2em)", "height:calc(600px - 2em)"), ("height:.5svh", "height:3px"),
        ("letter-spacing:-1.5lvh", "letter-spacing:-9px"), ("height:1e1vb", "height:60px"),
        ("height:1e99vh", "height:100000px"), ("width:50vmin", "width:min(50vw,300px)"),
        ("width:50dvmax", "width:max(50vw,300px)"), ("height:10cqh", "height:60px"),
        ("height:10cqb", "height:60px"), ("width:10cqmin", "width:min(10vw,60px)"),
        ("padding:1em 2ex", "padding:1em 2ex"), ("font-family:a5vh", "font-family:a5vh"),
        ("color:#5e0cf0", "color:#5e0cf0"), ("width:10vw", "width:10vw"),
    ]) func noLengthFollowsTheHeightOfTheFrame(_ style: String, _ expected: String) {
        #expect(safe("<b style='\(style)'>x</b>").html == "<div><b style=\"\(expected)\">x</b></div>")
        #expect(safe("<style>b{\(style)}</style>x").html == "<style>b{\(expected)}</style><div>x</div>")
    }

    /// A link that is moved over another text would wear it.
    @Test(arguments: [
        "margin-left:-160px", "margin:0 0 -2em", "margin-top:calc(0px - 9em)", "MARGIN-RIGHT : -1px",
        "text-indent:-9999px", "word-spacing:-.3em", "text-decoration:line-through #fff 30px",
        "text-decoration:rgb(0,0,0)2em underline", "TEXT-DECORATION: underline CALC(1em + 2em)",
    ]) func nothingIsLaidOverAnother(_ style: String) {
        #expect(safe("<b style='\(style);color:red'>x</b>").html == "<div><b style=\"color:red\">x</b></div>")
        #expect(
            safe("<style>b{\(style);color:red}</style>x").html == "<style>b{color:red}</style><div>x</div>")
    }

    @Test(arguments: [
        "line-through", "underline #123456", "underline dotted rgb(1, 2, 3)", "none !important",
    ])
    func linesAtTextStay(_ value: String) {
        let html = "<div><b style=\"text-decoration:\(value)\">x</b></div>"
        #expect(safe("<b style='text-decoration:\(value)'>x</b>").html == html)
    }

    /// The rest of a host could be made invisible, and no comparison of a link with its text would notice.
    @Test(arguments: ["p::first-line", "a:first-letter", "q, a::FIRST-LETTER"])
    func noRuleIsAboutSomeLettersOfAText(_ selector: String) {
        let html = "<style>\(selector){color:white}a:first-child{color:red}</style>x"
        #expect(safe(html).html == "<style>a:first-child{color:red}</style><div>x</div>")
    }

    /// A column of a table would be as narrow as a letter.
    @Test(arguments: [
        ("overflow-wrap:anywhere", "overflow-wrap:break-word"),
        ("word-wrap:Anywhere", "word-wrap:break-word"),
        ("word-break:break-word !important", "overflow-wrap:break-word !important"),
        ("overflow-wrap:break-word", "overflow-wrap:break-word"),
        ("word-break:break-all", "overflow-wrap:break-word"),
    ]) func wordsStayWholeWhereThereIsRoom(_ style: String, _ expected: String) {
        #expect(safe("<b style='\(style)'>x</b>").html == "<div><b style=\"\(expected)\">x</b></div>")
    }

    @Test(arguments: [
        ("(min-height: 500px)", false), ("screen and (400px <= HEIGHT)", false),
        ("(orientation:portrait)", false),
        ("(min-aspect-ratio: 1/1)", false), ("screen and (max-width: 600px)", true),
        ("(max-device-height: 800px)", true), ("(prefers-color-scheme: dark)", true),
    ]) func noRuleAsksForTheHeightOfTheFrame(_ media: String, _ isKept: Bool) {
        let html = safe("<style>@media \(media) { p { color: red } } q { color: blue }</style>x").html
        #expect(html.contains("@media") == isKept && html.contains("q{color:blue}"))
    }

    @Test func remoteImagesAreHeldBackAndCounted() {
        let html =
            "<img src=https://a.example/x.png alt=Logo><img src='http://a.example/y.png'><td background=https://z/>"
        let blocked = safe(html)
        #expect(blocked.blockedRemoteCount == 2)
        #expect(!blocked.html.contains("a.example"))
        #expect(blocked.html.contains("alt=\"Logo\""))
        let shown = safe(html, remote: true)
        #expect(shown.html.contains("src=\"https://a.example/x.png\" data-remote=\"https\""))
        #expect(shown.html.contains("src=\"https://a.example/y.png\" data-remote=\"http\""))
        #expect(!shown.html.contains("http://"))
        #expect(shown.blockedRemoteCount == 0)
    }

    /// Its text may have been made for the image.
    @Test(arguments: [
        ("<table background=https://a.example/x.png>", true), ("<table background=cid:gone>", true),
        ("<p style='background-image:url(cid:x)'>", true), ("<p style='background:url(ftp://a/x)'>", true),
        ("<style>p{background:#000 url(//a.example/x.png)}</style>", true),
        ("<p style='background:#000'>", false), ("<p style='background:url()'>", false),
        ("<ul style='list-style:url(https://a.example/x.png)'>", false),
        ("<p style='--blocked-image:1;color:red'>", false),
    ]) func anElementWithoutItsBackgroundImageIsMarked(_ html: String, _ isMarked: Bool) {
        #expect(safe(html).html.contains("--blocked-image:1") == isMarked)
        if html.contains("a.example") { #expect(!safe(html, remote: true).html.contains("--blocked-image")) }
    }

    /// Every place of an image that mail uses.
    @Test(arguments: [
        ("<img src=https://a.example/x.png>", "src=\"https://a.example/x.png\""),
        ("<img src=//a.example/x.png>", "src=\"https://a.example/x.png\""),
        ("<img src=http://a.example:80/x.png>", "src=\"https://a.example/x.png\""),
        (
            "<img srcset='https://a.example/x.png 1x, https://a.example/y.png 2x'>",
            "src=\"https://a.example/x.png\""
        ),
        (
            "<input type=image src=https://a.example/x.png alt=Go>",
            "<img alt=\"Go\" src=\"https://a.example/x.png\""
        ),
        (
            "<table background=https://a.example/x.png><td>a</table>",
            "<table style=\"background-image:url(&quot;https://a.example/x.png&quot;)\">"
        ),
        (
            "<body background='https://a.example/x.png' style='color:red'>",
            "<div style=\"background-image:url(&quot;https://a.example/x.png&quot;);color:red\">"
        ),
        (
            "<p style='background:#fff URL( \"https://a.example/a)b.png\" )no-repeat'>",
            "background:#fff url(&quot;https://a.example/a%29b.png&quot;) no-repeat"
        ),
        (
            "<p style='background-image:linear-gradient(red,blue),url(https://a.example/x.png)'>",
            "background-image:linear-gradient(red,blue), url(&quot;https://a.example/x.png&quot;)"
        ),
        (
            "<style>p{background-image:url(https://a.example/x.png)}</style>",
            "<style>p{background-image:url(\"https://a.example/x.png\")}</style>"
        ),
        (
            "<style>@media (max-width:9px){p{background:url(http://a.example/x.png)}}</style>",
            "{p{background:url(\"https://a.example/x.png\")}}"
        ),
    ]) func anImageLoadsFromEveryPlace(_ html: String, _ expected: String) {
        let blocked = safe(html)
        #expect(blocked.blockedImageCount == 1 && blocked.refused == SafeHTML.Refused())
        #expect(!blocked.html.contains("a.example"))
        let shown = safe(html, remote: true)
        #expect(shown.html.contains(expected), "\(shown.html)")
        #expect(shown.blockedRemoteCount == 0)
    }

    /// What the button does not load is not counted as if it did.
    @Test(arguments: [
        ("<img src=http://a.example:8080/x.png>", [1, 0, 0, 0]),
        ("<img src=ftp://a.example/x.png>", [1, 0, 0, 0]),
        ("<img src=https://private.test/x.png>", [0, 1, 0, 0]),
        ("<td background=https://private.test/x.png>", [0, 0, 0, 0]),
        ("<table background=https://private.test/x.png>", [0, 1, 0, 0]),
        ("<style>@import 'https://a.example/x.css';</style>", [0, 0, 1, 0]),
        ("<link rel=stylesheet href=https://a.example/x.css>", [0, 0, 1, 0]),
        ("<link rel=canonical href=https://a.example/>", [0, 0, 0, 0]),
        ("<style>@font-face{font-family:a;src:url(//a.example/x.woff)}</style>", [0, 0, 1, 0]),
        ("<video src=https://a.example/x.mp4></video>", [0, 0, 0, 1]),
        ("<iframe src=https://a.example/></iframe>", [0, 0, 0, 1]),
        ("<svg><image href=https://a.example/x.png></svg>", [0, 0, 0, 1]),
        ("<svg><g><image xlink:href=https://a.example/x.png /></g></svg>", [0, 0, 0, 1]),
        ("<svg><a href=https://a.example/><g style='fill:url(//a.example/x)'/></a></svg>", [0, 0, 0, 1]),
        ("<svg><foreignObject><img src=https://a.example/x></foreignObject></svg>", [0, 0, 0, 1]),
        ("<video poster=https://a.example/x.png></video>", [0, 0, 0, 1]),
        ("<video poster=https://a.example/x.png src=https://a.example/x.mp4></video>", [0, 0, 0, 2]),
        ("<video><source src=https://a.example/x.mp4><source src=//a.example/x.webm></video>", [0, 0, 0, 2]),
        ("<audio><source src=https://a.example/x.ogg></audio>", [0, 0, 0, 1]),
        ("<p style='content:url(https://a.example/x.png)'>", [0, 0, 0, 1]),
        ("<p style='background:url(data:image/png;base64,AA)'>", [0, 0, 0, 0]),
    ]) func whatNeverLoadsIsCountedByItsReason(_ html: String, _ counts: [Int]) {
        for remote in [false, true] {
            var sanitizer = HTMLSanitizer(showsRemote: remote)
            sanitizer.isLoadable = { !$0.contains("private.test") }
            let result = sanitizer.sanitize(html) { _ in nil }
            let refused = result.refused
            #expect([refused.insecure, refused.address, refused.style, refused.other] == counts)
            #expect(result.blockedImageCount == 0)
            #expect(!result.html.contains("a.example") && !result.html.contains("private.test"))
        }
    }

    @Test func aBackgroundThatReportsIsATracker() {
        let result = safe("<p style='background:url(https://t.example/wf/open?u=1)'>a", remote: true)
        #expect(result.removedTrackerCount == 1 && !result.html.contains("t.example"))
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

    /// `EmailView` says by host what is wrong with it, and the page asks by the host that the browser opens.
    @Test func hostsAreKnownAsBrowsersReadThem() {
        let result = safe("<a href='https://%D0%B0pple.com/'>a</a><a href='https://аpple.net./x'>b</a>")
        #expect(result.linkHosts == ["аpple.com", "аpple.net"])
    }

    @Test(arguments: [
        "list-style-type:'bank.com'", "list-style: inside \"bank.com\"", "quotes: 'bank.com' ''",
    ])
    func styleWritesNoText(_ style: String) {
        #expect(
            !safe("<style>p{\(style)}</style><p style=\"\(style.replacing("\"", with: "'"))\">a").html
                .contains("bank"))
        #expect(safe("<ul style='list-style:square inside'>").html.contains("square inside"))
    }

    /// A column would be as narrow as a letter.
    @Test func wordsAreNotBrokenAnywhere() {
        let html = safe(
            "<td style='word-break:break-all'>a</td><p style='word-break: BREAK-ALL !important'>b"
        ).html
        #expect(
            !html.lowercased().contains("break-all") && html.contains("overflow-wrap:break-word !important"))
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
