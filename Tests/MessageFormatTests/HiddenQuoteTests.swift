import Testing

@testable import MessageFormat

/// FR-COMP-01: a sender cannot put words into an answer that its reader did not see.
@Suite("FR-COMP-01: text that the reader did not see is not quoted") struct HiddenQuoteTests {
    private func quote(_ html: String) -> ComposedHTML {
        var rules = ComposedHTML.Rules()
        rules.isOriginal = true
        rules.limit = 400_000
        return ComposedHTML(html, rules)
    }

    @Test(arguments: [
        "@media screen and (min-width:1px){.k{display:none}}", "p+.k{display:none}",
        "@media (hover){.k{display:none}}", "@media not print{.k{display:none}}",
        ".k:not(.z){display:none}", ".k:nth-child(n){display:none}", "[class^=k]{display:none}",
        ".k:is(div),.q{display:none}", ".K:not(.z){display:none}",
        ".k{display:none ! important}", ".k{display:table-column}", ".k{font-size:0}", ".k{font:0/0 a}",
        ".k{font-size:calc(0px)}", ".k{color:#fff;font-size:1px;line-height:1px}", ".k{color:#fefefe}",
        ".k{color:snow}", ".k{width:0;height:0;overflow:hidden}", ".k{line-height:0;overflow:hidden}",
        ".k{max-height:calc(0px);overflow:hidden}", ".k{visibility:collapse}", ".k{color:transparent}",
        ".k{color:rgba(0,0,0,0)}", ".k{opacity:.01}", ".k{text-indent:9999px}", ".k{letter-spacing:-99px}",
        ".k{background:#123;color:#123}", ".k{background:linear-gradient(#123,#123);color:#123}",
        ".k{background-image:linear-gradient(90deg,rgb(17,34,51) 0%,rgb(17,34,51));color:#112233}",
        ".k:not(.z){background:#123}.k:not(.y){color:#123}",
    ]) func aStyleSheetHidesFromTheQuoteToo(_ sheet: String) {
        let html = quote("<style>\(sheet)</style><p>Hello</p><div class=k>unseen <b>words</b></div>").html
        #expect(html.contains("Hello") && !html.contains("unseen") && !html.contains("words"), "\(html)")
    }

    /// The page in which a message is read puts it into an element too, and a rule may be about that one.
    @Test(arguments: ["p~div{display:none}", "div>div{display:none}", "div{color:#fff}"])
    func aStyleThatMayHideEverythingDoes(_ sheet: String) {
        let html = quote("<style>\(sheet)</style><p>Hello</p><div class=k>unseen <b>words</b></div>").html
        #expect(!html.contains("unseen") && !html.contains("words"))
    }

    @Test(arguments: [
        "<div style='font-size:0'>unseen</div>", "<div style='color:/**/#fff'>unseen</div>",
        "<font color=white>unseen</font>", "<div style='height:1px;overflow:hidden'>unseen</div>",
        "<table bgcolor=black><tr><td style='color:#000'>unseen</table>",
        "<img alt=unseen width=1 style='font-size:0'>",
    ]) func aStyleOfItsOwnHidesFromTheQuoteToo(_ part: String) {
        let html = quote("<p>Hello</p>\(part)").html
        #expect(html.contains("Hello") && !html.contains("unseen"))
    }

    /// As newsletters have them.
    @Test(arguments: [
        "@media only screen and (max-width:600px){.k{display:none!important}}",
        "@media (prefers-color-scheme:dark){.k{color:#fff!important}}", "@media print{.k{display:none}}",
        "[data-ogsc] .k{color:#fff!important}", "u + .body .k{display:none}", ".k:hover{color:#fff}",
        "#outlook a{font-size:0}", ".moz-text-html .k{display:none}", "tr:nth-child(even){background:#eee}",
        ".x{font-size:0}.k{font-size:14px}", ".x{background:#222}.k{color:#fff}", ".k::after{display:none}",
        ".k:not(.z){background:#222;color:#fff}", ".x{background:linear-gradient(#46e,#73e)}.k{color:#fff}",
        ".x{background-image:linear-gradient(to right, rgb(20,40,60), rgb(0,0,0))}.k{color:#fff}",
        ".x{background:url(https://x.example/a.png)}.k{color:#fff}",
        ".k{margin:0 auto;max-width:calc(100% - 20px);line-height:1;font-size:max(12px,1vw)}",
    ]) func whatIsSeenIsQuoted(_ sheet: String) {
        let page = quote("<style>\(sheet)</style><div class=x><p class=k>seen</p></div>")
        #expect(page.html.contains("seen") && !page.isUnknown)
    }

    /// Nothing is known of what styles do behind the end of what is read.
    @Test func aPageWithTooManyRulesIsNotQuoted() {
        let sheet = (0...5000).map { ".a\($0){color:red}" }.joined() + ".k{display:none}"
        let page = quote("<style>\(sheet)</style><p>Hello</p><div class=k>unseen</div>")
        #expect(page.isUnknown && page.html.isEmpty)
    }

    @Test func aSheetBehindTheEndOfALongPageCounts() {
        let page = quote(
            "<p>Hello</p><div class=k>unseen</div>" + String(repeating: "<p>words words", count: 40_000)
                + "<style>.k{display:none}</style>")
        #expect(page.html.contains("Hello") && !page.html.contains("unseen"))
    }

    @Test func anOpenSheetEndsWithItsElement() {
        let page = quote(
            "<style>@media print{</style><style>.k{display:none}</style><p>Hello</p><div class=k>unseen</div>"
        )
        #expect(page.html.contains("Hello") && !page.html.contains("unseen"))
    }

    // MARK: Work

    /// Each would need billions of steps, if names and declarations counted as often as they are repeated.
    @Test(arguments: [
        (
            String(repeating: ".a{color:red}", count: 1000),
            "<p class='\(String(repeating: "a ", count: 1000))'>x</p>"
        ),
        (
            String(repeating: String(repeating: ".a", count: 1900) + "{color:red}", count: 10),
            "<p class='\(String(repeating: "b ", count: 5000))a'>x</p>"
        ),
        ("p{\(String(repeating: "color:r;", count: 2000))}", String(repeating: "<p>x", count: 200)),
    ]) func whatIsRepeatedIsReadOnce(_ sheet: String, _ html: String) {
        let page = quote("<style>\(sheet)</style>\(html)")
        #expect(!page.isUnknown && page.html.contains("x</p>") && page.html.utf8.count < 100_000)
    }

    @Test(arguments: [
        (
            "p{\((0..<500).map { "font-family:x\($0)!important;border-top:\($0)px;margin-left:\($0)px;" }.joined())}"
                + (0..<2000).map { "p{color:#\(1000 + $0)00}" }.joined(),
            String(repeating: "<p>x</p>", count: 4000)
        ),
        (
            (0..<2000).map { ".k:not(.z\($0)){color:#\(1000 + $0)00}" }.joined(),
            String(repeating: "<p class=k>x</p>", count: 4000)
        ),
        (
            (0..<2000).map { _ in "div div div div div div div .q{color:red}" }.joined(),
            String(repeating: "<div>", count: 250) + String(repeating: "<p class=q>x</p>", count: 2000)
        ),
    ]) func theWorkHasAnEnd(_ sheet: String, _ html: String) {
        #expect(quote("<style>\(sheet)</style>\(html)").isUnknown)
    }
}
