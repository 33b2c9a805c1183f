import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

/// Does something once, between what the next call of a method reads and what it commits.
private final class OtherClient: Sendable {
    private let armed = Mutex<(@Sendable () async throws(StorageError) -> Void)?>(nil)

    func storage(_ inner: any StorageBackend) -> any StorageBackend {
        InterceptedStorage(inner) { call async throws(StorageError) in
            guard call == "commit" else { return }
            try await self.armed.withLock { action in
                defer { action = nil }
                return action
            }?()
        }
    }

    func comesBetween(_ action: @escaping @Sendable () async throws(StorageError) -> Void) {
        armed.withLock { $0 = action }
    }

    var isDone: Bool { armed.withLock { $0 == nil } }
}

@Suite("Two clients change the same thing") struct ConflictTests {
    private let other = OtherClient()

    private func made(_ test: TestKernel, _ mailboxes: [String: JSONValue]) async throws -> [String: String] {
        let answer = try await test.call("Mailbox/set", ["create": .object(mailboxes)])
        return try mailboxes.keys.reduce(into: [:]) { ids, key in
            ids[key] = try #require(answer["created"][key]?["id"]?.stringValue, "\(answer.arguments)")
        }
    }

    @Test func aMailboxThatTheOtherDestroyedStaysAway() async throws {
        let test = try await TestKernel(wrapStorage: other.storage)
        let id = try #require(try await made(test, ["a": ["name": "A"]])["a"])
        await test.settle()
        other.comesBetween { [storage = test.storage, ada = test.ada] () async throws(StorageError) in
            _ = try await storage.commit(ChangeSet([.destroyMailbox(Id(id), in: ada)]))
        }
        let answer = try await test.call("Mailbox/set", ["update": [id: ["sortOrder": 3]]])
        #expect(other.isDone && answer["notUpdated"][id]?["type"] == "notFound", "\(answer.arguments)")
        #expect(try await test.call("Mailbox/get", ["ids": [.string(id)]])["notFound"].strings == [id])
    }

    @Test func whatTheOtherChangedOfAMailboxStays() async throws {
        let test = try await TestKernel(wrapStorage: other.storage)
        let id = try #require(try await made(test, ["a": ["name": "A"]])["a"])
        await test.settle()
        var changed = try #require(try await test.storage.mailboxes([Id(id)], in: test.ada).first?.mailbox)
        changed.sortOrder = 7
        other.comesBetween { [storage = test.storage, changed] () async throws(StorageError) in
            _ = try await storage.commit(ChangeSet([.putMailbox(changed)]))
        }
        let answer = try await test.call("Mailbox/set", ["update": [id: ["isSubscribed": false]]])
        let mailbox = try await test.call("Mailbox/get", ["ids": [.string(id)]])["list"][0]
        #expect(other.isDone && answer["updated"].keys == [id], "\(answer.arguments)")
        #expect(mailbox?["sortOrder"] == 7 && mailbox?["isSubscribed"] == false, "\(mailbox ?? .null)")
    }

    @Test(arguments: ["create", "update"]) func aNameThatTheOtherTookIsTaken(_ kind: String) async throws {
        let test = try await TestKernel(wrapStorage: other.storage)
        let id = try #require(try await made(test, ["a": ["name": "A"]])["a"])
        await test.settle()
        let taken = Mailbox(id: Id("other"), accountID: test.ada, name: "B")
        other.comesBetween { [storage = test.storage] () async throws(StorageError) in
            _ = try await storage.commit(ChangeSet([.putMailbox(taken)]))
        }
        let key = kind == "create" ? "b" : id
        let answer = try await test.call("Mailbox/set", [kind: [key: ["name": "B"]]])
        let refused = answer[kind == "create" ? "notCreated" : "notUpdated"][key]
        #expect(other.isDone && refused?["properties"] == ["name"], "\(answer.arguments)")
    }

    @Test func anIdentityThatTheOtherDestroyedStaysAway() async throws {
        let test = try await TestKernel(wrapStorage: other.storage)
        let made = try await test.call("Identity/set", ["create": ["a": ["email": "ada@example.org"]]])
        let id = try #require(made["created"]["a"]?["id"]?.stringValue)
        other.comesBetween { [storage = test.storage, ada = test.ada] () async throws(StorageError) in
            _ = try await storage.commit(ChangeSet([.destroyIdentity(Id(id), in: ada)]))
        }
        let answer = try await test.call("Identity/set", ["update": [id: ["name": "Countess"]]])
        #expect(other.isDone && answer["notUpdated"][id]?["type"] == "notFound", "\(answer.arguments)")
        #expect(try await test.call("Identity/get", ["ids": [.string(id)]])["notFound"].strings == [id])
    }

    @Test func whatTheOtherChangedOfAnIdentityStays() async throws {
        let test = try await TestKernel(wrapStorage: other.storage)
        var changed = try #require(try await test.storage.identities(nil, in: test.ada).first)
        changed.textSignature = "Ada"
        other.comesBetween { [storage = test.storage, changed] () async throws(StorageError) in
            _ = try await storage.commit(ChangeSet([.putIdentity(changed)]))
        }
        let id = changed.id.rawValue
        let answer = try await test.call("Identity/set", ["update": [id: ["name": "Countess"]]])
        let identity = try await test.call("Identity/get", ["ids": [.string(id)]])["list"][0]
        #expect(other.isDone && answer["updated"].keys == [id], "\(answer.arguments)")
        #expect(identity?["textSignature"] == "Ada" && identity?["name"] == "Countess")
    }

    /// Two who say where an email is must not leave it in both places.
    @Test(arguments: [MemoryMailServer.Layout.folders, .labels])
    func anEmailIsMovedToOnePlace(_ layout: MemoryMailServer.Layout) async throws {
        let test = try await TestKernel(messages: 1, layout: layout, wrapStorage: other.storage)
        let places = try await made(test, ["a": ["name": "A"], "b": ["name": "B"]])
        let (a, b) = (try #require(places["a"]), try #require(places["b"]))
        await test.settle()
        let id = try await test.emailIDs()[0]
        let inbox = try await test.mailbox(.inbox)
        other.comesBetween { [storage = test.storage, ada = test.ada] () async throws(StorageError) in
            let move = EmailUpdate(id, in: ada, addMailboxes: [Id(b)], removeMailboxes: [inbox])
            _ = try await storage.commit(ChangeSet([.updateEmail(move)]))
        }
        let answer = try await test.call("Email/set", ["update": [id.rawValue: ["mailboxIds": [a: true]]]])
        #expect(other.isDone && answer["updated"].keys == [id.rawValue], "\(answer.arguments)")
        #expect(try await test.email(id).mailboxIDs == [Id(a)])
    }

    @Test func keywordsAreThoseOfTheLastWhoNamesThemAll() async throws {
        let test = try await TestKernel(messages: 1, wrapStorage: other.storage)
        let id = try await test.emailIDs()[0]
        other.comesBetween { [storage = test.storage, ada = test.ada] () async throws(StorageError) in
            let update = EmailUpdate(id, in: ada, addKeywords: [Keyword("theirs")])
            _ = try await storage.commit(ChangeSet([.updateEmail(update)]))
        }
        let answer = try await test.call("Email/set", ["update": [id.rawValue: ["keywords": ["ours": true]]]])
        #expect(other.isDone && answer["updated"].keys == [id.rawValue], "\(answer.arguments)")
        #expect(try await test.email(id).keywords == [Keyword("ours")])
    }
}
