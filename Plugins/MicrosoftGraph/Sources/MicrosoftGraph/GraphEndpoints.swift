import FoundationEssentials
import MailKernelAPI
import MicrosoftLogin
import OAuth

/// Microsoft's servers for one cloud and tenant, or those in the user's settings.
struct GraphEndpoints: Sendable {
    let login: MicrosoftSettings
    /// With the version.
    let graph: URL
    let uploadHosts: [String]

    init(_ settings: PluginSettings, log: PluginLog) {
        login = MicrosoftSettings(settings, log: log)
        graph = settings.httpsURL("graph", usual: "https://\(login.cloud.graph)/v1.0", log: log)
        uploadHosts = login.cloud.uploads
    }

    /// Shared mailboxes need permissions of their own.
    func scopes(isShared: Bool) -> [String] {
        var names = ["User.Read", "Mail.ReadWrite", "Mail.Send"]
        if isShared { names += ["Mail.ReadWrite.Shared", "Mail.Send.Shared"] }
        return names.map { "https://\(login.cloud.graph)/\($0)" } + ["offline_access"]
    }

    func place(sharedMailbox: String?) -> Place {
        Place(base: graph, uploadHosts: uploadHosts, sharedMailbox: sharedMailbox)
    }
}
