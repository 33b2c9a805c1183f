import CGMime
import FoundationEssentials
import MailKernelAPI

/// Writes header fields. No value can start another field.
struct HeaderWriter {
    private(set) var bytes: [UInt8] = []
    private(set) var needsUTF8 = false

    mutating func write(_ header: DraftHeader) throws(BuildError) {
        let name = header.name
        guard !name.isEmpty, name.utf8.count <= 76, name.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != 58 })
        else { throw .invalidFieldName(name) }
        switch header.value {
        case .raw(let raw): try writeRaw(name, raw)
        case .text(let text): try writeText(name, text)
        case .addresses(let addresses): writeWords(name, try list(addresses, name), separator: ",")
        case .groupedAddresses(let groups): writeWords(name, try self.groups(groups, name), separator: "")
        case .messageIDs(let ids): writeWords(name, try bracketed(ids ?? [], name), separator: "")
        case .urls(let urls): writeWords(name, try bracketed(urls ?? [], name), separator: ",")
        case .date(let date): if let date { writeWords(name, [Self.text(of: date)], separator: "") }
        }
    }

    /// A field whose value is a token and parameters.
    mutating func write(_ name: String, _ value: String, parameters: [(String, String)]) throws(BuildError) {
        try check(value, name)
        var words = [value]
        for (key, parameter) in parameters {
            try check(parameter, name)
            words += Parameters.written(key, parameter)
        }
        writeWords(name, words, separator: ";")
    }

    // MARK: Forms

    private mutating func writeRaw(_ name: String, _ raw: String) throws(BuildError) {
        let lines = raw.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            var content = line
            if index < lines.count - 1 {
                guard content.last == 0x0D else { throw .forbiddenCharacter(field: name) }
                content.removeLast()
            }
            let isFolded = index == 0 || content.first == 0x20 || content.first == 0x09
            guard isFolded, content.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }),
                // A folded line of nothing but white space ends the header for some programs.
                index == 0 || content.contains(where: { $0 > 0x20 })
            else { throw .forbiddenCharacter(field: name) }
            guard content.count + (index == 0 ? name.utf8.count + 1 : 0) <= 998 else {
                throw .lineTooLong(field: name)
            }
        }
        if raw.utf8.contains(where: { $0 >= 0x80 }) { needsUTF8 = true }
        bytes += "\(name):\(raw)\r\n".utf8
    }

    private mutating func writeText(_ name: String, _ text: String) throws(BuildError) {
        try check(text, name, allowsTab: true)
        if EncodedWords.isPlain(text), !text.containsBytes(of: "   "),
            text.split(separator: " ").allSatisfy({ $0.utf8.count < 900 })
        {
            writeFolded(name, text)
        } else {
            writeWords(name, EncodedWords.encoded(text), separator: "")
        }
    }

    private mutating func list(_ addresses: [EmailAddress], _ field: String) throws(BuildError) -> [String] {
        var words: [String] = []
        for address in addresses {
            try check(address.email, field)
            guard address.email.utf8.count < 900 else { throw .lineTooLong(field: field) }
            let email = written(address.email)
            let name = try phrase(address.name ?? "", field)
            words.append(name.isEmpty ? email : "\(name) <\(email)>")
        }
        return words
    }

    private mutating func groups(_ groups: [EmailAddressGroup], _ field: String) throws(BuildError)
        -> [String]
    {
        var words: [String] = []
        for (index, group) in groups.enumerated() {
            let isLast = index == groups.count - 1
            let members = try list(group.addresses, field)
            guard let name = group.name else {
                words += members.enumerated().map { isLast && $0 == members.count - 1 ? $1 : $1 + "," }
                continue
            }
            let title = try phrase(name, field)
            words.append((title.isEmpty ? "\"\"" : title) + ":")
            words += members.enumerated().map { $0 == members.count - 1 ? $1 : $1 + "," }
            words[words.count - 1] += isLast ? ";" : ";,"
        }
        return words
    }

    private func bracketed(_ values: [String], _ field: String) throws(BuildError) -> [String] {
        for value in values {
            try check(value, field)
            guard value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x3C && $0 != 0x3E }) else {
                throw .forbiddenCharacter(field: field)
            }
            guard value.utf8.count < 990 else { throw .lineTooLong(field: field) }
        }
        return values.map { "<\($0)>" }
    }

    /// A display name: words, a quoted string, or encoded words.
    private func phrase(_ name: String, _ field: String) throws(BuildError) -> String {
        try check(name, field)
        if name.isEmpty { return "" }
        guard EncodedWords.isPlain(name), name.utf8.count < 400 else {
            return EncodedWords.encoded(name).joined(separator: " ")
        }
        let isAtoms =
            name.utf8.allSatisfy { Parameters.isAtomText($0) || $0 == 0x20 } && !name.containsBytes(of: "  ")
        return isAtoms ? name : Parameters.quoted(name)
    }

    /// An address as it can be sent: a domain in its ASCII form, quotes where its characters need them.
    private mutating func written(_ email: String) -> String {
        guard email.utf8.contains(where: { $0 >= 0x80 }) else { return email.filter { !"<>".contains($0) } }
        let at = email.lastIndex(of: "@") ?? email.endIndex
        let domain = email[at...].dropFirst()
        let ascii = GMime.take(g_hostname_to_ascii(String(domain))) ?? String(domain)
        let result = (email[..<at] + (at < email.endIndex ? "@\(ascii)" : "")).filter { !"<>".contains($0) }
        if result.utf8.contains(where: { $0 >= 0x80 }) { needsUTF8 = true }
        return result
    }

    private func check(_ value: String, _ field: String, allowsTab: Bool = false) throws(BuildError) {
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || allowsTab && $0 == 0x09 }) else {
            throw .forbiddenCharacter(field: field)
        }
    }

    static func text(of date: HeaderDate) -> String {
        GMime.start
        let zone = g_time_zone_new_offset(Int32(clamping: date.offset))
        defer { g_time_zone_unref(zone) }
        guard let utc = g_date_time_new_from_unix_utc(Int(date.date.timeIntervalSince1970.rounded(.down)))
        else {
            return "Thu, 01 Jan 1970 00:00:00 +0000"
        }
        defer { g_date_time_unref(utc) }
        let local = g_date_time_to_timezone(utc, zone)
        defer { g_date_time_unref(local) }
        return GMime.take(g_mime_utils_header_format_date(local)) ?? ""
    }

    // MARK: Folding

    /// Breaks at spaces; unfolding gives the very same text.
    private mutating func writeFolded(_ name: String, _ text: String) {
        bytes += "\(name): ".utf8
        var column = name.utf8.count + 2
        var isFirst = true
        for word in text.utf8.split(separator: 0x20, omittingEmptySubsequences: false) {
            if !isFirst {
                // A line of nothing but spaces would end the header for some programs.
                if column + 1 + word.count > 76, !word.isEmpty {
                    bytes += [0x0D, 0x0A]
                    column = 0
                }
                bytes.append(0x20)
                column += 1
            }
            bytes += word
            column += word.count
            isFirst = false
        }
        bytes += [0x0D, 0x0A]
    }

    private mutating func writeWords(_ name: String, _ words: [String], separator: String) {
        bytes += "\(name):".utf8
        var column = name.utf8.count + 1
        for (index, word) in words.enumerated() {
            let word = index < words.count - 1 ? word + separator : word
            // Encoded words of a name stand apart by a space, where the line may break too.
            for piece in word.utf8.count > 76
                ? word.split(separator: " ", omittingEmptySubsequences: false) : [Substring(word)]
            {
                if column + 1 + piece.utf8.count > 76, column > name.utf8.count + 1 {
                    bytes += [0x0D, 0x0A]
                    column = 0
                }
                bytes.append(0x20)
                bytes += piece.utf8
                column += 1 + piece.utf8.count
            }
        }
        bytes += [0x0D, 0x0A]
    }
}
