import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import MicrosoftGraph

/// ACC-123: a server that answers as no server should.
@Suite("Microsoft Graph that lies", .timeLimit(.minutes(2))) struct GraphHostileTests {
    private func page(_ link: String) -> String { #"{"value":[],"@odata.nextLink":"\#(link)"}"# }

    /// The token would go there.
    @Test(arguments: [
        "https://evil.example/v1.0/me/messages", "http://graph.microsoft.com/v1.0/me",
        "https://graph.microsoft.com.evil.example/v1.0/x", "https://graph.microsoft.com@evil.example/v1.0/x",
        "https://graph.microsoft.com:444/v1.0/x", "//evil.example/v1.0/",
        "https://graph.microsoft.com/beta/x", "",
    ])
    func aLinkThatLeadsAwayIsNotFollowed(_ link: String) async throws {
        let server = GraphServer { request, _ in
            request.path.contains("/messages/delta") ? .answer(200, [:], self.page(link)) : nil
        }
        let person = try Person(server)
        let error = await #expect(throws: AccountError.self) {
            var mirror = Mirror()
            try await mirror.round(person.session)
        }
        if case .badAnswer? = error {} else { Issue.record("\(String(describing: error))") }
        #expect(server.requests.count == 1)
    }

    @Test func pagesThatDoNotGoOnEnd() async throws {
        let server = GraphServer { request, number in
            if request.path.contains("/messages/delta") {
                return .answer(200, [:], self.page(request.url.absoluteString))
            }
            if request.path.hasSuffix("/mailFolders/delta") {
                let link = "https://graph.microsoft.com/v1.0/me/mailFolders/delta?$skiptoken=\(number)"
                return .answer(200, [:], self.page(link))
            }
            return nil
        }
        let person = try Person(server)
        let error = await #expect(throws: AccountError.self) {
            var mirror = Mirror()
            try await mirror.round(person.session)
        }
        if case .badAnswer? = error {} else { Issue.record("\(String(describing: error))") }
        await #expect(throws: AccountError.badAnswer("the list of folders does not end")) {
            try await person.session.mailboxes()
        }
        #expect(server.requests.count < 2_100)
    }

    @Test(arguments: [
        "", "x", "[]", #"{"value":1}"#, #"{"value":[]}"#, #"{"value":[{"id":1}]}"#,
        String(repeating: "[", count: 100_000),
    ])
    func answersOfAnotherFormAreInvalid(_ text: String) async throws {
        let server = GraphServer { request, _ in
            request.path.contains("/messages/delta") ? .answer(200, [:], text) : nil
        }
        let person = try Person(server)
        let error = await #expect(throws: AccountError.self) {
            var mirror = Mirror()
            try await mirror.round(person.session)
        }
        if case .badAnswer? = error {} else { Issue.record("\(String(describing: error))") }
    }

    /// A 404 of something in between is no message that is gone: the user's changes wait.
    @Test func aPlaceThatIsGoneUndoesNothing() async throws {
        let isGone = Watched(false)
        let server = GraphServer(.filled(2)) { _, _ in
            isGone.value ? .answer(404, ["content-type": "text/html"], "<h1>Not found</h1>") : nil
        }
        let person = try Person(server)
        let id = try #require(server.state.value.inbox.first)
        isGone.withLock { $0 = true }
        let outcomes = try await person.session.apply([
            .setKeywords([person.address(id)], add: [.seen], remove: []),
            .destroy([person.address(id)]),
        ])
        guard case .failed(.unreachable) = outcomes[0], outcomes[1] == .notTried else {
            Issue.record("\(outcomes)")
            return
        }
        isGone.withLock { $0 = false }
        let again = try await person.session.apply([
            .setKeywords([person.address(id)], add: [.seen], remove: [])
        ])
        #expect(again == [.done(newIDs: [:], mailbox: nil)])
    }

    /// Some of a batch worked: another try changes nothing more.
    @Test func aBatchOfWhichSomeFailedIsTriedAgain() async throws {
        let isBusy = Watched(true)
        let start = GraphMailbox.filled(3)
        let busy = Place.escaped(start.inbox[1])
        let server = GraphServer(
            start,
            innerFault: { method, path in
                isBusy.value && method == "POST" && path.contains(busy)
                    ? (503, ["Retry-After": "5"], #"{"error":{"code":"ErrorServerBusy"}}"#) : nil
            })
        let person = try Person(server)
        let inbox = RemoteMailboxID(GraphMailbox.folderID("inbox"))
        let archive = RemoteMailboxID(GraphMailbox.folderID("archive"))
        let all = start.inbox.map { person.address($0) }
        let mutations = [RemoteMutation.move(all, from: inbox, to: archive), .add(all, to: archive)]
        guard case .failed(.throttled) = try await person.session.apply(mutations)[0] else {
            Issue.record("no pause")
            return
        }
        isBusy.withLock { $0 = false }
        guard case .done(let moved, nil) = try await person.session.apply(mutations)[0] else {
            Issue.record("not done")
            return
        }
        #expect(moved.count == 3 && server.state.value.inFolder(archive.rawValue).count == 3)
        for _ in 1...2 { _ = try await person.session.apply([.add(all, to: inbox)]) }
        #expect(server.state.value.inbox.count == 3)
    }
}
