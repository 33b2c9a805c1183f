import FoundationEssentials
import Testing

@testable import IMAP

@Suite("Transfer encodings are undone") struct DecoderTests {
    @Test(arguments: [
        ("base64", "Q2Fm\r\nw6k=\r\n", "Café"), ("BASE64", "Q2!Fm w6k", "Café"), ("base64", "QQ==QQ==", "AA"),
        ("base64", "", ""), ("base64", "=", ""),
        ("quoted-printable", "Caf=C3=A9 =\r\nx=20\r\ny  \r\nz =\n!", "Café x \r\ny\r\nz !"),
        ("quoted-printable", "=c3=a9", "é"),
        ("quoted-printable", "a=ZZb=", "a=ZZb"), ("quoted-printable", "a= \t\r\nb", "ab"),
        ("quoted-printable", "a=4", "a=4"), ("quoted-printable", "end  ", "end"),
        ("7bit", "as it = is", "as it = is"), ("x-unknown", "=41", "=41"),
    ])
    func whateverThePiecesTheTextIsTheSame(_ encoding: String, _ text: String, _ expected: String) {
        for piece in 1...max(1, text.utf8.count) {
            var decoder = TransferDecoder(encoding: encoding)
            var output = Data()
            var rest = Data(text.utf8)
            while !rest.isEmpty {
                output += decoder.decode(Data(rest.prefix(piece)))
                rest = Data(rest.dropFirst(piece))
            }
            output += decoder.finish()
            #expect(String(decoding: output, as: UTF8.self) == expected, "in pieces of \(piece)")
        }
    }

    @Test func whatIsPackedIsUnpacked() throws {
        let deflater = try #require(Deflater())
        let inflater = try #require(Inflater())
        for size in [0, 1, 5_000, 300_000] {
            let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) })
            inflater.push(try #require(deflater.pack(bytes)))
            var unpacked = Data()
            while inflater.hasInput { unpacked += try #require(inflater.unpack()) }
            while unpacked.count < size { unpacked += try #require(inflater.unpack()) }
            #expect(unpacked == bytes)
        }
    }

    /// A few bytes that unpack to very many come in bearable pieces.
    @Test func aBombIsUnpackedPieceByPiece() throws {
        let deflater = try #require(Deflater())
        let inflater = try #require(Inflater())
        inflater.push(try #require(deflater.pack(Data(repeating: 0, count: 64 << 20))))
        var total = 0
        while inflater.hasInput {
            let piece = try #require(inflater.unpack())
            #expect(piece.count < 2 << 20)
            total += piece.count
        }
        #expect(total >= 62 << 20)
        inflater.push(Data("this is not deflated".utf8))
        #expect(inflater.unpack() == nil)
    }
}
