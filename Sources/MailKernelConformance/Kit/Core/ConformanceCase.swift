public import FoundationEssentials
public import MailKernelAPI

/// One promise of a protocol as a test for any provider of its kind.
public struct ConformanceCase: Sendable, CustomStringConvertible {
    /// The result of a case. A broken promise throws instead.
    public enum Verdict: Sendable, Hashable {
        /// The provider keeps the promise.
        case kept
        /// The provider reports that it does not support the subject of the promise. The text says what it
        /// lacks.
        case notApplicable(String)
    }

    /// The kind of provider that the promise is about.
    public let kind: PluginKind
    /// The test's name: `aFailedCommitChangesNothing`.
    public let name: String
    /// The promise, in a sentence.
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

    /// Tests a provider on a new folder, which is removed afterwards.
    ///
    /// - Throws: `ConformanceFailure` if the promise is broken, or the provider's own error.
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

/// The provider under test: how to make it, and everything needed to use it.
public struct ConformanceSubject: Sendable {
    /// Makes a provider as the kernel would. Called several times, also for the same folder.
    public let makeProvider: @Sendable (HostServices) throws -> Provider
    /// The plugin's settings in the test.
    public let settings: PluginSettings
    /// The setup to sign in with; nil for the provider's first.
    public let setupID: String?
    /// The answers to the forms of `AccountProvider.authorize`, by field name. Fields without an answer keep
    /// their initial values.
    public let formAnswers: [String: Secret]
    /// Plays the user at a page of `AuthorizationStep.browser`: opens it, signs in, and returns the query
    /// items of the redirect. Nil if the test cannot do that.
    public let browser: (@Sendable (URL) async throws -> [String: String])?
    /// The network for the plugin; refuses everything by default.
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

/// A broken promise: what was expected and what happened instead.
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
