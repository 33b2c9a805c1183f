import FoundationEssentials
import MailKernelAPI
import Testing

@testable import OAuth

/// What a good server says; tests change parts of it.
enum Metadata {
    static let issuer = "https://id.test"
    static let place = "https://id.test/.well-known/oauth-authorization-server"
    static let openID = "https://id.test/.well-known/openid-configuration"

    static func json(_ changes: [String: JSONValue?] = [:]) -> String {
        var values: [String: JSONValue] = [
            "issuer": .string(issuer), "authorization_endpoint": "https://id.test/auth",
            "token_endpoint": "https://id.test/token", "registration_endpoint": "https://id.test/register",
            "revocation_endpoint": "https://id.test/revoke", "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["plain", "S256"],
            "scopes_supported": ["other", .string(MailScopes.mail), "offline_access"],
        ]
        for (name, value) in changes { values[name] = value }
        return String(decoding: (try? JSONEncoder().encode(values)) ?? Data(), as: UTF8.self)
    }

    static func read(_ text: String, _ asked: String = issuer) throws(DiscoveryFailure) -> ServerMetadata {
        try ServerMetadata(Data(text.utf8), of: OAuthService.url(asked))
    }
}

/// ACC-07
@Suite("A server says how people sign in there") struct MetadataTests {
    private func look(
        _ pages: [String: [ScriptedNetwork.Answer]], _ issuer: String = Metadata.issuer
    ) async throws(DiscoveryFailure) -> ServerMetadata {
        try await ServerDiscovery(network: ScriptedNetwork(pages: pages)).metadata(
            of: OAuthService.url(issuer))
    }

    @Test func isReadAtThePlacesOfTheStandards() async throws {
        let good = ScriptedNetwork.Answer.status(200, Metadata.json())
        let found = try await look([Metadata.place: [good]])
        #expect(found.token.absoluteString == "https://id.test/token" && !found.namesIssuer)
        #expect(found.hosts == ["id.test"])
        // Some answer every address with a page.
        _ = try await look([Metadata.place: [.status(200, "<html>")], Metadata.openID: [good]])
        _ = try await look([Metadata.openID: [good]])
        let below = Metadata.json(["issuer": "https://id.test/a/b"])
        for place in [
            "https://id.test/.well-known/oauth-authorization-server/a/b",
            "https://id.test/a/b/.well-known/openid-configuration",
        ] {
            _ = try await look([place: [.status(200, below)]], "https://id.test/a/b")
        }
        _ = try await look([Metadata.place: [good]], "https://id.test/")
    }

