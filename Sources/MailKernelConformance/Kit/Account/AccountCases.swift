import MailKernelAPI

/// What `AccountProvider` and `AccountSession` promise, tried on a real account: the cases make their
/// own mail, find it by its Message-ID, and take it away again.
let accountCases: [ConformanceCase] =
    signInCases + mailboxCases + syncCases + readingCases + updateCases + mutationCases + appendCases
    + importCases
    + fetchCases + submissionCases + watchCases

extension ConformanceCase {
    /// The names of the cases that try reading on the mail that is there. They apply to accounts to which no mail can
    /// be added; for all others the cases that make their own mail say more.
    public static let forAccountsThatTakeNoMail = Set(readingCases.map(\.name))
}
