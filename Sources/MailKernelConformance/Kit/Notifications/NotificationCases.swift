import FoundationEssentials
import MailKernelAPI

/// What `NotificationSink` promises, as far as a program can see it: what the user sees, it cannot.
let notificationCases: [ConformanceCase] = [
    notificationCase("permissionIsTheSameTwice", "Asked twice, a sink reports the same permission.") {
        trial in
        let first = await trial.sink.permission()
        try expectEqual(await trial.sink.permission(), first, "the permission, asked for again")
    },
    notificationCase("askingSaysWhatHolds", "Asking the user returns the resulting permission.") { trial in
        let answer = try await trial.sink.requestPermission()
        try expectEqual(await trial.sink.permission(), answer, "the permission after asking the user")
        try expectEqual(try await trial.sink.requestPermission(), answer, "the answer to asking again")
    },
    notificationCase("aNotificationIsPosted", "A notification is accepted, replaced and withdrawn.") {
        trial in
        try await trial.requireGranted()
        try await trial.sink.post(trial.notification("one"))
        try await trial.sink.post(trial.notification("one", title: "Grace Hopper, again"))
        try await trial.sink.withdraw([trial.id("one")])
    },
    notificationCase(
        "withdrawingWhatIsGoneIsHarmless", "Withdrawing a notification that is not shown is not an error."
    ) {
        trial in
        try await trial.requireGranted()
        try await trial.sink.withdraw([])
        try await trial.sink.withdraw([trial.id("never posted")])
        try await trial.sink.post(trial.notification("one"))
        for _ in 0..<2 { try await trial.sink.withdraw([trial.id("one"), trial.id("other")]) }
    },
    notificationCase(
        "aRestartWithdrawsWhatWasShown", "A new sink withdraws notifications of an earlier one."
    ) {
        try await $0.requireGranted()
        try await $0.sink.post($0.notification("one"))
        let restarted = try NotificationTrial($0.bench)
        try await restarted.sink.withdraw([$0.id("one")])
    },
    notificationCase("anyTextIsShown", "Markup, control characters, empty and very long texts are accepted.")
    {
        trial in
        try await trial.requireGranted()
        let texts = [
            "", "<b>bold</b> &amp; <img src='x'>", "\u{0}\u{7}\u{1B}[2J\r\n\u{202E}back",
            "%s%n {0} $(reboot)",
            String(repeating: "long ", count: 20_000), "👩‍👩‍👧 עברית 日本語",
        ]
        for (number, text) in texts.enumerated() {
            try await trial.sink.post(trial.notification("text \(number)", title: text, body: text))
        }
        try await trial.sink.withdraw(texts.indices.map { trial.id("text \($0)") })
    },
    notificationCase("manyAtOnceAreTaken", "Fifty notifications in a row are accepted, in groups or not.") {
        trial in
        try await trial.requireGranted()
        for number in 0..<50 {
            var notification = trial.notification("many \(number)")
            notification.group = number.isMultiple(of: 2) ? "account" : nil
            notification.playsSound = number == 0
            try await trial.sink.post(notification)
        }
        try await trial.sink.withdraw((0..<50).map { trial.id("many \($0)") })
    },
    notificationCase("actionsAreTaken", "Buttons are accepted, whether or not they can be shown.") { trial in
        try await trial.requireGranted()
        var notification = trial.notification("buttons")
        notification.actions = (0..<10).map { .init(id: "action \($0)\u{0}", label: "Archive <\($0)>") }
        try await trial.sink.post(notification)
        try await trial.sink.withdraw([notification.id])
    },
    notificationCase("theBadgeTakesAnyNumber", "Any number of unread messages is accepted.") { trial in
        try await trial.requireGranted()
        for count in [1, 0, 100_000, 0, 0] { try await trial.sink.setBadge(count) }
    },
    notificationCase("readingActionsEndsWhenCancelled", "Reading the user's actions ends with its task.") {
        trial in
        let reading = Task {
            for await _ in trial.sink.actions() {}
        }
        reading.cancel()
        try await within(60, "actions: expected the stream to end within a minute of being cancelled") {
            await reading.value
        }
    },
    notificationCase(
        "withoutPermissionItSaysSo", "Without permission, posting throws “denied” or “unavailable”."
    ) {
        let permission = await $0.sink.permission()
        guard permission == .denied || permission == .unavailable else {
            throw NotApplicable("notifications may be shown")
        }
        let trial = $0
        func isRight(_ error: NotificationError) -> Bool {
            switch error {
            case .denied, .unavailable: true
            case .refused: false
            }
        }
        try await expectError("post without permission", NotificationError.self, where: isRight) {
            try await trial.sink.post(trial.notification("denied"))
        }
    },
    notificationCase("aCancelledPostEnds", "Posting in a canceled task ends soon.") { trial in
        let posting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try? await trial.sink.post(trial.notification("cancelled"))
            try? await trial.sink.withdraw([trial.id("cancelled")])
        }
        try await within(60, "post in a cancelled task: expected it to end within a minute") {
            await posting.value
        }
    },
]

private struct NotificationTrial: Sendable {
    let bench: ConformanceBench
    let sink: any NotificationSink

    init(_ bench: ConformanceBench) throws {
        self.bench = bench
        guard case .notification(let sink) = try bench.makeProvider() else {
            throw ConformanceFailure("the plugin's provider is not of the kind “notification”")
        }
        self.sink = sink
    }

    func requireGranted() async throws {
        let permission = await sink.permission()
        guard permission == .granted else {
            throw NotApplicable("the permission to show notifications is “\(permission.rawValue)”")
        }
    }

    func id(_ name: String) -> Id<MailNotification> { Id("conformance \(name)") }

    func notification(
        _ name: String, title: String = "Grace Hopper", body: String = "Lunch on Friday?"
    ) -> MailNotification {
        MailNotification(
            id: id(name), title: title, body: body, group: "conformance",
            actions: [.init(id: "archive", label: "Archive")])
    }
}

private func notificationCase(
    _ name: String, _ promise: String, body: @escaping @Sendable (NotificationTrial) async throws -> Void
) -> ConformanceCase {
    ConformanceCase(.notification, name, promise) { try await body(try NotificationTrial($0)) }
}
