import KernelSupport
import MailKernelAPI
import Testing

/// What is done while the service cannot be reached is told in an order in which it can be done there.
@Suite("Mailboxes that change places while they wait") struct WaitingMailboxTests {
    private let address = "ada@example.org"

    private func made(_ test: TestKernel, _ mailboxes: [String: JSONValue]) async throws -> [String: String] {
        let answer = try await test.call("Mailbox/set", ["create": .object(mailboxes)])
        return try mailboxes.keys.reduce(into: [:]) { ids, key in
            ids[key] = try #require(answer["created"][key]?["id"]?.stringValue, "\(answer.arguments)")
        }
    }

    private func done(_ test: TestKernel, _ arguments: JSONValue) async throws {
        let answer = try await test.call("Mailbox/set", arguments)
        #expect(answer["notUpdated"] == .null && answer["notDestroyed"] == .null, "\(answer.arguments)")
    }

    private func reachable(_ test: TestKernel, _ names: Set<String>) async throws {
        test.server.setOutage(nil)
        try await test.wait(for: "\(names) there") {
            test.clock.advance(by: 45)
            let all = Set(test.server.mailboxes(of: address).map(\.name))
            return all.isSuperset(of: names) && !all.contains { $0.hasPrefix("renaming") }
        }
        await test.settle()
        #expect(try await test.program("Notice/get", ["ids": .null])["list"] == [])
    }

    private func names(_ test: TestKernel) async throws -> [String] {
        try await test.storage.mailboxes(nil, in: test.ada).map(\.mailbox).filter { $0.role == nil }
            .map(\.name).sorted()
    }

    /// One that waits for its place, with a name of its own, is not in the mailbox that it has left.
    @Test func theMailboxThatItLeftDoesNotComeBack() async throws {
        let test = try await TestKernel(layout: .folders)
        let id = try await made(
            test,
            [
                "p": ["name": "Parent"], "k": ["name": "Kid", "parentId": "#p"], "q": ["name": "Quarry"],
                "r": ["name": "River"],
            ])
        await test.settle()
        let (p, k, q, r) = (id["p"] ?? "", id["k"] ?? "", id["q"] ?? "", id["r"] ?? "")
        test.server.setOutage(.offline)
        try await done(test, ["update": [k: ["parentId": .null]]])
        try await done(test, ["destroy": [.string(p)]])
        // What has the place that the kid gets leaves it only now.
        try await done(test, ["update": [q: ["name": "Quiet"]]])
        try await done(test, ["update": [k: ["name": "Quarry"]]])
        try await done(test, ["update": [r: ["name": "Rapids"]]])
        try await done(test, ["update": [k: ["name": "River"]]])
        try await reachable(test, ["Quiet", "Rapids", "River"])
        #expect(try await names(test) == ["Quiet", "Rapids", "River"])
        #expect(!test.server.mailboxes(of: address).contains { $0.name == "Parent" })
    }

    /// The kid left its parent, and was destroyed itself: at the service it must leave before its parent is deleted.
    @Test func theMailboxOfADestroyedOneDoesNotComeBack() async throws {
        let test = try await TestKernel(layout: .folders)
        let id = try await made(
            test,
            [
                "p": ["name": "Parent"], "k": ["name": "Kid", "parentId": "#p"],
                "g": ["name": "Grandchild", "parentId": "#k"], "q": ["name": "Quarry"],
            ])
        await test.settle()
        let (p, k, g, q) = (id["p"] ?? "", id["k"] ?? "", id["g"] ?? "", id["q"] ?? "")
        test.server.setOutage(.offline)
        try await done(test, ["update": [k: ["parentId": .null]], "destroy": [.string(p)]])
        try await done(test, ["update": [g: ["parentId": .null]], "destroy": [.string(k)]])
        try await done(test, ["update": [q: ["name": "Last"]]])
        try await reachable(test, ["Grandchild", "Last"])
        #expect(try await names(test) == ["Grandchild", "Last"])
        let there = Set(test.server.mailboxes(of: address).map(\.name))
        #expect(there.isDisjoint(with: ["Parent", "Kid", "Quarry"]), "\(there)")
    }

    /// The place is in a mailbox that the service does not have yet: elsewhere its name may be taken.
    @Test func oneThatIsMadeMeanwhileIsWaitedFor() async throws {
        let test = try await TestKernel(layout: .folders)
        let id = try await made(
            test, ["p": ["name": "Parent"], "k": ["name": "Kid", "parentId": "#p"], "t": ["name": "Taken"]])
        await test.settle()
        let (p, k) = (id["p"] ?? "", id["k"] ?? "")
        test.server.setOutage(.offline)
        try await done(test, ["update": [k: ["parentId": .null]]])
        try await done(test, ["destroy": [.string(p)]])
        let more = try await made(test, ["n": ["name": "New"], "y": ["name": "Young"]])
        let (n, y) = (more["n"] ?? "", more["y"] ?? "")
        try await done(test, ["update": [k: ["parentId": .string(n), "name": "Taken"]]])
        let last = try await made(test, ["m": ["name": "Later"]])["m"] ?? ""
        try await done(test, ["update": [y: ["parentId": .string(last), "name": "Taken"]]])
        try await reachable(test, ["New", "Later"])
        #expect(try await names(test) == ["Later", "New", "Taken", "Taken", "Taken"])
        let there = test.server.mailboxes(of: address)
        for parent in ["New", "Later"] {
            let parentID = there.first { $0.name == parent }?.id
            #expect(there.contains { $0.name == "Taken" && $0.parentID == parentID }, "\(there)")
        }
        #expect(!there.contains { $0.name == "Parent" })
    }
}
