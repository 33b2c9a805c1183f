import FoundationEssentials
import Kernel
import LocalServer

/// The tokens of other mail programs. It works whether the program runs or not.
enum TokenCommand {
    static func run(_ arguments: inout Arguments) throws {
        let word = arguments.word()
        let name = word == "list" ? nil : arguments.word()
        let isReadOnly = word == "create" && arguments.flag("--read-only")
        let worksWhileLocked = word == "create" && arguments.flag("--while-locked")
        let folders = try CommonOptions.folders(&arguments, isDemo: arguments.flag("--demo"))
        try arguments.finish()
        let store = TokenStore(folder: folders.configuration)
        switch (word, name) {
        case ("create", let name?): try create(name, isReadOnly, worksWhileLocked, store, folders)
        case ("revoke", let name?):
            try store.revoke(name: name)
            print("“\(name)” opens nothing any more.")
        case ("list", _): try list(store)
        case ("create", nil), ("revoke", nil):
            throw UsageError("“token \(word ?? "")” needs the name of a token.")
        default: throw UsageError("“token” needs create NAME, list or revoke NAME.")
        }
    }

    private static func create(
        _ name: String, _ isReadOnly: Bool, _ worksWhileLocked: Bool, _ store: TokenStore,
        _ folders: KernelFolders
    ) throws {
        try folders.create()
        let authority = LocalAuthority(folder: folders.server)
        try authority.prepare()
        let token = try store.create(
            name: name, isReadOnly: isReadOnly, worksWhileLocked: worksWhileLocked)
        let places = LocalServer.lastPlaces(folder: folders.server)
        print(
            """
            \(token)

            This is the token “\(name)”\(isReadOnly ? ", which may only read" : ""). It is shown this once. \
            Use it as password or bearer token; the user name does not matter.
            JMAP session: \(places.isEmpty ? "shown here once mailkernel has been started" : places.joined(separator: " or "))
            With https, the mail program has to trust \(authority.certificateFile.path)
            """)
    }

    private static func list(_ store: TokenStore) throws {
        let entries = try store.list()
        guard !entries.isEmpty else { return print("There are no tokens.") }
        for entry in entries {
            let rights =
                (entry.isReadOnly ? "may only read" : "may read and change")
                + (entry.worksWhileLocked == true ? ", also while mailkernel is locked" : "")
            print(
                "\(entry.name): \(rights), made on \(entry.created.formatted(.iso8601.year().month().day()))")
        }
    }
}
