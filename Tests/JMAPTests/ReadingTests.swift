import Care
import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

@Suite("Mail is made safe to look at") struct ReadingTests {
    private static let page = """
        <p onclick="x()">Hello</p><script>x</script><img src="cid:logo@x">
        <img src="https://images.example.org/a.png" width="300" height="200">
        <img src="https://track.example.org/open?id=1" width="1" height="1">
        <a href="https://example.org/">more</a>
        """
    private static let mail = """
        From: Ada <Ada@Example.org>
        To: grace@example.org
        Subject: Pictures
        MIME-Version: 1.0
        Content-Type: multipart/mixed; boundary=b

        --b
        Content-Type: multipart/related; boundary=c

        --c
        Content-Type: text/html; charset=utf-8

        \(page)
        --c
        Content-Type: image/png; name="logo 1.png"
        Content-ID: <logo@x>
        Content-Disposition: inline; filename="logo 1.png"
        Content-Transfer-Encoding: base64

        aGVsbG8=
        --c--
        --b
        Content-Type: application/octet-stream; name="invoice.pdf.exe"
        Content-Disposition: attachment; filename="invoice.pdf.exe"

        MZ
        --b
        Content-Type: application/pdf; name="terms.pdf"
        Content-Disposition: attachment; filename="terms.pdf"

        %PDF
        --b--
        """.replacing("\n", with: "\r\n")

    private func view(
        _ test: TestKernel, of id: String, loadRemote: Bool = false
    ) async throws -> JSONValue {
        let answer = try await test.call(
            "EmailView/get",
            ["accountId": .string(test.ada.rawValue), "ids": [.string(id)], "loadRemote": .bool(loadRemote)])
        return answer["list"][0] ?? .null
    }

    /// Asks, as the page does, until no image is still coming.
    private func loaded(_ test: TestKernel, of id: String) async throws -> JSONValue {
        while true {
            let view = try await view(test, of: id, loadRemote: true)
            if view["pendingImageCount"] == 0 { return view }
        }
    }

