import Foundation
import Kernel
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Network
import Synchronization
import TestSupport
import Testing

/// ORG-61 to ORG-64.
@Suite("Mailing lists are left when the user says so") struct UnsubscribeTests {
    private static let post = "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"

    private func newsletter(
        _ test: TestKernel, _ field: String, more: String = "", list: String? = "<news.example.org>",
        receivedAt: Date? = nil
    ) async throws -> JSONValue {
        let id = list.map { "List-Id: \($0)\r\n" } ?? ""
        let text =
            "From: Acme News <news@example.org>\r\nTo: ada@example.org\r\nSubject: News\r\n\(id)"
            + "List-Unsubscribe: \(field)\r\n\(more)\r\nWords.\r\n"
        let date = receivedAt.map { $0.formatted(.iso8601) }
        return .string(try await test.add(text, receivedAt: date))
    }

    private func view(_ test: TestKernel, _ id: JSONValue) async throws -> JSONValue {
        try await test.call("Unsubscription/get", ["ids": [id]])["list"][0] ?? .null
    }

    private func send(_ test: TestKernel, _ id: JSONValue, _ method: String) async throws -> CallAnswer {
        try await test.call("Unsubscription/send", ["id": id, "method": .string(method)])
    }

    @Test("ORG-61: one click asks the server, once, with nothing but what the standard says")
    func oneClickAsksTheServer() async throws {
        let lists = try await ListServer()
        let test = try await TestKernel(listNetwork: lists)
        let id = try await newsletter(test, "<https://news.example.org/echo?u=1>", more: Self.post)
        let before = try await view(test, id)
        #expect(before["methods"]?[0]?["method"] == "oneClick" && before["state"] == "none")
        #expect(before["methods"]?[0]?["target"] == "news.example.org")
        #expect(lists.bodies.isEmpty)
        let answer = try await send(test, id, "oneClick")
        #expect(answer.error == nil && answer["submissionId"] == .null, "\(answer.arguments)")
        let seen = try JSONDecoder().decode(JSONValue.self, from: try #require(lists.bodies.first))
        #expect(seen["method"] == "POST" && seen["path"] == "/echo?u=1")
        #expect(seen["body"] == "List-Unsubscribe=One-Click")
        #expect(seen["headers"]?["content-type"] == "application/x-www-form-urlencoded")
        #expect(seen["headers"]?["cookie"] == nil)
        let after = try await view(test, id)
        #expect(after["state"] == "sent" && after["method"] == "oneClick" && after["at"] != .null)
        #expect(lists.entries.map(\.purposes) == [["unsubscribe from a mailing list"]])
        #expect(try await send(test, id, "oneClick").error == "alreadyUnsubscribed")
        #expect(lists.bodies.count == 1)
    }

    @Test("ORG-61: a redirect, an error or no answer is a failure, and nothing is followed or recorded")
    func failuresAreTold() async throws {
        let lists = try await ListServer()
        let test = try await TestKernel(listNetwork: lists)
        for (path, words) in [
            ("/redirect?to=/echo", "redirected"), ("/redirect?status=307&to=/echo", "redirected"),
            ("/echo?status=404", "status 404"), ("/garbage", "invalid response"),
        ] {
            let id = try await newsletter(test, "<https://news.example.org\(path)>", more: Self.post)
            let answer = try await send(test, id, "oneClick")
            #expect(answer.error == "unsubscribeFailed", "\(path)")
            #expect(answer["description"].stringValue?.contains(words) == true, "\(answer.arguments)")
            #expect(try await view(test, id)["state"] == "none")
        }
        #expect(lists.paths.count == 4)
        // A long answer is not read to its end.
        let long = try await newsletter(test, "<https://news.example.org/size?n=3000000>", more: Self.post)
        #expect(try await send(test, long, "oneClick").error == nil)
    }

    @Test("ORG-62: a message goes through the outbox once and can be taken back")
    func aMessageGoesThroughTheOutbox() async throws {
        let test = try await TestKernel()
        let id = try await newsletter(test, "<mailto:grace@example.org?subject=Stop%20it>")
        #expect(try await view(test, id)["methods"]?[0]?["target"] == "grace@example.org")
        let answer = try await send(test, id, "mail")
        #expect(answer["undoSeconds"].intValue ?? 0 > 0, "\(answer.arguments)")
        #expect(try await view(test, id)["state"] == "waiting")
        #expect(try await send(test, id, "mail").error == "alreadyUnsubscribed")
        let back = try await test.call("Unsubscription/takeBack", ["id": id])
        #expect(back["isTakenBack"] == true)
        let none = try await view(test, id)
        #expect(none["state"] == "none" && none["at"] == .null)
        #expect(try await test.call("Draft/get")["list"] == [])
        // Sent in the end, as it is offered.
        _ = try await send(test, id, "mail")
        test.clock.advance(by: 60)
        try await test.wait(for: "the sending") { try await view(test, id)["state"] == "sent" }
        let late = try await test.call("Unsubscription/takeBack", ["id": id])
        #expect(late["isTakenBack"] == false)
        let inbox = test.server.messages(of: "grace@example.org").map {
            String(decoding: $0.bytes, as: UTF8.self)
        }
        #expect(inbox.count { $0.contains("Subject: Stop it\r\n") } == 1)
    }

    @Test("ORG-62: what was taken back in the outbox was not done") func canceledElsewhere() async throws {
        let test = try await TestKernel()
        let id = try await newsletter(test, "<mailto:leave@example.org>")
        let submission = try await send(test, id, "mail")["submissionId"].stringValue ?? ""
        _ = try await test.call(
            "EmailSubmission/set", ["update": [submission: ["undoStatus": "canceled"]]])
        #expect(try await view(test, id)["state"] == "none")
        #expect(try await test.call("Unsubscription/takeBack", ["id": id])["isTakenBack"] == true)
        #expect(try await test.call("Draft/get")["list"] == [])
    }

    @Test("ORG-63: mail that comes two weeks later is still being sent")
    func stillSending() async throws {
        let test = try await TestKernel()
        let page = "<https://news.example.org/leave>"
        let id = try await newsletter(test, page)
        #expect(try await view(test, id)["methods"]?[0]?["url"] == "https://news.example.org/leave")
        #expect(try await send(test, id, "page").error == nil)
        let day = 86_400.0
        let soon = try await newsletter(test, page, receivedAt: test.clock.now + 13 * day)
        let late = try await newsletter(test, page, receivedAt: test.clock.now + 15 * day)
        let other = try await newsletter(
            test, page, list: "<other.example.org>", receivedAt: test.clock.now + 16 * day)
        #expect(try await view(test, id)["isStillSending"] == false)
        #expect(try await view(test, soon)["isStillSending"] == false)
        #expect(try await view(test, soon)["state"] == "sent")
        #expect(try await view(test, late)["isStillSending"] == true)
        #expect(try await view(test, other)["state"] == "none")
        // A page can be opened again.
        #expect(try await send(test, late, "page").error == nil)
    }

    @Test("ORG-64: what is not offered is refused") func refusals() async throws {
        let test = try await TestKernel()
        let id = try await newsletter(test, "<mailto:leave@example.org>", more: Self.post)
        #expect(try await send(test, id, "oneClick").error == "methodNotOffered")
        #expect(try await send(test, id, "page").error == "methodNotOffered")
        #expect(try await send(test, id, "fax").error == "invalidArguments")
        let plain = JSONValue.string(try await test.add("From: a@example.org\r\n\r\nWords.\r\n"))
        #expect(try await send(test, plain, "mail").error == "invalidArguments")
        #expect(try await test.call("Unsubscription/get", ["ids": [plain]])["notFound"] == [plain])
        let reader = try await test.call(
            "Unsubscription/send", ["id": id, "method": "mail"], as: TestKernel.reader)
        #expect(reader.error == "accountReadOnly")
        // Without a network, nothing is asked for that needs one.
        let click = try await newsletter(test, "<https://news.example.org/x>", more: Self.post)
        #expect(try await view(test, click)["methods"]?[0]?["method"] == "page")
    }

    @Test("ORG-61: no private address is asked, whatever its name") func noPrivateAddress() async throws {
        let lists = try await ListServer(addresses: .publicOnly)
        let test = try await TestKernel(listNetwork: lists)
        let id = try await newsletter(test, "<https://news.example.org/echo>", more: Self.post)
        let answer = try await send(test, id, "oneClick")
        #expect(answer.error == "unsubscribeFailed" && lists.bodies.isEmpty)
        #expect(answer["description"].stringValue?.contains("not a public server") == true)
    }
}

/// The real network, on which `news.example.org` is the test server.
private final class ListServer: OfflineNetwork {
    private let inner: any PluginNetwork
    private let network: Network
    private let servers: TestServers
    private let place: TemporaryFolder
    private let seen = Mutex<(paths: [String], bodies: [Data])>(([], []))

