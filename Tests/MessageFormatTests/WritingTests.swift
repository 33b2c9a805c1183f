import Foundation
import MailKernelAPI
import MessageFormat
import TestSupport
import Testing

/// FR-COMP-01: what is typed becomes minimal safe HTML.
@Suite("FR-COMP-01: marks become b, i and a, and nothing else does") struct MarkedTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("**b**", "<b>b</b>"), ("*i*", "<i>i</i>"), ("***x***", "<i><b>x</b></i>"),
        ("a **b *c* d** e", "a <b>b <i>c</i> d</b> e"), ("**open", "**open"), ("open**", "open**"),
        ("*a **b* c**", "<i>a **b</i> c**"), ("2 * 3 * 4", "2 * 3 * 4"), ("2*3*4", "2*3*4"), ("**", "**"),
        ("****", "****"), ("un*believ*able", "un<i>believ</i>able"), ("这是**重点**内容", "这是<b>重点</b>内容"),
        ("[t](https://e.org/a_(b)?c=1&d=2)", "<a href=\"https://e.org/a_(b)?c=1&amp;d=2\">t</a>"),
        ("[**t**](mailto:a@e.org)", "<a href=\"mailto:a@e.org\"><b>t</b></a>"),
        ("**[t](http://e.org)**", "<b><a href=\"http://e.org\">t</a></b>"),
        ("[t](javascript:alert(1))", "[t](javascript:alert(1))"),
        ("[t](JaVaScRiPt:alert(1))", "[t](JaVaScRiPt:alert(1))"),
        ("[t](java\tscript:x)", "[t](java&nbsp;&nbsp;&nbsp; script:x)"),
        ("[t](data:text/html,x)", "[t](data:text/html,x)"), ("[t](//e.org)", "[t](//e.org)"),
        ("[t](https:)", "[t](https:)"), ("[](https://e.org)", "[](https://e.org)"),
        ("[t](https://e.org/\"onclick=\"x)", "<a href=\"https://e.org/&quot;onclick=&quot;x\">t</a>"),
        // With a combining mark behind it, a sign is another character and still ends an attribute.
        ("[t](https://e.org/\"\u{301}onclick=x)", "<a href=\"https://e.org/&quot;\u{301}onclick=x\">t</a>"),
        ("<\u{301}b>", "&lt;\u{301}b&gt;"),
        ("[a[b](http://x.y)](http://e.org)", "<a href=\"http://e.org\">a[b](http://x.y)</a>"),
        ("<b>no</b> & \"q\" 'a'", "&lt;b&gt;no&lt;/b&gt; &amp; &quot;q&quot; &#39;a&#39;"),
        ("&lt;", "&amp;lt;"), ("a  b", "a&nbsp; b"), ("x\ny", "x<br>\ny"),
        ("**a\nb**", "<b>a<br>\nb</b>"), ("**a\n\nb**", "**a<br>\n<br>\nb**"),
        ("> *quoted*", "&gt; *quoted*"), ("👩‍👩‍👧 **é**", "👩‍👩‍👧 <b>é</b>"), ("שלום **עולם**", "שלום <b>עולם</b>"),
        ("*a* *b*", "<i>a</i> <i>b</i>"), ("`code` # no", "`code` # no"),
    ])
    func marks(_ text: String, _ html: String) {
        #expect(MarkedText.fragment(text) == html)
    }

    /// Whatever is typed: elements are closed in the order they were opened, and no others are there.
    @Test func randomTextIsWellFormed() {
        var random = SystemRandomNumberGenerator()
        let pieces = [
            "*", "**", "***", "[", "]", "(", ")", "](", "https://e.org", "javascript:x", "<", ">", "&", "\"",
            "a",
            " ", "\n", "\n\n", "> ", "é", "👍🏽", "\u{202E}", "שלום", "mailto:a@b",
        ]
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 1...30, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            let html = MarkedText.fragment(text)
            #expect(Self.isWellFormed(html), "\(text.debugDescription) → \(html)")
        }
    }

    private static func isWellFormed(_ html: String) -> Bool {
        var open: [Substring] = []
        var rest = html[...]
        while let start = rest.firstIndex(of: "<") {
            guard let end = rest[start...].firstIndex(of: ">") else { return false }
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            if tag == "br" { continue }
            if tag.hasPrefix("/") {
                guard open.popLast() == tag.dropFirst() else { return false }
            } else if tag == "b" || tag == "i" {
                open.append(tag)
            } else {
                guard tag.hasPrefix("a href=\"http") || tag.hasPrefix("a href=\"mailto:"),
                    tag.hasSuffix("\""),
                    tag.dropFirst(8).dropLast().contains("\"") == false, !open.contains("a")
                else { return false }
                open.append("a")
            }
        }
        return open.isEmpty && !rest.contains(">")
    }

    @Test func manyMarksTakeNoLonger() {
        for piece in ["[", "[a](", "**a ", "*", "(", "[]("] {
            let text = String(repeating: piece, count: 100_000)
            #expect(processorTime { _ = MarkedText.fragment(text) } < .seconds(30), "\(piece)")
        }
    }
}

