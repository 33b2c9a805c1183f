import FoundationEssentials
import Glibc
import MailKernelAPI
import TestSupport

/// The program as it is installed on one computer. Several computers can share a store. It can be started again.
struct BenchComputer: Sendable {
    private let installed: Installed
    private let options: [String]

    /// - Parameters:
    ///   - settings: those of the PostgreSQL store; nil for SQLite.
    ///   - service: a mail service to sign in to.
    init(_ settings: PluginSettings?, service: BenchMailService? = nil) throws {
        let plugins = Checkout.root.appending(path: "Plugins")
        let names =
            (service == nil ? [] : ["IMAPAccount"])
            + [settings == nil ? "SQLiteStorage" : "PostgreSQLStorage"]
        installed = try Installed(
            plugins: names.map { plugins.appending(path: $0) },
            program: Checkout.root.appending(path: ".build/release/mailkernel"))
        var options = ["--tls-port", "none"]
        if let settings {
            let values = try JSONEncoder().encode(settings.values)
            try installed.setSettings(
                String(decoding: values, as: UTF8.self), of: "org.mailkernel.postgresql")
        }
        if let service {
            let key = try installed.place.write("a passphrase", to: "key")
            chmod(key.path, 0o600)
            try installed.place.write(
                try String(contentsOf: service.certificate, encoding: .utf8),
                to: "configuration/certificates.pem")
            options += ["--vault-key-file", key.path]
        }
        self.options = options
    }

    /// The folder of its SQLite store.
    func sqliteFolder() throws -> URL {
        let folder = installed.data.appending(path: "plugins/org.mailkernel.sqlite")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder
    }

    /// Returns when the program is ready.
    func start() async throws -> BenchProcess {
        let process = try installed.start(options)
        guard await process.line(containing: "Open http://"),
            let link = process.outputSoFar.firstMatch(of: /Open (http:\S+)/)?.1
        else { throw BenchError(description: await process.result().errors) }
        return BenchProcess(link: String(link), process: process, installed: installed)
    }
}

/// The program while it runs.
struct BenchProcess: Sendable {
    /// For one session.
    let link: String
    fileprivate let process: Command
    /// Its folders are deleted with the last reference to it, and without them the link is refused.
    fileprivate let installed: Installed

    func end() async { await end(SIGTERM) }

    /// Returns when it is gone.
    func end(_ signal: CInt) async {
        process.signal(signal)
        _ = await process.result()
    }

    func signal(_ number: CInt) { process.signal(number) }
}

extension BenchStore {
    /// Adds an account with mail, as a synchronization would.
    func fill(_ account: Id<Account>, with messages: [GeneratedMessage]) async throws {
        try await addAccount(account)
        for start in stride(from: 0, to: messages.count, by: Self.batch) {
            try await put(
                Array(messages[start..<min(messages.count, start + Self.batch)]), in: account)
        }
    }
}
