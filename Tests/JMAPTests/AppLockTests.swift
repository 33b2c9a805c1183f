import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Secrets
import Synchronization
import Testing

@testable import Care
@testable import Kernel

/// A system that knows one password, or cannot be asked.
private final class TestProof: UserProof {
    let outcome = Mutex<ProofOutcome?>(nil)
    let asked = Mutex(0)
    let problem: String? = nil

    func check(_ password: Secret) -> ProofOutcome {
        asked.withLock { $0 += 1 }
        return outcome.withLock { $0 } ?? (password.revealed == "right" ? .proven : .wrong)
    }
}

/// FR-SET-01 (app lock), E-SO-11, E-SO-12, E-SO-23, PV-SO-05.
@Suite("The app lock keeps everybody out") struct AppLockTests {
    private static let allowed = JMAPClient(
        name: "allowed", mayWrite: true, isPage: false, mayWhileLocked: true)
    private let proof = TestProof()

    private func test(
        on disk: MemoryStorage.Disk = MemoryStorage.Disk(), program: ProgramAccess = ProgramAccess()
    ) async throws -> TestKernel {
        try await TestKernel(messages: 1, on: disk, program: program, proof: proof)
    }

    private func enable(_ test: TestKernel, _ isEnabled: Bool = true, _ password: String = "right")
        async throws
        -> CallAnswer
    {
        try await test.program(
            "AppLock/set",
            ["update": ["singleton": ["isEnabled": .bool(isEnabled), "password": .string(password)]]])
    }

    private func isRefused(_ body: () async throws -> Void) async -> Bool {
        do {
            try await body()
            return false
        } catch let problem as RequestProblem {
            return problem.status == 423 && problem.type == "urn:mailkernel:error:locked"
        } catch {
            return false
        }
    }

    /// Everything that a client can ask for.
    private func everythingIsRefused(_ test: TestKernel, as client: JMAPClient = TestKernel.page) async
        -> Bool
    {
        let api = await isRefused { _ = try await test.program("Preferences/get", as: client) }
        let session = await isRefused { _ = try await test.jmap.session(for: client, at: TestKernel.urls) }
        let upload = await isRefused {
            _ = try await test.jmap.upload(type: "a/b", to: test.ada.rawValue, for: client)
        }
        let download = await isRefused {
            _ = try await test.jmap.download("B1", of: test.ada.rawValue, for: client)
        }
        var events = test.jmap.events(EventSubscription(lastEventID: "1"), for: client).makeAsyncIterator()
        let stream = await events.next() == nil
        return api && session && upload && download && stream
    }

