import Foundation
import KernelSupport
import MailKernelAPI
import Testing

/// ACC-68: RFC 9425.
@Suite("Clients see the limits of a service") struct QuotaMethodTests {
    @Test func quotasAreReadFilteredAndSorted() async throws {
        let test = try await TestKernel()
        let all = try await test.call("Quota/get", ["ids": .null])
        #expect(all["list"].arrayValue?.compactMap { $0["id"]?.stringValue } == ["messages", "storage"])
        let storage = all["list"][1]
        #expect(storage?["resourceType"] == "octets" && storage?["hardLimit"] == 15_000_000_000)
        #expect(storage?["warnLimit"] == 13_500_000_000 && storage?["softLimit"] == .null)
        #expect(storage?["scope"] == "account" && storage?["types"] == ["Mail"])
        let found = try await test.call(
            "Quota/query",
            [
                "filter": ["scope": "account", "type": "Mail"],
                "sort": [["property": "name", "isAscending": false]],
            ])
        #expect(found["ids"] == ["storage", "messages"])
        let bytes = try await test.call(
            "Quota/query", ["filter": ["resourceType": "octets", "name": "stor"]])
        #expect(bytes["ids"] == ["storage"])
        let none = try await test.call("Quota/query", ["filter": ["type": "Nothing"]])
        #expect(none["ids"] == [])
        let changes = try await test.call("Quota/changes", ["sinceState": all["state"]])
        #expect(changes["updated"] == [] && changes["updatedProperties"] == .null)
        #expect(
            try await test.call("Quota/changes", ["sinceState": "other"]).error == "cannotCalculateChanges")
        let same = try await test.call("Quota/queryChanges", ["sinceQueryState": found["queryState"]])
        #expect(same["added"] == [])
        #expect(try await test.call("Quota/query", ["filter": ["size": 1]]).error == "unsupportedFilter")
        #expect(try await test.call("Quota/query", ["sort": [["property": "id"]]]).error == "unsupportedSort")
    }
}
