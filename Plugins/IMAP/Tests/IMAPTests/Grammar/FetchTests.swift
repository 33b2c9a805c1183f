import FoundationEssentials
import Testing

@testable import IMAP

@Suite("Messages are read") struct FetchTests {
    @Test func everyItemIsRead() throws {
        let message = try readFetch(
            """
            (UID 4 FLAGS (\\Seen $Forwarded a]b) INTERNALDATE "17-Jul-1996 02:44:25 -0700" RFC822.SIZE 4286 \
            MODSEQ (624140003) X-GM-MSGID 1278455344230334865 X-GM-THRID 1266894439832287888 \
            X-GM-LABELS (\\Inbox "\\\\Sent" Important "Muy Importante" NIL &AOk-) BODY[HEADER] {3}\r\nA:b \
            body[1.mime]<0> "x" XAOL-SPAM (1 (2 "3")) SAVEDATE NIL)
            """)
        #expect(message.uid == 4 && message.sequence == 1)
        #expect(message.flags == ["\\Seen", "$Forwarded", "a]b"])
        #expect(message.internalDate?.timeIntervalSince1970 == 837_596_665)
        #expect(message.size == 4_286 && message.modSeq == 624_140_003)
        #expect(message.gmailMessageID == 1_278_455_344_230_334_865)
        #expect(message.gmailThreadID == 1_266_894_439_832_287_888)
        #expect(message.gmailLabels == ["\\Inbox", "\\Sent", "Important", "Muy Importante", "&AOk-"])
        #expect(message.section("HEADER")?.bytes == Data("A:b".utf8))
        #expect(
            message.sections.last == FetchResponse.Section(name: "1.MIME", origin: 0, bytes: Data("x".utf8)))
    }

    @Test func partsThatAreNotThereAreAbsent() throws {
        #expect(try readFetch("(UID 1 BODY[9] NIL)").section("9")?.isAbsent == true)
        // As Yandex sends it.
        let message = try readFetch("(UID 3016 BODY[2.MIME] {4}\r\nA: b BODY[2] )")
        #expect(message.section("2.MIME")?.bytes == Data("A: b".utf8))
        #expect(message.section("2")?.isAbsent == true)
        #expect(try readFetch("(BODY[1] \"\")").section("1")?.isAbsent == false)
    }

    @Test func namesOfFieldsBelongToTheSection() throws {
        let message = try readFetch("(BODY[HEADER.FIELDS (\"Message-ID\" DATE)] {2}\r\n\r\n)")
        #expect(message.sections.first?.name == "HEADER.FIELDS (MESSAGE-ID DATE)")
    }

    /// As Domino and Zoho send them.
    @Test func oddMessagesAreReadAllTheSame() throws {
        let domino = try readFetch(
            "(UID 7 (ENVELOPE (NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL)) RFC822.SIZE 3)")
        #expect(domino.uid == 7 && domino.envelope != nil && domino.size == 3)
        #expect(try readFetch("(MODSEQ (-5) UID 2)").modSeq == nil)
        #expect(try readFetch("( UID 2  FLAGS () )").uid == 2)
        #expect(try readFetch("(X-GM-LABELS NIL UID 2)").gmailLabels == [])
    }

    /// What is not understood in one item takes nothing from the others.
    @Test(arguments: ["(\"TEXT\"", "(1 (2))", "NIL", "((((\"x\"))))", "(\"TEXT\" \"PLAIN\" (x"])
    func aBrokenStructureLeavesTheRest(_ structure: String) throws {
        let closed =
            structure
            + String(
                repeating: ")",
                count: structure.filter { $0 == "(" }.count - structure.filter { $0 == ")" }.count)
        #expect(try readFetch("(UID 9 BODYSTRUCTURE \(closed) RFC822.SIZE 5)").size == 5)
    }

    @Test(arguments: [
        "", "(", "(UID", "(UID x)", "(UID 1", "(FLAGS)", "(BODY[1)", "(((((UID 1)))))", "(UID 4294967296)",
        "(BODY[] {5}\r\nabc",
    ])
    func otherMessagesAreRefused(_ text: String) {
        #expect(throws: ParseError.self) { try readFetch(text) }
    }

    @Test func envelopesAreRead() throws {
        let fields = try #require(
            try readFetch(
                """
                (ENVELOPE ("Wed, 17 Jul 1996 02:23:25 -0700 (PDT)" {4}\r\na"b( (("Terry \\"T\\" Gray" NIL "gray" "x.edu")) \
                ((NIL NIL "imap" NIL)(NIL NIL NIL NIL)) NIL () ((NIL NIL "a" "b")(NIL NIL "c" "d")) NIL NIL "<B27397@x.edu>"))
                """
            ).envelope)
        #expect(fields.subject == "a\"b(" && fields.messageID == "<B27397@x.edu>" && fields.inReplyTo == nil)
        #expect(fields.from == [.init(name: "Terry \"T\" Gray", mailbox: "gray", host: "x.edu")])
        #expect(fields.sender.count == 2 && fields.replyTo.isEmpty && fields.to.isEmpty)
        #expect(fields.cc.map(\.mailbox) == ["a", "c"])
    }
}
