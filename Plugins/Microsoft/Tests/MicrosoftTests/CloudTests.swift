import FoundationEssentials
import MailKernelAPI
import MicrosoftLogin
import Testing

@testable import Microsoft

/// ACC-84: clouds and tenants are data.
@Suite("Microsoft's clouds")
struct CloudTests {
    private func endpoints(_ settings: [String: JSONValue]) -> MicrosoftEndpoints {
        MicrosoftEndpoints(PluginSettings(settings), log: PluginLog(least: .debug) { _, _ in })
    }

    @Test func withoutSettingsItIsTheWholeWorld() {
        let usual = endpoints([:])
        #expect(
            usual.service.authorization.absoluteString
                == "https://login.microsoftonline.com/common/oauth2/v2.0/authorize")
        #expect(usual.imap.endpoint.host == "outlook.office365.com")
        #expect(usual.submission.endpoint.port == 587 && usual.submission.security == .startTLS)
    }

    @Test func aNationalCloudIsApart() {
        let china = endpoints(["cloud": "china", "tenant": "contoso.cn"])
        #expect(
            china.service.token.absoluteString
                == "https://login.partner.microsoftonline.cn/contoso.cn/oauth2/v2.0/token")
        #expect(china.service.scopes.first == "https://partner.outlook.cn/IMAP.AccessAsUser.All")
        #expect(china.imap.endpoint.host == "partner.outlook.cn")
    }

    /// What the plugin may reach and what it reaches are the same.
    @Test func theManifestListsEveryHost() throws {
        let place = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "plugin.json")
        let manifest = try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: place))
        let listed = Set((manifest["hosts"]?.arrayValue ?? []).compactMap(\.stringValue))
        #expect(listed == Set(Cloud.all.flatMap { [$0.login, $0.imap, $0.submission] }))
    }
}