    @Test func whatIsNotThereOrAwayIsSaid() async {
        await #expect(throws: DiscoveryFailure.notFound) { try await look([:]) }
        await #expect(throws: DiscoveryFailure.busy(status: 503)) {
            try await look([Metadata.place: [.status(503, "")]])
        }
        // A redirect to a host that the user has not seen ends so.
        await #expect(throws: DiscoveryFailure.network(.hostNotAllowed(host: "evil.test"))) {
            try await look([Metadata.place: [.failure(.hostNotAllowed(host: "evil.test"))]])
        }
        // More than four megabytes end in the kernel.
        await #expect(throws: DiscoveryFailure.notUnderstood) {
            try await look([Metadata.place: [.failure(.badAnswer(host: "id.test", reason: "too large"))]])
        }
    }

    /// ACC-08: none of these is used, not even in part.
    @Test func badMetadataIsRefusedWhole() throws {
        let cases: [([String: JSONValue?], DiscoveryFailure)] = [
            (["issuer": "https://evil.test"], .otherIssuer), (["issuer": "http://id.test"], .otherIssuer),
            (["issuer": "https://id.test/x"], .otherIssuer), (["issuer": nil], .notUnderstood),
            (["token_endpoint": nil], .notUnderstood),
            (["token_endpoint": "http://id.test/token"], .unsafePlace),
            (["authorization_endpoint": "http://id.test/auth"], .unsafePlace),
            (["authorization_endpoint": "javascript:alert(1)"], .unsafePlace),
            (["authorization_endpoint": "https://user@id.test/auth"], .unsafePlace),
            (["authorization_endpoint": "https://id.test/auth#x"], .unsafePlace),
            // The kernel would take this state for the sign-in's own.
            (["authorization_endpoint": "https://id.test/auth?state=known"], .unsafePlace),
            (["authorization_endpoint": "https://id.test/auth?a=b&redirect_uri=x"], .unsafePlace),
            // A large service's page, from which the code would come to the stranger that named it.
            (["authorization_endpoint": "https://accounts.large.test/auth"], .otherPage),
            (["authorization_endpoint": "https://notid.test/auth"], .otherPage),
            (["token_endpoint": "https://127.0.0.1/token"], .unsafePlace),
            (["token_endpoint": "https://0x7f000001/token"], .unsafePlace),
            (["registration_endpoint": "https://[::1]/register"], .unsafePlace),
            (["revocation_endpoint": "https://router.lan/"], .unsafePlace),
            (["device_authorization_endpoint": "https://localhost/device"], .unsafePlace),
            (["registration_endpoint": "ftp://id.test"], .unsafePlace),
            (["revocation_endpoint": "https://"], .unsafePlace),
            (["device_authorization_endpoint": "http://id.test/device"], .unsafePlace),
            (
                ["token_endpoint": .string("https://id.test/" + String(repeating: "a", count: 3_000))],
                .unsafePlace
            ),
            (["code_challenge_methods_supported": nil], .noWay),
            (["code_challenge_methods_supported": ["plain"]], .noWay),
            (["response_types_supported": ["token"]], .noWay),
            (["grant_types_supported": ["client_credentials"]], .noWay),
            (["token_endpoint": 7], .notUnderstood), (["scopes_supported": "x"], .notUnderstood),
            (["scopes_supported": .array(Array(repeating: "x", count: 501))], .notUnderstood),
            (["more": .string(String(repeating: "a", count: 70_000))], .notUnderstood),
        ]
        for (changes, failure) in cases {
            #expect(throws: failure, "\(changes)") { try Metadata.read(Metadata.json(changes)) }
        }
        for text in ["", "[]", "null", "{", String(repeating: "[", count: 60_000)] {
            #expect(throws: DiscoveryFailure.notUnderstood) { try Metadata.read(text) }
        }
    }

    /// ACC-08: the page is the issuer's, or beside it; what is on an inner network may name itself.
    @Test func pagesBelongToTheIssuer() throws {
        func isBeside(_ page: String, _ issuer: String) -> Bool {
            WebPlace.isBeside(OAuthService.url("https://\(page)/"), OAuthService.url("https://\(issuer)/"))
        }
        for (page, issuer) in [
            ("id.test", "id.test"), ("page.id.test", "id.test"), ("www.shop.test", "login.shop.test"),
            ("shop.co.uk", "id.shop.co.uk"), ("a.shop.co.uk", "shop.co.uk"), ("localhost", "localhost"),
        ] {
            #expect(isBeside(page, issuer), "\(page)")
        }
        for (page, issuer) in [
            ("large.test", "id.test"), ("eid.test", "id.test"), ("other.co.uk", "shop.co.uk"),
            ("test", "id.test"), ("id.test.evil.test", "id.test"), ("10.0.0.2", "10.0.0.1"),
        ] {
            #expect(!isBeside(page, issuer), "\(page)")
        }
        for host in [
            "localhost", "10.1.2.3", "[::1]", "::1", "127.1", "a.0x1", "nas.local", "x.home.arpa", "",
        ] {
            #expect(WebPlace.isInner(host), "\(host)")
        }
        let inner = Metadata.json(["issuer": "https://10.0.0.1"]).replacing("id.test", with: "10.0.0.1")
        #expect(try Metadata.read(inner, "https://10.0.0.1").hosts == ["10.0.0.1"])
    }

    /// ACC-09
    @Test func aServerOfMailNamesItsIssuers() throws {
        let session = OAuthService.url("https://mail.test/jmap/session")
        func read(_ resource: String, _ issuers: String) throws(DiscoveryFailure) -> ResourceMetadata {
            let text = #"{"resource":"\#(resource)","authorization_servers":\#(issuers)}"#
            return try ResourceMetadata(Data(text.utf8), of: session)
        }
        for resource in ["https://mail.test", "https://mail.test/jmap", "https://mail.test/jmap/session"] {
            let found = try read(resource, #"["http://evil.test","https://id.test"]"#)
            #expect(found.issuers == [OAuthService.url("https://id.test")] && found.resource == resource)
        }
        for resource in [
            "https://evil.test", "https://mail.test:444", "https://mail.test/jm", "https://mail.test/other",
        ] {
            #expect(throws: DiscoveryFailure.otherIssuer) { try read(resource, #"["https://id.test"]"#) }
        }
        #expect(throws: DiscoveryFailure.unsafePlace) {
            try read("http://mail.test", #"["https://id.test"]"#)
        }
        for issuers in [
            "[]", #"["http://id.test"]"#, #"["https://id.test/?a=b"]"#, #"["https://192.168.1.1"]"#,
        ] {
            #expect(throws: DiscoveryFailure.unsafePlace) { try read("https://mail.test", issuers) }
        }
    }

    /// ACC-09
    @Test func aChallengeNamesAPlaceOfTheSameServer() {
        let session = OAuthService.url("https://mail.test/jmap/session")
        let place = "https://mail.test/.well-known/oauth-protected-resource"
        for field in [
            "Bearer resource_metadata=\"\(place)\"",
            "Basic realm=\"a, b\", Bearer Resource_Metadata=\(place)",
            "Bearer realm=\"resource_metadata=\\\"https://mail.test/x\\\"\", resource_metadata = \"\(place)\"",
        ] {
            #expect(
                ResourceMetadata.place(in: field, of: session)?.absoluteString == place, "\(field)")
        }
        for field in [
            nil, "", "Bearer", "Basic realm=\"resource_metadata=\"", "Bearer resource_metadata=\"\(place)",
            "Bearer resource_metadata=\"http://mail.test/x\"",
            "Bearer resource_metadata=\"https://evil.test/\"",
            "Bearer resource_metadata=\"https://mail.test:8443/x\"", "Bearer \"resource_metadata=\(place)\"",
            String(repeating: "a=b, ", count: 2_000) + "resource_metadata=\(place)",
        ] {
            #expect(ResourceMetadata.place(in: field, of: session) == nil, "\(field ?? "")")
        }
    }

    @Test func onlyKnownScopesAreAskedFor() {
        #expect(MailScopes.wanted(nil) == [MailScopes.mail, "offline_access"])
        #expect(
            MailScopes.wanted(["x", "offline_access", MailScopes.mail]) == [
                MailScopes.mail, "offline_access",
            ])
        #expect(MailScopes.wanted(["smtp", "imap"]) == ["imap", "smtp"])
        #expect(MailScopes.wanted(["openid", "offline_access"]) == ["openid", "offline_access"])
        #expect(MailScopes.wanted([]).isEmpty)
    }
}
