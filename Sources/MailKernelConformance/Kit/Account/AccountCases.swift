import MailKernelAPI

/// What `AccountProvider` and `AccountSession` promise, tried on a real account: the cases make their
/// own mail, find it by its Message-ID, and take it away again.
let accountCases: [ConformanceCase] =
    signInCases + mailboxCases + syncCases + updateCases + mutationCases + appendCases + importCases
    + fetchCases + submissionCases + watchCases
