import FoundationEssentials
import MailKernelAPI

/// The limits of the account (RFC 9425).
extension JMAPAccountSession {
    func quotas() async throws(AccountError) -> [AccountQuota] {
        try await meaningful {
            guard let account = try await resource().quotaID else { return [] }
            let answer = try await request(
                [Call("Quota/get", "q", ["accountId": .string(account), "ids": nil])], Capability.quota,
                purpose: "read the limits")
            return (try answer.response("q").value["list"]?.arrayValue ?? []).prefix(100)
                .compactMap(AccountQuota.init)
        }
    }
}

extension AccountQuota {
    /// Nil for what is not an object of RFC 9425, and for limits of other data than mail.
    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.stringValue, Id<AccountQuota>(id).isValid,
            let resource = json["resourceType"]?.stringValue.flatMap({ ResourceType(rawValue: $0) }),
            let used = json["used"]?.intValue, used >= 0, let limit = json["hardLimit"]?.intValue, limit >= 0
        else { return nil }
        let types = (json["types"]?.arrayValue ?? []).compactMap(\.stringValue).prefix(20).map(Sentence.clean)
        guard types.contains("Mail") || types.contains("Email") else { return nil }
        self.init(
            id: Id(id), resourceType: resource, used: used, hardLimit: limit,
            softLimit: json["softLimit"]?.intValue, warnLimit: json["warnLimit"]?.intValue,
            scope: json["scope"]?.stringValue.flatMap { Scope(rawValue: $0) } ?? .account,
            name: Sentence.clean(json["name"]?.stringValue ?? ""),
            explanation: json["description"]?.stringValue.map(Sentence.clean), types: types)
    }
}
