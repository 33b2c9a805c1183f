/// Where the full-text index has an email besides its words: at its account, and at its quarter of a year in the account.
/// A search reads neither other accounts nor, if the newest mail is enough, older mail.
///
/// Both are numbers in one array, which PostgreSQL indexes together with the words without an extension.
enum SearchPlace {
    private static let quarterSeconds = 7_776_000.0
    private static let farthest = 1_000_000
    /// More than there are quarters.
    private static let accountWidth = 1 << 21
    private static let middle = 1 << 20

    static func quarter(of seconds: Double) -> Int {
        guard seconds.isFinite else { return 0 }
        let quarter = (seconds / quarterSeconds).rounded(.down)
        return Int(max(Double(-farthest), min(Double(farthest), quarter)))
    }

    /// The numbers of an email, as the index and each query have to write it.
    static func columns(of email: String = "") -> String {
        "ARRAY[-\(email)account, \(email)account * \(accountWidth) + \(email)quarter + \(middle)]"
    }

    /// In an account.
    static func condition(_ account: Int, of email: String) -> SQLText {
        SQLText("(\(columns(of: email + ".")) && ?)", [.integers([-account])])
    }

    /// In some quarters of an account up to one.
    static func condition(_ account: Int, _ quarters: Int, upTo newest: Int, of email: String) -> SQLText {
        let numbers = (newest - quarters + 1...newest).map { account * accountWidth + $0 + middle }
        return SQLText("(\(columns(of: email + ".")) && ?)", [.integers(numbers)])
            // For the index of stores that an earlier version made.
            + SQLText(" AND \(email).quarter > ?", [.integer(newest - quarters)])
    }
}
