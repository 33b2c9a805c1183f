import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import JMAPAccounts

/// ACC-54: what a service allows at once, and how far away it is.
@Suite("Limits and latency of a JMAP service") struct LimitTests {
    @Test func tenAtATimeIsAsFastAsTheServiceAllows() async throws {
        var start = MemoryMailbox.filled(200)
        start.objectsInGet = 10
        let person = try Person(MemoryService(start, latency: .milliseconds(50)))
        var mirror = Mirror()
        try await mirror.round(person.session)
        #expect(mirror.held.count == 200 && mirror.failures.isEmpty)
        // The session, twenty pages, the end, and what has changed meanwhile.
        #expect(person.service.requests.count <= 24, "\(person.service.requests.map(\.names))")
    }

    @Test func blobsComeSeveralAtOnce() async throws {
        let person = try Person(MemoryService(.filled(12), latency: .milliseconds(50)))
        _ = try await person.session.mailboxes()
        let session = person.session
        let sizes = try await withThrowingTaskGroup { group in
            for number in 1...12 {
                group.addTask {
                    let sink = Bytes()
                    try await session.fetch(
                        RemoteMessageID("e\(number)"), feed: JMAPAccountSession.feed, partID: nil, into: sink)
                    return await sink.count
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sizes.count == 12 && sizes.allSatisfy { $0 > 0 })
        #expect((3...4).contains(person.service.mostAtOnce), "four lanes, and one connection watches")
    }

    /// The kernel watches again when the stream has ended: what happened meanwhile is read then.
    @Test func watchingBeginsAgain() async throws {
        let service = MemoryService { request, number in
            request.url.path() == "/events" && number < 3 ? .fail(.closed(host: "x")) : nil
        }
        let person = try Person(service)
        var first = person.session.watch().makeAsyncIterator()
        await #expect(throws: AccountError.self) {
            while try await first.next() != nil {}
        }
        var second = person.session.watch().makeAsyncIterator()
        #expect(try await second.next() == .listening)
        service.state.withLock { mailbox in
            _ = mailbox.add(
                MemoryMailbox.bytes("new"), to: ["m-inbox"], receivedAt: Date(timeIntervalSince1970: 0))
        }
        #expect(try await second.next() == .changed(JMAPAccountSession.feed))
        await person.session.close()
    }

    private actor Bytes: ByteSink {
        private(set) var count = 0
        func write(_ bytes: Data) { count += bytes.count }
    }
}
