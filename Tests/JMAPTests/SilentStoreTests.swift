import JMAP
import Kernel
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

/// A store on a server can stop responding at any time.
@Suite("A silent store is reported until it responds", .timeLimit(.minutes(5))) struct SilentStoreTests {
    private enum Fault {
        case refuses, hangs
    }

    private final class Server: Sendable {
        private let fault = Mutex<Fault?>(nil)
        private let hanging = Mutex<[CheckedContinuation<Void, Never>]>([])

        func begin(_ new: Fault) { fault.withLock { $0 = new } }

        func recover() {
            fault.withLock { $0 = nil }
            let calls = hanging.withLock { calls in
                defer { calls = [] }
                return calls
            }
            for call in calls { call.resume() }
        }

        private func hang() async {
            await withCheckedContinuation { call in hanging.withLock { $0.append(call) } }
        }

        func storage(_ inner: any StorageBackend) -> any StorageBackend {
            InterceptedStorage(inner, place: .server(name: "db.example.org")) {
                (_) async throws(StorageError) in
                switch self.fault.withLock({ $0 }) {
                case .refuses: throw .unreachable(reason: "connection refused")
                case .hangs: await self.hang()
                case nil: break
                }
            }
        }
    }

    private func store(_ test: TestKernel) async throws -> JSONValue {
        let list = try await test.program("Store/get")["list"].arrayValue
        return try #require(list?.first)
    }

    /// Lets time pass until the page would say so.
    private func wait(_ test: TestKernel, isResponding: Bool) async throws {
        try await test.wait(for: "isResponding \(isResponding)") {
            test.clock.advance(by: 1)
            return await (test.kernel.storeWatch.problem == nil) == isResponding
        }
    }

    @Test(arguments: [Fault.refuses, .hangs])
    private func aServerThatStopsIsReportedUntilItResponds(_ fault: Fault) async throws {
        let server = Server()
        let test = try await TestKernel(wrapStorage: server.storage)
        #expect(try await store(test)["server"] == "db.example.org")
        #expect(try await store(test)["isResponding"] == true)
        server.begin(fault)
        try await wait(test, isResponding: false)
        let reason = try await store(test)["reason"].flatMap(\.stringValue)
        #expect(reason == (fault == .refuses ? "connection refused" : "it did not respond within 3 seconds"))
        server.recover()
        try await wait(test, isResponding: true)
        #expect(try await store(test)["reason"] == .null)
        await test.kernel.stop()
    }

    /// The page hears of it as of any change.
    @Test func itIsNews() async throws {
        let server = Server()
        let test = try await TestKernel(wrapStorage: server.storage)
        let events = test.jmap.events(EventSubscription(types: ["Store"]), for: TestKernel.page)
        let heard = Task { await events.first { _ in true } }
        server.begin(.refuses)
        try await wait(test, isResponding: false)
        #expect(try #require(await heard.value).data.contains("\"Store\""))
        await test.kernel.stop()
    }

    /// A request is more than its calls: what is not about the store is answered, and the rest says what is wrong.
    @Test func requestsAreStillAnswered() async throws {
        let server = Server()
        let test = try await TestKernel(wrapStorage: server.storage)
        let before = try await test.send(["using": [], "methodCalls": []])["sessionState"]
        server.begin(.refuses)
        try await wait(test, isResponding: false)
        #expect(try await test.send(["using": [], "methodCalls": []])["sessionState"] == before)
        let answer = try await test.call("Mailbox/get")
        #expect(answer.error == "serverFail")
        #expect(answer["description"].stringValue?.contains("connection refused") == true)
        await test.kernel.stop()
    }

    @Test func aStoreOnThisDeviceIsNotAsked() async throws {
        let test = try await TestKernel(wrapStorage: { inner in
            InterceptedStorage(inner) { (_) async throws(StorageError) in }
        })
        let found = try await store(test)
        #expect(found["server"] == .null)
        #expect(found["isResponding"] == true)
        #expect(found["canCheck"] == true)
        await test.kernel.stop()
    }
}
