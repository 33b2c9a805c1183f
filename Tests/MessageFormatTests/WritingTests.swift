import Foundation
import MailKernelAPI
import MessageFormat
import TestSupport
import Testing

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

    @Test func longQuotedLinesFlow() {
        let text = ">> " + Array(repeating: "word", count: 40).joined(separator: " ")
        let flowed = FlowedText.from(text)
        #expect(flowed.split(separator: "\n").allSatisfy { $0.hasPrefix(">> word") && $0.count <= 73 })
        #expect(FlowedText.joined(flowed) == text)
    }

    @Test func quotesAndSignaturesStandAlone() {
        #expect(FlowedText.joined("> a \n> b\n>> c \nd \n-- \ne") == "> a b\n>> c\nd\n-- \ne")
        #expect(FlowedText.joined("a \nb", deletesSpaces: true) == "ab")
    }
}
