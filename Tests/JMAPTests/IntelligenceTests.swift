import Care
import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import PluginCalls
import Synchronization
import Testing

@testable import Intelligence

/// A kernel with the models in memory, and mail to try them on.
struct SmartKernel {
    static let plugin = "org.example.tiny"

    let test: TestKernel
    let models: ScriptedModels

    /// - Parameter writes: whether the model that writes counts as large enough.
    init(
        isDownloaded: Bool = true, writes: Bool = false, machine: Machine = Machine { nil },
        disk: MemoryStorage.Disk = MemoryStorage.Disk(), clock: ManualClock = ManualClock(),
        program: ProgramAccess = ProgramAccess(), calls: ProviderCalls = ProviderCalls(),
        wrapStorage: (any StorageBackend) -> any StorageBackend = { $0 }
    ) async throws {
        models = ScriptedModels(MemoryModelProvider(isDownloaded: isDownloaded, clock: clock))
        if writes { models.script.withLock { $0.sizes[MemoryModelProvider.writer] = 400_000_000 } }
        test = try await TestKernel(
            on: disk, clock: clock, models: [Self.plugin: models], machine: machine, program: program,
            calls: calls, wrapStorage: wrapStorage)
    }

    static func message(
        from: String = "Bea Brown <bea@gmail.com>", subject: String, _ text: String,
        headers: String = "", id: String = UUID().uuidString, answers: String? = nil
    ) -> String {
        let answer =
            answers.map { "In-Reply-To: <\($0)@example.org>\nReferences: <\($0)@example.org>\n" } ?? ""
        return """
            From: \(from)
            To: ada@example.org
            Subject: \(subject)
            Message-ID: <\(id)@example.org>
            Date: Tue, 14 Nov 2023 10:00:00 +0000
            \(answer)\(headers)Content-Type: text/plain; charset=utf-8

            \(text)
            """.replacingOccurrences(of: "\n", with: "\r\n")
    }

    func category(_ id: String) async throws -> String {
        let answer = try await test.call("Category/get", ["ids": [.string(id)]])
        return answer["list"][0]?["category"]?.stringValue ?? "missing"
    }

    /// Why older mail is not being sorted.
    func pause() async throws -> JSONValue {
        try await test.call("Category/get", ["ids": []])["pausedBy"]
    }

    func sorted(_ id: String) async throws -> String {
        try await test.wait(for: "a category") { try await category(id) != "uncategorized" }
        return try await category(id)
    }

    func thread(of id: String) async throws -> String {
        let answer = try await test.call("Email/get", ["ids": [.string(id)], "properties": ["threadId"]])
        return try #require(answer["list"][0]?["threadId"]?.stringValue)
    }

    func replies(to id: String) async throws -> (replies: [String], by: JSONValue) {
        let answer = try await test.call("Suggestion/get", ["emailId": .string(id)])
        return (answer["replies"].strings, answer["writtenBy"])
    }

    func summary(_ thread: String, onRequest: Bool = false) async throws -> JSONValue {
        var arguments: [String: JSONValue] = ["ids": [.string(thread)]]
        if onRequest { arguments["onRequest"] = true }
        return try await test.call("ThreadSummary/get", .object(arguments))["list"][0] ?? .null
    }

    func offers() async throws -> JSONValue {
        let data = try await test.jmap.session(for: TestKernel.page, at: TestKernel.urls)
        let session = try JSONDecoder().decode(JSONValue.self, from: data)
        return session["capabilities"]?["urn:mailkernel:models"] ?? .null
    }
}

/// The categories of Foundation 5, NFR-SET-01 for corrections, E-SO-18 and E-SO-19.
@Suite("Mail is sorted in the background") struct CategoryTests {
    @Test func headersSayMost() async throws {
        let smart = try await SmartKernel()
        let cases: [(String, String)] = [
            (
                SmartKernel.message(subject: "Dinner?", "Are you free on Friday? I would love to see you."),
                "primary"
            ),
            (
                SmartKernel.message(
                    from: "Shop <newsletter@shop.example>", subject: "Sale: 30 % off, exclusive offer",
                    "Save now with this coupon.", headers: "List-Unsubscribe: <mailto:x@shop.example>\n"),
                "promotions"
            ),
            (
                SmartKernel.message(
                    from: "Ann <ann@lists.example>", subject: "[dev] Re: the patch", "I think it is fine.",
                    headers: "List-Id: <dev.lists.example>\nList-Post: <mailto:dev@lists.example>\n"),
                "forums"
            ),
            (
                SmartKernel.message(
                    from: "Shop <no-reply@shop.example>", subject: "Your order has shipped: tracking number",
                    "Delivery on Thursday.", headers: "Auto-Submitted: auto-generated\n"), "updates"
            ),
            (
                SmartKernel.message(
                    from: "Network <notify@facebookmail.com>", subject: "Tom tagged you", "See the photo."),
                "social"
            ),
        ]
        for (message, expected) in cases {
            let id = try await smart.test.add(message)
            #expect(try await smart.sorted(id) == expected)
        }
    }

