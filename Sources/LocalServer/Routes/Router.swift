import FoundationEssentials
import JMAP
import MailKernelAPI

/// The routes, and the access that each requires.
struct Router: Sendable {
    let service: any JMAPService
    let gatekeeper: Gatekeeper
    let links: StartLinks
    let sessions: SessionStore
    let page: PageFiles
    let log: PluginLog
    let slowdown: Slowdown
    let requests: Turnstile
    /// For what takes uploads in, not for those whose clients are slow.
    let uploads: Turnstile
    /// Bodies on their way, which take no place of those that are answered.
    let arriving: Turnstile
    /// Streams stay open: those of one client are few.
    let streams = Turnstile(most: 32, waiting: 0)
    let sockets: Turnstile
    let socketLimits: WebSocketLimits

    init(_ configuration: LocalServerConfiguration, _ service: any JMAPService, _ links: StartLinks) {
        self.service = service
        self.links = links
        log = configuration.log
        sessions = SessionStore(folder: configuration.data)
        gatekeeper = Gatekeeper(
            tokens: TokenStore(folder: configuration.configuration), sessions: sessions, log: log)
        slowdown = Slowdown(step: configuration.slowdown)
        page = PageFiles(folder: configuration.page)
        requests = Turnstile(most: service.limits.maxConcurrentRequests, waiting: configuration.mostWaiting)
        uploads = Turnstile(most: service.limits.maxConcurrentUpload, waiting: configuration.mostWaiting)
        arriving = Turnstile(most: Self.mostArriving, waiting: 0)
        socketLimits = configuration.sockets
        sockets = Turnstile(most: configuration.sockets.sockets, waiting: 0)
    }

    /// Bodies of one client that may be on their way at once: more than a client has use for, and few enough for memory
    /// and open files.
    static let mostArriving = 64

    /// On the server's thread: quick, and without waiting.
    func admit(_ request: HTTPRequest) -> Admission {
        do throws(Gatekeeper.Refusal) {
            try checkSize(request)
            try gatekeeper.checkPlace(request)
            let admission = try route(request)
            guard !request.hidesBody else {
                throw Gatekeeper.Refusal.unclear("The request does not say how long it is.", status: 411)
            }
            return admission
        } catch {
            let response = request.hidesBody ? error.response.with("Connection", "close") : error.response
            guard error.isGuess else { return .refuse(response) }
            return .serve(bodyLimit: 0, isKnown: false) { _ in await slowed(response) }
        }
    }

    /// Wrong secrets are answered late.
    func slowed(_ response: HTTPResponse) async -> HTTPResponse {
        guard let pause = slowdown.begin() else {
            return .problem(429, "Too many wrong tokens or codes were tried. Try again in a minute.")
        }
        try? await Task.sleep(for: pause)
        slowdown.end()
        return response
    }

    private func checkSize(_ request: HTTPRequest) throws(Gatekeeper.Refusal) {
        guard request.path.utf8.count + request.query.utf8.count <= 8192 else {
            throw Gatekeeper.Refusal(414, "The request's URL is too long.")
        }
        let size = request.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard size <= 32 * 1024, request.headers.count <= 100 else {
            throw Gatekeeper.Refusal(431, "The request's headers are too long.")
        }
        // “Content-Length :” could be read as Content-Length by another program (RFC 9112, section 5.1).
        guard request.headers.allSatisfy({ $0.name.isFieldName }) else {
            throw .unclear("A header name contains a space or another invalid character.")
        }
        guard request.headers.allSatisfy({ $0.value.isFieldValue }) else {
            throw .unclear("A header contains an invalid character.")
        }
        // The bytes that follow could be the rest of the body, or a request that an attacker put there.
        guard !request.hasUnclearLength else { throw .unclear("The length of the request is ambiguous.") }
    }

    private func route(_ request: HTTPRequest) throws(Gatekeeper.Refusal) -> Admission {
        switch request.path {
        case "/.well-known/jmap":
            try allow(["GET", "HEAD"], request)
            return session(request, try gatekeeper.visitor(request))
        case "/jmap/api":
            try allow(["POST"], request)
            return try api(request, gatekeeper.visitor(request))
        case "/jmap/events":
            // No HEAD: the library sends the end of a chunked body, which clients would read as the next response.
            try allow(["GET"], request)
            return try events(request, gatekeeper.visitor(request))
        case "/jmap/ws":
            try allow(["GET"], request)
            return try webSocket(request, gatekeeper.visitor(request))
        case _ where request.path.hasPrefix("/jmap/upload/"):
            try allow(["POST"], request)
            return try upload(request, gatekeeper.visitor(request))
        case _ where request.path.hasPrefix("/jmap/download/"):
            try allow(["GET", "HEAD"], request)
            return try download(request, gatekeeper.visitor(request))
        case _ where request.path.hasPrefix("/jmap/") || request.listener.isTLS:
            // Other programs need no page, and the page needs no certificate.
            throw Gatekeeper.Refusal(404, "Nothing exists at this URL.")
        case "/start":
            try allow(["GET"], request)
            return start(request)
        case "/lock":
            try allow(["GET"], request)
            return try lockState(request)
        case "/unlock":
            try allow(["POST"], request)
            return try unlock(request)
        case "/signin":
            try allow(["GET"], request)
            return signIn(request)
        default:
            try allow(["GET", "HEAD"], request)
            return files(request)
        }
    }

    private func allow(_ methods: [String], _ request: HTTPRequest) throws(Gatekeeper.Refusal) {
        guard !methods.contains(request.method) else { return }
        var refusal = Gatekeeper.Refusal(
            405, "This URL supports only \(methods.joined(separator: " and ")).")
        refusal.response = refusal.response.with("Allow", methods.joined(separator: ", "))
        throw refusal
    }

    /// The page's own files are not secret, because other pages could load them. The data they show is.
    private func files(_ request: HTTPRequest) -> Admission {
        .serve(bodyLimit: 0, isKnown: false) { _ in page.response(to: request) }
    }
}

extension Gatekeeper.Refusal {
    /// The end of the request is ambiguous, so nothing else is read from its connection.
    fileprivate static func unclear(_ detail: String, status: Int = 400) -> Self {
        var refusal = Self(status, detail)
        refusal.response = refusal.response.with("Connection", "close")
        return refusal
    }
}

extension String {
    fileprivate var isFieldName: Bool { !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) } }
    fileprivate var isFieldValue: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }
}
