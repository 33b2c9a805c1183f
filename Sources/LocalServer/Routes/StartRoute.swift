import FoundationEssentials

extension Router {
    /// A one-time link becomes a session.
    func start(_ request: HTTPRequest) -> Admission {
        .serve(bodyLimit: 0, isKnown: false) { _ in await begin(request) }
    }

    private func begin(_ request: HTTPRequest) async -> HTTPResponse {
        do {
            guard let code = request.parameter("code"), try links.redeem(code) else {
                return await slowed(PlainPages.badLink())
            }
            // The session ends when it is not used; the cookie is kept as long as browsers keep any.
            let cookie =
                "\(Gatekeeper.cookieName(port: request.listener.port))=\(sessions.begin()); Path=/; "
                + "HttpOnly; SameSite=Strict; Max-Age=34560000"
            return HTTPResponse(
                303, [("Location", "/"), ("Set-Cookie", cookie), ("Cache-Control", "no-store")])
        } catch {
            log.error("a start link cannot be used: \(public: error)")
            return .problem(500, "The link cannot be used right now; see the log of mailkernel.")
        }
    }
}
