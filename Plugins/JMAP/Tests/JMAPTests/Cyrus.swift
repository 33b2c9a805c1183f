import Foundation
import MailKernelConformance

/// A Cyrus of Debian with the account ada, in memory. It ends with the test.
final class Cyrus: Sendable {
    struct CannotStart: Error {}

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let folder = root.appending(path: ".build/cyrus")

    static var isBuilt: Bool {
        getuid() == 0 && FileManager.default.fileExists(atPath: folder.appending(path: "built").path)
    }

    /// Started once.
    static let shared = Task { try await Cyrus() }

    /// Of its HTTP.
    let port: Int
    /// Its end is that of the server.
    private let input: Pipe

    private init() async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [
            Self.root.appending(path: "Tests/Servers/cyrus/serve.py").path, Self.folder.path,
        ]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = await Task.detached {
            String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        }
        .value
        guard let port = Int(line.filter(\.isNumber)) else { throw CannotStart() }
        (self.port, self.input) = (port, input)
    }
}
