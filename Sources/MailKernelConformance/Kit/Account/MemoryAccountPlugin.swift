public import MailKernelAPI

/// The reference provider of accounts, as a plugin.
///
/// Its settings, all optional: `{"accounts": {"ada@example.org": "lovelace"}, "layout": "folders",
/// "batchSize": 50, "messages": 12, "lacking": ["push", "submission"]}`. `messages` is how many every
/// inbox begins with; `lacking` names features to leave out.
///
/// Providers made for the same data folder share one server, as those of a real service would.
public struct MemoryAccountPlugin: MailKernelPlugin {
    /// The accounts that exist without settings.
    public static let logins = [
        MemoryMailServer.Login(
            address: "ada@example.org", password: Secret("lovelace"), displayName: "Ada Lovelace"),
        MemoryMailServer.Login(
            address: "grace@example.org", password: Secret("hopper"), displayName: "Grace Hopper"),
    ]

    /// The answers that sign in to the first of them.
    public static let formAnswers = ["address": Secret("ada@example.org"), "password": Secret("lovelace")]

    private static let servers = PerFolder<MemoryMailServer>()

    public static func makeProvider(host: HostServices) -> Provider {
        .account(accountProvider(host: host))
    }

    /// The same with its own type and its server, for tests that build on it.
    public static func accountProvider(host: HostServices) -> MemoryAccountProvider {
        MemoryAccountProvider(server: servers.value(for: host.dataFolder) { makeServer(host) })
    }

    private static func makeServer(_ host: HostServices) -> MemoryMailServer {
        let settings = host.settings
        let named = settings["accounts"]?.objectValue?.compactMap { address, password in
            password.stringValue.map {
                MemoryMailServer.Login(address: address, password: Secret($0), displayName: address)
            }
        }
        let lacking = settings["lacking"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let server = MemoryMailServer(
            logins: named ?? logins,
            layout: settings["layout"]?.stringValue.flatMap(MemoryMailServer.Layout.init) ?? .labels,
            batchSize: settings["batchSize"]?.intValue ?? 50,
            lacking: AccountFeatures(lacking.compactMap { features[$0] }), clock: host.clock)
        for login in server.logins {
            server.fill(login.address, count: settings["messages"]?.intValue ?? 12)
        }
        return server
    }

    private static let features: [String: AccountFeatures] = [
        "push": .push, "submission": .submission, "savesSentCopies": .savesSentCopies,
        "replacesAtomically": .replacesAtomically, "mailboxChanges": .mailboxChanges,
        "serverSearch": .serverSearch, "keywords": .keywords, "imports": .imports,
        "olderMail": .olderMail,
    ]
}
