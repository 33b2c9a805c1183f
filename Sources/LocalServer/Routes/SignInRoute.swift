import JMAP

extension Router {
    /// The browser comes back from the page of a service (RFC 8252). It brings no cookie, for it comes from
    /// another site: what it knows of the sign-in is what lets it in.
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
