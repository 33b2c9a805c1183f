import MailKernelAPI

/// Where an imported message goes: which mailboxes, and what its labels say besides.
struct ImportPlace: Hashable {
    enum Target: Hashable {
        case role(Mailbox.Role)
        /// A mailbox of the user's, with those above it.
        case path([String])
        /// The same below a mailbox with a role.
        case inside(Mailbox.Role, [String])
    }

    private static let deepest = 10
    private static let longestName = 250

    var targets: Set<Target>
    var keywords: Set<Keyword>

    init(_ found: FoundMessage) {
        if let exact = found.targets {
            targets = exact
            keywords = found.keywords
            return
        }
        guard let labels = found.labels else {
            targets = [found.place.map(Self.target) ?? .role(.inbox)]
            keywords = found.keywords
            return
        }
        targets = []
        keywords = [.seen]
        for label in labels {
            switch Self.meaning[label.lowercased()] {
            case .mailbox(let role): targets.insert(.role(role))
            case .unread: keywords.remove(.seen)
            case .starred: keywords.insert(.flagged)
            case .nothing: break
            case nil where label.lowercased().hasPrefix("category "): break
            case nil: targets.insert(Self.mailbox(label.split(separator: "/").map(String.init)))
            }
        }
        if targets.contains(.role(.drafts)) { keywords.insert(.draft) }
        if targets.isEmpty { targets = [.role(.archive)] }
    }

    private static func target(_ place: [String]) -> Target {
        guard let first = place.first, case .mailbox(let role)? = meaning[first.lowercased()] else {
            return mailbox(place)
        }
        guard case .path(let names) = mailbox(Array(place.dropFirst())) else { return .role(role) }
        return .inside(role, names)
    }

    /// A mailbox with an external name: invalid characters are removed, and an empty result must not lose the
    /// message.
    private static func mailbox(_ path: [String]) -> Target {
        let names = path.map(name).filter { !$0.isEmpty }.prefix(deepest)
        return names.isEmpty ? .role(.archive) : .path(Array(names))
    }

    private static func name(_ text: String) -> String {
        let plain = text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control ? " " : scalar
        }
        var name = String(String.UnicodeScalarView(plain)).split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        while name.utf8.count > longestName { name.unicodeScalars.removeLast() }
        return name
    }

    private enum Meaning {
        case mailbox(Mailbox.Role)
        case unread, starred, nothing
    }

    /// Gmail writes its own labels in the language of the account.
    private static let meaning: [String: Meaning] = {
        let names: [(Meaning, [String])] = [
            (
                .mailbox(.inbox),
                [
                    "inbox", "posteingang", "boîte de réception", "recibidos", "posta in arrivo",
                    "caixa de entrada",
                    "postvak in", "odebrane", "входящие", "вхідні", "inkorgen", "受信トレイ", "收件箱",
                ]
            ),
            (
                .mailbox(.sent),
                [
                    "sent", "sent mail", "sent items", "gesendet", "messages envoyés", "enviados",
                    "posta inviata",
                    "verzonden", "wysłane", "отправленные", "надіслані", "skickat", "送信済みメール", "已发邮件",
                ]
            ),
            (
                .mailbox(.drafts),
                [
                    "drafts", "draft", "entwürfe", "brouillons", "borradores", "bozze", "rascunhos",
                    "concepten",
                    "wersje robocze", "черновики", "чернетки", "utkast", "下書き", "草稿",
                ]
            ),
            (
                .mailbox(.trash),
                [
                    "trash", "deleted items", "papierkorb", "corbeille", "papelera", "cestino", "lixeira",
                    "prullenbak",
                    "kosz", "корзина", "кошик", "papperskorgen", "ゴミ箱", "已删除邮件",
                ]
            ),
            (.mailbox(.junk), ["spam", "junk", "спам", "迷惑メール", "垃圾邮件"]),
            (
                .mailbox(.archive),
                [
                    "archive", "archives", "archived", "archiviert", "archivés", "archivado", "archiviati",
                    "arquivado",
                    "gearchiveerd",
                ]
            ),
            (
                .unread,
                [
                    "unread", "ungelesen", "non lus", "no leído", "no leídos", "da leggere", "não lidas",
                    "ongelezen",
                ]
            ),
            (
                .starred,
                [
                    "starred", "markiert", "suivis", "destacados", "speciali", "com estrela", "met ster",
                    "oznaczone gwiazdką",
                ]
            ),
            (.nothing, ["important", "wichtig", "opened", "geöffnet", "all mail", "chat", "chats"]),
        ]
        return Dictionary(names.flatMap { meaning, names in names.map { ($0, meaning) } }) { first, _ in first
        }
    }()
}