    @Test func withoutAModelThereAreNoCategories() async throws {
        let smart = try await SmartKernel(isDownloaded: false)
        #expect(try await smart.offers() == ["categories": false, "replies": false, "summaries": false])
        let id = try await smart.test.add(
            SmartKernel.message(subject: "Hello", "Are you there? Let me know."))
        await smart.test.settle()
        #expect(try await smart.category(id) == "uncategorized")
        #expect(try await smart.replies(to: id).replies.isEmpty)
        #expect(try await smart.summary(try await smart.thread(of: id), onRequest: true)["text"] == .null)
    }

    /// E-SO-19: what was there is hidden with the model, and comes back with it.
    @Test func theyComeAndGoWithTheModel() async throws {
        let smart = try await SmartKernel(isDownloaded: false)
        let id = try await smart.test.add(SmartKernel.message(subject: "Hello", "Are you there?"))
        func set(_ status: String) async throws {
            for name in ["tiny-reader", "tiny-writer"] {
                try await smart.test.program(
                    "Model/set",
                    ["update": ["org_example_tiny__\(name)": ["status": .string(status)]]])
            }
        }
        try await set("downloading")
        #expect(try await smart.sorted(id) == "primary")
        #expect(try await smart.offers()["categories"] == true)
        try await set("notDownloaded")
        #expect(try await smart.category(id) == "uncategorized")
        #expect(try await smart.offers()["categories"] == false)
    }

    @Test func aRestartReadsNothingTwice() async throws {
        let disk = MemoryStorage.Disk()
        let first = try await SmartKernel(disk: disk)
        let id = try await first.test.add(SmartKernel.message(subject: "Hello", "Are you there?"))
        #expect(try await first.sorted(id) == "primary")
        await first.test.kernel.stop()
        let second = try await SmartKernel(disk: disk)
        #expect(try await second.category(id) == "primary")
        let other = try await second.test.add(SmartKernel.message(subject: "Next", "And you?"))
        #expect(try await second.sorted(other) == "primary")
        #expect(!second.models.now.embedded.joined().contains { $0.hasPrefix("Hello.") })
    }

    /// A correction stays, takes the rest of that sender's mail along, and is known after a restart.
    @Test func aCorrectionWinsAndIsRemembered() async throws {
        let disk = MemoryStorage.Disk()
        let smart = try await SmartKernel(disk: disk)
        func mail(_ subject: String) -> String {
            SmartKernel.message(
                from: "Club <news@club.example>", subject: subject, "What is on this week.",
                headers: "List-Unsubscribe: <mailto:x@club.example>\n")
        }
        let one = try await smart.test.add(mail("Issue 1"))
        let two = try await smart.test.add(mail("Issue 2"))
        let stranger = try await smart.test.add(
            SmartKernel.message(
                from: "Other <news@club.example.org>", subject: "Sale", "Offers.",
                headers: "List-Unsubscribe: <mailto:x@club.example>\n"))
        #expect(try await smart.sorted(one) == "promotions")
        #expect(try await smart.sorted(two) == "promotions")
        #expect(try await smart.sorted(stranger) == "promotions")
        let news = smart.test.kernel.store.news.listen()
        let answer = try await smart.test.call("Category/set", ["update": [one: ["category": "primary"]]])
        #expect(answer["updated"].keys == [one] && answer["oldState"] != answer["newState"])
        #expect(await news.first { _ in true }?.keys.contains { $0.type == Categories.dataType } == true)
        #expect(try await smart.category(one) == "primary")
        #expect(try await smart.category(two) == "primary")
        #expect(try await smart.category(stranger) == "promotions")
        await smart.test.kernel.stop()
        let later = try await SmartKernel(disk: disk)
        let three = try await later.test.add(mail("Issue 3: sale, offers, coupon"))
        #expect(try await later.sorted(three) == "primary")
        let get = try await later.test.call("Category/get", ["ids": [.string(one), .string(three)]])
        #expect(get["list"].arrayValue?.map { $0["isCorrected"] } == [true, false])
    }

