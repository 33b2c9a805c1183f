import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Intelligence

/// FR-COMP-03: three replies, on request, never in the way.
@Suite("Replies to choose from") struct ReplyTests {
    private static let meeting = "Can we meet on Tuesday at ten? Let me know which time suits you for a call."

    @Test func threeRepliesThatDifferInIntent() async throws {
        let smart = try await SmartKernel()
        let id = try await smart.test.add(SmartKernel.message(subject: "A call", Self.meeting))
        let (replies, by) = try await smart.replies(to: id)
        #expect(
            replies == [
                "That time works for me.", "I'm afraid I can't make it then.", "Could we find another time?",
            ])
        #expect(by == "bank")
    }

    @Test(arguments: [
        (
            "Können wir uns am Dienstag um zehn treffen? Welcher Termin passt Ihnen für ein Gespräch?",
            "Der Termin passt mir gut."
        ),
        (
            "Pouvons-nous nous voir mardi à dix heures ? Quel horaire vous convient pour un appel ?",
            "Cet horaire me convient."
        ),
        (
            "¿Podemos vernos el martes a las diez? ¿Qué hora le viene bien para una llamada?",
            "Me viene bien a esa hora."
        ),
        (
            "Possiamo vederci martedì alle dieci? Che orario va bene per una chiamata?",
            "Per me l'orario va bene."
        ),
    ]) func inTheLanguageOfTheMessage(_ text: String, _ reply: String) async throws {
        let smart = try await SmartKernel()
        let id = try await smart.test.add(SmartKernel.message(subject: "", text))
        #expect(try await smart.replies(to: id).replies.first == reply)
    }

    /// However little a model knows of a language: what its words say is answered, and a quotation is
    /// not congratulated on.
    @Test(arguments: [
        (
            "Angebot",
            "Guten Tag, anbei unser Angebot für die neuen Fenster. Wir würden uns freuen, wenn Sie uns bis Ende "
                + "der Woche Bescheid geben.", "Einverstanden, bitte so machen."
        ),
        (
            "Montag",
            "Können wir die Besprechung auf Mittwoch verschieben? Ich bin den ganzen Tag unterwegs.",
            "Der Termin passt mir gut."
        ),
        (
            "Dîner samedi",
            "Salut, nous faisons un dîner samedi soir à la maison. Est-ce que tu veux venir ?",
            "Avec grand plaisir, merci."
        ),
        (
            "Reunión", "Hola, ¿podemos mover la reunión del martes al jueves a las cinco? Tengo médico.",
            "Me viene bien a esa hora."
        ),
        (
            "Documenti",
            "Buongiorno, le mando i documenti. Può controllarli e rimandarmeli firmati entro venerdì?",
            "Certo, la invio subito."
        ),
        (
            "Sammlung",
            "Die Sammlung der alten Karten wird im Herbst auch in der Bücherei gezeigt und ist groß.",
            "Danke für die Nachricht, das passt für mich."
        ),
    ]) func wordsSayWhichOccasionItIs(_ subject: String, _ text: String, _ reply: String) async throws {
        let smart = try await SmartKernel()
        let id = try await smart.test.add(SmartKernel.message(subject: subject, text))
        #expect(try await smart.replies(to: id).replies.first == reply)
    }

    @Test func everyLanguageOfTheBankHasTheSameOccasions() {
        for language in MailLanguage.allCases {
            #expect(ReplyBank.occasions[language]?.count == 10)
            guard language != .english else { continue }
            #expect(ReplyCues.bonuses(in: "", language)?.count == 10)
            // Each occasion is named by the words of its own examples.
            for (index, occasion) in (ReplyBank.occasions[language] ?? []).enumerated() {
                for example in occasion.examples {
                    #expect(ReplyCues.bonuses(in: example, language)?[index] != nil, "\(example)")
                }
            }
        }
    }

    @Test func whatIsLikeNothingGetsGeneralReplies() async throws {
        let smart = try await SmartKernel()
        let id = try await smart.test.add(
            SmartKernel.message(
                subject: "Bicycle", "Some people at our village collect stamps with whales on them."))
        #expect(try await smart.replies(to: id).replies.count == 3)
    }

    @Test func aLargeModelWritesThem() async throws {
        let smart = try await SmartKernel(writes: true)
        smart.models.script.withLock {
            $0.says = "Yes: Sounds good to me.\nNo: I would rather not.\nQuestion: What would we eat?"
        }
        let id = try await smart.test.add(SmartKernel.message(subject: "A call", Self.meeting))
        let (replies, by) = try await smart.replies(to: id)
        #expect(replies == ["Sounds good to me.", "I would rather not.", "What would we eat?"])
        #expect(by == "model")
        #expect(smart.models.now.requests.first?.grammar?.contains("root ::=") == true)
    }

    @Test func nobodyAnswersRobotsOrThemselves() async throws {
        let smart = try await SmartKernel()
        for message in [
            SmartKernel.message(from: "no-reply@shop.example", subject: "Call", Self.meeting),
            SmartKernel.message(from: "ada@example.org", subject: "Call", Self.meeting),
            SmartKernel.message(
                subject: "Call", Self.meeting, headers: "List-Unsubscribe: <mailto:x@example.org>\n"),
        ] {
            let id = try await smart.test.add(message)
            #expect(try await smart.replies(to: id).replies.isEmpty)
        }
        #expect(try await smart.replies(to: "nothing").by == .null)
    }

    /// A model that hangs costs the reader nothing: the bank answers, and where it cannot, there is nothing.
    @Test func whatTakesTooLongIsAbsent() async throws {
        let clock = ManualClock()
        let smart = try await SmartKernel(clock: clock)
        let id = try await smart.test.add(SmartKernel.message(subject: "Call", Self.meeting))
        _ = try await smart.sorted(id)
        #expect(try await smart.replies(to: id).replies.count == 3)
        smart.models.script.withLock { $0.hangs = true }
        let asked = smart.models.now.embedded.count
        async let waiting = smart.replies(to: id)
        try await smart.test.wait(for: "the model to begin") { smart.models.now.embedded.count > asked }
        let moving = Task { await clock.keepMoving(by: 1) }
        try await smart.test.wait(for: "the end of patience") { smart.models.now.cancelled > 0 }
        moving.cancel()
        let (replies, by) = try await waiting
        #expect(replies.isEmpty && by == .null)
        await smart.test.kernel.stop()
    }

    /// A machine that needs longer for the bank than a caller waits reads it once, and answers the next call.
    @Test func aSlowMachineReadsTheBankOnceAndAnswersTheNext() async throws {
        let clock = ManualClock()
        let smart = try await SmartKernel(clock: clock)
        let one = try await smart.test.add(SmartKernel.message(subject: "Call", Self.meeting))
        let two = try await smart.test.add(SmartKernel.message(subject: "Call again", Self.meeting))
        _ = try await (smart.sorted(one), smart.sorted(two))
        smart.models.script.withLock { $0.isHeld = true }
        let asked = smart.models.now.embedded.count
        async let waiting = smart.replies(to: one)
        try await smart.test.wait(for: "the model to begin") { smart.models.now.embedded.count > asked }
        let moving = Task { await clock.keepMoving(by: 1) }
        #expect(try await waiting.replies.isEmpty)
        moving.cancel()
        await moving.value
        smart.models.script.withLock { $0.isHeld = false }
        #expect(try await smart.replies(to: two).replies.count == 3)
        let bank = smart.models.now.embedded.filter { $0.joined().contains("review the attached draft") }
        #expect(bank.count == 1)
    }

    @Test func movingOnEndsTheWork() async throws {
        let smart = try await SmartKernel()
        let one = try await smart.test.add(SmartKernel.message(subject: "Call", Self.meeting))
        let two = try await smart.test.add(SmartKernel.message(subject: "Call again", Self.meeting))
        _ = try await (smart.sorted(one), smart.sorted(two))
        #expect(try await smart.replies(to: two).replies.count == 3)
        smart.models.script.withLock { $0.hangs = true }
        let asked = smart.models.now.embedded.count
        async let first = smart.replies(to: one)
        try await smart.test.wait(for: "the model to begin") { smart.models.now.embedded.count > asked }
        smart.models.script.withLock { $0.hangs = false }
        let second = try await smart.replies(to: two)
        #expect(try await first.replies.isEmpty && second.replies.count == 3)
        // No call waits for it to notice.
        try await smart.test.wait(for: "the end of the first work") { smart.models.now.cancelled == 1 }
    }

    /// Asks for replies to one of Ada's messages, and returns once the model is at work, which then stands still.
    private static func begin(
        _ id: Id<Email>, _ smart: SmartKernel
    ) async throws -> Task<Replies.Suggestion, any Error> {
        smart.models.script.withLock { $0.isHeld = true }
        let asked = smart.models.now.embedded.count
        let (replies, account) = (smart.test.kernel.intelligence.replies, smart.test.ada)
        let task = Task { try await replies.suggestion(for: id, in: account) }
        try await smart.test.wait(for: "the model to begin") { smart.models.now.embedded.count > asked }
        return task
    }

    /// Two pages ask for the same message, and one is closed.
    @Test func whoStaysGetsThemThoughAnotherLeaves() async throws {
        let smart = try await SmartKernel()
        let id = Id<Email>(try await smart.test.add(SmartKernel.message(subject: "Call", Self.meeting)))
        _ = try await smart.sorted(id.rawValue)
        let replies = smart.test.kernel.intelligence.replies
        let account = smart.test.ada
        let leaving = try await Self.begin(id, smart)
        let staying = Task { try await replies.suggestion(for: id, in: account) }
        leaving.cancel()
        smart.models.script.withLock { $0.isHeld = false }
        #expect(try await staying.value.replies.count == 3)
    }

    /// Ids are unique in their account only.
    @Test func oneAccountsMessageIsNotAnsweredForAnothers() async throws {
        let smart = try await SmartKernel()
        let id = Id<Email>(try await smart.test.add(SmartKernel.message(subject: "Call", Self.meeting)))
        _ = try await smart.sorted(id.rawValue)
        let grace = smart.test.grace
        let other = Email(
            id: id, accountID: grace, blobID: Id("other"),
            mailboxIDs: [try await smart.test.mailbox(.inbox, of: grace)], size: 10, receivedAt: Date(),
            header: EmailHeader(
                messageID: ["other@example.org"], from: [EmailAddress(name: "Uwe", email: "uwe@example.de")],
                subject: "Termin"))
        let text = "Können wir uns am Dienstag um zehn treffen? Welcher Termin passt Ihnen für ein Gespräch?"
        let body = EmailBody(
            structure: EmailBodyPart(partID: "1", size: text.utf8.count, type: "text/plain"),
            values: ["1": EmailBodyValue(text)])
        _ = try await smart.test.storage.commit(ChangeSet([.putEmail(other, body)]))
        let replies = smart.test.kernel.intelligence.replies
        let first = try await Self.begin(id, smart)
        let second = Task { try await replies.suggestion(for: id, in: grace) }
        // Asking for another ends the first.
        #expect(try await first.value.replies.isEmpty)
        smart.models.script.withLock { $0.isHeld = false }
        #expect(try await second.value.replies.first == "Der Termin passt mir gut.")
    }
}
