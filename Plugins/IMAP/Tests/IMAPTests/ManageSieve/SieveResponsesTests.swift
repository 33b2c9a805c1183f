import FoundationEssentials
import Testing

@testable import IMAP

@Suite("ManageSieve responses are read within bounds") struct SieveResponsesTests {
    private func read(_ text: String, pieces: Int = .max) throws -> [[SieveToken]] {
        var responses = SieveResponses()
        var lines: [[SieveToken]] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            responses.push(Data(rest.prefix(pieces)))
            rest = rest.dropFirst(pieces)
            while let line = try responses.next() { lines.append(line) }
        }
        return lines
    }

    @Test(arguments: [1, 3, Int.max]) func linesAreSplit(_ pieces: Int) throws {
        let text =
            "\"SIEVE\" \"fileinto vacation\"\r\n\"a \\\"b\\\\\" ACTIVE\r\n{5}\r\na\r\nbc\r\n"
            + "NO (QUOTA/MAXSIZE) {4+}\r\nfull\r\nOK\r\nBYE (REFERRAL \"sieve://x\") \"go\"\r\n"
        let lines = try read(text, pieces: pieces)
        #expect(lines.count == 6)
        #expect(lines[0] == [.text("SIEVE"), .text("fileinto vacation")])
        #expect(lines[1] == [.text("a \"b\\"), .word("ACTIVE")])
        #expect(lines[2] == [.text("a\r\nbc")])
        let refusal = try #require(SieveReply(lines[3]))
        #expect(refusal.kind == .no && refusal.code == "QUOTA/MAXSIZE" && refusal.text == "full")
        #expect(SieveReply(lines[4])?.kind == .ok)
        let bye = try #require(SieveReply(lines[5]))
        #expect(bye.kind == .bye && bye.code == "REFERRAL" && bye.text == "go")
    }

    @Test func badInputIsRefused() {
        let long = String(repeating: "x", count: SieveResponses.longestLine + 2)
        for text in [
            "\"open\r\n", "{x}\r\n", "{}\r\n", "{9999999999}\r\n", "{999999999}\r\n", "{3} x\r\n", long,
            long + "\r\n", String(repeating: "( ", count: 5_000) + "\r\n",
        ] {
            #expect(throws: SieveResponses.Malformed.self, "\(text.prefix(20))") { try read(text) }
        }
        #expect(throws: SieveResponses.Malformed.self) {
            var responses = SieveResponses()
            responses.push(Data([0x22, 0xff, 0x22, 0x0a]))
            _ = try responses.next()
        }
    }
}