    /// “Mail like this is in Primary from now on” holds for the second time too, and for one kind of mail alone
    /// where a sender has several.
    @Test func whatWasSaidLastCountsForMailThatIsLikeIt() async throws {
        let smart = try await SmartKernel()
        func add(_ subject: String, _ text: String) async throws -> String {
            let id = try await smart.test.add(
                SmartKernel.message(
                    from: "Club <news@club.example>", subject: subject, text,
                    headers: "List-Unsubscribe: <mailto:x@club.example>\n"))
            _ = try await smart.sorted(id)
            return id
        }
        func correct(_ id: String, _ category: String) async throws {
            let answer = try await smart.test.call(
                "Category/set", ["update": [id: ["category": .string(category)]]])
            #expect(answer["updated"].keys == [id])
        }
        let programme = "Concerts, lectures and exhibitions of the coming week in our house."
        let bill = "Invoice: amount due, account number, payment within ten days."
        let bills = [try await add("Your bill", bill), try await add("Another bill", bill)]
        let issues = [try await add("Issue 1", programme), try await add("Issue 2", programme)]
        try await correct(bills[0], "updates")
        #expect(try await smart.category(issues[0]) == "updates")
        try await correct(issues[0], "primary")
        #expect(try await smart.category(issues[1]) == "primary")
        #expect(try await smart.category(bills[1]) == "updates")
        #expect(try await smart.category(try await add("Issue 3", programme)) == "primary")
        #expect(try await smart.category(try await add("The next bill", bill)) == "updates")
        try await correct(issues[1], "social")
        #expect(try await smart.category(try await add("Issue 4", programme)) == "social")
    }

    /// What was corrected is read first by another model, so that all that it reads later follows.
    @Test func anotherModelLearnsFromTheCorrectionsFirst() async throws {
        let smart = try await SmartKernel()
        let id = try await smart.test.add(
            SmartKernel.message(subject: "The oldest", "Are you there?"), receivedAt: "2023-11-01T10:00:00Z")
        _ = try await smart.sorted(id)
        _ = try await smart.test.call("Category/set", ["update": [id: ["category": "social"]]])
        var last = ""
        for number in 0..<20 {
            last = try await smart.test.add(SmartKernel.message(subject: "Letter \(number)", "Good morning."))
            _ = try await smart.sorted(last)
        }
        smart.models.script.withLock { $0.embedded = [] }
        smart.models.script.withLock { $0.digest = String(repeating: "a", count: 64) }
        await smart.test.kernel.intelligence.models.lookAgain()
        try await smart.test.wait(for: "all to be read again") {
            smart.models.script.withLock { $0.embedded.joined().filter { $0.contains("Letter") }.count >= 20 }
        }
        let mail = smart.models.script.withLock { $0.embedded.joined() }
            .filter { $0.contains("Letter") || $0.contains("The oldest") }
        #expect(mail.first?.contains("The oldest") == true)
    }

    @Test func whatIsNoCategoryIsRefused() async throws {
        let smart = try await SmartKernel()
        let id = try await smart.test.add(SmartKernel.message(subject: "Hello", "Are you there?"))
        let answer = try await smart.test.call(
            "Category/set", ["update": [id: ["category": "spam"], "nothing": ["category": "primary"]]])
        #expect(answer["notUpdated"][id]?["type"] == "invalidProperties")
        #expect(answer["notUpdated"]["nothing"]?["type"] == "notFound")
        let reader = try await smart.test.call(
            "Category/set", ["update": [id: ["category": "primary"]]], as: TestKernel.reader)
        #expect(reader.error == "accountReadOnly")
    }

    /// What is old waits for a quiet hour, and that is said; what came today does not, and neither does what a client
    /// looks at.
    @Test func aBusyMachineSortsTheMailOfTheDayAndWhatIsLookedAtOnly() async throws {
        let strain = Mutex<Machine.Strain?>(.battery)
        let smart = try await SmartKernel(machine: Machine { strain.withLock { $0 } })
        let old = try await smart.test.add(
            SmartKernel.message(subject: "Old", "Are you there?"), receivedAt: "2023-11-01T10:00:00Z")
        let new = try await smart.test.add(
            SmartKernel.message(subject: "New", "Are you there?"), receivedAt: "2023-11-14T20:00:00Z")
        let other = try await smart.test.add(
            SmartKernel.message(subject: "Other", "Are you there?"), receivedAt: "2023-11-02T10:00:00Z")
        #expect(try await smart.sorted(new) == "primary")
        try await smart.test.wait(for: "the pause") { try await smart.pause() == "battery" }
        let found = try await smart.test.storage.insights(of: [Id(old), Id(other)], in: smart.test.ada)
        #expect(found.isEmpty)
        #expect(try await smart.sorted(old) == "primary")
        #expect(try await smart.test.storage.insights(of: [Id(other)], in: smart.test.ada).isEmpty)
        #expect(try await smart.pause() == "battery")
        strain.withLock { $0 = nil }
        smart.test.clock.advance(by: 60)
        try await smart.test.wait(for: "the end of the pause") { try await smart.pause() == .null }
        #expect(try await smart.sorted(other) == "primary")
    }

