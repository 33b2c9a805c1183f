import FoundationEssentials
import MailKernelAPI
import Testing

@testable import IMAP

@Suite("Structures of messages are read") struct BodyStructureTests {
    private static let text =
        "(\"TEXT\" \"PLAIN\" (\"CHARSET\" \"utf-8\") NIL NIL \"QUOTED-PRINTABLE\" 1152 23 NIL NIL NIL NIL)"

    @Test func aTextHasItsParameters() throws {
        let body = try #require(
            try readBody(
                "(\"text\" \"Plain\" (\"CharSet\" \"US-ASCII\" \"NAME\" \"cc.diff\" \"name\" \"b\") \"<960723163407.20117h@x>\" \"a diff\" \"BASE64\" 4554 73 NIL (\"ATTACHMENT\" (\"FILENAME\" \"a b.txt\")) (\"EN\" \"DE\") \"http://x\" (1 2))"
            ))
        #expect(
            body.type == "text" && body.subtype == "plain" && body.encoding == "base64" && body.size == 4_554)
        #expect(body.parameters == ["charset": "US-ASCII", "name": "cc.diff"])
        #expect(body.contentID == "<960723163407.20117h@x>")
        #expect(body.disposition == "attachment" && body.dispositionParameters == ["filename": "a b.txt"])
    }

    @Test func partsAreNumberedAsIMAPDoes() throws {
        let body = try #require(
            try readBody(
                "((\(Self.text)(\"TEXT\" \"HTML\" NIL NIL NIL \"7BIT\" 20 1) \"ALTERNATIVE\" (\"BOUNDARY\" \"b\") NIL NIL)(\"MESSAGE\" \"RFC822\" NIL NIL NIL \"7BIT\" 900 (NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL) (\(Self.text)\(Self.text) \"MIXED\") 30)(\"IMAGE\" \"PNG\" NIL \"<c@d>\" NIL \"BASE64\" 99 NIL (\"inline\" NIL)) \"MIXED\" (\"boundary\" \"x\"))"
            ))
        let root = RemoteBodyPart(body)
        #expect(root.type == "multipart/mixed" && root.parameters == ["boundary": "x"] && root.partID == "")
        #expect(root.subParts.map(\.partID) == ["1", "2", "3"])
        #expect(root.subParts[0].subParts.map(\.partID) == ["1.1", "1.2"])
        #expect(root.subParts[1].subParts.isEmpty && root.subParts[1].type == "message/rfc822")
        #expect(root.subParts[2].cid == "c@d" && root.subParts[2].disposition == "inline")
        #expect(root.texts.map(\.partID) == ["1.1", "1.2"])
        #expect(body.part("1.2")?.subtype == "html" && body.part("3")?.subtype == "png")
        #expect(body.part("2.2")?.encoding == "quoted-printable", "within the message within")
        for missing in ["4", "1.3", "3.1", "0", "", "x", "1.2.1", "2.3", "1..1"] {
            #expect(body.part(missing) == nil)
        }
    }

    @Test func aMessageOfOnePartHasPartOne() throws {
        let body = try #require(try readBody(Self.text))
        #expect(RemoteBodyPart(body).partID == "1")
        #expect(body.part("1") == body && body.part("2") == nil && body.part("1.1") == nil)
    }

    /// What servers were seen to send against the grammar.
    @Test(arguments: [
        ("((\"TEXT\" \"PLAIN\" NIL NIL NIL \"7BIT\" 0 0)\"MIXED\")", "multipart", 1),
        ("(\"TEXT\" \"PLAIN\" NIL NIL NIL NIL NIL NIL)", "text", 0),
        ("(\"TEXT\" NIL NIL NIL NIL \"7BIT\" \"5\" 1)", "text", 0),
        ("(\"MESSAGE\" \"RFC822\" NIL NIL NIL \"7BIT\" 5)", "message", 0),
        ("(\"MESSAGE\" \"DELIVERY-STATUS\" NIL NIL NIL \"7BIT\" 5 NIL NIL)", "message", 0),
        ("(\"MULTIPART\" \"MIXED\" NIL NIL NIL)", "multipart", 0),
        ("(NIL NIL NIL NIL NIL NIL -1)", "text", 0),
        (
            "(\"APPLICATION\" \"PDF\" (\"NAME\") NIL NIL \"BASE64\" 5 NIL \"attachment\" NIL)", "application",
            0
        ),
        ("(\"TEXT\" \"CALENDAR\" NIL NIL NIL \"8BIT\" 5 1 NIL (\"ATTACHMENT\"))", "text", 0),
        (
            "((\"TEXT\" \"PLAIN\" NIL NIL NIL \"7BIT\" 1 1) (\"TEXT\" \"HTML\" NIL NIL NIL \"7BIT\" 1 1)  \"ALTERNATIVE\" )",
            "multipart", 2
        ),
        ("(((\"TEXT\" \"PLAIN\" NIL NIL NIL \"7BIT\" 1 1)))", "multipart", 1),
    ])
    func oddStructuresAreReadAllTheSame(_ text: String, _ type: String, _ parts: Int) throws {
        let body = try #require(try readBody(text))
        #expect(body.type == type && body.parts.count == parts)
    }

    @Test func depthIsBounded() throws {
        let deep = String(repeating: "(", count: 10_000) + String(repeating: ")", count: 10_000)
        #expect(throws: ParseError.self) { try readFetch("(BODYSTRUCTURE \(deep))") }
        #expect(throws: ParseError.self) { try readFetch("(X \(deep))") }
        let bearable =
            String(repeating: "(", count: 40) + "\"TEXT\" \"PLAIN\" NIL NIL NIL \"7BIT\" 1 1"
            + String(repeating: ")", count: 40)
        #expect(try readBody(bearable) != nil)
    }
}
