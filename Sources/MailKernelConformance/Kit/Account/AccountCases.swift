import MailKernelAPI

/// What `AccountProvider` and `AccountSession` promise, tried on a real account: the cases make their
/// own mail, find it by its Message-ID, and take it away again.
let accountCases: [ConformanceCase] =
    signInCases + mailboxCases + syncCases + readingCases + updateCases + mutationCases + appendCases
    + importCases
    + fetchCases + submissionCases + watchCases + searchCases + quotaCases

extension ConformanceCase {
    /// The names of the cases that only read existing mail. They are for accounts that mail cannot be added
    /// to; for all others, the cases that make their own mail check more.
    public static let forAccountsThatTakeNoMail = Set(readingCases.map(\.name))
}