/// FR-COMP-01: the prefix is never doubled.
@Suite("FR-COMP-01: subjects get one prefix") struct SubjectLineTests {
    @Test(arguments: [
        ("Engines", "Re: Engines"), ("", "Re: "), ("Re: Engines", "Re: Engines"), ("RE: re: x", "Re: x"),
        ("AW: Motor", "Re: Motor"), ("Antw: x", "Re: x"), ("SV: x", "Re: x"), ("Re[2]: x", "Re: x"),
        ("Re(3): x", "Re: x"), ("RE^4: x", "Re: x"), ("R: ciao", "Re: ciao"), ("r: it is", "Re: r: it is"),
        ("回复：你好", "Re: 你好"), ("Odp: x", "Re: x"), ("Fwd: x", "Re: Fwd: x"),
        ("Re: Fwd: Re: x", "Re: Fwd: x"), ("Fwd: RE: Fwd: x", "Re: Fwd: x"), ("WG: AW: x", "Re: Fwd: x"),
        ("Fwd: [list] Re: x", "Re: Fwd: [list] x"),
        ("[list] Re: x", "Re: [list] x"), ("Re: [list] Aw: x", "Re: [list] x"), ("[list] x", "Re: [list] x"),
        ("invoice \u{202E}fdp.exe\u{202C}", "Re: invoice fdp.exe"), ("Reply: x", "Re: Reply: x"),
        ("Real: x", "Re: Real: x"), ("Re : x", "Re: x"),
    ])
    func reply(_ subject: String, _ answer: String) {
        #expect(SubjectLine.reply(to: subject) == answer)
    }

    @Test(arguments: [
        ("Engines", "Fwd: Engines"), ("Fwd: x", "Fwd: x"), ("WG: x", "Fwd: x"), ("TR : x", "Fwd: x"),
        ("RV: x", "Fwd: x"), ("Fw: FW: x", "Fwd: x"), ("Re: x", "Fwd: x"), ("转发：x", "Fwd: x"),
        ("Fwd: RE: Fwd: x", "Fwd: x"), ("Re: [list] Fwd: x", "Fwd: [list] x"),
        ("Tomorrow: x", "Fwd: Tomorrow: x"),
    ])
    func forward(_ subject: String, _ passedOn: String) {
        #expect(SubjectLine.forward(of: subject) == passedOn)
    }
}

