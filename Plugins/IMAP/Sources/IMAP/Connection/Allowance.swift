import MailKernelAPI

/// How much a server may say to one command, so that none fills the memory: in bytes, streamed bodies left out.
enum Allowance {
    /// The minimum cost of a response.
    static let response = 100

    static let exceeded = AccountError.badAnswer("the response was longer than requested")

    private static let mebibyte = 1 << 20

    /// For lists of mailboxes, and of all messages with their flags.
    ///
    /// - Parameter exists: how many messages there are, as the server says.
    static func lists(exists: UInt32) -> Int { 64 * mebibyte + 256 * min(Int(exists), 4_000_000) }

    /// For bodies whose sizes are known, more or less: servers guess, and say other things beside.
    static func bodies(_ sizes: [Int]) -> Int {
        let sum = sizes.reduce(0) { min($0 + min($1, 64 * mebibyte), 64 * mebibyte) }
        return 8 * mebibyte + 4 * sum
    }
}
