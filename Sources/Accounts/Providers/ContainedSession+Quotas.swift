import FoundationEssentials
import MailKernelAPI
import PluginCalls

extension ContainedSession {
    func quotas() async throws(AccountError) -> [AccountQuota] {
        let found = try await call(.quotas) { [inner] _ throws(AccountError) in try await inner.quotas() }
        guard found.count <= AnswerLimits.quotas, Set(found.map(\.id)).count == found.count,
            found.allSatisfy(\.isWithinLimits)
        else {
            throw .badAnswer(
                "more than \(AnswerLimits.quotas) quotas, or ids that are invalid or repeated, long texts, no types, or "
                    + "numbers that are negative or too large")
        }
        return found
    }

    /// One that is not a web page over TLS is left out.
    func jmapSessionURL() async throws(AccountError) -> URL? {
        let found = try await call(.jmapSessionURL) { [inner] _ throws(AccountError) in
            try await inner.jmapSessionURL()
        }
        guard let found, found.isLink(["https"]), found.host()?.isEmpty == false else { return nil }
        return found
    }
}

extension AccountQuota {
    fileprivate var isWithinLimits: Bool {
        id.isValid
            && [used, hardLimit, softLimit ?? 0, warnLimit ?? 0].allSatisfy {
                (0...AnswerLimits.quotaNumber).contains($0)
            }
            && (1...AnswerLimits.quotaTypes).contains(types.count)
            && (types + [name, explanation ?? ""]).allSatisfy { $0.utf8.count <= AnswerLimits.textBytes }
    }
}
