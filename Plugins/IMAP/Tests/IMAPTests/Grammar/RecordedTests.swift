import FoundationEssentials
import Testing

@testable import IMAP

/// Sessions that were recorded from real servers. They are not part of this checkout.
private let recorded: URL? = {
    let folder =
        ProcessInfo.processInfo.environment["MAILKERNEL_CORPORA"].map { URL(filePath: $0) }
        ?? URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared/corpora")
    let sessions = folder.appending(path: "imap-mailkit")
    return FileManager.default.fileExists(atPath: sessions.path) ? sessions : nil
}()

@Suite(
    "Recorded sessions of real servers are understood",
    .enabled(if: recorded != nil, "the recorded sessions are not here"))
struct RecordedTests {
    static var files: [String] {
        guard let recorded, let all = try? FileManager.default.subpathsOfDirectory(atPath: recorded.path)
        else {
            return []
        }
        return all.filter { $0.hasSuffix(".txt") }.sorted()
    }

    /// Lines that are against the grammar even there, and fail alone: a code without its response, and a
    /// literal that is shorter than it says.
    private static let broken = ["exchange/issue115.txt": 1, "gmail/headers.1+unsolicited-info.txt": 1]

    @Test(arguments: files) func everyResponseIsRead(_ file: String) throws {
        var bytes = try Data(contentsOf: try #require(recorded).appending(path: file))
        // Tags were replaced by signs that no tag has.
        for index in bytes.indices where bytes[index] == UInt8(ascii: "#") {
            bytes[index] = UInt8(ascii: "1")
        }
        let expected = Self.broken[file] ?? 0
        var failures = try failures(bytes)
        if failures.count != expected, !bytes.contains(13) {
            // Kept with line feeds alone, so that literals are shorter than they say.
            failures = try self.failures(Data(bytes.flatMap { $0 == 10 ? [13, 10] : [$0] }))
        }
        #expect(failures.count == expected, "\(failures)")
    }

    private func failures(_ bytes: Data) throws -> [String] {
        var failures: [String] = []
        for case .response(let raw) in try frames(bytes) {
            var scanner = ByteScanner(raw)
            if scanner.isAtEnd { continue }
            do {
                _ = try scanner.response()
            } catch {
                failures.append("\(error): \(String(decoding: raw.text.prefix(200), as: UTF8.self))")
            }
        }
        return failures
    }
}
