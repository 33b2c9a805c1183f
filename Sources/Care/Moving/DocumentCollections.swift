/// The collections of documents that the program keeps. The contract of stores lists no collections, so a move asks for
/// each of these.
enum DocumentCollections {
    static let all = [
        "account-removal", "accountHosts", "attachment-risk", "categoryCorrection", "draft",
        "invitation-answer", "mail-action", "mail-action-step", "message-template", "notice", "notification",
        "offline-merge", "onboarding",
        "pending-change", "preference", "recent-search", "remote-map", "reply-signature", "saved-search",
        "secret-names", "server-copy", "sign-in-problem", "snooze", "sync-cursor", "sync-epoch", "sync-request",
        "trusted-sender",
        "unnamed-email", "unwanted-mailbox", "upload",
    ]
}
