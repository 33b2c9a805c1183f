public import FoundationEssentials
public import MailKernelAPI

/// The interface of JMAP for a transport. Nothing here knows HTTP, except the status of a problem, which RFC
/// 8620 includes.
public protocol JMAPService: Sendable {
    var limits: JMAPLimits { get }

    /// The session resource (RFC 8620, section 2), as JSON.
    func session(for client: JMAPClient, at urls: SessionURLs) async throws(RequestProblem) -> Data

    /// Answers one request (section 3) with JSON.
    ///
    /// - Throws: when the request as a whole was refused; nothing of it was then carried out.
    func respond(
        to request: Data, for client: JMAPClient, at urls: SessionURLs
    ) async throws(RequestProblem) -> Data

    /// Begins an upload (section 6.1).
    func upload(
        type: String, to accountID: String, for client: JMAPClient
    ) async throws(RequestProblem) -> any JMAPUpload

    /// The bytes of a blob (section 6.2). Missing bytes are fetched first.
    func download(
        _ blobID: String, of accountID: String, for client: JMAPClient
    ) async throws(RequestProblem) -> JMAPDownload

    /// Whether the app is locked.
    var isLocked: Bool { get }

    /// Unlocks the app for all clients, if the password is correct.
    func unlock(_ password: Secret) async throws(RequestProblem)

    /// The browser has come back from the page of a service with these query items (RFC 8252).
    func browserReturned(_ items: [String: String]) async -> BrowserLanding

    /// State changes as they happen (section 7.3), until the task that reads them is cancelled.
    func events(_ subscription: EventSubscription, for client: JMAPClient) -> AsyncStream<PushEvent>
}

/// The client.
public struct JMAPClient: Sendable, Hashable {
    /// The page's session or the name of a token: for the log and for limits.
    public var name: String
    public var mayWrite: Bool
    /// The program's own page, which alone may access this machine: tokens, app lock.
    public var isPage: Bool
    /// The user lets it in while the program is locked, too.
    public var mayWhileLocked: Bool

    public init(name: String, mayWrite: Bool, isPage: Bool, mayWhileLocked: Bool = false) {
        self.name = name
        self.mayWrite = mayWrite
        self.isPage = isPage
        self.mayWhileLocked = mayWhileLocked
    }
}

/// Where the session resource says that things are: absolute, with RFC 6570 variables.
public struct SessionURLs: Sendable, Hashable {
    public var api: String
    public var download: String
    public var upload: String
    public var eventSource: String
    /// For RFC 8887; not in the session resource itself, but in a capability.
    public var webSocket: String
    /// Where the browser comes back to from the sign-in page of a service. Not in the session resource.
    public var signIn: String

    public init(
        api: String, download: String, upload: String, eventSource: String, webSocket: String, signIn: String
    ) {
        self.api = api
        self.download = download
        self.upload = upload
        self.eventSource = eventSource
        self.webSocket = webSocket
        self.signIn = signIn
    }
}

/// The limits of the core capability (RFC 8620, section 2).
public struct JMAPLimits: Sendable, Hashable {
    public var maxSizeUpload = 100_000_000
    public var maxConcurrentUpload = 4
    public var maxSizeRequest = 10_000_000
    public var maxConcurrentRequests = 8
    public var maxCallsInRequest = 64
    public var maxObjectsInGet = 1000
    public var maxObjectsInSet = 1000
    /// Bytes, roughly, of all answers to one request. Not in the session: RFC 8620 has no name for it.
    public var maxSizeAnswers = 100_000_000

    public init() {}
}

/// A request that was refused as a whole (RFC 8620, section 3.6.1).
public struct RequestProblem: Error, Sendable, Hashable {
    /// `urn:ietf:params:jmap:error:limit` and the like, or `about:blank`.
    public var type: String
    public var status: Int
    public var detail: String
    /// The limit that was passed, for `…:limit`.
    public var limit: String?

    public init(type: String = "about:blank", status: Int, detail: String, limit: String? = nil) {
        self.type = type
        self.status = status
        self.detail = detail
        self.limit = limit
    }
}

extension RequestProblem {
    /// While locked, only clients with the user's permission have access.
    public static let locked = RequestProblem(
        type: "urn:mailkernel:error:locked", status: 423,
        detail: "mailkernel is locked. Unlock it on its page.")
}

/// An upload in progress. Its creator must call `finish` or `discard`.
public protocol JMAPUpload: ByteSink {
    /// Keeps the blob and answers with the JSON of section 6.1.
    func finish() async throws -> Data

    func discard() async
}

public struct JMAPDownload: Sendable {
    public var type: String
    public var name: String?
    public var bytes: any ByteSource
    /// The risk of opening it, as an ASCII sentence; nil if none is known.
    public var risk: String?

    public init(type: String, name: String?, bytes: any ByteSource, risk: String? = nil) {
        self.risk = risk
        self.type = type
        self.name = name
        self.bytes = bytes
    }
}

/// What a browser shows that has come back from the page of a service.
public struct BrowserLanding: Sendable, Hashable {
    public var title: String
    public var texts: [String]
    /// A sign-in waited for this.
    public var isKnown: Bool

    public init(_ title: String, _ texts: [String] = [], isKnown: Bool = true) {
        self.title = title
        self.texts = texts
        self.isKnown = isKnown
    }
}

/// What a client of the event source wants to hear.
public struct EventSubscription: Sendable, Hashable {
    /// Nil for all types.
    public var types: Set<String>?
    /// A window of the page: it counts as open while its stream is read.
    public var windowID: String?
    /// The id of the last event that the client saw, when it comes back.
    public var lastEventID: String?

    public init(types: Set<String>? = nil, windowID: String? = nil, lastEventID: String? = nil) {
        self.types = types
        self.windowID = windowID
        self.lastEventID = lastEventID
    }
}

public struct PushEvent: Sendable, Hashable {
    /// `state`, or a name of the vendor capabilities.
    public var name: String
    public var id: String
    /// JSON on one line.
    public var data: String

    public init(name: String, id: String, data: String) {
        self.name = name
        self.id = id
        self.data = data
    }
}
