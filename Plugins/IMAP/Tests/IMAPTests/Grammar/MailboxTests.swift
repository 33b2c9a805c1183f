import FoundationEssentials
import Testing

@testable import IMAP

@Suite("Responses about mailboxes are read") struct MailboxTests {
    static let lists: [(String, ListedMailbox)] = [
        (
            "LIST (\\HasNoChildren) \"/\" INBOX",
            ListedMailbox(attributes: ["\\hasnochildren"], delimiter: "/", name: .inbox)
        ),
        (
            "List (\\HasNoChildren \\Trash) \".\" \"inbox.Trash\"",
            ListedMailbox(
                attributes: ["\\hasnochildren", "\\trash"], delimiter: ".",
                name: MailboxName(wire: "inbox.Trash"))
        ),
        ("LIST () NIL Inbox", ListedMailbox(attributes: [], delimiter: nil, name: .inbox)),
        ("LIST () \"\" x", ListedMailbox(attributes: [], delimiter: nil, name: MailboxName(wire: "x"))),
        (
            "XLIST (\\Inbox)  \"/\"  [Gmail]/Drafts",
            ListedMailbox(attributes: ["\\inbox"], delimiter: "/", name: MailboxName(wire: "[Gmail]/Drafts"))
        ),
        (
            "LIST () \"\\\\\" {6}\r\na\"b\\c)",
            ListedMailbox(attributes: [], delimiter: "\\", name: MailboxName(wire: "a\"b\\c)"))
        ),
        (
            "LIST () \"/\" Grüße (\"OLDNAME\" (\"x\"))",
            ListedMailbox(attributes: [], delimiter: "/", name: MailboxName(wire: "Grüße"))
        ),
    ]

    @Test(arguments: lists) func aListedMailboxIsRead(_ text: String, _ expected: ListedMailbox) throws {
        #expect(try read("* \(text)") == .untagged(.list(expected)))
    }

    @Test(arguments: [
        "LIST", "LIST (", "LIST (\\A", "LIST () \"/\"", "LIST () \"/ x", "STATUS x", "STATUS x (MESSAGES",
    ])
    func whatIsBrokenIsRefused(_ text: String) {
        #expect(throws: ParseError.self) { try read("* \(text)") }
    }

    @Test func statusIsReadWithWhatIsMissing() throws {
        let response = try read(
            "* STATUS \"a b\" (MESSAGES 231 UIDNEXT 44292 X (1 (2)) UIDVALIDITY 7 UNSEEN -1 HIGHESTMODSEQ 12345678901 APPENDLIMIT NIL)"
        )
        #expect(
            response
                == .untagged(
                    .mailboxStatus(
                        MailboxName(wire: "a b"),
                        MailboxStatus(
                            messages: 231, uidNext: 44_292, uidValidity: 7, highestModSeq: 12_345_678_901))))
    }

    @Test(
        arguments: [
            ("NAMESPACE ((\"INBOX.\" \".\")) NIL NIL", "INBOX."),
            ("NAMESPACE ((\"\" \"/\")(\"x\" \"/\")) ((\"~\" \"/\")) NIL", ""),
            ("NAMESPACE ((\"\" \"/\" \"X-PARAM\" (\"a\" \"b\"))) NIL NIL", ""),
            ("NAMESPACE NIL NIL NIL", nil),
        ] as [(String, String?)])
    func thePersonalNamespaceIsRead(_ text: String, _ prefix: String?) throws {
        #expect(try read("* \(text)") == .untagged(.namespace(personalPrefix: prefix)))
    }

    // MARK: Names

    @Test(arguments: [
        ("INBOX", "INBOX"), ("a&b", "a&-b"), ("Entwürfe", "Entw&APw-rfe"), ("日本語", "&ZeVnLIqe-"),
        ("Hi Mom ☺!", "Hi Mom &Jjo-!"), ("😀", "&2D3eAA-"), ("&", "&-"), ("ü&ü", "&APw-&-&APw-"),
        ("~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"),
    ])
    func namesAreInModifiedUTF7(_ shown: String, _ wire: String) {
        #expect(MailboxName(shown, isUTF8: false).wire == wire)
        #expect(MailboxName(wire: wire).shown == shown)
    }

    /// What is not of the encoding is shown as it came, and can be selected as it came.
    @Test(arguments: ["a&", "&x", "&*-", "&A-", "&2D0-", "Grüße", "&ZeVnLIqeX-"])
    func otherNamesStayAsTheyAre(_ wire: String) {
        #expect(MailboxName(wire: wire).shown == wire)
    }

    @Test func whereUTF8WasAgreedOnNamesAreNotEncoded() {
        #expect(MailboxName("Entwürfe", isUTF8: true).wire == "Entwürfe")
    }
}
