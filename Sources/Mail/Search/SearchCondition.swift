import MailKernelAPI

/// The meaning of a search before it is known which account it is about.
package indirect enum SearchCondition: Sendable, Hashable {
    case all([SearchCondition])
    case any([SearchCondition])
    case not(SearchCondition)
    /// A filter that is the same in every account.
    case plain(EmailFilter)
    /// In the folder of this name.
    case folder(String)
    /// One of the user's own addresses is in one of these fields.
    case me([MeField])
    /// An attachment passes this.
    case attachment(AttachmentTest)

    package enum MeField: Sendable, Hashable {
        case from, to, cc, bcc
    }
}

/// What an account adds to the meaning of a search.
package struct SearchPlaces: Sendable {
    let folders: FolderNames
    let addresses: [String]

    package init(mailboxes: [Mailbox], addresses: [String]) {
        folders = FolderNames(mailboxes)
        self.addresses = addresses
    }
}

extension SearchCondition {
    /// The filter for an account.
    package func filter(in places: SearchPlaces) -> MailFilter {
        switch self {
        case .all(let conditions): return .all(conditions.map { $0.filter(in: places) })
        case .any(let conditions): return .any(conditions.map { $0.filter(in: places) })
        case .not(let condition): return .none([condition.filter(in: places)])
        case .plain(let filter): return .stored(filter)
        case .folder(let name): return .any(places.folders.ids(named: name).map { .stored(.inMailbox($0)) })
        case .me(let fields):
            return .any(
                fields.flatMap { field in
                    places.addresses.map { .stored(field.filter("\"\($0)\"")) }
                })
        case .attachment(let test): return .attachment(test)
        }
    }

    /// The folders that are named, each once.
    var folderNames: Set<String> {
        switch self {
        case .all(let conditions), .any(let conditions):
            conditions.reduce(into: []) { $0.formUnion($1.folderNames) }
        case .not(let condition): condition.folderNames
        case .folder(let name): [name]
        case .plain, .me, .attachment: []
        }
    }
}

extension SearchCondition.MeField {
    fileprivate func filter(_ text: String) -> EmailFilter {
        switch self {
        case .from: .from(text)
        case .to: .to(text)
        case .cc: .cc(text)
        case .bcc: .bcc(text)
        }
    }
}