    @Test func turningItOnNeedsTheProof() async throws {
        let test = try await test()
        let wrong = try await enable(test, true, "wrong")
        #expect(wrong["notUpdated"]["singleton"]?["description"] == "Wrong password. Try again.")
        proof.outcome.withLock { $0 = .unavailable(reason: "PAM is away.") }
        let absent = try await enable(test)
        #expect(
            absent["notUpdated"]["singleton"]?["description"]?.stringValue?.contains("PAM is away.") == true)
        proof.outcome.withLock { $0 = nil }
        #expect(try await test.program("AppLock/get")["list"][0]?["isEnabled"] == false)
        #expect(try await enable(test)["updated"].keys == ["singleton"])
        let now = try await test.program("AppLock/get")["list"][0]
        #expect(
            now == [
                "id": "singleton", "isEnabled": true, "isLocked": false, "canEnable": true, "reason": nil,
            ])
        let preferences = try await test.program("Preferences/get")["list"][0]
        #expect(preferences?["appLockEnabled"] == true)
        #expect(try await enable(test, false, "wrong")["notUpdated"].keys == ["singleton"])
        #expect(try await enable(test, false)["updated"].keys == ["singleton"])
        #expect(try await test.program("AppLock/get")["list"][0]?["isEnabled"] == false)
    }

    @Test func onlyThePageTurnsItOnAndOnlyInThisWay() async throws {
        let test = try await test()
        let asked: JSONValue = ["update": ["singleton": ["isEnabled": true, "password": "right"]]]
        #expect(try await test.program("AppLock/set", asked, as: Self.allowed).error == "forbidden")
        let around = try await test.program(
            "Preferences/set", ["update": ["singleton": ["appLockEnabled": true]]])
        #expect(around["notUpdated"]["singleton"]?["properties"] == ["appLockEnabled"])
    }

    @Test func aStartIsLockedForEverybodyButThoseWhoAreAllowed() async throws {
        let disk = MemoryStorage.Disk()
        _ = try await enable(try await test(on: disk))
        let next = try await test(on: disk)
        await next.kernel.appLock.begin()
        #expect(await everythingIsRefused(next))
        #expect(await everythingIsRefused(next, as: TestKernel.reader))
        #expect(try await next.program("Preferences/get", as: Self.allowed).error == nil)
        #expect(next.jmap.isLocked)
        let wrong = await #expect(throws: RequestProblem.self) { try await next.jmap.unlock(Secret("wrong")) }
        #expect(wrong?.status == 403)
        proof.outcome.withLock { $0 = .unavailable(reason: "It broke.") }
        let broken = await #expect(throws: RequestProblem.self) {
            try await next.jmap.unlock(Secret("right"))
        }
        #expect(broken?.status == 503 && broken?.detail.contains("It broke.") == true)
        #expect(await everythingIsRefused(next), "what cannot be found out stays locked")
        proof.outcome.withLock { $0 = nil }
        // At once: the clock of this test stands still.
        try await next.jmap.unlock(Secret("right"))
        #expect(try await next.program("Preferences/get").error == nil)
    }

    @Test func itLocksWhenNoWindowHasBeenOpenForSomeSeconds() async throws {
        let test = try await test()
        await test.kernel.appLock.begin()
        _ = try await enable(test)
        func window() -> Task<Int, Never> {
            Task {
                var count = 0
                for await _ in test.jmap.events(EventSubscription(windowID: "w"), for: TestKernel.page) {
                    count += 1
                }
                return count
            }
        }
        let first = window()
        try await test.wait(for: "the window") { await test.kernel.presence.isAnyOpen }
        #expect(!test.jmap.isLocked)
        first.cancel()
        try await test.wait(for: "its end") { await !test.kernel.presence.isAnyOpen }
        // Loaded again, it is back at once.
        let second = window()
        try await test.wait(for: "the window") { await test.kernel.presence.isAnyOpen }
        test.clock.advance(by: AppLock.absence + 1)
        #expect(try await test.program("Preferences/get").error == nil)
        second.cancel()
        try await test.wait(for: "its end") { await !test.kernel.presence.isAnyOpen }
        let moving = Task { [clock = test.clock] in await clock.keepMoving(by: AppLock.absence + 1) }
        try await test.wait(for: "the lock") { test.jmap.isLocked }
        moving.cancel()
        #expect(await everythingIsRefused(test))
    }

    /// A window behind others, in another tab or on another desktop is open, and no one looks at it.
    @Test(arguments: [nil, 0, 1, 60])
    func itLocksWhenNoWindowWasVisibleForTheTimeChosen(_ minutes: Int?) async throws {
        let test = try await test()
        await test.kernel.appLock.begin()
        _ = try await enable(test)
        if let minutes {
            _ = try await test.program(
                "Preferences/set",
                ["update": ["singleton": ["appLockDelayMinutes": .number(Double(minutes))]]])
        }
        let presence = test.kernel.presence
        let window = Task {
            for await _ in test.jmap.events(EventSubscription(windowID: "w"), for: TestKernel.page) {}
        }
        defer { window.cancel() }
        try await test.wait(for: "the window") { await presence.isAnyOpen }
        let limit = Double(minutes ?? 5) * 60
        func hide() async throws -> Date {
            let alarm = test.clock.now + limit
            _ = await presence.setVisible(false, "w")
            if minutes != 0 {
                try await test.wait(for: "the alarm") { test.clock.isAnyAsleep(until: alarm) }
            }
            return alarm
        }
        let alarm = try await hide()
        test.clock.advance(by: limit - 1)
        #expect(!test.jmap.isLocked)
        // Looked at in between, it begins again.
        _ = await presence.setVisible(true, "w")
        try await test.wait(for: "no alarm") { !test.clock.isAnyAsleep(until: alarm) }
        _ = try await hide()
        test.clock.advance(by: limit - 1)
        #expect(!test.jmap.isLocked)
        test.clock.advance(by: minutes == 0 ? 86_400 : 2)
        if minutes == 0 {
            #expect(!test.jmap.isLocked, "0 is for only when none is open")
        } else {
            try await test.wait(for: "the lock") { test.jmap.isLocked }
            #expect(await everythingIsRefused(test))
        }
    }

    @Test func itLocksWithTheScreen() async throws {
        let (locks, screen) = AsyncStream.makeStream(of: Void.self)
        let test = try await test(program: ProgramAccess(screenLocks: { locks }))
        await test.kernel.appLock.begin()
        _ = try await enable(test)
        #expect(try await test.program("Preferences/get").error == nil)
        screen.yield()
        try await test.wait(for: "the lock") { test.jmap.isLocked }
        #expect(await everythingIsRefused(test))
        try await test.jmap.unlock(Secret("right"))
        screen.yield()
        try await test.wait(for: "the lock") { test.jmap.isLocked }
    }

    @Test func lockingEndsTheStreamsOfThoseWhoAreNotAllowed() async throws {
        let disk = MemoryStorage.Disk()
        _ = try await enable(try await test(on: disk))
        let test = try await test(on: disk)
        let stream = test.jmap.events(EventSubscription(), for: TestKernel.reader)
        let reading = Task {
            var last: PushEvent?
            for await event in stream { last = event }
            return last
        }
        await test.kernel.appLock.begin()
        #expect(await reading.value == nil, "nothing is told once it is locked")
    }

    /// Wrong answers are looked at later and later, and trying many at once gains nothing.
    @Test func guessingIsSlow() async throws {
        let disk = MemoryStorage.Disk()
        _ = try await enable(try await test(on: disk))
        let test = try await test(on: disk)
        await test.kernel.appLock.begin()
        for _ in 0..<2 {
            await #expect(throws: RequestProblem.self) { try await test.jmap.unlock(Secret("wrong")) }
        }
        let before = proof.asked.withLock { $0 }
        let guesses = (0..<10).map { number in
            Task { () -> Int in
                do throws(RequestProblem) {
                    try await test.jmap.unlock(Secret("guess \(number)"))
                    return 200
                } catch {
                    return error.status
                }
            }
        }
        try await test.wait(for: "those that are too many") { await test.kernel.appLock.isBusy }
        #expect(proof.asked.withLock { $0 } == before, "none was looked at yet")
        var answers: [Int] = []
        let moving = Task { [clock = test.clock] in await clock.keepMoving(by: 60) }
        for guess in guesses { answers.append(await guess.value) }
        moving.cancel()
        #expect(answers.count { $0 == 429 } == 6 && answers.count { $0 == 403 } == 4, "\(answers)")
        #expect(test.jmap.isLocked)
    }
}
