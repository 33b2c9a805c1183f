import FoundationEssentials
import MailKernelAPI
import MailKernelConformance

@testable import JMAPAccounts

/// The part of a `MemoryService` that signs people in, at a host of its own.
struct MemoryIssuer: Sendable {
    static let host = "login.example.test"

    /// Requests by path, with their bodies.
    var requests: [(path: String, body: String)] = []
    var isOffered = false
    var tokens: Set<String> = []
    /// Tokens get a number each.
    var issued = 0
    /// Answers in the place of what is right, by path.
    var instead: [String: String] = [:]

    mutating func answer(_ request: HTTPRequest, _ body: String) -> HTTPResponse {
        let path = request.url.path()
        requests.append((path, body))
        if let text = instead[path] { return Self.response(200, text) }
        let issuer = "https://\(Self.host)"
        switch path {
        case "/.well-known/oauth-protected-resource":
            return Self.response(
                200,
                #"{"resource":"https://\#(MemoryService.host)/","authorization_servers":["\#(issuer)"]}"#)
        case "/.well-known/oauth-authorization-server":
            return Self.response(
                200,
                #"""
                {"issuer":"\#(issuer)","authorization_endpoint":"\#(issuer)/auth",
                "token_endpoint":"\#(issuer)/token","registration_endpoint":"\#(issuer)/register",
                "revocation_endpoint":"\#(issuer)/revoke","code_challenge_methods_supported":["S256"],
                "scopes_supported":["urn:ietf:params:oauth:scope:mail","offline_access","other"],
                "authorization_response_iss_parameter_supported":true}
                """#)
        case "/register": return Self.response(201, #"{"client_id":"made-\#(requests.count)"}"#)
        case "/token":
            issued += 1
            let token = "access-\(issued)"
            tokens.insert(token)
            return Self.response(
                200,
                #"{"access_token":"\#(token)","token_type":"bearer","expires_in":3600,"refresh_token":"r-\#(issued)"}"#
            )
        case "/revoke": return Self.response(200, "")
        default: return Self.response(404, "")
        }
    }

    static func response(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["content-type": "application/json"], body: Data(text.utf8))
    }
}

extension MemoryService {
    /// Where it says how people sign in.
    static let challenge =
        #"Bearer realm="resource_metadata=none", resource_metadata="https://\#(host)/.well-known/oauth-protected-resource""#

    var host: HostServices {
        HostServices(
            pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
            secrets: MemorySecrets(), dataFolder: URL(filePath: "/tmp"), clock: ManualClock(), network: self)
    }
}
