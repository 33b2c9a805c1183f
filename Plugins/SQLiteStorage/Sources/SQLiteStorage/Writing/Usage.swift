import MailKernelAPI
import StoreRules

/// How much room things take, as kept up by every commit. Rows, their indexes and half-filled pages
/// cost more than the bytes in them; the factors are from databases of real size.
enum Usage {
    /// The approximate size of an email's rows, besides its own bytes.
    static let rowBytes = 400

    /// The words themselves, and what the index keeps about each.
    static func indexBytes(of text: SearchableText) -> Int {
        100 + text.bytes * 9 / 4
    }

    static func bytes(of insight: EmailInsight) -> Int {
        100 + (insight.summary?.utf8.count ?? 0) + 4 * insight.embedding.count
    }
}
