import FoundationEssentials
import MailKernelAPI

/// Why a request brought no answer.
enum WireFailure: Error {
    case network(NetworkError)
    /// An answer of another status than 2xx.
    case status(HTTPResponse, host: String)
    /// The answer is larger than what is kept in memory.
    case tooLarge
    /// The answer is not JSON of the form that was expected, or is nested too deeply.
    case unreadable
    case account(AccountError)

    /// - Parameter now: for pauses that the server names in seconds.
    func meaning(now: Date) -> AccountError {
        switch self {
        case .network(let error): AccountError(error)
        case .status(let response, let host): Self.meaning(of: response, host: host, now: now)
        case .tooLarge: .badAnswer("the response is too large")
        case .unreadable: .badAnswer("the response is not the JSON that was expected")
        case .account(let error): error
        }
    }

    /// Whether the server may have carried out the request all the same.
    var mayHaveWorked: Bool {
        switch self {
        case .network(.closed), .network(.unreachable), .network(.badAnswer), .network(.cancelled), .tooLarge,
            .unreadable:
            true
        case .network: false
        // A server in between may say so after it has passed the request on.
        case .status(let response, _): response.status >= 500
        case .account(.badAnswer): true
        case .account: false
        }
    }

    /// Whether nothing is at this place any more.
    var isMoved: Bool {
        if case .status(let response, _) = self { [404, 410].contains(response.status) } else { false }
    }

    private static func meaning(of response: HTTPResponse, host: String, now: Date) -> AccountError {
        let problem = Problem(response)
        switch response.status {
        case 401:
            return .authenticationRequired(
                reason: problem?.text ?? "The service refused the password or token.")
        case 403: return .refused(problem?.text ?? "The service does not allow this.")
        case 404, 410:
            return .unreachable(
                host: host, reason: "The service is not at its place (HTTP \(response.status)).")
        case 413: return .refused(problem?.text ?? "This is too large for the service.")
        case 429: return .throttled(until: pause(response, now))
        case 503 where response.headers["retry-after"] != nil: return .throttled(until: pause(response, now))
        case 500...:
            return .unreachable(
                host: host, reason: "The server reported an error (HTTP \(response.status)).")
        case 400 where problem?.isLimit == true:
            return .refused(problem?.text ?? "The service's limits are exceeded.")
        default: return .badAnswer("HTTP \(response.status) \(problem?.type ?? "")")
        }
    }

    private static func pause(_ response: HTTPResponse, _ now: Date) -> Date? {
        guard let seconds = response.headers["retry-after"].flatMap({ Double($0) }), seconds >= 0 else {
            return nil
        }
        return now + min(seconds, 86_400)
    }

    /// What a server says about a failed request (RFC 7807). HTML is not quoted.
    private struct Problem: Decodable {
        let type: String?
        let detail: String?
        let title: String?

        init?(_ response: HTTPResponse) {
            guard response.body.count <= 65_536,
                let problem = try? JSONDecoder().decode(Problem.self, from: response.body)
            else { return nil }
            self = problem
        }

        var text: String? { (detail ?? title).map { Sentence.clean($0) }.flatMap { $0.isEmpty ? nil : $0 } }
        var isLimit: Bool { type == "urn:ietf:params:jmap:error:limit" }
    }
}

/// The service's own words, safe to show.
enum Sentence {
    private static let limit = 500

    static func clean(_ text: String) -> String {
        let plain = text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : Character($0) }
        return String(String(plain).prefix(limit))
    }
}

/// An error of a method, or of one object of a `/set` (RFC 8620, 3.6.2 and 5.3).
struct MethodError: Error, Sendable {
    let type: String
    let description: String
    let properties: [String]
    let details: JSONValue

    init(_ value: JSONValue?) {
        details = value ?? .null
        type = Sentence.clean(value?["type"]?.stringValue ?? "serverFail")
        description = Sentence.clean(value?["description"]?.stringValue ?? "")
        properties = (value?["properties"]?.arrayValue ?? []).compactMap(\.stringValue)
    }

    var text: String { description.isEmpty ? "The service answered “\(type)”." : description }

    /// Whether another try may help.
    var isPassing: Bool {
        ["serverUnavailable", "serverFail", "serverPartialFail", "rateLimit", "stateMismatch"].contains(type)
    }

    func meaning(host: String) -> AccountError {
        switch type {
        case "cannotCalculateChanges": .cursorExpired
        case "serverUnavailable": .unreachable(host: host, reason: text)
        case "rateLimit": .throttled(until: nil)
        case "unknownMethod": .unsupported("this")
        case "notFound", "blobNotFound": .notFound
        case "invalidArguments", "invalidResultReference": .badAnswer("\(type): \(text)")
        default: .refused(text)
        }
    }
}
