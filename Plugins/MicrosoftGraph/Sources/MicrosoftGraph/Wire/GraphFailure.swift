import FoundationEssentials
import MailKernelAPI

/// Why a request brought no answer.
enum GraphFailure: Error {
    case network(NetworkError)
    /// An answer of another status than 2xx, of a request or of one within a batch.
    case status(Refusal)
    /// The answer is larger than what is kept in memory.
    case tooLarge
    /// The answer is not JSON of the form that was expected, or is nested too deeply.
    case unreadable
    case account(AccountError)

    /// - Parameter now: for pauses that the server names in seconds.
    func meaning(host: String, now: Date) -> AccountError {
        switch self {
        case .network(let error): AccountError(error)
        case .status(let refusal): refusal.meaning(host: host, now: now)
        case .tooLarge: .badAnswer("the response is too large")
        case .unreadable: .badAnswer("the response is not the JSON that was expected")
        case .account(let error): error
        }
    }

    /// Whether the service may have carried out the request all the same.
    var mayHaveWorked: Bool {
        switch self {
        case .network(.closed), .network(.unreachable), .network(.badAnswer), .network(.cancelled), .tooLarge,
            .unreadable:
            true
        case .network: false
        // A server in between may say so after it has passed the request on.
        case .status(let refusal): refusal.status >= 500
        case .account(.badAnswer): true
        case .account: false
        }
    }

    var refusal: Refusal? { if case .status(let refusal) = self { refusal } else { nil } }
    var isNotFound: Bool { refusal?.isNotFound ?? (isAccount(.notFound)) }
    var isThrottling: Bool { refusal?.isThrottling ?? false }
    /// Whether less at once may be readable.
    var isAboutSize: Bool {
        switch self {
        case .tooLarge, .unreadable: true
        default: false
        }
    }

    private func isAccount(_ wanted: AccountError) -> Bool {
        if case .account(let error) = self { error == wanted } else { false }
    }
}

/// An error of Microsoft Graph: the status, and the code and words that come with it.
struct Refusal: Sendable {
    let status: Int
    /// Names in lower case.
    let headers: [String: String]
    let code: String
    /// The service's own words, safe to show. Empty if there are none.
    let words: String

    init(status: Int, headers: [String: String], error: JSONValue?) {
        self.status = status
        self.headers = headers
        code = Self.clean(error?["code"]?.stringValue ?? "", limit: 100)
        words = Self.clean(error?["message"]?.stringValue ?? "", limit: 500)
    }

    init(_ response: HTTPResponse) {
        let json =
            response.body.count > 65_536
            ? nil : try? JSONDecoder().decode(JSONValue.self, from: response.body)
        self.init(status: response.status, headers: response.headers, error: json?["error"])
    }

    private static let missing: Set = [
        "erroritemnotfound", "errorinvalididmalformed", "errorinvalidid", "errorinvalidmailboxitemid",
        "errorfoldernotfound", "errorattachmentnotfound", "errorparentfoldernotfound",
        "errorinvalidattachmentid",
    ]
    private static let syncCodes: Set = [
        "syncstatenotfound", "syncstateinvalid", "resyncrequired", "errorinvalidsyncstatedata",
    ]

    /// Whether there is no such message, mailbox or attachment. A bare 404 does not say so: a server in between, or
    /// one for a mailbox that has moved, answers so about everything.
    var isNotFound: Bool { (400..<500).contains(status) && Self.missing.contains(code.lowercased()) }

    var isThrottling: Bool { status == 429 || status == 503 && headers["retry-after"] != nil }

    var isExpired: Bool { status == 410 || Self.syncCodes.contains(code.lowercased()) }

    /// What a server wants to be proved by the next sign-in (`WWW-Authenticate`), as JSON; nil if it says nothing.
    var claims: String? {
        guard status == 401, let header = headers["www-authenticate"],
            let start = header.firstRange(of: "claims=\"")?.upperBound,
            let end = header[start...].firstIndex(of: "\""), header[start..<end].utf8.count <= 8_192
        else { return nil }
        var text = header[start..<end].replacing("-", with: "+").replacing("_", with: "/")
        while text.utf8.count % 4 != 0 { text += "=" }
        guard let data = Data(base64Encoded: String(text)),
            (try? JSONDecoder().decode(JSONValue.self, from: data))?.objectValue != nil
        else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// The words, or the code if there are none.
    var text: String {
        words.isEmpty
            ? (code.isEmpty ? "Microsoft answered with HTTP \(status)." : "Microsoft answered “\(code)”.")
            : words
    }

    func meaning(host: String, now: Date) -> AccountError {
        if isNotFound { return .notFound }
        if isExpired { return .cursorExpired }
        if isThrottling { return .throttled(until: pause(now)) }
        switch status {
        case 401 where claims != nil: return .authenticationRequired(reason: Sentences.challenge)
        case 401: return .authenticationRequired(reason: Sentences.refusedToken)
        case 404 where code.lowercased() == "mailboxnotenabledforrestapi":
            return .refused(Sentences.noMailbox)
        case 404:
            return .unreachable(host: host, reason: "Microsoft Graph does not find the mailbox (HTTP 404).")
        case 400..<500 where !code.isEmpty: return .refused(text)
        case 500...:
            return .unreachable(host: host, reason: "The server reported an error (HTTP \(status)).")
        default: return .badAnswer("HTTP \(status)")
        }
    }

    private func pause(_ now: Date) -> Date? {
        guard let seconds = headers["retry-after"].flatMap({ Double($0) }), seconds >= 0 else { return nil }
        return now + min(seconds, 86_400)
    }

    private static func clean(_ text: String, limit: Int) -> String {
        let plain = text.unicodeScalars.prefix(limit).map {
            $0.value < 32 || $0.value == 127 ? " " : Character($0)
        }
        return String(plain)
    }
}

/// What refusals of Microsoft Graph mean, and the one thing to do.
enum Sentences {
    static let challenge =
        "A rule of your organization (Conditional Access) asks you to sign in again. If that does not help, ask "
        + "the administrator; the Microsoft guide has a text."
    static let refusedToken = "Microsoft no longer accepts this sign-in. Please sign in again."
    static let noMailbox =
        "This account has no mailbox that Microsoft Graph can open: it has no license for mail, is not in use, or "
        + "is on a server of your organization."
    static let noPermission =
        "Microsoft accepted your sign-in, but does not let this client read your mail. In Microsoft Entra, add the "
        + "delegated permissions Mail.ReadWrite and Mail.Send to the client; the Microsoft guide shows how. If your "
        + "organization allows only some programs, ask the administrator."
    static let otherRecipients =
        "Microsoft sends a message to everyone whom it names in To and Cc, and only to them. This message is for "
        + "other people, so it was not sent."

    static func noSharedMailbox(_ owner: String, _ address: String, words: String) -> String {
        "Microsoft does not open \(owner) for \(address). Ask your administrator for full access to this shared "
            + "mailbox; it takes up to an hour to take effect. Microsoft's answer: \(words)"
    }
}
