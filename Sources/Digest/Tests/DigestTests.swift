import Digest
import Foundation
import Testing

@Suite("Digests and secrets are those of the standards") struct DigestTests {
    /// From FIPS 180-2, and of nothing.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func theDigestOfAText(_ text: String, _ expected: String) {
        #expect(SHA256.of(Data(text.utf8))?.hex == expected)
    }

    @Test func piecesHaveTheDigestOfTheWhole() {
        let whole = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let digest = SHA256()
        for start in stride(from: 0, to: whole.count, by: 777) {
            digest.add(whole[start..<min(whole.count, start + 777)])
        }
        #expect(digest.finish() == SHA256.of(whole))
    }

    @Test func aFinishedDigestIsNotGivenTwice() {
        let digest = SHA256()
        digest.add(Data("abc".utf8))
        #expect(digest.finish() != nil)
        digest.add(Data("d".utf8))
        #expect(digest.finish() == nil)
    }

    @Test func bytesAreTextInAURL() {
        #expect(Data([0xfb, 0xff, 0xfe, 0x01]).base64URL == "-__-AQ")
        #expect(Data([0, 9, 0xa0, 0xff]).hex == "0009a0ff")
        #expect(Data.randomSecret().base64URL.utf8.count == 43)
        #expect(Set((0..<100).map { _ in Data.randomSecret() }).count == 100)
    }

    @Test func onlyEqualSecretsAreEqual() {
        let secret = Data.randomSecret()
        #expect(secret.isEqualInConstantTime(to: Data(secret)))
        #expect(!secret.isEqualInConstantTime(to: secret.dropLast()))
        #expect(!secret.isEqualInConstantTime(to: Data(secret.reversed())))
        #expect(!Data().isEqualInConstantTime(to: Data()))
    }

    /// From RFC 4231, section 4.3.
    @Test func theAuthenticationOfAMessage() {
        let code = SHA256.authentication(
            of: Data("what do ya want for nothing?".utf8), key: Data("Jefe".utf8))
        #expect(code?.hex == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    /// Test case 14 of the specification of GCM.
    @Test func aSealedPieceIsThatOfTheStandard() throws {
        let seal = try #require(PieceSeal(key: Data(count: 32)))
        #expect(
            seal.seal(Data(count: 16), number: 0)?.hex
                == "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")
    }

    @Test(arguments: [0, 1, 100_000]) func onlyWhatWasSealedOpens(_ count: Int) throws {
        let key = Data.randomSecret()
        let seal = try #require(PieceSeal(key: key))
        let piece = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        let sealed = try #require(seal.seal(piece, number: 7))
        #expect(sealed.count == count + PieceSeal.overhead)
        #expect(seal.open(sealed, number: 7) == piece)
        #expect(seal.open(sealed, number: 8) == nil)
        #expect(seal.open(sealed.dropLast(), number: 7) == nil)
        #expect(PieceSeal(key: Data.randomSecret())?.open(sealed, number: 7) == nil)
        var changed = sealed
        changed[count / 2] ^= 1
        #expect(seal.open(changed, number: 7) == nil)
        #expect(PieceSeal(key: key.dropLast()) == nil)
    }
}
