import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Intelligence

@Suite("Search by meaning") struct MeaningSearchTests {
    private func search(_ smart: SmartKernel, _ text: String, _ rest: JSONValue = [:]) async throws
        -> CallAnswer
    {
        var arguments: [String: JSONValue] = [
            "filter": ["text": .string(text)], "sort": [["property": "relevance"]],
        ]
        for (key, value) in rest.objectValue ?? [:] { arguments[key] = value }
        return try await smart.test.call("Email/query", .object(arguments))
    }

    /// Two emails: one has both words that are looked for, the other is about the same.
    private func mail(_ smart: SmartKernel) async throws -> (exact: String, alike: String, other: String) {
        let exact = try await smart.test.add(
            SmartKernel.message(subject: "Harbor walk", "The harbor walk begins at noon."))
        let alike = try await smart.test.add(
            SmartKernel.message(subject: "Harbor", "At the harbor, harbor, harbor."))
        let other = try await smart.test.add(
            SmartKernel.message(subject: "Tax", "Your papers for taxation are missing signatures."))
        for id in [exact, alike, other] { _ = try await smart.sorted(id) }
        return (exact, alike, other)
    }

    @Test func whatMeansTheSameIsFoundToo() async throws {
        let smart = try await SmartKernel()
        let (exact, alike, other) = try await mail(smart)
        let found = try await search(smart, "harbor walk", ["calculateTotal": true])
        #expect(found["ids"].strings.prefix(2) == [exact, alike])
        #expect(!found["ids"].strings.contains(other) && found["canCalculateChanges"] == false)
        #expect(found["total"].intValue == found["ids"].strings.count)
        let page = try await search(smart, "harbor walk", ["position": 1, "limit": 1])
        #expect(page["ids"].strings == [alike] && page["position"] == 1)
        let anchored = try await search(
            smart, "harbor walk", ["anchor": .string(alike), "anchorOffset": -1])
        #expect(anchored["ids"].strings.first == exact)
        let changes = try await smart.test.call(
            "Email/queryChanges",
            [
                "filter": ["text": "harbor walk"], "sort": [["property": "relevance"]],
                "sinceQueryState": found["queryState"],
            ])
        #expect(changes.error == "cannotCalculateChanges")
    }

    /// An order by date has no place for what is merely alike, and a phrase, an address or a number is meant
    /// as it stands.
    @Test func onlyWhereItHelps() async throws {
        let smart = try await SmartKernel()
        let (exact, _, _) = try await mail(smart)
        let byDate = try await smart.test.call("Email/query", ["filter": ["text": "harbor walk"]])
        #expect(byDate["ids"].strings == [exact] && byDate["canCalculateChanges"] == true)
        #expect(try await search(smart, "\"harbor walk\"")["ids"].strings == [exact])
        #expect(try await search(smart, "harbor 2023")["ids"].strings.isEmpty)
        let asked = smart.models.now.embedded.count
        _ = try await search(smart, "bea@gmail.com")
        #expect(smart.models.now.embedded.count == asked)
    }

    @Test func otherConditionsStillHold() async throws {
        let smart = try await SmartKernel()
        let (exact, alike, _) = try await mail(smart)
        try await smart.test.call(
            "Email/set", ["update": [alike: ["keywords/$seen": true], exact: ["keywords/$flagged": true]]])
        let unseen = try await search(
            smart, "harbor walk", ["filter": ["text": "harbor walk", "notKeyword": "$seen"]])
        #expect(unseen["ids"].strings == [exact])
        let nowhere = try await search(
            smart, "harbor walk", ["filter": ["text": "harbor walk", "inRole": "trash"]])
        #expect(nowhere["ids"].strings.isEmpty)
        // What cannot be seen on an email leaves the search to the words.
        let header = try await search(
            smart, "harbor walk", ["filter": ["text": "harbor walk", "header": ["Subject"]]])
        #expect(header["ids"].strings == [exact])
    }

    @Test func aThreadIsShownOnce() async throws {
        let smart = try await SmartKernel()
        let run = UUID().uuidString
        let one = try await smart.test.add(
            SmartKernel.message(subject: "Harbor walk", "The harbor walk.", id: run))
        let two = try await smart.test.add(
            SmartKernel.message(subject: "Re: Harbor", "harbor harbor harbor", answers: run))
        _ = try await (smart.sorted(one), smart.sorted(two))
        let found = try await search(smart, "harbor walk", ["collapseThreads": true])
        #expect(found["ids"].strings.count == 1)
    }

    @Test func aModelThatFailsLeavesTheWords() async throws {
        let smart = try await SmartKernel()
        let (exact, _, _) = try await mail(smart)
        smart.models.script.withLock { $0.embedError = .failed(reason: "It crashed.") }
        #expect(try await search(smart, "harbor walk")["ids"].strings == [exact])
    }

    /// Reciprocal rank fusion with k = 60.
    @Test func ranksAreFused() {
        #expect(RankFusion.fuse([1, 2, 3], [3, 4]) == [3, 1, 2, 4])
        #expect(RankFusion.fuse([1, 2], [2, 1]) == [1, 2])
        #expect(RankFusion.fuse([], [5, 6]) == [5, 6])
        #expect(RankFusion.fuse([Int](), []).isEmpty)
    }
}
