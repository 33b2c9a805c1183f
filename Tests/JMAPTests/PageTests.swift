import Foundation
import TestSupport
import Testing

@testable import JMAP
@testable import Store

@Suite("docs/api.md names all there is") struct PageTests {
    private let page: String

    init() throws {
        page = try String(contentsOf: Checkout.root.appending(path: "docs/api.md"), encoding: .utf8)
    }

    @Test func everyMethodBesideItsCapability() throws {
        let rows = page.split(separator: "\n")
        for method in Method.all.values {
            #expect(
                rows.contains {
                    $0.hasPrefix("| `\(method.capability.rawValue)` |") && $0.contains("`\(method.name)`")
                },
                "\(method.name)")
        }
    }

    @Test func everyPropertyOfOurOwnObjects() throws {
        let objects: [(String, [String])] = [
            ("Preferences", ["id"] + Preference.all.map(\.key)),
            ("AccountSettings", AccountSettingsMethods.properties),
            ("Contacts", ["email", "name", "frequency", "lastSeenAt"]),
            ("Plugin", ProgramMethods.pluginProperties),
            ("Window", ["id", "isVisible"]), ("SyncStatus", SyncMethods.statusProperties),
            ("Model", ModelMethods.properties), ("Category", CategoryMethods.properties),
            ("ThreadSummary", AssistanceMethods.summaryProperties),
            ("Notice", SyncMethods.noticeProperties), ("Import", ImportMethods.properties),
            ("StorageUsage", StorageMethods.usageProperties), ("Export", StorageMethods.exportProperties),
            ("About", AboutMethods.properties), ("AppLock", AppLockMethods.properties),
            ("NotificationStatus", NotificationMethods.properties),
            ("AccountSetup", SignInMethods.setupProperties), ("SignIn", SignInMethods.properties),
            (
                "Additions to JMAP objects",
                ["sendState", "tries", "nextTryAt", "failure", "isPaused"]
            ),
            ("Draft", DraftMethods.properties),
        ]
        for (name, properties) in objects {
            let start = try #require(page.range(of: "\n## \(name)\n"), "\(name)")
            let section = page[start.upperBound...].prefix(while: { _ in true }).components(
                separatedBy: "\n## ")[0]
            let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
            for property in properties {
                #expect(rows.contains { $0.contains("`\(property)`") }, "\(name): \(property)")
            }
        }
    }

    @Test func everyLimit() {
        let limits = JMAPLimits()
        for (name, value) in [
            ("maxSizeUpload", limits.maxSizeUpload), ("maxSizeRequest", limits.maxSizeRequest),
            ("maxCallsInRequest", limits.maxCallsInRequest), ("maxObjectsInGet", limits.maxObjectsInGet),
        ] {
            let text = value.formatted(.number.locale(Locale(identifier: "en_US")))
            #expect(
                page.split(separator: "\n").contains {
                    $0.contains("`\(name)`") && ($0.contains(text) || $0.contains("\(value)"))
                }, "\(name)")
        }
    }

    @Test func everyTypeOfEvent() throws {
        let events = try #require(page.components(separatedBy: "\n## Events\n").last)
        for type in PushType.all { #expect(events.contains("`\(type.name)`"), "\(type.name)") }
    }
}
