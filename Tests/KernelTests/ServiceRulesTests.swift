import Foundation
import Kernel
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Store
import Testing

@testable import Rules

/// A kernel whose service keeps scripts.
struct ServiceScene {
    static let rules = """
        require ["fileinto", "imap4flags", "copy"];
        # rule:[Star]
        if header :contains "subject" "urgent" { addflag "\\\\Flagged"; }
        # rule:[Swift]
        if header :contains "subject" "swift" { addflag "\\\\Seen"; stop; }
        # rule:[On]
        if header :contains "subject" "urgent" { redirect :copy "grace@example.org"; }
        """
    static let name = ServiceRules.scriptName

    let test: TestKernel
    let remote: MemoryScripts
    let scene: RuleScene

    init(
        _ remote: MemoryScripts = MemoryScripts(), on disk: MemoryStorage.Disk = MemoryStorage.Disk(),
        clock: ManualClock = ManualClock(), server: MemoryMailServer? = nil,
        secrets: SecretDrawers = SecretDrawers()
    ) async throws {
        let script = Script()
        script.change { $0.scripts = remote }
        test = try await TestKernel(
            layout: .folders, on: disk, clock: clock, server: server, secrets: secrets,
            wrap: { ScriptedSession($0, script) })
        self.remote = remote
        scene = RuleScene(test: test)
    }

    var service: ServiceScripts { test.kernel.rulebook.service }
    var state: ServiceRules { get async throws { try await service.state(in: test.ada) } }

    func settle(times: Int = 1) async {
        for _ in 0..<times { await service.settle(test.ada) }
    }

    /// Looks again, as the program does in a while, if the last look failed.
    func settleAfterFaults() async throws {
        await settle(times: 3)
        if try await state.failure != nil { await settle() }
    }

    func turn(_ isOn: Bool, times: Int = 1) async throws {
        try await service.setWanted(isOn, in: test.ada)
        await settle(times: times)
    }

    /// The rules run there, and this is known here.
    func isThere() async throws -> Bool {
        let (now, state) = (remote.now, try await state)
        guard now.active == Self.name, let text = now.texts[Self.name], state.isOurs(text) else {
            return false
        }
        return state.found?.isActive == true && state.failure == nil
    }

    /// The rules do not run there, and this is known here.
    func isHere(active: String? = nil) async throws -> Bool {
        let (now, state) = (remote.now, try await state)
        return now.active == active && now.texts[Self.name] == nil && !state.mayBeThere
            && state.found?.isActive == false && state.failure == nil
    }
}

