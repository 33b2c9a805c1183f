import FoundationEssentials

/// What a file is, by its first bytes.
enum MailSniff {
    /// What kind of file this is, if it is none that can be mail.
    private static let signatures: [(bytes: [UInt8], kind: String)] = [
        (Array("%PDF-".utf8), "a PDF document"), ([0x89, 0x50, 0x4E, 0x47], "an image"),
        ([0xFF, 0xD8, 0xFF], "an image"), (Array("GIF8".utf8), "an image"),
        (Array("SQLite format 3".utf8), "a database"),
        ([0x50, 0x4B, 0x03, 0x04], "a ZIP archive; unpack it and import its contents"),
        ([0x37, 0x7A, 0xBC, 0xAF], "a 7-Zip archive; unpack it and import its contents"),
        (Array("Rar!".utf8), "a RAR archive; unpack it and import its contents"),
        (Array("BZh".utf8), "compressed with bzip2; unpack it first"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "compressed with xz; unpack it first"),
        ([0x28, 0xB5, 0x2F, 0xFD], "compressed with zstd; unpack it first"),
        (Array("!BDN".utf8), "an Outlook data file, which only Outlook can export from"),
        ([0xD0, 0xCF, 0x11, 0xE0], "an Outlook or Office file"), ([0x7F, 0x45, 0x4C, 0x46], "a program"),
        ([1, 1, 1, 1], "an MMDF mailbox; convert it to mbox first"),
        (Array("*mbx*".utf8), "an mbx mailbox of Alpine; convert it to mbox first"),
        (Array("BABYL OPTIONS:".utf8), "a Babyl mailbox; convert it to mbox first"),
        ([0xFF, 0xFE], "UTF-16 text; save it as UTF-8 first"),
        ([0xFE, 0xFF], "UTF-16 text; save it as UTF-8 first"),
        // The file is already unpacked here.
        ([0x1F, 0x8B, 0x08], "compressed twice; unpack it once"),
        (Array("OggS".utf8), "a recording"), (Array("RIFF".utf8), "a recording or an image"),
    ]

    /// Fields of which a message has at least one.
    private static let known: Set<String> = [
        "from", "to", "subject", "date", "message-id", "received", "return-path", "delivered-to",
        "mime-version",
        "reply-to", "sender", "cc", "bcc",
    ]

    /// Why this is no mail; nil if it can be.
    static func objection(_ head: Data) -> String? {
        if isWideText(head) { return "it is UTF-16 text; save it as UTF-8 first" }
        if head.dropFirst(257).starts(with: "ustar".utf8) {
            return "it is a tar archive; unpack it and import its contents"
        }
        return signatures.first { head.starts(with: $0.bytes) }.map { "it is \($0.kind)" }
    }

    /// Whether every second byte is NUL, as in UTF-16 without a mark.
    private static func isWideText(_ head: Data) -> Bool {
        let bytes = Array(head.prefix(16))
        guard bytes.count == 16 else { return false }
        return [0, 1].contains { first in
            bytes.indices.allSatisfy { (bytes[$0] == 0) == ($0 % 2 == first) }
        }
    }

    /// Whether a file of any name is one message.
    static func isMessage(_ head: Data) -> Bool {
        guard objection(head) == nil else { return false }
        var hasKnown = false
        for line in head.prefix(8000).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .dropLast()
        {
            let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            if text.isEmpty { break }
            if HeaderLine.isContinuation(text) { continue }
            guard HeaderLine.isField(text) else { return false }
            if isKnownField(text) { hasKnown = true }
        }
        return hasKnown
    }

    /// Whether this is the first line of a field that mail has.
    static func isKnownField(_ line: some Collection<UInt8>) -> Bool {
        let name = line.prefix(80).prefix { $0 != UInt8(ascii: ":") }
        return known.contains(String(decoding: name, as: UTF8.self).lowercased())
    }

    /// Files that mail programs keep beside mail, and that hold none.
    static func isBookkeeping(_ name: String) -> Bool {
        let name = name.lowercased()
        return [".msf", ".lock", ".cmeta", ".ev-summary", ".ev-summary-meta", ".mozmsgs"].contains {
            name.hasSuffix($0)
        }
            || ["dovecot", "courierimap", ".claws_", ".sylpheed_"].contains { name.hasPrefix($0) }
            || name.contains(".ibex.index") || isIndexOfKMail(name)
            || [
                "maildirfolder", "maildirsize", "subscriptions", "popstate.dat", "msgfilterrules.dat",
                "filterlog.html", "rules.dat", "virtualfolders.dat", "feeds.json", "feeditems.json",
                ".mh_sequences", ".xmhcache", "table_of_contents", "..maildir++", "folders.db", ".ds_store",
                "thumbs.db", "desktop.ini", "archive_browser.html", "profiles.ini", "installs.ini",
                "crash reports", "pending pings",
            ].contains(name)
    }

    /// `.inbox.index`, `.inbox.index.ids`, `.inbox.index.sorted`.
    private static func isIndexOfKMail(_ name: String) -> Bool {
        name.hasPrefix(".") && [".index", ".index.ids", ".index.sorted"].contains { name.hasSuffix($0) }
    }
}
