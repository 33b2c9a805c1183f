import FoundationEssentials
import LocalServer
import Store

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
            print("“\(name)” no longer has access.")
        case ("list", _): try list(store)
        case ("create", nil), ("revoke", nil):
            throw UsageError("“token \(word ?? "")” needs the name of a token.")
        default: throw UsageError("Use “token create NAME”, “token list” or “token revoke NAME”.")
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

            This is the token “\(name)”\(isReadOnly ? ", which is read-only" : ""). It is shown only once. \
            Use it as a password or bearer token; any user name works.
            JMAP session: \(places.isEmpty ? "shown here after mailkernel was first started" : places.joined(separator: " or "))
            For https, the mail program must trust \(authority.certificateFile.path)
            """)
    }

    private static func list(_ store: TokenStore) throws {
        let entries = try store.list()
        guard !entries.isEmpty else { return print("There are no tokens.") }
        for entry in entries {
            let rights =
                (entry.isReadOnly ? "read-only" : "read and change")
                + (entry.worksWhileLocked == true ? ", even while locked" : "")
            print(
                "\(entry.name): \(rights), created on \(entry.created.formatted(.iso8601.year().month().day()))"
            )
        }
    }
}
