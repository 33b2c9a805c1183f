import FoundationEssentials
public import MailKernelAPI

extension IMAPAccountSession {
    public func holdLimits() async throws(AccountError) -> HoldLimits? {
        guard let server = configuration.submission else { return nil }
        let trial = SubmissionTrial(
            server: server, login: configuration.login, host: host, purpose: configuration.purpose)
        return try await HoldLimits(offers: trial.run())
    }
}

extension HoldLimits {
    /// From a submission server's answer to EHLO (RFC 4865, section 3): `FUTURERELEASE 86400 2027-01-01T00:00:00Z`.
    init?(offers: [String]) {
        guard let line = offers.first(where: { $0.split(separator: " ").first == "FUTURERELEASE" }) else {
            return nil
        }
        let words = line.split(separator: " ").dropFirst()
        guard let first = words.first, let seconds = Int(first), (1...999_999_999).contains(seconds) else {
            return nil
        }
        let latest = words.dropFirst().first.flatMap { try? Date(String($0), strategy: .iso8601) }
        self.init(maxSeconds: seconds, latest: latest)
    }
}