    @Test func aPageIsCleanAndFindsWhatCameWithIt() async throws {
        let test = try await TestKernel()
        let view = try await view(test, of: try await test.add(Self.mail))
        let html = try #require(view["html"]?.stringValue)
        #expect(html.contains("Hello") && !html.contains("script") && !html.contains("onclick"))
        #expect(view["blockedRemoteCount"] == 1)
        #expect(view["removedTrackerCount"] == 1)
        #expect(view["linkHosts"] == ["example.org"])
        #expect(view["isSenderTrusted"] == false)
        #expect(!html.contains("images.example.org") && !html.contains("track.example.org"))
        let image = try #require(
            html.firstMatch(of: /src="[^"]*\/download\/[^\/]+\/([^\/]+)\/logo%201%2Epng\?/))
        #expect(try await test.download(String(image.1)) == Data("hello".utf8))
    }

    @Test(arguments: [
        ("", "image001.png", "image001.png", true),
        ("", "file:///C:/mail/image001.png", "file:///C:/mail/image001.png", true),
        ("", "https://news.example.org/a.png", "https://news.example.org/a.png", true),
        ("https://news.example.org/1/page.html", "https://news.example.org/a.png", "../a.png", true),
        ("https://news.example.org/1/page.html", "https://news.example.org/a.png", "a.png", false),
        ("", "https://news.example.org/a.png", "https://news.example.org/b.png", false),
        ("", "image001.png", "Image001.png", false),
    ])
    func aPageFindsImagesByTheirLocation(
        _ page: String, _ location: String, _ source: String, _ isFound: Bool
    ) async throws {
        let test = try await TestKernel()
        let mail = Self.mail.replacing("cid:logo@x", with: source)
            .replacing("Content-ID: <logo@x>", with: "Content-Location: \(location)")
            .replacing(
                "Content-Type: text/html; charset=utf-8",
                with: "Content-Type: text/html; charset=utf-8"
                    + (page.isEmpty ? "" : "\r\nContent-Location: \(page)"))
        let view = try await view(test, of: try await test.add(mail))
        let html = try #require(view["html"]?.stringValue)
        #expect(html.contains("/logo%201%2Epng") == isFound)
        #expect(!html.contains("example.org/a.png") && !html.contains("example.org/b.png"))
        let isRemote = !isFound && source.hasPrefix("https:")
        #expect(view["blockedRemoteCount"] == (isRemote ? 2 : 1))
    }

    @Test(arguments: [(60, false), (80, true)])
    func partsThatLieTooDeepAreNotPassedOverInSilence(_ levels: Int, _ isTooDeep: Bool) async throws {
        let test = try await TestKernel()
        let open = (0..<levels).map {
            "Content-Type: multipart/mixed; boundary=b\($0)\r\n\r\n--b\($0)\r\n"
        }
        let mail = "From: a@b.example\r\nSubject: Deep\r\n" + open.joined() + "\r\nHello\r\n"
        let view = try await view(test, of: try await test.add(mail))
        #expect(view["hasDeeperParts"] == .bool(isTooDeep))
        #expect((view["html"] == .null) == isTooDeep)
    }

    @Test func dangerousAttachmentsAreNamed() async throws {
        let test = try await TestKernel()
        let id = try await test.add(Self.mail)
        let view = try await view(test, of: id)
        let email = try await test.call(
            "Email/get",
            ["accountId": .string(test.ada.rawValue), "ids": [.string(id)], "properties": ["attachments"]])
        let attachments = email["list"][0]?["attachments"]?.arrayValue ?? []
        let program = attachments.first { $0["name"] == "invoice.pdf.exe" }
        #expect(program != nil && view["dangerousBlobIds"] == [program?["blobId"] ?? .null])
    }

    /// P-02: only when the user asks, and then by this program, not by the browser.
    @Test func remoteImagesAreFetchedHereAndOnlyWhenAskedFor() async throws {
        let network = ImageServer(
            answer: HTTPResponse(status: 200, headers: ["content-type": "image/png"], body: Data("png".utf8)))
        let test = try await TestKernel(network: network)
        let id = try await test.add(Self.mail)
        _ = try await view(test, of: id)
        #expect(network.asked.isEmpty)
        let view = try await loaded(test, of: id)
        #expect(network.asked == ["https://images.example.org/a.png"] && view["pendingImageCount"] == 0)
        let html = try #require(view["html"]?.stringValue)
        #expect(view["blockedRemoteCount"] == 0 && view["removedTrackerCount"] == 1)
        #expect(!html.contains("images.example.org"))
        let name = try #require(html.firstMatch(of: /\/download\/[^\/]+\/(R[^\/]+)\/image/))
        #expect(try await test.download(String(name.1)) == Data("png".utf8))
        #expect(try await test.download(String(name.1)) == Data("png".utf8))
        #expect(network.asked == ["https://images.example.org/a.png"])
    }

    /// A browser has six connections to this program: slow servers must not take them from the rest of the page.
    @Test func imagesOfSlowServersHoldUpNothing() async throws {
        let gate = Gate()
        let network = ImageServer(
            answer: HTTPResponse(status: 200, headers: ["content-type": "image/png"], body: Data("png".utf8)),
            after: gate)
        let test = try await TestKernel(network: network)
        let images = (0..<40).map { "<img src=\"https://images.example.org/\($0).png\" width=300>" }.joined()
        let id = try await test.add("From: a@example.org\r\nContent-Type: text/html\r\n\r\n" + images)
        let slow = try await view(test, of: id, loadRemote: true)
        #expect(slow["pendingImageCount"] == 40)
        try await test.wait(for: "the first images") { network.asked.count == 8 }
        let name = try #require(
            slow["html"]?.stringValue?.firstMatch(of: /\/download\/[^\/]+\/(R[^\/]+)\/image/))
        await #expect(throws: (any Error).self) { try await test.download(String(name.1)) }
        await gate.open()
        #expect(try await loaded(test, of: id)["pendingImageCount"] == 0)
        #expect(try await test.download(String(name.1)) == Data("png".utf8))
        #expect(network.asked.count == 40)
    }

    /// S3 names this type for everything that was put there without one.
    @Test(arguments: [["content-type": "application/octet-stream"], [:]])
    func aPictureWithoutATypeIsKnownByItsFirstBytes(_ headers: [String: String]) async throws {
        let bytes = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        let test = try await TestKernel(
            network: ImageServer(answer: HTTPResponse(status: 200, headers: headers, body: bytes)))
        let html = try await loaded(test, of: try await test.add(Self.mail))["html"]
        let name = try #require(html?.stringValue?.firstMatch(of: /\/download\/[^\/]+\/(R[^\/]+)\/image/))
        #expect(try await test.download(String(name.1)) == bytes)
    }

    @Test(arguments: [
        HTTPResponse(
            status: 200, headers: ["content-type": "application/octet-stream"], body: Data("<svg/>".utf8)),
        HTTPResponse(status: 200, headers: ["content-type": "image/svg+xml"], body: Data("<svg/>".utf8)),
        HTTPResponse(status: 200, headers: ["content-type": "text/html"], body: Data("x".utf8)),
        HTTPResponse(status: 404, headers: ["content-type": "image/png"], body: Data("x".utf8)),
        HTTPResponse(
            status: 200, headers: ["content-type": "image/png"], body: Data(repeating: 0, count: 10_000_001)),
    ])
    func whatIsNoPictureIsNotPassedOn(_ answer: HTTPResponse) async throws {
        let test = try await TestKernel(network: ImageServer(answer: answer))
        let html = try await loaded(test, of: try await test.add(Self.mail))["html"]
        let name = try #require(html?.stringValue?.firstMatch(of: /\/download\/[^\/]+\/(R[^\/]+)\/image/))
        await #expect(throws: (any Error).self) { try await test.download(String(name.1)) }
        await #expect(throws: (any Error).self) { try await test.download("Rnobody") }
    }

    @Test(arguments: [
        "https://127.0.0.1/a.png", "https://[::1]/a.png", "https://localhost/a.png", "https://router/a.png",
        "https://10.0.0.1/a.png", "https://0x7f000001/a.png", "https://2130706433/a.png",
        "https://printer.local/a.png", "https://u:p@example.org/a.png", "https://127.1/a.png",
        "http://example.org:8080/a.png", "https://a.localhost/a.png", "https://[::ffff:127.0.0.1]/a.png",
        "https://017700000001/a.png", "https://0x7f.0.0.1/a.png",
    ])
    func noImageMakesThisMachineAskItsOwnNetwork(_ address: String) async throws {
        let test = try await TestKernel(
            network: ImageServer(answer: HTTPResponse(status: 200, headers: [:], body: Data())))
        let mail = "From: a@example.org\r\nContent-Type: text/html\r\n\r\n<img src=\"\(address)\" width=300>"
        let view = try await view(test, of: try await test.add(mail), loadRemote: true)
        #expect(view["blockedRemoteCount"] == 1 && view["blockedImageCount"] == 0)
        let isPlain = address.hasPrefix("http:")
        #expect(view["refusedRemote"]?[isPlain ? "insecure" : "address"] == 1)
        #expect(view["html"]?.stringValue?.contains("/download/") == false)
    }

    /// P-02: what stands behind text, and what a message names without encryption, is asked for as well.
    @Test func backgroundsLoadThroughTheProgramAndNeverUnencrypted() async throws {
        let network = ImageServer(
            answer: HTTPResponse(status: 200, headers: ["content-type": "image/png"], body: Data("png".utf8)))
        let test = try await TestKernel(network: network)
        let mail = """
            From: a@example.org\r\nContent-Type: text/html\r\n\r\n\
            <style>@import 'https://example.org/x.css'; p{background:url(http://example.org/p.png)}</style>\
            <table background=https://example.org/t.png><tr><td>a</table>
            """
        let id = try await test.add(mail)
        #expect(try await view(test, of: id)["blockedImageCount"] == 2)
        let view = try await loaded(test, of: id)
        #expect(view["blockedImageCount"] == 0 && view["refusedRemote"]?["style"] == 1)
        let html = try #require(view["html"]?.stringValue)
        for name in html.matches(of: /\/download\/[^\/]+\/(R[^\/]+)\/image/) {
            #expect(try await test.download(String(name.1)) == Data("png".utf8))
        }
        #expect(Set(network.asked) == ["https://example.org/p.png", "https://example.org/t.png"])
    }

    @Test func aTrustedSendersImagesLoadWithoutAsking() async throws {
        let network = ImageServer(answer: HTTPResponse(status: 200, headers: [:], body: Data()))
        let test = try await TestKernel(network: network)
        let id = try await test.add(Self.mail)
        let created = try await test.program(
            "TrustedSender/set", ["create": ["k": ["email": "ada@EXAMPLE.org"], "x": ["email": "nobody"]]])
        let trusted = created["created"]["k"]?["id"]?.stringValue ?? ""
        #expect(created["notCreated"]["x"]?["properties"] == ["email"])
        #expect(
            try await test.program("TrustedSender/get")["list"] == [
                ["id": .string(trusted), "email": "ada@example.org"]
            ])
        let view1 = try await view(test, of: id)
        #expect(view1["isSenderTrusted"] == true && view1["blockedRemoteCount"] == 0)
        let again = try await test.program(
            "TrustedSender/set", ["create": ["k": ["email": "ada@example.org"]]])
        #expect(again["created"]["k"]?["id"]?.stringValue == trusted)
        let gone = try await test.program("TrustedSender/set", ["destroy": [.string(trusted), "T0"]])
        #expect(gone["destroyed"] == [.string(trusted)] && gone["notDestroyed"]["T0"]?["type"] == "notFound")
        #expect(try await view(test, of: id)["blockedRemoteCount"] == 1)
    }

    @Test(arguments: [
        "From: x@evil.example\r\nFrom: ada@example.org", "From: ada@example.org\r\nFROM: x@evil.example",
        "From: ada@example.org, x@evil.example", "From: ada@example.org\r\nSender: x@evil.example",
        "From: ada@example.org\r\nSender: ada@example.org\r\nSender: x@evil.example",
    ])
    func imagesOfAMessageThatOthersMayHaveSentAreBlocked(_ authors: String) async throws {
        let network = ImageServer(answer: HTTPResponse(status: 200, headers: [:], body: Data()))
        let test = try await TestKernel(network: network)
        _ = try await test.program("TrustedSender/set", ["create": ["k": ["email": "ada@example.org"]]])
        let page = "Content-Type: text/html\r\n\r\n<img src=https://img.example/p.png width=300 height=200>"
        let id = try await test.add("\(authors)\r\n\(page)")
        let other = try await view(test, of: id)
        #expect(other["isSenderTrusted"] == false && other["blockedImageCount"] == 1)
        let honest = "From: ada@example.org\r\nSender: Ada <Ada@Example.org>\r\nReply-To: desk@help.example"
        let own = try await view(test, of: try await test.add("\(honest)\r\n\(page)"))
        #expect(own["isSenderTrusted"] == true && own["blockedImageCount"] == 0)
    }

    @Test(arguments: ["plain", "html"]) func ofALongTextAsMuchComesAsIsAskedFor(_ kind: String) async throws {
        let test = try await TestKernel()
        let text = "It begins. " + String(repeating: "It goes on.\r\n", count: 2000) + "It ends."
        let id = try await test.add("From: a@example.org\r\nContent-Type: text/\(kind)\r\n\r\n\(text)\r\n")
        func view(_ bytes: Int) async throws -> JSONValue {
            let answer = try await test.call(
                "EmailView/get",
                [
                    "accountId": .string(test.ada.rawValue), "ids": [.string(id)],
                    "maxBodyValueBytes": .number(Double(bytes)),
                ])
            return answer["list"][0] ?? .null
        }
        let cut = try await view(1000)
        #expect(cut["isTruncated"] == true && (cut["html"]?.stringValue?.utf8.count ?? 0) < 1500)
        #expect(cut["html"]?.stringValue?.contains("It begins.") == true)
        for bytes in [0, 100_000] {
            let whole = try await view(bytes)
            #expect(whole["isTruncated"] == false && whole["html"]?.stringValue?.contains("It ends.") == true)
        }
    }

    /// 1,000 parts took 13 times as long as 250.
    @Test func manyPartsTakeNoLongerThanTheirText() async throws {
        let test = try await TestKernel()
        let part = "--b\r\nContent-Type: text/html\r\nContent-ID: <c>\r\n\r\n<p>a</p>\r\n"
        func add(_ count: Int) async throws -> String {
            try await test.add(
                "From: a@example.org\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
                    + String(repeating: part, count: count) + "--b--\r\n")
        }
        func taken(_ id: String) async throws -> Duration {
            let began = ContinuousClock.now
            let shown = try await view(test, of: id)["html"]?.stringValue
            #expect(shown?.contains("<p>a</p>") == true)
            return ContinuousClock.now - began
        }
        let (few, many) = (try await add(200), try await add(1600))
        _ = try await taken(few)
        let (quick, slow) = (try await taken(few), try await taken(many))
        #expect(slow < quick * 16 + .milliseconds(500), "\(quick), \(slow)")
    }

    @Test(arguments: ["<service@paypal.com> <x@evil.example>", "service@paypal.com, x@evil.example"])
    func sendersOfSeveralServicesAreMarked(_ from: String) async throws {
        let test = try await TestKernel()
        let id = try await test.add("From: \(from)\r\n\r\nHello\r\n")
        let answer = try await test.call(
            "Email/get",
            [
                "accountId": .string(test.ada.rawValue), "ids": [.string(id)],
                "properties": ["from", "addressWarnings"],
            ])
        let warning = answer["list"][0]?["addressWarnings"]?["x@evil.example"]?.stringValue
        #expect(warning?.contains("service@paypal.com and x@evil.example") == true, "\(answer["list"])")
    }

    @Test func plainTextComesAsAPageToo() async throws {
        let test = try await TestKernel()
        let id = try await test.add(
            "From: a@example.org\r\nContent-Type: text/plain; format=flowed\r\n\r\nSee \r\nhttps://example.org\r\n> old\r\n"
        )
        let view = try await view(test, of: id)
        #expect(view["html"]?.stringValue?.contains("See <a href=\"https://example.org\"") == true)
        #expect(view["hasQuote"] == true)
        let none = try await test.call(
            "EmailView/get", ["accountId": .string(test.ada.rawValue), "ids": ["M0"]])
        #expect(none["notFound"] == ["M0"])
        let all = try await test.call("EmailView/get", ["accountId": .string(test.ada.rawValue)])
        #expect(all.error == "invalidArguments")
    }

    @Test func searchesAreRememberedNewestFirst() async throws {
        let test = try await TestKernel()
        for text in ["one", "two", "one"] + (0..<19).map({ "more \($0)" }) {
            _ = try await test.program("RecentSearch/set", ["create": ["k": ["text": .string(text)]]])
        }
        let list = try await test.program("RecentSearch/get")["list"].arrayValue
        #expect(list?.count == 20)
        #expect(list?.first?["text"] == "more 18" && list?.last?["text"] == "one")
        let empty = try await test.program("RecentSearch/set", ["create": ["k": ["text": " "]]])
        #expect(empty["notCreated"]["k"]?["properties"] == ["text"])
    }
}

/// Answers every request in the same way.
private final class ImageServer: OfflineNetwork {
    private let answer: HTTPResponse
    private let gate: Gate?
    private let requests = Mutex<[String]>([])

    /// - Parameter gate: every answer waits until it is open.
    init(answer: HTTPResponse, after gate: Gate? = nil) {
        self.answer = answer
        self.gate = gate
    }

    var asked: [String] { requests.withLock { $0 } }

    func download(
        _ request: HTTPRequest, into sink: any ByteSink,
        head: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws(NetworkError) -> HTTPResponse {
        requests.withLock { $0.append(request.url.absoluteString) }
        await gate?.passed()
        do {
            var whole = answer
            whole.body = Data()
            try await head(whole)
            try await sink.write(answer.body)
            return whole
        } catch {
            throw .local(reason: "\(error)")
        }
    }
}

/// Closed until it is opened, once and for all.
private actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func passed() async {
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    func open() {
        isOpen = true
        for one in waiting { one.resume() }
        waiting = []
    }
}
