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
        let own = RecordType.all.filter { $0.capability.rawValue.hasPrefix("urn:mailkernel:") }
        let objects =
            own.map { ($0.name, $0.properties) } + [
                ("Contacts", ["email", "name", "frequency", "lastSeenAt"]),
                (
                    "Additions to JMAP objects",
                    ["sendState", "tries", "nextTryAt", "failure", "isPaused", "isScheduled"]
                ),
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
        for type in RecordType.pushed { #expect(events.contains("`\(type.name)`"), "\(type.name)") }
    }
}
