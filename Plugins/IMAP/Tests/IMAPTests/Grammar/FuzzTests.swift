import FoundationEssentials
import IMAPTestSupport
import Testing

@testable import IMAP

/// Foreign bytes, bent in every way, by seeds: `MAILKERNEL_FUZZ=1000000` tries as many.
@Suite("No bytes break the parser") struct FuzzTests {
    private static let seeds = [
        "* 1 FETCH (UID 1 FLAGS (\\Seen) INTERNALDATE \"17-Jul-1996 02:44:25 -0700\" RFC822.SIZE 44 MODSEQ (5) X-GM-LABELS (\\Inbox \"a b\") ENVELOPE (\"d\" \"s\" ((NIL NIL \"a\" \"b\")) NIL NIL NIL NIL NIL NIL \"<x>\") BODY[HEADER.FIELDS (X \"y\")]<0> {3}\r\nabc)\r\n",
        "* 1 FETCH (BODYSTRUCTURE ((\"TEXT\" \"PLAIN\" (\"CHARSET\" \"utf-8\") NIL NIL \"7BIT\" 1 1 NIL (\"INLINE\" NIL))(\"MESSAGE\" \"RFC822\" NIL NIL NIL \"7BIT\" 9 (NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL) (\"TEXT\" \"PLAIN\" NIL NIL NIL NIL 1 1) 3) \"MIXED\" (\"B\" \"x\") NIL \"EN\"))\r\n",
        "* LIST (\\All) \"/\" a/b\r\n* LIST (\\HasNoChildren) \"/\" {5}\r\nIn&Ox\r\n* STATUS \"a\" (MESSAGES 1 UIDNEXT 2)\r\n* NAMESPACE ((\"\" \"/\")) NIL NIL\r\n",
        "* OK [COPYUID 1 2:3,5 6:8] x\r\n* OK [PERMANENTFLAGS (\\A \\*)] y\r\na1 OK [APPENDUID 1 2] z\r\n+ eyJ9\r\n",
        "* ESEARCH (TAG \"a\") UID ALL 1:9,11 COUNT 10\r\n* SEARCH 1 2 (MODSEQ 5)\r\n* VANISHED (EARLIER) 1:5\r\n* CAPABILITY A B=C\r\n",
        "* OK [MESSAGELIMIT 1000 23007] x\r\n* QUOTA \"\" (STORAGE 10 512 MESSAGE 1 2)\r\n* UIDBATCHES (TAG \"a1\") 215:99,98:1\r\n* JMAPACCESS \"https://x.test/j\"\r\na1 NO [MESSAGELIMIT 7] y\r\n",
        "* STATUS \"a\" (MESSAGES 1 MAILBOXID (F2-x) UIDNEXT 2)\r\n* 7 UIDFETCH (UID 7 EMAILID (M6d) THREADID NIL FLAGS (\\Seen) BODY[] {3}\r\nabc)\r\n* ESEARCH (TAG \"a\") UID PARTIAL (-1:-100 4:9,11)\r\n",
    ].map { Array($0.utf8) }

    private static let tokens = [
        "(", ")", "\"", "{3}\r\n", "{99999999999}\r\n", "\\", "NIL", " ", "\r\n", "*", "[", "]", "<0>", "~",
        "4294967296", "&", "\u{0}",
    ].map { Array($0.utf8) }

    private static let rounds =
        ProcessInfo.processInfo.environment["MAILKERNEL_FUZZ"].flatMap { Int($0) } ?? 20_000

    private static func bent(_ random: inout SeededRandom) -> Data {
        var bytes = seeds[Int.random(in: 0..<seeds.count, using: &random)]
        for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            case 2:
                bytes.insert(contentsOf: tokens[Int.random(in: 0..<tokens.count, using: &random)], at: place)
            case 3:
                bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...30, using: &random)))
            case 4: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 40)], at: place)
            default: bytes += seeds[Int.random(in: 0..<seeds.count, using: &random)].prefix(place)
            }
        }
        return Data(bytes)
    }

    /// What libFuzzer begins with, and what it found.
    @Test func whatLibFuzzerTriesIsTriedHereToo() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fuzz/seeds")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        try #require(!names.isEmpty)
        for name in names {
            let bytes = [UInt8](try Data(contentsOf: folder.appending(path: name)))
            #expect(fuzz(bytes, CInt(bytes.count)) == 0, "\(name)")
        }
    }

    @Test func aSessionSurvivesThemAll() {
        for seed in 0..<Self.rounds {
            var random = SeededRandom(UInt64(seed))
            let bytes = Self.bent(&random)
            var session = IMAPSession()
            session.streamsBodies = seed.isMultiple(of: 3)
            _ = session.begin(seed.isMultiple(of: 2) ? .select(.inbox) : .noop)
            var events = 0
            var listed: [ListedMailbox] = []
            session.push(bytes)
            do {
                while let event = try session.nextEvent() {
                    events += 1
                    if case .untagged(.list(let mailbox)) = event { listed.append(mailbox) }
                }
            } catch {
                // Beyond the limits a connection is closed.
            }
            _ = MailboxDirectory(listed, prefix: "", hasLabels: seed.isMultiple(of: 2), isUTF8: false).listing
            // Each event takes at least one byte: it always ends.
            #expect(events <= bytes.count, "seed \(seed)")
        }
    }

    /// Whatever the pieces, the meaning is the same.
    @Test func thePiecesMakeNoDifference() {
        for seed in 0..<Self.rounds / 20 {
            var random = SeededRandom(UInt64(seed) &+ 1 << 32)
            let bytes = Self.bent(&random)
            let whole = try? frames(bytes)
            let piece = Int.random(in: 1...20, using: &random)
            let cut = try? frames(bytes, piece: piece)
            #expect(whole == cut, "seed \(seed) in pieces of \(piece)")
        }
    }

    @Test func otherTextsSurviveToo() {
        for seed in 0..<Self.rounds {
            var random = SeededRandom(UInt64(seed) &+ 1 << 33)
            let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            _ = MailboxName(wire: text).shown
            #expect(
                MailboxName(wire: MailboxName(text, isUTF8: false).wire).shown == text
                    || text.uppercased() == "INBOX")
            _ = IMAPDate.parse(text)
            for encoding in ["base64", "quoted-printable"] {
                var decoder = TransferDecoder(encoding: encoding)
                _ = decoder.decode(Data(bytes)) + decoder.finish()
            }
        }
    }
}
