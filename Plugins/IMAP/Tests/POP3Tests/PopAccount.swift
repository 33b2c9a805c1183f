import FoundationEssentials
import IMAP
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance

@testable import POP3

/// An account at a server in memory, with a folder that is removed with the object.
final class PopAccount: Sendable {
    let server: PopServer
    let clock = ManualClock()
    let folder = FileManager.default.temporaryDirectory.appending(path: "pop3-\(UUID().uuidString)")

    init(_ server: PopServer) throws {
        self.server = server
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A session as after a start of the program.
    func session(
        _ leave: LeaveOnServer = .always, security: TransportSecurity = .tls, largest: Int? = nil,
        faults: Faults = Faults(), folder: URL? = nil, login: IMAPLogin? = nil
    ) throws -> POP3AccountSession {
        let network = MemoryNetwork(faults: { _ in faults }, { [server] in server.session() })
        let host = HostServices(
            pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
            secrets: FixedSecrets(), dataFolder: folder ?? self.folder, clock: clock, network: network)
        var configuration = POP3Configuration(
            server: MailServer("pop.test", port: security == .tls ? 995 : 110, security: security),
            submission: nil,
            login: login ?? .password(user: "ada") { () throws(AccountError) in Secret("correct horse") },
            leave: leave)
        if let largest { configuration.largestMessage = largest }
        return try POP3AccountSession(configuration, address: "ada@pop.test", host: host)
    }

    /// One session from start to end, with one round; what the kernel would hold.
    @discardableResult
    func round(
        _ leave: LeaveOnServer = .always, largest: Int? = nil, faults: Faults = Faults(), folder: URL? = nil
    ) async throws -> FeedReader {
        let session = try session(leave, largest: largest, faults: faults, folder: folder)
        var reader = FeedReader(FeedID("mail"))
        do {
            try await reader.round(session)
        } catch {
            await session.close()
            throw error
        }
        await session.close()
        return reader
    }

    /// As much as comes, whatever fails then.
    func attempt(_ leave: LeaveOnServer = .always, faults: Faults) async {
        _ = try? await round(leave, faults: faults)
    }

    /// What is kept, without a visit that brings anything.
    func kept(in folder: URL? = nil) async throws -> [String] {
        let session = try session(faults: Faults(refuses: .offline), folder: folder)
        var reader = FeedReader(FeedID("mail"))
        do {
            try await reader.round(session)
        } catch AccountError.offline {}
        await session.close()
        return reader.held.values.map(\.text).sorted()
    }
}
