import FoundationEssentials

extension Router {
    /// A one-time link becomes a session.
    func start(_ request: HTTPRequest) -> Admission {
        do {
            guard let code = request.parameter("code"), try links.redeem(code) else {
                return slowed(PlainPages.badLink())
            }
            let cookie =
                "\(Gatekeeper.cookieName(port: request.listener.port))=\(try sessions.begin()); Path=/; "
                + "HttpOnly; SameSite=Strict; Max-Age=\(Int(SessionStore.lifetime))"
            return .refuse(
                HTTPResponse(
                    303, [("Location", "/"), ("Set-Cookie", cookie), ("Cache-Control", "no-store")]))
        } catch {
            log.error("a start link cannot be used: \(public: error)")
            return .refuse(.problem(500, "The link cannot be used now; the log of mailkernel says why."))
        }
    }
}
