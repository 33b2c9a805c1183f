import FoundationEssentials
import MailKernelAPI

/// The session resource of a service (RFC 8620, section 2): where things are, and what they may be.
struct Resource: Sendable, Hashable {
    private static let mostURLBytes = 4_096

    let base: URL
    let api: URL
    private let uploadTemplate: String
    private let downloadTemplate: String
    private let eventTemplate: String?
    let accountID: String
    /// Where mail is sent from; nil if it is not.
    let submissionID: String?
    /// Seconds that the service can hold a message; 0 if it cannot.
    let maxDelayedSend: Int
    /// Where Sieve scripts are; nil if there are none.
    let scriptsID: String?
    let sieveExtensions: [String]
    /// Where the vacation reply is; nil if the service sends none.
    let vacationID: String?
    /// Where limits are; nil if the service names none.
    let quotaID: String?
    let objectsInGet: Int
    let objectsInSet: Int
    let uploadSize: Int
    let username: String

    /// - Parameters:
    ///   - base: where the resource came from: some services use relative URLs.
    ///   - wanted: the account whose mail is read: ids of another mean other messages. Nil if the service may
    ///     choose.
    init(_ json: JSONValue, base: URL, account wanted: String?) throws(AccountError) {
        func url(_ name: String) throws(AccountError) -> String {
            guard let text = json[name]?.stringValue, !text.isEmpty, text.utf8.count <= Self.mostURLBytes
            else { throw .badAnswer("the session has no \(name)") }
            return text
        }
        self.base = base
        (uploadTemplate, downloadTemplate) = (try url("uploadUrl"), try url("downloadUrl"))
        eventTemplate = try? url("eventSourceUrl")
        api = try Self.resolve(try url("apiUrl"), base)
        let accounts = json["accounts"]?.objectValue ?? [:]
        let primary = json["primaryAccounts"]?.objectValue ?? [:]
        let account = try Self.account(wanted, accounts, primary)
        accountID = account
        let details = accounts[account]?["accountCapabilities"]
        let all = json["capabilities"]?.objectValue ?? [:]
        // Cyrus names submission here and not among the capabilities of the account.
        let sending =
            details?[Capability.submission] != nil ? account : primary[Capability.submission]?.stringValue
        submissionID =
            all[Capability.submission] == nil ? nil : sending.flatMap { Id<Account>($0).isValid ? $0 : nil }
        let sendingDetails = submissionID.flatMap {
            accounts[$0]?["accountCapabilities"]?[Capability.submission]
        }
        maxDelayedSend = max(
            0, (sendingDetails ?? all[Capability.submission])?["maxDelayedSend"]?.intValue ?? 0)
        func offered(_ name: String) -> Bool { all[name] != nil && details?[name] != nil }
        scriptsID = offered(Capability.sieve) ? account : nil
        let sieve = details?[Capability.sieve]?["sieveExtensions"]?.arrayValue ?? []
        sieveExtensions = sieve.compactMap(\.stringValue)
        // Services that name submission only among the primary accounts name this there too.
        let isPrimary = primary[Capability.vacation]?.stringValue == account
        let replies = offered(Capability.vacation) || all[Capability.vacation] != nil && isPrimary
        vacationID = replies ? account : nil
        quotaID = offered(Capability.quota) ? account : nil
        let core = all[Capability.core]
        objectsInGet = min(max(core?["maxObjectsInGet"]?.intValue ?? 500, 1), 5_000)
        objectsInSet = min(max(core?["maxObjectsInSet"]?.intValue ?? 500, 1), 1_000)
        uploadSize = max(core?["maxSizeUpload"]?.intValue ?? .max, 0)
        username = json["username"]?.stringValue ?? ""
        // Each must lead to a place with TLS before anything is asked there.
        _ = (try upload(), try download(blob: "b", type: "text/plain"), try events())
    }

    private static func account(
        _ wanted: String?, _ accounts: [String: JSONValue], _ primary: [String: JSONValue]
    ) throws(AccountError) -> String {
        let able = accounts.filter { $0.value["accountCapabilities"]?[Capability.mail] != nil }.keys.sorted()
        if let wanted, !able.contains(wanted) {
            throw .refused("The service no longer offers this mailbox for this sign-in.")
        }
        let personal = able.first { accounts[$0]?["isPersonal"]?.boolValue == true }
        guard let account = wanted ?? primary[Capability.mail]?.stringValue ?? personal ?? able.first,
            Id<Account>(account).isValid
        else { throw .refused("The service offers no mail for this sign-in.") }
        return account
    }

    /// Every host that it names.
    var hosts: Set<String> {
        let urls = [api, try? upload(), try? download(blob: "b", type: "text/plain"), (try? events()) ?? nil]
        return Set(urls.compactMap { $0?.host(percentEncoded: false)?.lowercased() })
    }

    func upload() throws(AccountError) -> URL {
        try Self.resolve(fill(uploadTemplate, ["accountId": accountID]), base)
    }

    func download(blob: String, type: String) throws(AccountError) -> URL {
        let values = ["accountId": accountID, "blobId": blob, "type": type, "name": "message"]
        return try Self.resolve(fill(downloadTemplate, values), base)
    }

    /// Nil if the service names no event source.
    func events() throws(AccountError) -> URL? {
        guard let eventTemplate else { return nil }
        let values = ["types": "Email,EmailDelivery,Mailbox", "closeafter": "no", "ping": "60"]
        return try Self.resolve(fill(eventTemplate, values), base)
    }

    private func fill(_ template: String, _ values: [String: String]) -> String {
        values.reduce(template) { text, value in
            text.replacing("{\(value.key)}", with: Self.encode(value.value))
        }
    }

    /// Of a value within a URL; commas may stay.
    private static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."), UInt8(ascii: ","):
                String(UnicodeScalar(byte))
            default:
                "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }

    /// - Throws: `.insecure` for a place without TLS: a password would go there.
    static func resolve(_ text: String, _ base: URL) throws(AccountError) -> URL {
        guard let url = URL(string: text, relativeTo: base)?.absoluteURL,
            let host = url.host(percentEncoded: false), !host.isEmpty
        else { throw .badAnswer("a URL of the session is invalid") }
        guard url.scheme?.lowercased() == "https" else {
            throw .insecure(host: host, reason: "The service names a URL without encryption.")
        }
        guard url.user(percentEncoded: false) == nil, url.password(percentEncoded: false) == nil else {
            throw .badAnswer("a URL of the session contains a user name")
        }
        return url
    }
}
