import MailKernelAPI
import PluginHost

/// The storage plugin that the program runs on: the only one that was loaded.
package enum StorageChoice {
    /// - Parameter id: the one that the user chose, if they did.
    package static func choose(
        from records: [PluginRecord], id: String?
    ) throws(StorageChoiceError) -> (id: String, name: String, store: MailStore) {
        var available: [String] = []
        var failed: [String] = []
        var off: [String] = []
        for record in records where record.manifest?.kind == .storage {
            switch record.state {
            case .loaded(.storage(let backend)):
                return (record.id, record.manifest?.name ?? record.id, MailStore(backend))
            case .notChosen: available.append(record.id)
            case .disabled, .skippedInSafeMode: off.append(record.id)
            case .loaded, .refused, .skippedAfterCrash: failed.append(record.id)
            }
        }
        if let id { throw .unknown(id, available: available, unusable: failed + off) }
        throw available.count > 1 && failed.isEmpty ? .several(available) : .none(unusable: failed + off)
    }
}

package enum StorageChoiceError: Error, Hashable, CustomStringConvertible {
    case none(unusable: [String])
    case several([String])
    case unknown(String, available: [String], unusable: [String])

    package var description: String {
        switch self {
        case .none(let unusable) where unusable.isEmpty:
            "There is no storage plugin, so mail cannot be stored. --plugins replaces the program's own folders: "
                + "include a folder with a storage plugin. “mailkernel plugins” lists the plugins that were found."
        case .none(let unusable):
            "No storage plugin could be loaded (found: \(unusable.joined(separator: ", "))). "
                + "“mailkernel plugins” shows why."
        case .several(let ids):
            "There are several storage plugins: \(ids.joined(separator: ", ")). "
                + "Choose one with --storage, for example “--storage \(ids.first ?? "")”."
        case .unknown(let id, let available, let unusable) where unusable.contains(id):
            "The storage plugin “\(id)” could not be loaded; “mailkernel plugins” shows why. "
                + Self.choices(available)
        case .unknown(let id, let available, _):
            "There is no storage plugin “\(id)”. " + Self.choices(available)
        }
    }

    private static func choices(_ ids: [String]) -> String {
        ids.isEmpty ? "There are no others." : "Available: \(ids.joined(separator: ", "))."
    }
}

extension StorageError {
    /// What the user reads when the store cannot be used.
    package var sentence: String {
        switch self {
        case .closed: "The store is closed."
        case .full: "The disk is full. Delete mail or other files; nothing was lost."
        case .unwritable(let reason):
            "The store cannot be written: \(reason). Check its permissions."
        case .unreadable(let reason):
            "The store cannot be read: \(reason). Check its permissions."
        case .unreachable(let reason):
            "The store cannot be reached: \(reason)."
        case .leaseLost: "Another computer is syncing this account now."
        case .corrupt(let reason):
            "The store is damaged: \(reason). Restart to repair it."
        case .newerFormat(let found, let known):
            "The store was written by a newer version of mailkernel (format \(found); this version knows \(known)). "
                + "It was not changed. Use the newer version."
        case .inUse: "Another process is using the store."
        case .unsupported(let sentence): sentence
        case .stateMismatch, .cannotCalculateChanges, .notFound, .anchorNotFound, .invalid, .cancelled:
            "The store refused a request: \(self)."
        }
    }
}

extension StorageError {
    /// A server with the store, or with one of its accounts, does not respond. It may be back at any time.
    package var isOfServer: Bool { if case .unreachable = self { true } else { false } }
}

extension Error {
    /// For the log: what the store says is a sentence.
    package var logged: String { (self as? StorageError)?.sentence ?? "\(self)" }

    /// Another kernel looks after the account by now.
    package var isLostLease: Bool { if case .leaseLost = self as? StorageError { true } else { false } }
}