/// FR-COMP-01, RFC 5322 and 6531.
@Suite("FR-COMP-01: an address is one, or there is a reason why not") struct AddressReaderTests {
    @Test(arguments: [
        ("ada@example.org", ["ada@example.org"]), (" ada@example.org ", ["ada@example.org"]),
        ("Ada <ada@example.org>", ["ada@example.org"]),
        ("\"Lovelace, Ada\" <ada@example.org>", ["ada@example.org"]),
        ("ada@example.org (Ada (the first))", ["ada@example.org"]),
        ("\"ada\"@example.org", ["ada@example.org"]),
        ("\"a b\"@example.org", ["\"a b\"@example.org"]), ("a.b+c@example.org", ["a.b+c@example.org"]),
        ("Friends: ada@x.org, Grace <grace@y.org>;", ["ada@x.org", "grace@y.org"]),
        ("ada@x.org, , grace@y.org,", ["ada@x.org", "grace@y.org"]), ("用户@例え.jp", ["用户@例え.jp"]),
        ("ada@bücher.example", ["ada@bücher.example"]), ("ada@[192.0.2.1]", ["ada@[192.0.2.1]"]),
        ("ada@[IPv6:2001:db8::1]", ["ada@[IPv6:2001:db8::1]"]), ("ada@localhost", ["ada@localhost"]),
        ("o'hara@example.org", ["o'hara@example.org"]), ("Nobody:;, a@b.c", ["a@b.c"]),
    ])
    func valid(_ text: String, _ addresses: [String]) throws {
        #expect(try AddressReader.addresses(in: text).map(\.email) == addresses)
    }

    @Test(
        arguments: [
            ("", .empty), ("ada", .noAtSign), ("@example.org", .noLocalPart), ("ada@", .noDomain),
            ("ada.@example.org", .misplacedDot), (".ada@example.org", .misplacedDot),
            ("a..b@example.org", .misplacedDot), ("ada@example..org", .misplacedDot),
            ("ada@.org", .misplacedDot), ("ada lovelace@example.org", .blankInAddress),
            ("ada@example.org grace@example.org", .blankInAddress), ("ada@1.2.3.4", .bareNumbers),
            ("ada@-x.org", .invalidDomain("-x.org")), ("ada@x_y.org", .invalidDomain("x_y.org")),
            ("\"ada@example.org", .unclosedQuote), ("ada@example.org (x", .unclosedComment),
            ("Ada <ada@example.org", .unclosedBracket), ("Friends: a@b.c", .unclosedGroup),
            ("ada@@example.org", .noDomain), ("ada@example.org\u{0}", .invalidCharacter("\u{0}")),
            ("ada\u{202E}@example.org", .invalidCharacter("\u{202E}")),
            ("ada@[300.1.1.1]", .invalidDomain("[300.1.1.1]")),
        ] as [(String, AddressProblem)])
    func invalid(_ text: String, _ problem: AddressProblem) {
        #expect(throws: problem) { try AddressReader.addresses(in: text) }
        #expect(problem.reason.hasSuffix("."))
    }

    @Test func oneAddressWrittenInTwoWaysIsOne() {
        func key(_ email: String) -> String { EmailAddress(email: email).key }
        #expect(key("Ada@Example.ORG") == key("\"ada\"@example.org"))
        #expect(key("a@bücher.example") == key("a@XN--BCHER-KVA.example"))
        #expect(key("a@x.org") != key("b@x.org"))
    }

    @Test func anythingIsAnAddressOrHasAReason() {
        var random = SystemRandomNumberGenerator()
        let pieces = [
            "a", "@", ".", "\"", "<", ">", "(", ")", ",", ":", ";", " ", "\\", "[", "]", "é", "b.c", "\n",
        ]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            guard let found = try? AddressReader.addresses(in: text) else { continue }
            for address in found {
                #expect(AddressReader.problem(with: address.email) == nil, "\(text) → \(address.email)")
            }
        }
    }
}

/// RFC 3676.
@Suite("Flowed text is read as it was written") struct FlowedReaderTests {
    @Test func aLongParagraphComesBackAsOneLine() {
        let text = String(repeating: "word ", count: 60).dropLast() + "\n\n> quoted\nlast"
        #expect(FlowedText.joined(FlowedText.from(String(text))) == String(text))
    }

    @Test func quotesAndSignaturesStandAlone() {
        #expect(FlowedText.joined("> a \n> b\n>> c \nd \n-- \ne") == "> a b\n>> c\nd\n-- \ne")
        #expect(FlowedText.joined("a \nb", deletesSpaces: true) == "ab")
    }
}
