import FoundationEssentials
import Glibc
import TestSupport

/// Dovecot over TLS and a submission server, on loopback, with a mailbox as people have them.
struct BenchMailService {
    private struct Place: Decodable {
        let imaps: Int
        let submissions: Int
        let certificate: String
    }

    static let address = "ada@example.test"
    static let password = "password-for-tests"
    static let isInstalled = access("/usr/sbin/dovecot", X_OK) == 0

    let imaps: Int
    let submissions: Int
    let certificate: URL
    let folder: TemporaryFolder
    let size: Int
    let megabytes: Double
    /// Where its messages come from.
    let origin: String
    private let process: Command

    init(messages: Int) async throws {
        size = messages
        folder = try TemporaryFolder()
        process = try Command(TestServers.python, ["-B", Self.script("mail_service.py")])
        guard await process.line(containing: "}\n") else {
            throw BenchError(description: await process.result().errors)
        }
        let place = try JSONDecoder().decode(Place.self, from: Data(process.outputSoFar.utf8))
        (imaps, submissions) = (place.imaps, place.submissions)
        certificate = URL(filePath: place.certificate)
        let maildir = folder.url.appending(path: "made")
        let mailbox = try RealMailbox(count: messages)
        origin = mailbox.origin
        megabytes = Double(try mailbox.fill(maildir)) / 1e6
        _ = try await client("load", maildir.path)
        try FileManager.default.removeItem(at: maildir)
    }

    func stop() async {
        process.signal(SIGTERM)
        _ = await process.result()
    }

    /// What another program does with the mailbox; returns what it printed.
    @discardableResult func client(_ action: String, _ more: String..., user: String = address) async throws
        -> String
    {
        let words = ["-B", Self.script("other_client.py"), action, "\(imaps)", user] + more
        let result = try await Command.run(TestServers.python, words)
        guard result.status == 0 else { throw BenchError(description: "\(action): \(result.errors)") }
        return result.output
    }

    /// The same, of what goes on meanwhile.
    func start(_ action: String, _ more: String...) throws -> Command {
        let words = ["-B", Self.script("other_client.py"), action, "\(imaps)", Self.address] + more
        return try Command(TestServers.python, words)
    }

    /// The same, of what prints a number.
    func number(_ action: String, _ more: String...) async throws -> Double {
        let output =
            more.isEmpty ? try await client(action) : try await client(action, more.joined(separator: " "))
        guard let number = output.split(separator: "\n").last.flatMap({ Double($0) }) else {
            throw BenchError(description: "\(action) prints no number: \(output)")
        }
        return number
    }

    private static func script(_ name: String) -> String {
        Checkout.root.appending(path: "Tests/Servers/\(name)").path
    }
}
