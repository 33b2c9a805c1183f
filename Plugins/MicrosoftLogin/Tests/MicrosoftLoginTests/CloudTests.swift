import FoundationEssentials
import MailKernelAPI
import Testing

@testable import MicrosoftLogin

/// ACC-84: clouds and tenants are data.
@Suite("Where people sign in to Microsoft") struct CloudTests {
    private func settings(_ all: [String: JSONValue]) -> MicrosoftSettings {
        MicrosoftSettings(PluginSettings(all), log: PluginLog(least: .error) { _, _ in })
    }

    /// ACC-84: a mail host of another cloud does not lead to this one's sign-in.
    @Test(arguments: Cloud.all) func eachCloudSignsInItsOwnUsers(_ cloud: Cloud) {
        let services = settings(["cloud": .string(cloud.id)]).cloud.services
        let own = services.filter(\.refusal.isEmpty)
        #expect(own.first == cloud.organizations && cloud.organizations.mailHosts == cloud.mailHosts)
        // Personal mail is in one cloud, and is not taken for that of an organization.
        #expect(own.dropFirst().flatMap(\.mailHosts).isEmpty)
        #expect(own.flatMap(\.domains).contains("outlook.com") == (cloud == .worldwide))
        let others = services.filter { !$0.refusal.isEmpty }
        #expect(Set(services.flatMap(\.mailHosts)) == Set(Cloud.all.flatMap(\.mailHosts)))
        #expect(others.allSatisfy { $0.mailHosts != cloud.mailHosts && $0.domains.isEmpty })
        let government = services.first { $0.mailHosts == ["mail.protection.office365.us"] }
        let isNamed = government?.refusal.contains("“usGovernment” or “usDefense”") == true
        #expect(isNamed == !cloud.id.hasPrefix("us"))
    }

    @Test(arguments: ["", "a/b", "../x", "a b", "a?b", ".", "a#b", String(repeating: "a", count: 300)])
    func aTenantThatIsNoneIsIgnored(_ tenant: String) {
        #expect(settings(["tenant": .string(tenant)]).token == settings([:]).token)
    }

    @Test func anUnknownCloudIsIgnored() {
        #expect(settings(["cloud": "moon"]).cloud == .worldwide)
        let china = settings(["cloud": "china", "tenant": "contoso.cn"])
        #expect(
            china.authorization.absoluteString
                == "https://login.partner.microsoftonline.cn/contoso.cn/oauth2/v2.0/authorize")
    }
}
