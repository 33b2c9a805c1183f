public import FoundationEssentials
public import MailKernelAPI

/// One promise of a protocol, as a test that any provider of that kind can be held to.
public struct ConformanceCase: Sendable, CustomStringConvertible {
    public enum Verdict: Sendable, Hashable {
        case kept
        /// The provider says that it does not support what the promise is about.
        case notApplicable(String)
    }

    public let kind: PluginKind
    /// Names the test: `aFailedCommitChangesNothing`.
    public let name: String
    /// What is promised, in a sentence.
    public let promise: String
    private let body: @Sendable (ConformanceBench) async throws -> Void

    public init(
        _ kind: PluginKind, _ name: String, _ promise: String,
        body: @escaping @Sendable (ConformanceBench) async throws -> Void
    ) {
        self.kind = kind
        self.name = name
        self.promise = promise
        self.body = body
    }

    public var description: String { name }

    /// Holds a provider to the promise, on a fresh folder that is removed afterwards.
    ///
    /// - Throws: `ConformanceFailure` if the promise is broken, or what the provider threw.
    public func check(_ subject: ConformanceSubject) async throws -> Verdict {
        let bench = try ConformanceBench(subject)
        defer { bench.removeFolder() }
        do {
            try await body(bench)
            return .kept
        } catch let answer as NotApplicable {
            return .notApplicable(answer.reason)
        }
    }

    /// All promises of one kind.
    public static func all(_ kind: PluginKind) -> [ConformanceCase] {
        switch kind {
        case .storage: storageCases
        case .account: accountCases
        case .model: modelCases
        case .notification: notificationCases
        }
    }
}

/// The provider under test: how it is made, and what it needs to be tried for real.
public struct ConformanceSubject: Sendable {
    /// Makes a provider as the kernel would. Called several times, also for the same folder.
    public let makeProvider: @Sendable (HostServices) throws -> Provider
    public let settings: PluginSettings
    /// The setup that is signed in with; nil for the provider's first.
    public let setupID: String?
    /// What to answer to the forms of `AccountProvider.authorize`.
    public let formAnswers: [String: Secret]
    /// Takes a person's place at a page of `AuthorizationStep.browser`: goes there, signs in, and returns
    /// the query items that the redirect came back with. Nil if nobody can.
    public let browser: (@Sendable (URL) async throws -> [String: String])?
    /// The way out for plugins that talk to a server; refuses everything by default.
    public let network: any PluginNetwork

    public init(
        settings: PluginSettings = PluginSettings(), setupID: String? = nil,
        formAnswers: [String: Secret] = [:],
        browser: (@Sendable (URL) async throws -> [String: String])? = nil,
        network: any PluginNetwork = NoNetwork(),
        makeProvider: @escaping @Sendable (HostServices) throws -> Provider
    ) {
        self.settings = settings
        self.setupID = setupID
        self.formAnswers = formAnswers
        self.browser = browser
        self.network = network
        self.makeProvider = makeProvider
    }

    /// A provider that is linked into the test.
    public init<Plugin: MailKernelPlugin>(
        _ plugin: Plugin.Type, settings: PluginSettings = PluginSettings(),
        formAnswers: [String: Secret] = [:]
    ) {
        self.init(settings: settings, formAnswers: formAnswers) { try Plugin.makeProvider(host: $0) }
    }
}

/// A promise that was broken: what was expected and what came instead.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}

/// Thrown by a case whose subject is not supported by the provider, and says so.
struct NotApplicable: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
