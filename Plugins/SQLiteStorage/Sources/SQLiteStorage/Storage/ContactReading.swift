import FoundationEssentials
import MailKernelAPI
import StoreRules

extension SQLiteStorage {
    func contacts(matching text: String, limit: Int) async throws(StorageError) -> [Contact] {
        let needle = TextFolding.fold(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        return try await read { database throws(StorageError) in
            var found: [Contact] = []
            guard limit > 0 else { return found }
            // The beginnings of words are checked afterwards: this only excludes impossible matches.
            try database.each(
                """
                SELECT email, name, frequency, last_seen, folded FROM person
                WHERE ?1 = '' OR instr(folded, ?1) ORDER BY frequency DESC, last_seen DESC, email
                """, [.text(needle)]
            ) { row in
                let contact = Contact(
                    email: row.text(0), name: row.textOrNil(1), frequency: row.int(2), lastSeenAt: row.date(3)
                )
                if Self.matches(contact, folded: row.text(4), needle) { found.append(contact) }
                return found.count < limit
            }
            return found
        }
    }

    /// - Parameter folded: the address and the name, with a line end between them.
    private static func matches(_ contact: Contact, folded: String, _ needle: String) -> Bool {
        guard !needle.isEmpty else { return true }
        let name = contact.name ?? ""
        let isPlain = name.utf8.allSatisfy { $0 < 0x80 }
        var isInAddress = true
        var rest = folded.utf8[...]
        var before = UInt8(ascii: "\n")
        while let byte = rest.first {
            if rest.starts(with: needle.utf8) {
                // Where a word begins in plain text shows when it is folded, too.
                if isInAddress || isPlain && !TextFolding.isASCIIPartOfWord(before) { return true }
            }
            if byte == UInt8(ascii: "\n") {
                isInAddress = false
                if !isPlain { return TextFolding.hasWord(beginningWith: needle, in: name) }
            }
            before = byte
            rest = rest.dropFirst()
        }
        return false
    }
}
