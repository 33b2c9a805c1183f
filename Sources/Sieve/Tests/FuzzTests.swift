import Foundation
import Testing

@testable import Sieve

/// SIEVE_FUZZ says how many scripts are tried.
@Suite("Nothing that a script or a message holds ends the program") struct FuzzTests {
    private let trials = Int(ProcessInfo.processInfo.environment["SIEVE_FUZZ"] ?? "") ?? 300

    private static let scraps = [
        "\"", "\\", "${", "}", "{", "(", "[", "]", ")", ";", ",", ":", "/*", "*/", "#", "text:\r\n",
        "\r\n.\r\n", "*", "?",
        "99999999999", "${hex: ff}", "${unicode: 1F600}", "${9}", "${a.b}", "\u{0}", "not ", "anyof",
        ":regex", "=?utf-8?B?", "?=",
        "--b", "boundary=", "; ", "<", ">", "@", "(((", "Content-Type: multipart/mixed; boundary=b0x1\r\n",
        "filename*0*=utf-8''%",
    ]

    private func bent(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<dice.number(1...6) where !bytes.isEmpty {
            let place = dice.number(0...(bytes.count - 1))
            switch dice.number(1...4) {
            case 1: bytes[place] = UInt8(dice.number(0...255))
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + dice.number(1...30)))
            case 3: bytes.insert(contentsOf: Array(dice.pick(Self.scraps).utf8), at: place)
            default:
                let end = min(bytes.count, place + dice.number(1...60))
                bytes.insert(contentsOf: bytes[place..<end], at: dice.number(0...(bytes.count - 1)))
            }
        }
        return bytes
    }

    @Test func bentScriptsAndMessagesAreSurvived() throws {
        var dice = Dice(11)
        var limits = SieveLimits()
        limits.steps = 500_000
        var (read, decided) = (0, 0)
        for number in 0..<trials {
            let text = bent(Array(ScriptMaker.made(number % ScriptMaker.count).utf8), &dice)
            let message = RawMessage(bent(Array(MessageMaker.made(number).utf8), &dice))
            guard let script = try? SieveScript(parsing: text) else { continue }
            read += 1
            #expect(try SieveScript(parsing: script.text) == script)
            guard let program = try? SieveProgram(script, limits: limits) else { continue }
            if (try? program.verdict(on: message, host: PlainHost())) != nil { decided += 1 }
        }
        #expect(read > trials / 50)
        #expect(decided > trials / 200)
    }

    @Test func randomBytesAreSurvived() {
        var dice = Dice(12)
        for _ in 0..<trials {
            let text = (0..<dice.number(0...200)).flatMap { _ in
                dice.chance(50) ? [UInt8(dice.number(0...255))] : Array(dice.pick(Self.scraps).utf8)
            }
            _ = try? SieveProgram(parsing: text)
            _ = AddressParser.addresses(in: text)
            _ = MailDate(header: text)
            _ = ContentField(text)
            _ = HTMLWords.text(of: text)
            _ = EncodedWords { _, _ in nil }.text(of: text)
            _ = try? RegexProgram(text.text, ignoringCase: true, limit: 1_000)
        }
    }
}