@Suite("Rules run at the service, or here", .timeLimit(.minutes(5))) struct ServiceRulesTests {
    /// ORG-20 and ORG-22: nothing is sent before the user wants it; a message gets each rule once, wherever.
    @Test func eachMessageGetsEachRuleOnce() async throws {
        let service = try await ServiceScene()
        let (test, scene) = (service.test, service.scene)
        try await scene.useRules(ServiceScene.rules)
        await service.settle()
        #expect(!service.remote.now.calls.contains("put"))
        #expect(try await service.state.found?.rules.map(\.reason).filter { $0 == nil }.count == 2)
        try await service.turn(true)
        #expect(try await service.isThere())

        func deliver(_ name: String, _ subject: String, _ keywords: Set<Keyword>) {
            test.server.deliver(
                RuleScene.mail(name, subject: subject), to: RuleScene.ada, keywords: keywords)
        }
        let mark = ServiceMark.one.keyword
        // As the service leaves it: the mark, and not the star, so that it shows whether the rule ran again here.
        deliver("there", "urgent", [mark])
        deliver("stopped", "urgent swift", [mark])
        deliver("here", "urgent", [])
        try await scene.settle()
        try await test.wait(for: "what was sent on") { scene.arrivedAtGrace.count >= 2 }
        #expect(try await scene.place(of: "there") == ["Inbox", mark.rawValue])
        #expect(try await scene.place(of: "stopped") == ["Inbox", mark.rawValue])
        #expect(try await scene.place(of: "here") == ["Inbox", "$flagged"])
        #expect(scene.arrivedAtGrace.count == 2)

        // Back here: what was delivered before still has its mark.
        try await service.turn(false)
        #expect(try await service.isHere())
        deliver("late", "urgent", [mark])
        deliver("after", "swift", [])
        try await scene.settle()
        try await test.wait(for: "the rules here") {
            try await scene.place(of: "after") == ["Inbox", "$seen"]
        }
        #expect(try await scene.place(of: "late") == ["Inbox", mark.rawValue])
        await test.kernel.stop()
    }

    /// ORG-23: a changed rule is put again, with the other mark; a failure is recorded and forgotten.
    @Test func changesAreBroughtThere() async throws {
        let service = try await ServiceScene()
        try await service.scene.useRules(ServiceScene.rules)
        try await service.turn(true)
        let first = service.remote.now.texts[ServiceScene.name]
        #expect(first?.contains("$MailKernelRulesA") == true)
        service.remote.change { $0.outage = .unreachable(host: "mail.example.org", reason: "It is down.") }
        try await service.scene.useRules(ServiceScene.rules.replacing("swift", with: "rust"))
        await service.settle()
        let state = try await service.state
        #expect(state.failure != nil && state.isWanted && state.mayBeThere)
        service.remote.change { $0.outage = nil }
        await service.settle()
        #expect(try await service.isThere())
        #expect(service.remote.now.texts[ServiceScene.name]?.contains("$MailKernelRulesB") == true)
        // The service refuses a text: what is there stays, and the user reads why.
        service.remote.change { $0.putError = .refused("line 2: no") }
        try await service.scene.useRules(ServiceScene.rules.replacing("swift", with: "go"))
        await service.settle()
        #expect(try await service.state.failure?.sentence.contains("line 2: no") == true)
        service.remote.change { $0.putError = nil }
        await service.settle()
        #expect(try await service.isThere())
        await service.test.kernel.stop()
    }

    /// ORG-24: scripts of others are never overwritten, and each question is asked by itself.
    @Test func scriptsOfOthersAreLeftAlone() async throws {
        let service = try await ServiceScene()
        let remote = service.remote
        try await service.scene.useRules(ServiceScene.rules)
        remote.change {
            $0.texts = ["own": "keep;", ServiceScene.name: "discard;"]
            $0.active = "own"
        }
        try await service.turn(true)
        let digest = ServiceRules.digest("discard;")
        #expect(try await service.state.found?.question == .replace(digest: digest))
        #expect(try await service.state.found?.isForeign == true)
        #expect(try await !service.service.agree(to: .displace(name: "own"), in: service.test.ada))
        #expect(try await service.service.agree(to: .replace(digest: digest), in: service.test.ada))
        await service.settle()
        #expect(try await service.state.found?.question == .displace(name: "own"))
        #expect(remote.now.texts[ServiceScene.name] == "discard;")
        #expect(try await service.service.agree(to: .displace(name: "own"), in: service.test.ada))
        await service.settle()
        #expect(try await service.isThere())
        #expect(remote.now.texts["own"] == "keep;")

        // Another program edits ours: it is left alone, by “off” as well.
        let edited = (remote.now.texts[ServiceScene.name] ?? "") + "\ndiscard;"
        remote.change { $0.texts[ServiceScene.name] = edited }
        await service.settle()
        #expect(try await service.state.found?.isForeign == true)
        try await service.turn(false)
        #expect(remote.now.texts[ServiceScene.name] == edited && remote.now.active == ServiceScene.name)
        #expect(try await !service.state.mayBeThere)
        await service.test.kernel.stop()
    }

    /// ORG-25: turning the rules off activates the script from before again.
    @Test func theScriptFromBeforeIsActiveAgain() async throws {
        let service = try await ServiceScene()
        try await service.scene.useRules(ServiceScene.rules)
        service.remote.change {
            $0.texts = ["own": "keep;"]
            $0.active = "own"
        }
        try await service.turn(true)
        #expect(try await service.service.agree(to: .displace(name: "own"), in: service.test.ada))
        await service.settle()
        #expect(try await service.isThere())
        try await service.turn(false)
        #expect(try await service.isHere(active: "own"))
        await service.test.kernel.stop()
    }

    /// ORG-26: an account that is removed takes its rules back, or says that it could not.
    @Test(arguments: [true, false])
    func aRemovedAccountLeavesNoRulesThere(_ responds: Bool) async throws {
        let service = try await ServiceScene()
        try await service.scene.useRules(ServiceScene.rules)
        try await service.turn(true)
        if !responds { service.remote.change { $0.outage = .offline } }
        try await service.test.kernel.accounts.remove(service.test.ada)
        #expect((service.remote.now.active == nil) == responds)
        let notices = try await Notices(store: service.test.kernel.store).all().map(\.notice.text)
        #expect(notices.contains { $0.contains("may still run") } == !responds)
        await service.test.kernel.stop()
    }

    /// ORG-26: if the account cannot be removed and stays, so do its rules at the service.
    @Test func anAccountThatStaysKeepsItsRulesThere() async throws {
        let disk = MemoryStorage.Disk()
        let service = try await ServiceScene(on: disk)
        try await service.scene.useRules(ServiceScene.rules)
        service.remote.change { ($0.texts, $0.active) = (["own": "keep;"], "own") }
        try await service.turn(true)
        #expect(try await service.service.agree(to: .displace(name: "own"), in: service.test.ada))
        await service.settle()
        let stays = try #require(await service.service.leave(service.test.ada))
        #expect(try await service.isHere(active: "own"))
        await stays()
        await service.settle()
        #expect(try await service.isThere())
        await service.test.kernel.stop()
    }

    /// ORG-23: a service that confirms everything and keeps something else is a failure that the user sees.
    @Test func aServiceThatKeepsAnotherTextIsAFailure() async throws {
        let service = try await ServiceScene()
        try await service.scene.useRules(ServiceScene.rules)
        service.remote.change { $0.losesActivation = true }
        try await service.turn(true)
        let sentence = "The service confirms changes to its scripts but does not make them."
        #expect(try await service.state.failure?.sentence == sentence)
        service.remote.change { $0.losesActivation = false }
        await service.settle()
        #expect(try await service.isThere())
        await service.test.kernel.stop()
    }

    /// ORG-27: wherever an answer is lost or a command comes late, the rules end in exactly one place.
    @Test(arguments: MemoryScripts.Fault.allCases)
    func lostAnswersEndInOnePlace(_ fault: MemoryScripts.Fault) async throws {
        let service = try await ServiceScene()
        for number in 1...14 {
            try await service.scene.useRules(ServiceScene.rules)
            service.remote.change {
                ($0.calls, $0.faults) = ([], [number: fault])
                ($0.texts, $0.active) = (["own": "keep;"], nil)
            }
            try await service.turn(true)
            try await service.settleAfterFaults()
            #expect(try await service.isThere(), "on, call \(number)")
            try await service.scene.useRules(ServiceScene.rules.replacing("swift", with: "n\(number)"))
            try await service.settleAfterFaults()
            #expect(try await service.isThere(), "changed, call \(number)")
            #expect(service.remote.now.texts[ServiceScene.name]?.contains("n\(number)") == true)
            try await service.turn(false)
            try await service.settleAfterFaults()
            #expect(try await service.isHere(), "off, call \(number)")
            #expect(service.remote.now.texts == ["own": "keep;"])
        }
        await service.test.kernel.stop()
    }

    /// ORG-27: the same where the program is killed, at each write and each call, on and off.
    @Test(arguments: [true, false])
    func killsEndInOnePlace(_ isOn: Bool) async throws {
        for writes in 0..<6 {
            let (disk, clock, secrets) = (MemoryStorage.Disk(), ManualClock(), SecretDrawers())
            let remote = MemoryScripts()
            let first = try await ServiceScene(remote, on: disk, clock: clock, secrets: secrets)
            try await first.scene.useRules(ServiceScene.rules)
            if !isOn { try await first.turn(true) }
            disk.stop(afterWrites: writes)
            try? await first.turn(isOn)
            await first.test.kernel.stop()
            _ = disk.goOn()
            let second = try await ServiceScene(
                remote, on: disk, clock: clock, server: first.test.server, secrets: secrets)
            let wanted = try await second.state.isWanted
            await second.settle(times: 2)
            let isSettled = wanted ? try await second.isThere() : try await second.isHere()
            #expect(isSettled || !wanted && remote.now.texts.isEmpty, "killed at write \(writes)")
            await second.test.kernel.stop()
        }
    }

    /// ORG-20: a service without scripts, or one that does not keep the mark, runs no rules.
    @Test func withoutFlagsNothingRunsThere() async throws {
        let service = try await ServiceScene()
        try await service.scene.useRules(ServiceScene.rules)
        service.remote.change { $0.keepsKeywords = false }
        try await service.turn(true)
        #expect(try await service.state.found?.obstacle != nil)
        #expect(service.remote.now.texts.isEmpty)
        await service.test.kernel.stop()
    }
}
