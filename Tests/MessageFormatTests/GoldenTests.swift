import Foundation
import MailKernelAPI
import MessageFormat
import TestSupport
import Testing

/// Messages that were written for these tests.
enum Fixtures {
    static let folder = Checkout.root.appending(path: "Tests/Fixtures/eml")

    static let names: [String] = {
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (all?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "eml" }
            .map { $0.deletingPathExtension().path.replacing(folder.path + "/", with: "") }.sorted()
    }()

    static func messages() throws -> [Data] {
        try names.map { try Data(contentsOf: folder.appending(path: "\($0).eml")) }
    }
}

/// Awkward messages and what is read from each. `MAILKERNEL_WRITE_EXPECTED=1` writes the expected files again:
/// look at every change before you keep it.
@Suite("Awkward messages") struct GoldenTests {
    private struct Expected: Codable, Equatable {
        var header: EmailHeader
        var body: EmailBody
        var hasAttachment: Bool
        var preview: String
        var textBody: [String?]
        var htmlBody: [String?]
        var attachments: [String?]
    }

    @Test func theyAreThere() {
        #expect(Fixtures.names.count >= 30)
    }

    @Test(arguments: Fixtures.names) func isReadAsExpected(_ name: String) throws {
        let message = parse(try Data(contentsOf: Fixtures.folder.appending(path: "\(name).eml")))
        let parts = BodyParts.split(message.body.structure)
        let found = Expected(
            header: message.header, body: message.body, hasAttachment: message.hasAttachment,
            preview: message.preview, textBody: parts.textBody.map(\.partID),
            htmlBody: parts.htmlBody.map(\.partID), attachments: parts.attachments.map(\.partID))
        let file = Fixtures.folder.appending(path: "\(name).json")
        if ProcessInfo.processInfo.environment["MAILKERNEL_WRITE_EXPECTED"] != nil {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            encoder.dateEncodingStrategy = .iso8601
            try (encoder.encode(found) + Data("\n".utf8)).write(to: file)
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let expected = try decoder.decode(Expected.self, from: Data(contentsOf: file))
        #expect(found == expected)
    }
}
