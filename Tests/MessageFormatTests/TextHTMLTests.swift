import Foundation
import TestSupport
import Testing

@testable import MessageFormat

@Suite("Plain text is shown as a page") struct TextHTMLTests {
    private func shown(_ text: String, _ type: String = "text/plain") -> SafeHTML {
        TextHTML().page(of: text, contentType: type)
    }

    private func inner(_ text: String, _ type: String = "text/plain") -> String {
        let html = shown(text, type).html
        let start = "<div style=\"white-space: pre-wrap; overflow-wrap: anywhere\">"
        #expect(html.hasPrefix(start) && html.hasSuffix("</div>"))
        return String(html.dropFirst(start.count).dropLast("</div>".count))
    }

    private func link(_ target: String, _ text: String? = nil) -> String {
        "<a href=\"\(target)\" rel=\"noopener noreferrer\" target=\"_blank\">\(text ?? target)</a>"
    }

    @Test func nothingInTheTextIsMarkup() {
        #expect(inner("<b>1 & 2</b> \"x\"") == "&lt;b&gt;1 &amp; 2&lt;/b&gt; &quot;x&quot;")
        #expect(inner("a\r\n  b\n\nc") == "a\n  b\n\nc")
    }

    @Test func addressesBecomeLinksWithoutWhatEndsTheSentence() {
        #expect(inner("See https://example.org/a(b).") == "See " + link("https://example.org/a(b)") + ".")
        #expect(inner("(https://example.org/)") == "(" + link("https://example.org/") + ")")
        #expect(inner("<http://example.org>") == "&lt;" + link("http://example.org") + "&gt;")
        #expect(inner("www.example.org, or") == link("https://www.example.org", "www.example.org") + ", or")
        #expect(
            inner("mail ada@example.org!") == "mail " + link("mailto:ada@example.org", "ada@example.org")
                + "!")
        #expect(inner("grüße an https://example.org/ü") == "grüße an " + link("https://example.org/ü"))
    }

    @Test func bracketsAreNoWork() {
        let brackets = String(repeating: ")", count: 300_000)
        let taken = processorTime {
            #expect(inner("http://a.b\(brackets)") == link("http://a.b") + brackets)
        }
        #expect(taken < .seconds(20))
    }

    @Test func linesThatFlowAreNoWork() {
        let lines = String(repeating: "abcdefghi \n", count: 150_000)
        let taken = processorTime {
            #expect(shown(lines, "text/plain; format=flowed").html.utf8.count > 1_400_000)
        }
        #expect(taken < .seconds(20))
    }

    @Test(arguments: [
        "javascript:alert(1)", "data:text/html,x", "https://", "@", "a@b", "http://\"onclick=x", "www.",
        "//x",
    ])
    func whatIsNoAddressStaysText(_ text: String) {
        #expect(!inner(text).contains("<a "))
    }

    @Test func aLinkHoldsNoAttributeButItsAddress() {
        let html = inner("https://example.org/'onmouseover='x")
        #expect(html.contains("href=\"https://example.org/'onmouseover='x\""))
        #expect(InertHTML(html, allowsRemote: false).problems == [])
    }

    @Test func quotesAreMarkedForFolding() {
        let page = shown("Yes.\n\nOn 1 May 2024, Ada wrote:\n> One\n> > Two\nEnd")
        #expect(page.hasQuote)
        #expect(
            page.html.contains(
                "<span data-quote=\"intro\">On 1 May 2024, Ada wrote:</span><blockquote data-quote=\"quote\">One"
                    + "<blockquote data-quote=\"quote\">Two</blockquote></blockquote>End"))
        #expect(!shown("1 > 2\nno quote").hasQuote)
    }

    @Test func depthHasALimit() {
        let html = shown(String(repeating: ">", count: 5000) + " deep").html
        #expect(html.components(separatedBy: "<blockquote").count == 21)
    }

    @Test func linesThatFlowAreJoined() {
        let flowed = "text/plain; charset=utf-8; format=flowed"
        #expect(inner("one \ntwo\n three", flowed) == "one two\nthree")
        #expect(inner("one \ntwo", "text/plain; format=\"flowed\"; delsp=yes") == "onetwo")
        #expect(inner("one \ntwo") == "one \ntwo")
        #expect(inner("text \n-- \nAda", flowed) == "text \n-- \nAda")
        #expect(shown("> one \n> two\nthree", flowed).html.contains(">one two</blockquote>three"))
    }

    @Test func aLongTextIsCutAtACharacter() {
        var pages = TextHTML()
        pages.limit = 5
        let page = pages.page(of: "ab€€")
        #expect(page.isTruncated && page.html.contains(">ab€</div>"))
    }
}
