import MailKernelAPI
import MailKernelConformance
import Testing

@Suite("The reference sink keeps what notifications promise") struct MemoryNotificationPromises {
    @Test(arguments: ConformanceCase.all(.notification))
    func keep(_ promise: ConformanceCase) async throws {
        let verdict = try await promise.check(ConformanceSubject(MemoryNotificationPlugin.self))
        #expect((verdict != .kept) == (promise.name == "withoutPermissionItSaysSo"), "\(verdict)")
    }

    @Test(arguments: ["denied", "unavailable", "undecided"], ConformanceCase.all(.notification))
    func keepWithoutPermission(_ permission: String, _ promise: ConformanceCase) async throws {
        let settings = PluginSettings(["permission": .string(permission), "answer": "denied"])
        _ = try await promise.check(ConformanceSubject(MemoryNotificationPlugin.self, settings: settings))
    }

    @Test(arguments: SinkFault.allCases)
    func aMistakeIsFound(_ fault: SinkFault) async throws {
        let promise = try #require(ConformanceCase.all(.notification).first { $0.name == fault.promise })
        let subject = ConformanceSubject { _ in .notification(BrokenSink(fault: fault)) }
        await #expect(throws: (any Error).self) { try await promise.check(subject) }
    }
}

@Suite("The sink in memory does what tests ask of it") struct MemoryNotificationTests {
    private func notification(_ id: String, _ title: String) -> MailNotification {
        MailNotification(id: Id(id), title: title, body: "")
    }

    @Test func remembersWhatIsShown() async throws {
        let sink = MemoryNotificationSink()
        try await sink.post(notification("1", "Ada"))
        try await sink.post(notification("2", "Grace"))
        try await sink.post(notification("1", "Ada again"))
        #expect(sink.shown.map(\.title) == ["Ada again", "Grace"])
        try await sink.withdraw([Id("1")])
        try await sink.setBadge(3)
        #expect(sink.shown.map(\.title) == ["Grace"])
        #expect(sink.posts == 3)
        #expect(sink.badge == 3)
    }

    @Test func tellsWhatTheUserDoes() async throws {
        let sink = MemoryNotificationSink()
        #expect(!sink.respond(to: Id("1")))
        let actions = sink.actions()
        #expect(sink.respond(to: Id("1"), action: "archive"))
        let response = await actions.first { _ in true }
        #expect(response == NotificationResponse(notificationID: Id("1"), actionID: "archive"))
    }

    @Test func asksTheUserOnce() async throws {
        let sink = MemoryNotificationSink(permission: .undecided, answer: .denied)
        await #expect(throws: NotificationError.denied) { try await sink.post(notification("1", "Ada")) }
        #expect(try await sink.requestPermission() == .denied)
        #expect(await sink.permission() == .denied)
        sink.setPermission(.granted)
        try await sink.post(notification("1", "Ada"))
    }
}

/// Mistakes that a sink could make, and the promise that finds each.
enum SinkFault: String, Sendable, CaseIterable {
    case refusesText, forgetsNothing, showsWithoutPermission, answersOtherwise

    var promise: String {
        switch self {
        case .refusesText: "anyTextIsShown"
        case .forgetsNothing: "withdrawingWhatIsGoneIsHarmless"
        case .showsWithoutPermission: "withoutPermissionItSaysSo"
        case .answersOtherwise: "askingSaysWhatHolds"
        }
    }
}

private struct BrokenSink: NotificationSink {
    let fault: SinkFault

    var features: NotificationFeatures { [] }

    func permission() -> NotificationPermission { fault == .showsWithoutPermission ? .denied : .granted }

    func requestPermission() throws(NotificationError) -> NotificationPermission {
        fault == .answersOtherwise ? .denied : permission()
    }

    func post(_ notification: MailNotification) throws(NotificationError) {
        if fault == .refusesText, notification.title.isEmpty { throw .refused("a title is needed") }
    }

    func withdraw(_ ids: [Id<MailNotification>]) throws(NotificationError) {
        if fault == .forgetsNothing { throw .refused("not shown") }
    }
}
