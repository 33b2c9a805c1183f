import FoundationEssentials
import Testing

@testable import IMAP

@Suite("Responses of newer extensions are read") struct ServiceResponsesTests {
    static let roots: [(String, QuotaRoot)] = [
        (
            "* QUOTA \"\" (STORAGE 10 512)",
            QuotaRoot(name: "", resources: [.init(name: "STORAGE", usage: 10, limit: 512)])
        ),
        (
            "* QUOTA \"User quota\" (STORAGE 6 20971520 message 2 100)",
            QuotaRoot(
                name: "User quota",
                resources: [
                    .init(name: "STORAGE", usage: 6, limit: 20_971_520),
                    .init(name: "MESSAGE", usage: 2, limit: 100),
                ])
        ),
        ("* QUOTA !partition/a ()", QuotaRoot(name: "!partition/a")),
    ]

    /// ACC-20
    @Test(arguments: roots) func quotasAreRead(_ text: String, _ root: QuotaRoot) throws {
        #expect(try read(text) == .untagged(.quota(root)))
    }

    @Test(arguments: [
        "* QUOTA x (y 1 -1)", "* QUOTA x (y 1 99999999999999999999)", "* QUOTA x (y 1", "* QUOTA x (",
        "* QUOTA",
        "* UIDBATCHES (TAG \"a\") x", "* JMAPACCESS",
    ])
    func whatIsInvalidIsRefused(_ text: String) { #expect(throws: ParseError.self) { try read(text) } }

    @Test func moreResourcesThanThereAreAreDropped() throws {
        let many = (1...1_000).map { "R\($0) 1 2" }.joined(separator: " ")
        guard case .untagged(.quota(let root)) = try read("* QUOTA x (\(many))") else {
            Issue.record("It is no quota.")
            return
        }
        #expect(root.resources.count == 20)
    }

    /// ACC-21
    @Test func idsOfMailboxesAndMessagesAreRead() throws {
        #expect(
            try read("* STATUS x (MESSAGES 3 MAILBOXID (F2212-a) UIDNEXT 4)")
                == .untagged(
                    .mailboxStatus(
                        MailboxName(wire: "x"), MailboxStatus(messages: 3, uidNext: 4, mailboxID: "F2212-a")))
        )
        #expect(try readFetch("(UID 4 EMAILID (M6d99) THREADID NIL)").emailID == "M6d99")
        #expect(try readFetch("(UID 4 EMAILID NIL)").emailID == nil)
        let long = String(repeating: "x", count: 256)
        #expect(try readFetch("(UID 4 EMAILID (\(long)) FLAGS ())").flags == [])
        #expect(try readFetch("(UID 4 EMAILID (\(long)))").emailID == nil)
    }

    /// ACC-23
    @Test func aPartOfASearchIsRead() throws {
        func found(_ text: String) throws -> UIDSet? {
            guard case .untagged(.extendedSearch(let search)) = try read(text) else { return nil }
            return search.all
        }
        #expect(try found("* ESEARCH (TAG \"a\") UID PARTIAL (-1:-100 90:99,120)")?.count == 11)
        #expect(try found("* ESEARCH (TAG \"a\") UID PARTIAL (-1:-100 NIL)")?.isEmpty == true)
        #expect(try found("* ESEARCH (TAG \"a\") PARTIAL (1:2 5) COUNT 9")?.count == 1)
    }

    /// ACC-24, ACC-25
    @Test func limitsAndBatchesAreRead() throws {
        func code(_ text: String) throws -> ResponseCode? {
            guard case .tagged(_, let status) = try read("a1 \(text)") else { return nil }
            return status.code
        }
        #expect(try code("OK [MESSAGELIMIT 1000 23007] part") == .messageLimit(1_000, lowest: 23_007))
        #expect(try code("NO [MESSAGELIMIT 1000] no") == .messageLimit(1_000, lowest: nil))
        #expect(try code("OK [MESSAGELIMIT x] no") == .word("MESSAGELIMIT"))
        #expect(
            try read("* UIDBATCHES (TAG \"a1\") 215295:99696,99695:1")
                == .untagged(.uidBatches([99_696...215_295, 1...99_695])))
        #expect(try read("* UIDBATCHES (TAG \"a1\")") == .untagged(.uidBatches([])))
    }

    /// ACC-26
    @Test func messagesWithoutSequenceNumbersAreRead() throws {
        guard case .untagged(.fetch(let message)) = try read("* 25996 UIDFETCH (FLAGS (\\Seen) UID 25996)")
        else {
            Issue.record("It is no message.")
            return
        }
        #expect(message.uid == 25_996 && message.flags == ["\\Seen"])
        let bytes = Data("* 7 UIDFETCH (BODY[] {3}\r\nabc)\r\n".utf8)
        #expect(try frames(bytes, streams: true).first == .chunk(Data("abc".utf8)))
    }

    /// ACC-29
    @Test func theWayToJMAPIsRead() throws {
        #expect(
            try read("* JMAPACCESS \"https://x.test/.well-known/jmap\"")
                == .untagged(.jmapAccess("https://x.test/.well-known/jmap")))
    }
}
