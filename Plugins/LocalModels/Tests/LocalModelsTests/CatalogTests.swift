import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

@testable import LocalModels

/// FR-SET-04: source, size and license are known before anything is fetched.
@Suite("The catalog says what a model is") struct CatalogTests {
    private static let own: JSONValue = [
        "id": "mine", "name": "Mine", "purpose": "For me.", "abilities": ["embed", "classify"],
        "sources": ["https://huggingface.co/a/b.gguf"], "size": 1000,
        "sha256": .string(String(repeating: "ab", count: 32)), "license": "MIT", "licenseText": "Do.",
        "memoryNeeded": 5000,
    ]

    private func entries(_ settings: [String: JSONValue]) -> [Id<Model>] {
        Catalog.entries(HostServices.forTesting(settings: PluginSettings(settings))).map(\.id)
    }

    @Test func whatComesWithThePluginIsWhole() throws {
        #expect(BundledCatalog.entries.count == 4)
        for entry in BundledCatalog.entries {
            #expect(entry.problem == nil)
            #expect(entry.sources.count == 1 && entry.sources[0].host == "huggingface.co")
            #expect(entry.memoryNeeded > entry.size && entry.licenseText.contains("TERMS AND CONDITIONS"))
        }
        #expect(Set(BundledCatalog.entries.map(\.sha256)).count == 4)
    }

    @Test func theManifestListsTheHosts() throws {
        let manifest = try JSONDecoder().decode(
            JSONValue.self, from: Data(contentsOf: TestModels.package.appending(path: "plugin.json")))
        #expect(manifest["hosts"] == ["huggingface.co", "*.hf.co"])
    }

    @Test func theUsersOwnAreAdded() {
        #expect(entries([:]).count == 4)
        #expect(entries(["models": [Self.own]]).last == Id("mine"))
        #expect(entries(["models": [Self.own], "bundled": false]) == [Id("mine")])
        #expect(entries(["bundled": false]).isEmpty)
    }

    @Test func aListWithAMistakeIsNotUsed() {
        let mistakes: [(String, JSONValue)] = [
            ("id", "../x"), ("id", "imported-1"), ("name", ""), ("abilities", []),
            ("abilities", ["embed", "generate"]), ("abilities", ["fly"]), ("sources", []),
            ("sources", ["http://huggingface.co/a.gguf"]), ("sources", ["file:///etc/passwd"]), ("size", 0),
            ("size", -5), ("size", "many"), ("sha256", "ABCD"), ("licenseText", ""), ("memoryNeeded", nil),
            ("size", 9_000_000_000_000_000_000), ("memoryNeeded", 9_000_000_000_000_000_000),
        ]
        for (key, value) in mistakes {
            var wrong = Self.own.objectValue ?? [:]
            wrong[key] = value
            let found = entries(["models": [Self.own, .object(wrong)]])
            #expect(found.count == 4 && !found.contains(Id("mine")), "\(key): \(value)")
        }
        #expect(entries(["models": "all"]).count == 4)
        #expect(entries(["models": [Self.own, Self.own]]).count == 4)
    }

    @Test func anOldProcessorIsSaidAndNothingIsFetched() async throws {
        let place = try Place()
        let provider = LocalModelProvider(
            host: Bench.host(place.url, NoNetwork(), ManualClock()), catalog: BundledCatalog.entries,
            program: TestModels.program, obstacle: LocalModelProvider.oldProcessor)
        for model in try await provider.models() {
            #expect(model.status == .unusable(reason: LocalModelProvider.oldProcessor))
            await #expect(throws: ModelError.unsupported(LocalModelProvider.oldProcessor)) {
                try await provider.download(model.id) { _ in }
            }
        }
    }

    @Test func whatSomebodyWaitsForGoesBeforeTheBackground() async {
        let turns = Turns()
        #expect(await turns.take())
        let order = Watched<[String]>([])
        var tasks: [Task<Void, Never>] = []
        for (name, isAwaited) in [("sort", false), ("sort more", false), ("reply", true), ("search", true)] {
            let count = turns.waiting
            let task = Task {
                guard await turns.take(isAwaited: isAwaited) else { return }
                order.withLock { $0.append(name) }
                turns.giveBack()
            }
            tasks.append(task)
            while turns.waiting == count { await Task.yield() }
        }
        // One that gives up leaves the order as it was.
        tasks[2].cancel()
        await tasks[2].value
        turns.giveBack()
        for task in tasks { await task.value }
        #expect(order.value == ["search", "sort", "sort more"])
        #expect(await turns.take(isAwaited: false))
    }

    @Test func whoGivesUpWaitingGetsNoTurn() async {
        let turns = Turns()
        #expect(await turns.take())
        let order = Mutex<[Int]>([])
        let second = Task {
            guard await turns.take() else { return }
            order.withLock { $0.append(2) }
            turns.giveBack()
        }
        second.cancel()
        await second.value
        #expect(order.withLock { $0.isEmpty })
        turns.giveBack()
        #expect(await turns.take())
        turns.giveBack()
    }
}
