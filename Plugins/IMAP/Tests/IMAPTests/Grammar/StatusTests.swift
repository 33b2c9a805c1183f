import Testing

@testable import IMAP

@Suite("Status responses are read") struct StatusTests {
    static let codes: [(String, ResponseCode?, String)] = [
        ("ready", nil, "ready"),
        (
            "[ALERT] Too many simultaneous connections. (Failure)", .word("ALERT"),
            "Too many simultaneous connections. (Failure)"
        ),
        ("[UIDVALIDITY 3857529045] UIDs valid", .uidValidity(3_857_529_045), "UIDs valid"),
        ("[UIDNEXT 1]", .uidNext(1), ""),
        ("[HIGHESTMODSEQ 18446744073709551615] x", .highestModSeq(.max), "x"),
        ("[PERMANENTFLAGS (\\Answered \\*)] Limited", .permanentFlags(["\\Answered", "\\*"]), "Limited"),
        ("[CAPABILITY IMAP4rev1 literal+ IDLE] hi", .capability(["IMAP4REV1", "LITERAL+", "IDLE"]), "hi"),
        ("[APPENDUID 38505 3955] done", .appendUID(validity: 38_505, UIDSet([3_955])), "done"),
        (
            "[COPYUID 38505 304,319:320 3956:3958] Done",
            .copyUID(validity: 38_505, from: [304...304, 319...320], to: [3_956...3_958]), "Done"
        ),
        ("[TRYCREATE] no", .word("TRYCREATE"), "no"),
        ("[REFERRAL imap://x;AUTH=*@\"]\"/y] no", .word("REFERRAL"), "no"),
        ("[UIDNEXT x] still read", .word("UIDNEXT"), "still read"),
        ("[COPYUID 1 2", .word("COPYUID"), ""),
        ("[BADCHARSET (\"a]b\" UTF-8)] no", .word("BADCHARSET"), "no"),
        ("[UIDNEXT 99999999999999] too large", .word("UIDNEXT"), "too large"),
        ("[] empty", nil, "empty"),
        ("[", nil, ""),
    ]

    @Test(arguments: codes)
    func codeAndTextAreTold(_ text: String, _ code: ResponseCode?, _ rest: String) throws {
        let expected = StatusResponse(kind: .ok, code: code, text: rest)
        #expect(try read("* OK \(text)") == .untagged(.status(expected)))
        #expect(try read("a1 ok \(text)") == .tagged("a1", expected))
    }

    @Test(arguments: ["NO", "BAD", "BYE", "PREAUTH"]) func everyKindIsKnown(_ kind: String) throws {
        let status = StatusResponse(kind: try #require(.init(rawValue: kind)), code: nil, text: "words")
        #expect(try read("* \(kind.lowercased()) words") == .untagged(.status(status)))
    }

    @Test func aContinuationHasItsText() throws {
        #expect(try read("+ eyJzdGF0dXMiOiI0MDAifQ==") == .continuation("eyJzdGF0dXMiOiI0MDAifQ=="))
        #expect(try read("+") == .continuation(""))
    }

    @Test(arguments: ["a1", "a1 MAYBE x", " OK", "*", "* ", "* 5", "* 99999999999 EXISTS"])
    func whatIsNoResponseIsRefused(_ text: String) {
        #expect(throws: ParseError.self) { try read(text) }
    }

    @Test(arguments: ["* XYZZY whatever (", "* 4 RECENT", "* ID (\"name\" NIL)", "* QUOTAROOT INBOX x"])
    func whatIsUnknownIsSkipped(_ text: String) throws {
        guard case .untagged(.other) = try read(text) else {
            Issue.record("\(text) was read as something")
            return
        }
    }
}
