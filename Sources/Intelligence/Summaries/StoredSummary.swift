import MailKernelAPI

/// A summary as it is kept with the newest email that it sums up, and goes with it. It holds as long as the
/// same emails are to be summed up, and the same model is there.
struct StoredSummary: Sendable, Hashable {
    var text: String
    var isWritten: Bool
    /// Which emails it sums up, as `mark(of:)` says.
    var emails: String
    var modelID: String

    /// Changes with the emails: a summary must not outlive one of them.
    static func mark(of emails: [Email]) -> String {
        let hash = emails.map(\.id.rawValue).joined(separator: "\n").utf8
            .reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }

    /// One line about it, then the text.
    var record: String {
        "\(isWritten ? "written" : "quoted") \(emails) \(modelID)\n\(text)"
    }

    init(text: String, isWritten: Bool, emails: String, modelID: String) {
        self.text = text
        self.isWritten = isWritten
        self.emails = emails
        self.modelID = modelID
    }

    init?(_ record: String) {
        let parts = record.split(separator: "\n", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let facts = parts[0].split(separator: " ")
        guard facts.count == 3, facts[0] == "written" || facts[0] == "quoted" else { return nil }
        self.init(
            text: String(parts[1]), isWritten: facts[0] == "written", emails: String(facts[1]),
            modelID: String(facts[2]))
    }
}
