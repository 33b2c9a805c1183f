import Testing

@testable import MessageFormat

/// FR-COMP-01: a quote keeps what style sheets said.
@Suite("FR-COMP-01: rules of style sheets become styles of the elements that they are about")
struct SheetRulesTests {
    @Test(arguments: [
        ("p{color:red}", "<p>a</p><div>b</div>", "<p style=\"color:red\">a</p><div>b</div>"),
        (
            "P , .x{color:red}", "<p>a</p><b class='y x'>b</b>",
            "<p style=\"color:red\">a</p><b style=\"color:red\">b</b>"
        ),
        (".X{color:red}", "<p class=x>a</p>", "<p>a</p>"),
        ("#k{color:red}", "<p id=k>a</p>", "<p style=\"color:red\">a</p>"),
        (
            "div p{color:red}", "<div><b><p>a</p></b></div><p>b</p>",
            "<div><b><p style=\"color:red\">a</p></b></div><p>b</p>"
        ),
        (
            "div>b{color:red}", "<div><b>a</b><i><b>b</b></i></div>",
            "<div><b style=\"color:red\">a</b><i><b>b</b></i></div>"
        ),
        (
            "p.a.b{color:red}", "<p class='a'>a</p><p class='b a'>b</p>",
            "<p>a</p><p style=\"color:red\">b</p>"
        ),
        (
            "[align=center]{color:red}", "<p align=center>a</p>",
            "<p align=\"center\" style=\"color:red\">a</p>"
        ),
        (
            "b:first-child{color:red}", "<p><b>a</b><b>b</b></p>",
            "<p><b style=\"color:red\">a</b><b>b</b></p>"
        ),
        ("p:hover,p:before,p+p,p~p{color:red}", "<p>a</p><p>b</p>", "<p>a</p><p>b</p>"),
        ("*{color:red}", "<p>a</p>", "<div style=\"color:red\"><p style=\"color:red\">a</p></div>"),
        ("body{color:red}", "<p>a</p>", "<div style=\"color:red\"><p>a</p></div>"),
        ("p{position:fixed;behavior:url(x)}", "<p>a</p>", "<p>a</p>"),
        (
            "p{background:url(https://x.example/a.png) red}", "<p>a</p>",
            "<p style=\"background:none red\">a</p>"
        ),
        (".gone{display:none}", "a<p class=gone>b</p>", "a"),
        (
            "@media print{p{color:red}}@media screen{p{color:blue}}", "<p>a</p>",
            "<p style=\"color:blue\">a</p>"
        ),
        ("@media (max-width:400px){p{color:red}}", "<p>a</p>", "<p>a</p>"),
    ]) func aRuleIsAboutItsElements(_ sheet: String, _ html: String, _ expected: String) {
        #expect(ComposedHTML("<style>\(sheet)</style>\(html)").html == expected)
    }

    /// The last of several declarations counts, so the strongest is written last.
    @Test(arguments: [
        ("p{color:red}p{color:blue}", "", "color:blue"),
        (".a{color:red}p{color:blue}", "", "color:red"),
        ("#k{color:red}p.a{color:blue}", "", "color:red"),
        ("p{color:red}", "color:blue", "color:blue"),
        ("p{color:red!important}", "color:blue", "color:blue;color:red!important"),
        ("p{color:red !important}#k{color:blue}", "", "color:blue;color:red !important"),
        (
            "p{margin:0;color:red}.a{margin-left:1px}", "font-size:9px",
            "margin:0;color:red;margin-left:1px;font-size:9px"
        ),
    ]) func theStrongestRuleCounts(_ sheet: String, _ style: String, _ expected: String) {
        let html = "<style>\(sheet)</style><p id=k class=a style='\(style)'>a</p>"
        #expect(ComposedHTML(html).html == "<p style=\"\(expected)\">a</p>")
    }

    /// A page that is made to take long is quoted in time, whatever becomes of its look.
    @Test func manyRulesForManyElementsEnd() {
        let sheet = (0..<1000).map { "div div>div div>div p.c\($0 % 7),*>*>* p{color:#\(100 + $0 % 900)}" }
            .joined()
        let html =
            String(repeating: "<div>", count: 50) + String(repeating: "<p class=c1>a</p>", count: 5000)
        #expect(
            ComposedHTML("<style>\(sheet)</style>\(html)").html.hasSuffix(
                "a</p>" + String(repeating: "</div>", count: 50)))
    }

    /// A forwarded page keeps its own look; only what the user wrote gets ours.
    @Test func aForwardedPageIsNotStyled() {
        var rules = ComposedHTML.Rules()
        rules.isStyled = true
        let styled = ComposedHTML("<p>a</p>" + ComposedHTML.forwarded("<h1>b</h1><p>c</p>"), rules).html
        #expect(
            styled
                == "<p style=\"margin:0 0 14px 0\">a</p><div class=\"mk-forwarded\"><h1>b</h1><p>c</p></div>")
    }
}
