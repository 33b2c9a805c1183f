public import FoundationEssentials
public import MailKernelAPI

/// The test bench of one case: an empty folder, host services, and the subject's providers on them.
public final class ConformanceBench: Sendable {
    /// The provider under test.
    public let subject: ConformanceSubject
    /// The data folder of this case. It is empty at first and removed afterwards.
    public let folder: URL
    /// The clock that the provider sees. It stands still until the case moves it.
    public let clock = ManualClock()
    /// The secrets of the plugin; empty at first.
    public let secrets = MemorySecrets()

    init(_ subject: ConformanceSubject) throws {
        self.subject = subject
        folder = FileManager.default.temporaryDirectory
            .appending(path: "mailkernel-conformance-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    func removeFolder() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Host services with the bench's folder, clock and secrets, and the subject's settings and network.
    public var host: HostServices {
        HostServices(
            pluginID: "conformance", log: PluginLog(least: .error) { _, _ in }, settings: subject.settings,
            secrets: secrets, dataFolder: folder, clock: clock, network: subject.network)
    }

    /// A new provider on the bench's folder, as after a restart of the program.
    public func makeProvider() throws -> Provider {
        try subject.makeProvider(host)
    }
}

/// Fails the promise unless `condition` holds.
func expect(_ condition: Bool, _ expectation: @autoclosure () -> String) throws {
    guard condition else { throw ConformanceFailure(expectation()) }
}

/// Fails the promise unless both are equal, and says both.
func expectEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
    guard found == expected else {
        throw ConformanceFailure("\(what): expected \(expected), found \(found)")
    }
}

/// Fails the promise unless `body` throws an error that `matches`.
func expectError<Failure: Error>(
    _ what: String, _ type: Failure.Type = Failure.self, where matches: (Failure) -> Bool,
    _ body: () async throws -> some Any
) async throws {
    do {
        _ = try await body()
    } catch let error as Failure where matches(error) {
        return
    } catch {
        throw ConformanceFailure("\(what): another error was thrown: \(error)")
    }
    throw ConformanceFailure("\(what): no error was thrown")
}
