/// The collections of documents that the program keeps. The contract of stores lists no collections, so a move asks for
/// each of these.
enum DocumentCollections {
    static let all = [
        "account-pause", "account-removal", "accountHosts", "arrival", "arrival-watch", "attachment-risk",
        "automatic-count", "automatic-mail", "categoryCorrection", "draft", "duplicate-mark", "former-place",
        "held-message", "invitation-answer", "mail-action", "mail-action-step", "message-template",
        "notice", "notification", "offline-merge", "onboarding", "opened-mail", "pending-change",
        "preference", "recent-search", "reminder", "remote-map", "reply-signature", "rule-notice",
        "rule-problem", "saved-search", "secret-names", "seen-arrival", "server-copy", "service-addresses",
        "service-rules", "service-vacation", "sieve-script", "sign-in-change", "sign-in-problem", "snooze",
        "sync-cursor", "sync-epoch", "sync-request", "trusted-sender", "unnamed-email", "unsubscription",
        "unwanted-mailbox", "upload", "vacation-reply",
    ]
}
