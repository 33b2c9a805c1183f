/// Everything that can be called.
extension Method {
    static let all: [String: Method] = Dictionary(
        (core + blob + mailbox + thread + email + identity + submission + receipts + quota + drafts
            + invitations
            + mailActions
            + sieve
            + rules + ruleNotices + serviceRules + vacation + unsubscriptions + senders + models
            + categories
            + assistance + reading + searches + olderMail + preferences + templates + accountSettings
            + signIns + discoveries + contacts
            + plugins
            + windows
            + imports + syncStatus + notices + privacy + storage + stores + about + appLock + notifications)
            .map { ($0.name, $0) },
        uniquingKeysWith: { first, _ in first })
}

/// Every type of record, with its state and whether clients are told of its changes.
extension RecordType {
    static let all: [RecordType] = [
        .mailbox, .thread, .email, .emailDelivery, .identity, .submission, .draft, .invitation, .mailAction,
        .snooze, .sieveScript, .ruleList, .ruleProblem, .ruleNotice, .serviceRules, .vacationResponse,
        .unsubscription, .sender,
        .category,
        .threadSummary, .emailView, .accountSettings, .preferences, .template, .accountSetup, .signIn,
        .discovery,
        .plugin, .window,
        .model, .trustedSender, .recentSearch, .savedSearch, .import, .export, .storageUsage, .store,
        .storeChoice, .reminder,
        .syncStatus, .blobFetch,
        .notice, .vault, .appLock, .notificationStatus, .about,
    ]

    /// The types whose changes clients are told.
    static let pushed = all.filter { !$0.dataTypes.isEmpty }
}