    /// What was asked for last is on the screen now: it comes first, from the top.
    @Test func whatIsLookedAtIsSortedFirst() async throws {
        let smart = try await SmartKernel(isDownloaded: false)
        let categories = smart.test.kernel.intelligence.categories
        let ids = (1...4).map { Id<Email>("M\($0)") }
        await categories.want([ids[2], ids[0]], besides: [ids[1]], in: smart.test.ada)
        await categories.want([ids[1], ids[3], ids[2]], besides: [ids[1]], in: smart.test.ada)
        #expect(await categories.takeWanted(2, in: smart.test.ada) == [ids[3], ids[2]])
        #expect(await categories.takeWanted(8, in: smart.test.ada) == [ids[0]])
        #expect(await categories.takeWanted(8, in: smart.test.ada) == [])
    }

    @Test func oneMessageThatAModelCannotReadKeepsNoOtherFromBeingSorted() async throws {
        let smart = try await SmartKernel(isDownloaded: true)
        smart.models.script.withLock { $0.unreadable = "poison" }
        let bad = try await smart.test.add(SmartKernel.message(subject: "poison", "Are you there?"))
        let good = try await smart.test.add(SmartKernel.message(subject: "Good", "Are you there?"))
        #expect(try await smart.sorted(good) == "primary")
        #expect(try await smart.sorted(bad) == "primary")
    }

    /// There is nothing beside it that can be read: the model is asked something harmless.
    @Test func aMessageThatAModelCannotReadIsNotTriedForever() async throws {
        let smart = try await SmartKernel()
        smart.models.script.withLock { $0.unreadable = "poison" }
        let bad = try await smart.test.add(SmartKernel.message(subject: "poison", "Are you there?"))
        #expect(try await smart.sorted(bad) == "primary")
    }

    @Test func aModelThatFailsIsTriedLessAndLessOften() async throws {
        #expect((0..<6).map(Sorting.rest(afterFailures:)) == [60, 120, 240, 480, 960, 960])
        let clock = ManualClock()
        let smart = try await SmartKernel(clock: clock)
        smart.models.script.withLock { $0.embedError = .failed(reason: "It is out of order.") }
        let first = try await smart.test.add(SmartKernel.message(subject: "One", "Are you there?"))
        try await smart.test.wait(for: "the first try") { !smart.models.now.embedded.isEmpty }
        // More mail is no reason to try it again at once.
        for number in 2..<12 {
            _ = try await smart.test.add(SmartKernel.message(subject: "\(number)", "Are you there?"))
            await smart.test.settle()
        }
        #expect(smart.models.now.embedded.count <= 2)
        smart.models.script.withLock { $0.embedError = nil }
        try await smart.test.wait(for: "the next try") {
            clock.advance(by: 60)
            return try await smart.category(first) != "uncategorized"
        }
    }

    /// A model that keeps crashing is listed as what it is, does nothing, and can be tried again.
    @Test func aModelThatIsGivenUpIsShownAsSuch() async throws {
        let smart = try await SmartKernel()
        let id = "org_example_tiny__tiny-reader"
        @Sendable func model() async throws -> JSONValue {
            try await smart.test.program("Model/get", ["ids": [.string(id)]])["list"][0] ?? .null
        }
        #expect(try await model()["status"] == "downloaded")
        smart.models.script.withLock { script in
            script.embedError = .failed(reason: "It crashed.")
            script.givenUp = [
                MemoryModelProvider.reader: "It crashed several times.",
                MemoryModelProvider.writer: "It crashed several times.",
            ]
        }
        let mail = try await smart.test.add(SmartKernel.message(subject: "Hello", "Are you there?"))
        try await smart.test.wait(for: "the state of the model") {
            try await model()["status"] == "unusable"
        }
        #expect(try await model()["reason"] == "It crashed several times.")
        #expect(try await smart.offers()["categories"] == false)
        smart.models.script.withLock { $0.embedError = nil }
        try await smart.test.program("Model/set", ["update": [id: ["status": "downloading"]]])
        #expect(try await model()["status"] == "downloaded")
        #expect(try await smart.sorted(mail) == "primary")
    }

    @Test(.timeLimit(.minutes(10))) func aStopDoesNotWaitForTheModel() async throws {
        let smart = try await SmartKernel()
        smart.models.script.withLock { $0.hangs = true }
        _ = try await smart.test.add(SmartKernel.message(subject: "Hello", "Are you there?"))
        try await smart.test.wait(for: "the model to begin") { !smart.models.now.embedded.isEmpty }
        // The model itself would never end.
        await smart.test.kernel.stop()
    }
}
