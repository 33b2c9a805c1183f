/// What scripts may `require`.
enum Extensions {
    static let supported: Set<String> = [
        "body", "comparator-i;ascii-casemap", "comparator-i;ascii-numeric", "comparator-i;octet", "copy",
        "date",
        "duplicate", "encoded-character", "enotify", "envelope", "environment", "ereject", "extracttext",
        "fileinto",
        "foreverypart", "ihave", "imap4flags", "index", "mailbox", "mime", "regex", "reject", "relational",
        "subaddress", "vacation", "vacation-seconds", "variables", savedSearch,
    ]

    /// Our own: `savedsearch` asks whether a message matches one of the user's saved searches.
    static let savedSearch = "vnd.mailkernel.savedsearch"

    /// Extensions that are left out on purpose.
    private static let refused = [
        "editheader": "it would change messages, which are kept as they were received",
        "include": "a script is complete in itself",
        "extlists": "lists outside of the script are not supported",
        "vnd.dovecot.execute": "a script starts no programs",
        "vnd.dovecot.filter": "a script starts no programs",
        "vnd.dovecot.pipe": "a script starts no programs",
        "replace": "it would change messages, which are kept as they were received",
        "enclose": "it would change messages, which are kept as they were received",
    ]

    /// Commands and tests of extensions that are refused.
    static let ofRefused = [
        "addheader": "editheader", "deleteheader": "editheader", "include": "include", "return": "include",
        "global": "include", "replace": "replace", "enclose": "enclose",
    ]

    /// Extensions that bring others along.
    static let implied = ["vacation-seconds": ["vacation"]]

    static func refusal(of names: [String]) -> String {
        if names.count == 1, let name = names.first {
            let reason = refused[name].map { ": \($0)" } ?? ""
            return "The extension `\(name)` is not supported\(reason)."
        }
        return "The extensions \(names.map { "`\($0)`" }.joined(separator: ", ")) are not supported."
    }
}
