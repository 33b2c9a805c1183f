import FoundationEssentials

/// What `GmailServer` does with messages.
enum GmailMessages {
    static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Bytes as text with one scalar for each.
    private static func scalars(_ bytes: Data) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(Unicode.Scalar(byte)) }
        return String(text)
    }

    private static func literal(_ bytes: Data) -> String { "{\(bytes.count)}\r\n\(scalars(bytes))" }

    static func uids(_ text: String, _ last: UInt32) -> [ClosedRange<UInt32>] {
        text.split(separator: ",").compactMap { part in
            let ends = part.split(separator: ":").compactMap { $0 == "*" ? last : UInt32($0) }
            guard let one = ends.first, let other = ends.last else { return nil }
            return min(one, other)...max(one, other)
        }
    }

    private static func chosen(
        _ text: String, _ mailbox: String, _ store: GmailStore
    ) -> [(sequence: Int, uid: UInt32, message: GmailStore.Message)] {
        let contents = store.contents(mailbox)
        let ranges = uids(text, contents.last?.uids[mailbox] ?? 0)
        return contents.enumerated().compactMap { index, message in
            guard let uid = message.uids[mailbox], ranges.contains(where: { $0.contains(uid) }) else {
                return nil
            }
            return (index + 1, uid, message)
        }
    }

    // MARK: Reading

    static func fetch(
        _ tag: String, _ arguments: [Token], _ mailbox: String, _ store: GmailStore, hasUIDsOnly: Bool = false
    ) -> String {
        guard arguments.count > 1 else { return "\(tag) BAD Could not parse command\r\n" }
        let changedSince = arguments.dropFirst(2).first?.items.last.flatMap { UInt64($0.text) }
        var text = ""
        for (sequence, uid, message) in chosen(arguments[0].text, mailbox, store) {
            if let changedSince, message.modSeq <= changedSince { continue }
            var items = arguments[1].items.map { item($0.text, uid, message) }
            if changedSince != nil { items.append("MODSEQ (\(message.modSeq))") }
            let name = hasUIDsOnly ? "\(uid) UIDFETCH" : "\(sequence) FETCH"
            text += "* \(name) (\(items.joined(separator: " ")))\r\n"
        }
        return text + "\(tag) OK Success\r\n"
    }

    private static func item(_ name: String, _ uid: UInt32, _ message: GmailStore.Message) -> String {
        switch name.uppercased() {
        case "UID": return "UID \(uid)"
        case "FLAGS": return "FLAGS (\(message.flags.sorted().joined(separator: " ")))"
        case "INTERNALDATE": return "INTERNALDATE \"\(date(message.date))\""
        case "RFC822.SIZE": return "RFC822.SIZE \(message.bytes.count)"
        case "EMAILID": return "EMAILID (E\(message.number))"
        case "X-GM-MSGID": return "X-GM-MSGID \(message.number)"
        case "X-GM-LABELS":
            let labels = message.labels.sorted().map { $0.hasPrefix("\\") ? quoted($0) : label($0) }
            return "X-GM-LABELS (\(labels.joined(separator: " ")))"
        case "BODYSTRUCTURE": return "BODYSTRUCTURE \(structure(message))"
        case let name:
            guard name.hasPrefix("BODY.PEEK["), let end = name.lastIndex(of: "]") else {
                return "\(name) NIL"
            }
            let section = name[name.index(name.startIndex, offsetBy: 10)..<end]
            let bytes = self.section(String(section), message)
            return "BODY[\(section)] \(bytes.map(literal) ?? "NIL")"
        }
    }

    private static func label(_ name: String) -> String {
        name.allSatisfy { $0.isLetter || $0.isNumber } ? name : quoted(name)
    }

    static func split(_ message: GmailStore.Message) -> (header: Data, text: Data) {
        let separator = Data("\r\n\r\n".utf8)
        guard let range = message.bytes.firstRange(of: separator) else { return (message.bytes, Data()) }
        return (Data(message.bytes[..<range.upperBound]), Data(message.bytes[range.upperBound...]))
    }

    static func field(_ name: String, _ message: GmailStore.Message) -> String {
        let header = String(decoding: split(message).header, as: UTF8.self)
        return header.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { String($0.dropFirst(name.count + 1)) } ?? ""
    }

    private static func section(_ name: String, _ message: GmailStore.Message) -> Data? {
        switch name {
        case "": message.bytes
        case "HEADER": split(message).header
        case "1": split(message).text
        case "HEADER.FIELDS (MESSAGE-ID)":
            Data("Message-ID:\(field("Message-ID", message))\r\n\r\n".utf8)
        default: nil
        }
    }

    private static func structure(_ message: GmailStore.Message) -> String {
        let encoding = field("Content-Transfer-Encoding", message).filter { $0 != " " }
        let size = split(message).text.count
        return
            "(\"TEXT\" \"PLAIN\" (\"CHARSET\" \"utf-8\") NIL NIL \"\(encoding.isEmpty ? "7BIT" : encoding)\" \(size) 3 NIL NIL NIL)"
    }

    private static let months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(separator: " ")

    static func date(_ date: Date) -> String {
        let parts = Calendar.utc.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
        return "\(two(parts.day))-\(months[(parts.month ?? 1) - 1])-\(parts.year ?? 1970) "
            + "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) +0000"
    }

    static func date(_ text: String) -> Date {
        let words = text.split { " -:".contains($0) }.map(String.init)
        guard words.count >= 3 else { return Date(timeIntervalSince1970: 0) }
        var parts = DateComponents()
        parts.day = Int(words[0])
        parts.month = (months.firstIndex { $0.lowercased() == words[1].lowercased() } ?? 0) + 1
        parts.year = Int(words[2])
        if words.count >= 6 {
            parts.hour = Int(words[3])
            parts.minute = Int(words[4])
            parts.second = Int(words[5])
        }
        return Calendar.utc.date(from: parts) ?? Date(timeIntervalSince1970: 0)
    }

    // MARK: Changing

    static func append(_ tag: String, _ arguments: [Token], _ store: inout GmailStore) -> String {
        guard let mailbox = arguments.first?.text, case .string(let bytes)? = arguments.last,
            store.has(mailbox)
        else { return "\(tag) NO [TRYCREATE] No folder (Failure)\r\n" }
        let flags = arguments.dropFirst().first?.items.map(\.text) ?? []
        let date = arguments.count > 3 ? date(arguments[2].text) : Date(timeIntervalSince1970: 1_700_000_000)
        let number = store.append(bytes, to: mailbox, flags: Set(flags), date: date)
        let uid = store.messages[number]?.uids[mailbox] ?? 0
        return "\(tag) OK [APPENDUID \(store.validity(mailbox)) \(uid)] (Success)\r\n"
    }

    static func change(
        _ verb: String, _ tag: String, _ arguments: [Token], _ mailbox: String, _ store: inout GmailStore
    ) -> String {
        let chosen = chosen(arguments.first?.text ?? "", mailbox, store)
        let numbers = chosen.map(\.message.number)
        switch verb {
        case "UID STORE": return self.store(tag, arguments, numbers, &store)
        case "UID EXPUNGE":
            let marked = chosen.filter { $0.message.flags.contains("\\Deleted") }.map(\.message.number)
            store.remove(marked, from: mailbox)
            return "\(tag) OK Success\r\n"
        default:
            let target = arguments.dropFirst().first?.text ?? ""
            guard store.has(target) else { return "\(tag) NO [TRYCREATE] No folder \(target) (Failure)\r\n" }
            for number in numbers {
                if verb == "UID MOVE", target != GmailStore.trash, target != GmailStore.spam,
                    let label = GmailStore.label(of: mailbox), label != GmailStore.label(of: target)
                {
                    store.setLabels([number], adds: false, [label])
                }
                store.put(number, into: target)
            }
            let new = numbers.compactMap { store.messages[$0]?.uids[target] }
            guard !new.isEmpty else { return "\(tag) OK (Success)\r\n" }
            let old = chosen.map { "\($0.uid)" }.joined(separator: ",")
            return "\(tag) OK [COPYUID \(store.validity(target)) \(old) "
                + "\(new.map { "\($0)" }.joined(separator: ","))] (Success)\r\n"
        }
    }

    private static func store(
        _ tag: String, _ arguments: [Token], _ numbers: [UInt64], _ store: inout GmailStore
    ) -> String {
        guard arguments.count > 2 else { return "\(tag) BAD Could not parse command\r\n" }
        let item = arguments[1].text.uppercased()
        let values = Set(arguments[2].items.map(\.text))
        if item.contains("X-GM-LABELS") {
            store.setLabels(numbers, adds: item.hasPrefix("+"), values)
        } else {
            store.setFlags(numbers, adds: item.hasPrefix("+"), values)
        }
        return "\(tag) OK Success\r\n"
    }
}

enum GmailMailboxes {
    static func carryOut(
        _ verb: String, _ tag: String, _ arguments: [Token], _ store: inout GmailStore
    ) -> String {
        let names = arguments.map(\.text)
        let isDone =
            switch (verb, names.count) {
            case ("CREATE", 1...): store.create(names[0])
            case ("DELETE", 1...): store.delete(names[0])
            case ("RENAME", 2...): store.rename(names[0], to: names[1])
            default: false
            }
        return isDone
            ? "\(tag) OK Success\r\n" : "\(tag) NO Folder name conflict or no such folder (Failure)\r\n"
    }
}

extension Calendar {
    static var utc: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }
}
