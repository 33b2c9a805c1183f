import MailKernelAPI

/// Bytes that an account takes: sums that each commit brings up to date, so that they are known at once. Rows, indexes and
/// half-filled pages cost more than the bytes in them.
struct Usage: Equatable {
    /// The approximate size of an email's rows and their indexes, besides its own bytes.
    static let rowBytes = 800

    var mail = 0
    var index = 0
    /// Insights that a model can make again.
    var insights = 0
    /// Insights whose category the user corrected.
    var corrected = 0

    static func bytes(of insight: EmailInsight) -> Int {
        200 + (insight.summary?.utf8.count ?? 0) + 4 * insight.embedding.count
    }

    /// Adds an insight, or takes one away with negative bytes.
    mutating func add(insight bytes: Int, isCorrected: Bool) {
        if isCorrected { corrected += bytes } else { insights += bytes }
    }

    static func += (one: inout Usage, other: Usage) {
        one.mail += other.mail
        one.index += other.index
        one.insights += other.insights
        one.corrected += other.corrected
    }
}
