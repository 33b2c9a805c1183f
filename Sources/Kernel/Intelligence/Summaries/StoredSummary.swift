import MailKernelAPI

/// A summary as it is kept with the newest email of its thread, and goes with it. It holds as long as the
/// thread has as many emails, and the same model is there.
struct StoredSummary: Sendable, Hashable {
    var text: String
    var isWritten: Bool
    var emails: Int
    var modelID: String

    /// One line about it, then the text.
    var record: String {
        "\(isWritten ? "written" : "quoted") \(emails) \(modelID)\n\(text)"
    }

    init(text: String, isWritten: Bool, emails: Int, modelID: String) {
        self.text = text
        self.isWritten = isWritten
        self.emails = emails
        self.modelID = modelID
    }

    init?(_ record: String) {
        let parts = record.split(separator: "\n", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let facts = parts[0].split(separator: " ")
        guard facts.count == 3, facts[0] == "written" || facts[0] == "quoted", let emails = Int(facts[1])
        else {
            return nil
        }
        self.init(
            text: String(parts[1]), isWritten: facts[0] == "written", emails: emails,
            modelID: String(facts[2]))
    }
}