    init(addresses: AddressRules = .any) async throws {
        servers = try await TestServers.shared.value
        place = try TemporaryFolder()
        network = Network(
            NetworkSettings(version: "1", moreCertificates: servers.authority),
            ledger: ConnectionLedger(folder: place.url.appending(path: "connections")))
        inner = network.access(
            for: "mailkernel", hosts: ["*"], addresses: addresses, followsRedirects: false)
    }

    var bodies: [Data] { seen.withLock { $0.bodies } }
    var paths: [String] { seen.withLock { $0.paths } }
    var entries: [ConnectionEntry] {
        LedgerReader(folder: place.url.appending(path: "connections")).page().entries
    }

    func download(
        _ request: HTTPRequest, into sink: any ByteSink,
        head: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws(NetworkError) -> HTTPResponse {
        var request = request
        let path = request.url.absoluteString.dropFirst("https://news.example.org".count)
        guard let url = try? servers.url("web", String(path)) else { throw .offline }
        request.url = url
        seen.withLock { $0.paths.append(String(path)) }
        let copy = CopyingSink(inner: sink)
        let response = try await inner.download(request, into: copy, head: head)
        let body = await copy.data
        seen.withLock { $0.bodies.append(body) }
        return response
    }
}

private actor CopyingSink: ByteSink {
    private let inner: any ByteSink
    private(set) var data = Data()

    init(inner: any ByteSink) { self.inner = inner }

    func write(_ bytes: Data) async throws {
        data.append(bytes)
        try await inner.write(bytes)
    }
}
