import FoundationEssentials
import MailKernelAPI

/// Microsoft's sign-in: its page as a function, and the endpoint for tokens.
struct GraphLogin: Sendable {
    var refreshToken = "refresh-1"
    /// The one token that is good.
    var accessToken = "access-1"
    private(set) var grants: [String] = []
    private var count = 1
    /// What the endpoint answers instead, such as the errors that Microsoft documents.
    var refusal: (error: String, description: String)?

    func accepts(_ token: Secret?) -> Bool { token?.revealed == accessToken }

    /// Opens the page and signs in at once.
    static func visit(_ page: URL) -> [String: String] {
        ["code": "code-1", "state": query(page.query() ?? "")["state"] ?? ""]
    }

    static func query(_ text: String) -> [String: String] {
        var items: [String: String] = [:]
        for item in text.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2 { items[parts[0]] = parts[1].unescaped }
        }
        return items
    }

    mutating func answer(_ body: String) -> HTTPResponse {
        let items = Self.query(body)
        grants.append(items["grant_type"] ?? "")
        if let refusal {
            return Self.json(
                400, ["error": .string(refusal.error), "error_description": .string(refusal.description)])
        }
        switch items["grant_type"] {
        case "authorization_code" where items["code"] == "code-1": break
        case "refresh_token" where items["refresh_token"] == refreshToken: break
        default: return Self.json(400, ["error": "invalid_grant"])
        }
        count += 1
        accessToken = "access-\(count)"
        return Self.json(
            200,
            [
                "access_token": .string(accessToken), "refresh_token": .string(refreshToken),
                "token_type": "Bearer", "expires_in": 3_600, "scope": "Mail.ReadWrite Mail.Send",
            ])
    }

    private static func json(_ status: Int, _ value: JSONValue) -> HTTPResponse {
        HTTPResponse(status: status, headers: [:], body: (try? JSONEncoder().encode(value)) ?? Data())
    }
}

extension String {
    /// Without percent signs.
    var unescaped: String {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"),
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
