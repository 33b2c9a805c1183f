import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import TestSupport
import Testing

@testable import Intelligence

@Suite("Sorting without a store") struct SortingTests {
    /// `make bench` prints how many of each category are right, and with which model.
    @Test func headersAndWordsAloneSortMostMail() async throws {
        let labeled = LabeledMail.all
        #expect(labeled.count >= 300 && Set(labeled.map(\.language)).count == 5)
        #expect(Set(labeled.map(\.message)).count == labeled.count)
        let trial = try await SortingTrial(nil)
        let found = try await trial.categories(
            of: labeled.map { SortingTrial.Message($0.message) }, by: .signals)
        let right = zip(labeled, found).filter { $0.category == $1.rawValue }
        #expect(Double(right.count) >= 0.75 * Double(labeled.count), "\(right.count)")
    }

    /// Whose headers say little, with each signal by itself.
    @Test(arguments: [
        ("List-Id: <a.example>\r\nList-Post: <mailto:a@example.org>", EmailCategory.forums),
        ("List-Id: <a.example>\r\nList-Post: NO\r\nList-Unsubscribe: <mailto:a@example.org>", .promotions),
        ("Auto-Submitted: auto-generated", .updates), ("In-Reply-To: <x@example.net>", .primary),
        ("X-Gmail-Labels: Inbox,Category Forums", .primary),
    ]) func aHeaderSpeaksForItself(_ header: String, _ category: EmailCategory) async throws {
        let message = Data(
            "From: x@firm.example\r\nTo: ada@example.net\r\nSubject: Hm\r\n\(header)\r\n\r\nWell.\r\n".utf8)
        let found = try await SortingTrial(nil).categories(of: [SortingTrial.Message(message)], by: .signals)
        #expect(found == [category])
    }

    /// Gmail's labels count where they came out of the user's own file, and nowhere else.
    @Test func labelsAreTrustedFromAFileOnly() {
        let email = Email(
            id: Id("M"), accountID: Id("A"), blobID: Id("B"), mailboxIDs: [], size: 1, receivedAt: Date(),
            header: EmailHeader(from: [EmailAddress(email: "x@gmail.com")], subject: "Hm"))
        let headers = [HeaderField(name: "X-Gmail-Labels", value: "Inbox,Category Promotions,Unread")]
        var context = SignalContext(ownAddress: "ada@example.net")
        #expect(HeaderSignals.evidence(email, headers, text: "", context).best == .primary)
        context.trustsLabels = true
        #expect(HeaderSignals.evidence(email, headers, text: "", context).best == .promotions)
    }

    @Test func whomTheUserWroteToIsNoNewsletter() {
        let email = Email(
            id: Id("M"), accountID: Id("A"), blobID: Id("B"), mailboxIDs: [], size: 1, receivedAt: Date(),
            header: EmailHeader(from: [EmailAddress(email: "bea@firm.example")], subject: "Offer"))
        let headers = [HeaderField(name: "List-Unsubscribe", value: "<mailto:x@firm.example>")]
        var context = SignalContext(ownAddress: "ada@example.net")
        #expect(HeaderSignals.evidence(email, headers, text: "", context).best == .promotions)
        context.isKnownSender = true
        context.isInOwnThread = true
        #expect(HeaderSignals.evidence(email, headers, text: "", context).best == .primary)
    }

    @Test(arguments: [
        ("Could you please tell me when you are free for the call?", "en"),
        ("Können Sie mir bitte sagen, wann Sie für das Gespräch Zeit haben?", "de"),
        ("Pouvez-vous me dire quand vous êtes libre pour la réunion ?", "fr"),
        ("¿Puedes decirme cuándo tienes tiempo para la reunión? Gracias", "es"),
        ("Puoi dirmi quando hai tempo per la riunione? Grazie, ciao", "it"),
        ("Kan du ringe meg?", nil), ("OK", nil), ("会議はいつですか", nil),
    ]) func theLanguageOfAText(_ text: String, _ tag: String?) {
        #expect(MailLanguage.of(text)?.rawValue == tag)
    }

    @Test func sentencesEndWhereTheyEnd() {
        #expect(
            Sentences.of("Hello Dr. Who. It is 10.30 on the 3. of May! Is it?\nYes")
                == ["Hello Dr. Who.", "It is 10.30 on the 3. of May!", "Is it?", "Yes"])
        #expect(Sentences.of("").isEmpty)
    }

    /// Every language has a full set, and no two replies of a set are the same.
    @Test func theBankIsWhole() {
        for language in MailLanguage.allCases {
            let occasions = ReplyBank.occasions[language] ?? []
            #expect(occasions.count == ReplyBank.occasions[.english]?.count, "\(language)")
            let sets = occasions.map(\.replies) + [ReplyBank.general[language] ?? []]
            for replies in sets {
                #expect(Set(replies).count == 3)
                for reply in replies {
                    #expect(SafeText.line(reply, limit: ReplyWriter.limit) == reply, "\(reply)")
                }
            }
        }
    }

    @Test func theMachineIsAsked() throws {
        #expect(Machine.isBusy(load: "4.10 2.0 1.0 3/200 1234", cores: 2))
        #expect(!Machine.isBusy(load: "3.00 2.0 1.0 3/200 1234", cores: 2))
        #expect(!Machine.isBusy(load: "7.00 2.0 1.0 3/200 1234", cores: 8))
        #expect(!Machine.isBusy(load: "nonsense", cores: 2))
        _ = Machine.linux.strain()
        let supplies = try TemporaryFolder()
        func supply(_ name: String, _ files: [String: String]) throws {
            let folder = supplies.url.appending(path: name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (file, text) in files {
                try Data("\(text)\n".utf8).write(to: folder.appending(path: file))
            }
        }
        try supply("AC", ["type": "Mains", "online": "0"])
        try supply("mouse", ["type": "Battery", "scope": "Device", "status": "Discharging"])
        try supply("BAT0", ["type": "Battery", "status": "Charging"])
        #expect(!Machine.isOnBattery(supplies.url))
        try supply("BAT0", ["status": "Discharging"])
        #expect(Machine.isOnBattery(supplies.url))
        #expect(!Machine.isOnBattery(supplies.url.appending(path: "nowhere")))
    }

    /// What the user sorts by hand moves what looks like it.
    @Test func aCategoryLearns() {
        let prototypes: [EmailCategory: [[Float]]] = [
            .primary: [[1, 0, 0]], .promotions: [[0, 1, 0]], .updates: [[0, 0, 1]],
        ]
        func best(_ corrections: [(category: EmailCategory, vector: [Float])]) -> EmailCategory {
            var evidence = Evidence()
            Centroids(prototypes: prototypes, corrections: corrections).add([0.6, 0.8, 0], to: &evidence)
            return evidence.best
        }
        #expect(best([]) == .promotions)
        #expect(best([(.updates, [0.6, 0.8, 0])]) == .updates)
        #expect(best([(.primary, [0.88, 0.475, 0]), (.primary, [0.87, 0.493, 0])]) == .primary)
    }

    @Test func aStoredSummaryIsReadBack() {
        let summary = StoredSummary(text: "One.\nTwo.", isWritten: true, emails: "3f", modelID: "a_b__c")
        #expect(StoredSummary(summary.record) == summary)
        for broken in ["", "written", "written x\ntext", "other 3 m\ntext"] {
            #expect(StoredSummary(broken) == nil)
        }
    }
}
