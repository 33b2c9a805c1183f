import Foundation
import Testing

@testable import LocalServer

@Suite("Frames of a WebSocket are read within limits") struct WebSocketReaderTests {
    private static let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    /// A frame as a client sends it.
    static func frame(_ opcode: UInt8, _ payload: Data, isLast: Bool = true) -> Data {
        var bytes = Data([(isLast ? 0x80 : 0) | opcode])
        switch payload.count {
        case ...125: bytes.append(0x80 | UInt8(payload.count))
        case ...65_535: bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        default:
            bytes.append(0x80 | 127)
            bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
        }
        return bytes + Self.mask + payload.enumerated().map { $1 ^ Self.mask[$0 & 3] }
    }

    static func text(_ text: String) -> Data { frame(1, Data(text.utf8)) }

    /// ACC-64: whole, byte by byte, and in fragments with a control frame between them.
    @Test func messagesComeWhole() throws {
        let long = String(repeating: "ü", count: 40_000)
        let bytes =
            Self.text("Hello") + Self.frame(1, Data([0xC3]), isLast: false) + Self.frame(9, Data("p".utf8))
            + Self.frame(0, Data(), isLast: false) + Self.frame(0, Data([0xBC])) + Self.text("")
            + Self.text(long) + Self.text(String(repeating: "x", count: 300)) + Self.frame(10, Data())
            + Self.frame(8, Data([0x03, 0xE8]))
        let expected: [WebSocketReader.Event] = [
            .message(Data("Hello".utf8)), .ping(Data("p".utf8)), .message(Data("ü".utf8)), .message(Data()),
            .message(Data(long.utf8)), .message(Data(String(repeating: "x", count: 300).utf8)), .pong,
            .close(1000),
        ]
        for step in [bytes.count, 1, 7] {
            var reader = WebSocketReader(limit: 100_000)
            var found: [WebSocketReader.Event] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                found += try reader.read(Data(rest.prefix(step)))
                rest = rest.dropFirst(step)
            }
            #expect(found == expected && !reader.isIncomplete)
        }
    }

    /// ACC-64
    @Test(arguments: [
        (Data([0xC1, 0x80]), WebSocketFailure.Code.protocolError),  // a reserved bit
        (Data([0x83, 0x80]), .protocolError),  // an unknown opcode
        (Data([0x81, 0x05]), .protocolError),  // no mask
        (Data([0x09, 0x80]), .protocolError),  // a control frame in pieces
        (Data([0x89, 0xFE]), .protocolError),  // one that is too long
        (Data([0x80, 0x80]), .protocolError),  // nothing to continue
        (Data([0x82, 0x80]), .unsupported),  // binary
        (Data([0x81, 0xFE, 0, 5, 0, 0, 0, 0]), .protocolError),  // a length in a longer form
        (Data([0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), .protocolError),
        (Data([0x81, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]), .tooBig),
        (frame(1, Data([0xC3])), .notUTF8), (frame(8, Data([3])), .protocolError),
        (frame(8, Data([0x03, 0xED])), .protocolError),  // 1005 is not for the wire
        (frame(8, Data([0x03, 0xE8, 0xFF])), .notUTF8),
        (frame(1, Data("a".utf8), isLast: false) + text("b"), .protocolError),
        (frame(1, Data(count: 60), isLast: false) + frame(0, Data(count: 41)), .tooBig),
    ]) func whatIsWrongEndsIt(_ bytes: Data, _ code: WebSocketFailure.Code) {
        for step in [bytes.count, 1] {
            var reader = WebSocketReader(limit: 100)
            let failure = #expect(throws: WebSocketFailure.self) {
                var rest = bytes[...]
                while !rest.isEmpty {
                    _ = try reader.read(Data(rest.prefix(step)))
                    rest = rest.dropFirst(step)
                }
            }
            #expect(failure?.code == code)
        }
    }

    /// ACC-64
    @Test func anyBytesAreReadWithoutHarm() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var reader = WebSocketReader(limit: 1000)
            let bytes = Data(
                (0..<Int.random(in: 1...200)).map { _ in UInt8.random(in: 0...255, using: &random) })
            let start: [UInt8] = [[0x81, 0x85], [0x01, 0x80], [0x89, 0x81], []].randomElement() ?? []
            _ = try? reader.read(Data(start) + bytes)
        }
    }
}
