import Foundation
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import DesktopNotifications

/// Where there is a desktop, `Tests/ProgramTests/DesktopTests.swift` holds the plugin to the same promises.
@Suite("Without a desktop nothing breaks") struct WithoutDesktopTests {
    private struct Plugin: MailKernelPlugin {
        static func makeProvider(host: HostServices) -> Provider {
            .notification(DesktopSink(environment: ["DBUS_SESSION_BUS_ADDRESS": ""], folder: host.dataFolder))
        }
    }

    private let folder = URL(filePath: NSTemporaryDirectory())

    /// What can be promised where nothing can be shown.
    private static let kept: Set<String> = [
        "permissionIsTheSameTwice", "askingSaysWhatHolds", "readingActionsEndsWhenCancelled",
        "withoutPermissionItSaysSo", "aCancelledPostEnds",
    ]

    @Test(arguments: ConformanceCase.all(.notification))
    func keeps(_ promise: ConformanceCase) async throws {
        guard promise.name != "theBadgeTakesAnyNumber" else { return }
        let verdict = try await promise.check(ConformanceSubject(Plugin.self))
        #expect((verdict == .kept) == Self.kept.contains(promise.name), "\(verdict)")
    }

    @Test func itSaysSo() async throws {
        let sink = DesktopSink(environment: [:], folder: folder)
        #expect(await sink.permission() == .unavailable)
        #expect(await sink.features == [])
        let notification = MailNotification(id: Id("n1"), title: "Ada", body: "Hello")
        await #expect(throws: NotificationError.self) { try await sink.post(notification) }
        try await sink.withdraw([Id("n1")])
        var actions = sink.actions().makeAsyncIterator()
        #expect(await actions.next() == nil)
    }

    /// A bus on another machine would be a way out of this one.
    @Test(arguments: [
        ("unix:path=/run/bus", "unix:path=/run/bus"), ("", nil), ("tcp:host=example.org,port=1", nil),
        ("unix:path=/run/bus;tcp:host=example.org,port=1", nil), ("unixexec:path=/bin/sh", nil),
    ])
    func onlyABusOfThisMachineIsUsed(_ given: String, _ used: String?) {
        #expect(SessionBus.address(["DBUS_SESSION_BUS_ADDRESS": given]) == used)
    }

    @Test func whatLooksLikeMarkupIsText() {
        #expect(DesktopSink.escaped("<b>a</b> & b") == "&lt;b&gt;a&lt;/b&gt; &amp; b")
        #expect(DesktopSink.clean("a\0b\0\u{301}") == "ab\u{301}")
        #expect(DesktopSink.clean(String(repeating: "a", count: 5000)).count == 1000)
    }
}

@Suite("What lies on the desktop is remembered") struct DeskTests {
    private let folder: URL

    init() throws {
        folder = URL(filePath: NSTemporaryDirectory()).appending(path: "desk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    @Test func aKilledProgramLeavesItsNumbersToTheNext() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = Desk(folder: folder)
        first.heard(.desktop("bus :1.7"))
        first.put(Id("a"), as: 4)
        first.put(Id("b"), as: 9)
        #expect(first.take([Id("a")]) == [4])
        let next = Desk(folder: folder)
        next.heard(.desktop(nil))
        #expect(next.take([Id("b")]).isEmpty, "nothing shows them yet")
        next.heard(.desktop("bus :1.7"))
        #expect(next.take([Id("a"), Id("b")]) == [9])
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "shown.json").path))
    }

    /// Numbers of another desktop could be notifications of another program.
    @Test func anotherDesktopsNumbersAreForgotten() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let desk = Desk(folder: folder)
        desk.heard(.desktop("bus :1.7"))
        desk.put(Id("a"), as: 4)
        let next = Desk(folder: folder)
        next.heard(.desktop("other :1.7"))
        #expect(next.take([Id("a")]).isEmpty)
        desk.heard(.desktop("bus :1.8"))
        #expect(desk.take([Id("a")]).isEmpty && desk.number(of: Id("a")) == 0)
    }

    /// A click can be faster than the answer that tells the number.
    @Test func whatIsHeardBeforeTheNumberIsKnownIsNotLost() async {
        defer { try? FileManager.default.removeItem(at: folder) }
        let desk = Desk(folder: folder)
        desk.heard(.desktop("bus :1.7"))
        var reader = desk.read().makeAsyncIterator()
        desk.begin()
        desk.heard(.used(8, action: "archive"))
        desk.heard(.used(4, action: "archive"))
        desk.heard(.gone(4))
        desk.put(Id("a"), as: 4)
        #expect(await reader.next() == NotificationResponse(notificationID: Id("a"), actionID: "archive"))
        #expect(desk.number(of: Id("a")) == 0)
        // Numbers of others are not kept.
        desk.put(Id("b"), as: 8)
        #expect(desk.number(of: Id("b")) == 8)
    }

    @Test func whatTheUserClosedIsGone() async {
        defer { try? FileManager.default.removeItem(at: folder) }
        let desk = Desk(folder: folder)
        desk.heard(.desktop("bus :1.7"))
        desk.put(Id("a"), as: 4)
        var reader = desk.read().makeAsyncIterator()
        desk.heard(.used(5, action: "archive"))
        desk.heard(.used(4, action: "archive"))
        desk.heard(.used(4, action: "default"))
        #expect(await reader.next() == NotificationResponse(notificationID: Id("a"), actionID: "archive"))
        #expect(await reader.next() == NotificationResponse(notificationID: Id("a"), actionID: nil))
        desk.heard(.gone(4))
        #expect(desk.number(of: Id("a")) == 0)
        let second = desk.read()
        #expect(await reader.next() == nil, "one reader at a time")
        _ = second
    }
}
