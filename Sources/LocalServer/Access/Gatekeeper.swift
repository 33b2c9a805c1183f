import FoundationEssentials
import JMAP
import MailKernelAPI

/// Decides about access, based on the head of a request alone.
struct Gatekeeper: Sendable {
    /// The reason for refusing access.
    struct Refusal: Error {
        var response: HTTPResponse
        /// A secret was tried, and was wrong.
        var isGuess = false

        init(_ status: Int, _ detail: String, isGuess: Bool = false) {
            response = .problem(status, detail)
            self.isGuess = isGuess
        }
    }

    let tokens: TokenStore
    let sessions: SessionStore
    let log: PluginLog

    /// The name of the page's cookie. Browsers do not keep ports apart, so it has the port in its name.
    static func cookieName(port: Int) -> String { "mailkernel-\(port)" }

    /// That the request was meant for this program: a name that a stranger's DNS answers with 127.0.0.1 is
    /// not in the list, and a page of another origin is not ours.
    func checkPlace(_ request: HTTPRequest) throws(Refusal) {
        guard request.path.hasPrefix("/") else {
            throw Refusal(400, "The request target is not a path.")
        }
        guard request.headerCount("host") == 1, let host = request.header("host")?.lowercased() else {
            throw Refusal(400, "The request must have exactly one Host header.")
        }
        guard Self.hosts(port: request.listener.port).contains(host) else {
            throw Refusal(421, "This program answers to localhost, 127.0.0.1 and [::1] only.")
        }
        let origins = request.headers.filter { $0.name == "origin" }.map(\.value)
        guard origins.allSatisfy({ $0.lowercased() == request.base }) else {
            throw Refusal(403, "Pages of other origins have no access to this program.")
        }
    }

    /// Identifies the client. For a browser, the origin of the request must be valid too.
    func visitor(_ request: HTTPRequest) throws(Refusal) -> JMAPClient {
        let site = request.header("sec-fetch-site")
        guard site == nil || site == "same-origin" || site == "none" else {
            throw Refusal(403, "Pages of other origins have no access to this program.")
        }
        if let authorization = request.header("authorization") {
            guard request.headerCount("authorization") == 1 else {
                throw Refusal(400, "The request has more than one Authorization header.")
            }
            // A browser sends a saved password for requests from any page.
            guard site != "none" else { throw Refusal(403, "Tokens are for programs, not for browsers.") }
            return try program(authorization)
        }
        if !request.listener.isTLS, let client = try page(request) {
            guard site == "same-origin" || request.header("origin") != nil else {
                throw Refusal(403, "The request does not show that it comes from this program's page.")
            }
            return client
        }
        throw unknown(request)
    }

    /// Whether the client that a stream was opened for may still read it.
    func isStillWelcome(_ request: HTTPRequest) -> Bool {
        (try? visitor(request)) != nil
    }

    private func program(_ authorization: String) throws(Refusal) -> JMAPClient {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { throw Refusal(401, "The Authorization header is invalid.") }
        let token: String
        switch parts[0].lowercased() {
        case "bearer": token = parts[1].trimmed
        case "basic":
            guard let data = Data(base64Encoded: parts[1].trimmed),
                let text = String(validating: data, as: UTF8.self), let colon = text.firstIndex(of: ":")
            else { throw Refusal(401, "The Authorization header is invalid.") }
            // The name does not matter: mail programs insist on one.
            token = String(text[text.index(after: colon)...])
        default: throw Refusal(401, "The Authorization header must be Bearer or Basic.")
        }
        guard let entry = try store({ () throws(LocalServerError) in try tokens.entry(for: token) }) else {
            throw Refusal(
                401, "The token is unknown. Create one with “mailkernel token create”.", isGuess: true)
        }
        return JMAPClient(
            name: entry.name, mayWrite: !entry.isReadOnly, isPage: false,
            mayWhileLocked: entry.worksWhileLocked == true)
    }

    private func page(_ request: HTTPRequest) throws(Refusal) -> JMAPClient? {
        for cookie in request.cookies(Self.cookieName(port: request.listener.port)).prefix(4) {
            let id = try store { () throws(LocalServerError) in try sessions.session(for: cookie) }
            if let id { return JMAPClient(name: "page \(id)", mayWrite: true, isPage: true) }
        }
        return nil
    }

    private func unknown(_ request: HTTPRequest) -> Refusal {
        var refusal = Refusal(
            401,
            "This requires a token (“mailkernel token create NAME”) or the page's session (“mailkernel open”)."
        )
        // A browser would ask for a password, which no page of ours wants.
        let isBrowser = request.headers.contains { $0.name.hasPrefix("sec-fetch-") }
        refusal.response = refusal.response.with("WWW-Authenticate", "Bearer realm=\"mailkernel\"")
        if !isBrowser {
            refusal.response = refusal.response.with("WWW-Authenticate", "Basic realm=\"mailkernel\"")
        }
        return refusal
    }

    /// An unreadable file grants no access.
    private func store<Value>(_ body: () throws(LocalServerError) -> Value) throws(Refusal) -> Value {
        do {
            return try body()
        } catch {
            log.error("access cannot be checked: \(public: error)")
            throw Refusal(500, "Access cannot be checked right now; see the log of mailkernel.")
        }
    }

    private static func hosts(port: Int) -> [String] {
        ["localhost", "127.0.0.1", "[::1]"].flatMap { name in
            [name + ":\(port)"] + (port == 80 || port == 443 ? [name] : [])
        }
    }
}

extension HTTPRequest {
    /// Scheme, host and port as the client knows them. To be asked after the host was checked.
    var base: String { "\(listener.scheme)://\((header("host") ?? "").lowercased())" }
}
