import FoundationEssentials
import Testing

@testable import IMAP

@Suite("Bytes are cut into responses") struct FramerTests {
    private static let session = Data(
        """
        * OK ready {3}\r\n* 1 FETCH (UID 7 BODY[HEADER] {9}\r\nA: (\r\n\r\n"x BODY[TEXT] {0}\r\n FLAGS (\\Seen))\r\n\
        * LIST () "/" {5+}\r\nIn"ox\n* 2 EXISTS\na1 OK done {12}\r\n+ go\r\n
        """.utf8)

    private static let responses: [RawResponse] = [
        RawResponse(text: Array("* OK ready {3}".utf8)),
        RawResponse(
            text: Array("* 1 FETCH (UID 7 BODY[HEADER] {9}\r\n BODY[TEXT] {0}\r\n FLAGS (\\Seen))".utf8),
            literals: [Data("A: (\r\n\r\n\"".utf8), Data()]),
        RawResponse(text: Array("* LIST () \"/\" {5+}\r\n".utf8), literals: [Data("In\"ox".utf8)]),
        RawResponse(text: Array("* 2 EXISTS".utf8)), RawResponse(text: Array("a1 OK done {12}".utf8)),
        RawResponse(text: Array("+ go".utf8)),
    ]

    /// The header literal above is nine bytes, the last of them the `"` before the `x`.
    private static var bytes: Data {
        Data(String(decoding: session, as: UTF8.self).replacing("\"x BODY", with: "\" BODY").utf8)
    }

    @Test(arguments: 1...60) func whateverThePiecesTheResponsesAreTheSame(_ piece: Int) throws {
        let outputs = try frames(Self.bytes, piece: piece)
        #expect(outputs == Self.responses.map { .response($0) })
    }

    @Test func aSliceCanBePushed() throws {
        var framer = ResponseFramer()
        framer.push(Data("garbage* 1 EXISTS\r\n".utf8).dropFirst(7))
        #expect(try framer.next() == .response(RawResponse(text: Array("* 1 EXISTS".utf8))))
    }

    @Test(arguments: [1, 3, 1_000]) func bodiesAreStreamed(_ piece: Int) throws {
        let outputs = try frames(
            Data("* 1 FETCH (UID 1 BODY[1.2]<0> {6}\r\nabcdef X {2}\r\nxy)\r\n".utf8), piece: piece,
            streams: true)
        var streamed = Data()
        for case .chunk(let bytes) in outputs { streamed += bytes }
        #expect(streamed == Data("abcdef".utf8))
        guard case .response(let raw)? = outputs.last else {
            throw ParseError(expected: "a response", offset: 0)
        }
        #expect(raw.literals == [nil, Data("xy".utf8)])
    }

    /// FR-SYNC-09 says nothing of it, but a server must not be able to take all memory with one line.
    @Test func anAnnouncedGigabyteTakesNoMemory() throws {
        var framer = ResponseFramer()
        framer.push(Data("* 1 FETCH (UID 1 BODY[] {2147483648}\r\n".utf8))
        #expect(try framer.next() == nil)
        framer.push(Data(repeating: 65, count: 1_000))
        #expect(try framer.next() == nil)
        #expect(framer.isInsideResponse)
    }

    @Test func whatIsTooLargeIsReadAndDropped() throws {
        let limits = ResponseFramer.Limits(text: 1_000, literals: 10, kept: 8)
        let outputs = try frames(
            Data("* X {5}\r\n12345 {5}\r\n12345 {3}\r\n123\r\n* 1 EXISTS\r\n".utf8), limits: limits)
        #expect(
            outputs == [
                .response(
                    RawResponse(
                        text: Array("* X {5}\r\n {5}\r\n {3}\r\n".utf8),
                        literals: [Data("12345".utf8), nil, Data("123".utf8)])),
                .response(RawResponse(text: Array("* 1 EXISTS".utf8))),
            ])
    }

    @Test(arguments: [
        ("* 1 FETCH (BODY[] {4294967296}\r\n", FramingError.literalTooLong),
        ("* 1 FETCH (BODY[] {99999999999999999999999}\r\n", .literalTooLong),
        ("* X \(String(repeating: "y", count: 2_000))", .lineTooLong),
        ("* X {0}\r\n {0}\r\n {0}\r\n {0}\r\n {0}\r\n", .tooManyLiterals),
    ])
    func beyondTheLimitsNothingIsReadOn(_ text: String, _ error: FramingError) {
        let limits = ResponseFramer.Limits(text: 1_000, literals: 4, kept: 100)
        #expect(throws: error) { try frames(Data(text.utf8), limits: limits) }
    }
}
