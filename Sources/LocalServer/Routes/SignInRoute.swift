import JMAP

extension Router {
    /// The browser returns from a service's page (RFC 8252). It sends no cookie, because it comes from
    /// another site; its knowledge of the sign-in grants access.
    func signIn(_ request: HTTPRequest) -> Admission {
        let items = Self.items(request)
        return .serve(bodyLimit: 0, isKnown: false) { _ in
            let landing = await service.browserReturned(items)
            let page = PlainPages.plain(landing.isKnown ? 200 : 404, landing.title, landing.texts)
            return landing.isKnown ? page : await slowed(page)
        }
    }

    /// None if one of them is there twice (RFC 6749, section 3.1) or cannot be read.
    private static func items(_ request: HTTPRequest) -> [String: String] {
        var items: [String: String] = [:]
        for name in request.parameterNames {
            guard items[name] == nil, let value = request.parameter(name) else { return [:] }
            items[name] = value
        }
        return items
    }
}
