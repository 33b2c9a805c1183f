import Foundation
import MailKernelAPI
import MessageFormat
import TestSupport
import Testing

@Suite("What is made is read as it was meant") struct RoundTripTests {
    @Test(arguments: 0..<80) func byOurselves(_ seed: Int) async throws {
        var maker = RandomDraft(seed: UInt64(seed))
        let draft = maker.make()
        let (message, built) = try await MessageBuilder(domain: "example.com").build(draft)
        expectMailSafe(message)
        #expect(!built.needsSMTPUTF8)
        let parsed = parse(message)
        // Text forms are in normalization form C.
        let subject = maker.subject.precomposedStringWithCanonicalMapping
        #expect(
            parsed.header.subject.map { Array($0.unicodeScalars) } == Array(subject.unicodeScalars),
            "\(parsed.header.subject ?? "") instead of \(subject)")
        #expect(parsed.header.to.map(\.email) == maker.to.map(\.email))
        #expect(parsed.header.to.map(\.name) == maker.to.map(\.name))
        let leaves = parsed.body.structure.all.filter { $0.partID != nil }
        try #require(leaves.count == maker.leaves.count)
        for (part, leaf) in zip(leaves, maker.leaves) {
            #expect(part.type == leaf.type)
            #expect(part.name == leaf.name)
            let partID = try #require(part.partID)
            if leaf.type.hasPrefix("text/") {
                #expect(parsed.body.values[partID]?.value == String(decoding: leaf.content, as: UTF8.self))
                #expect(parsed.body.values[partID]?.isEncodingProblem == false)
            } else {
                #expect(MessageParser().content(of: partID, in: message)?.decoded == leaf.content)
            }
        }
    }

    /// Python's `email` package knows nothing of how we write.
    @Test func byPython() async throws {
        let folder = try TemporaryFolder()
        var makers: [RandomDraft] = []
        for seed in 1000..<1100 {
            var maker = RandomDraft(seed: UInt64(seed))
            let (message, _) = try await MessageBuilder(domain: "example.com").build(maker.make())
            try message.write(to: folder.url.appending(path: "\(seed).eml"))
            makers.append(maker)
        }
        let script = Checkout.root.appending(path: "Tests/MessageFormatTests/Support/read_mail.py").path
        let read = try await Command.run("python3", [script, folder.url.path])
        #expect(read.status == 0, "\(read.errors)")
        let messages = try JSONDecoder().decode([PythonMessage].self, from: Data(read.output.utf8))
        try #require(messages.count == makers.count)
        for (message, maker) in zip(messages, makers) {
            #expect(message.defects == [], "\(message.file)")
            #expect(message.subject == maker.subject, "\(message.file)")
            #expect(message.to.map { $0[1] } == maker.to.map(\.email), "\(message.file)")
            #expect(message.to.map { $0[0] } == maker.to.map { $0.name ?? "" }, "\(message.file)")
            #expect(message.leaves.map(\.type) == maker.leaves.map(\.type), "\(message.file)")
            #expect(message.leaves.map(\.name) == maker.leaves.map(\.name), "\(message.file)")
            for (leaf, expected) in zip(message.leaves, maker.leaves) {
                let content = try #require(Data(base64Encoded: leaf.content))
                if leaf.type.hasPrefix("text/") {
                    let text = String(decoding: content, as: UTF8.self).replacing("\r\n", with: "\n")
                    #expect(text == String(decoding: expected.content, as: UTF8.self), "\(message.file)")
                } else {
                    #expect(content == expected.content, "\(message.file)")
                }
            }
        }
    }

    private struct PythonMessage: Decodable {
        var file: String
        var subject: String
        var to: [[String]]
        var defects: [String]
        var leaves: [Leaf]

        struct Leaf: Decodable {
            var type: String
            var name: String?
            var content: String
        }
    }

    /// What every mail server may be given: ASCII, lines that end in CRLF and are short, no NUL.
    private func expectMailSafe(_ message: Data) {
        var line = 0
        var previous: UInt8 = 0
        for byte in message {
            if byte == 0x0A {
                #expect(previous == 0x0D)
                line = 0
            } else {
                #expect(previous != 0x0D)
                line += byte == 0x0D ? 0 : 1
            }
            #expect(byte != 0 && byte < 0x80)
            #expect(line <= 998)
            previous = byte
        }
    }
}
