import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LocalServer

@Suite("The page's session") struct SessionTests {
    @Test func aLinkIsGoodOnce() async throws {
        let running = try RunningServer()
        let link = try running.server.startLink()
        #expect(link.hasPrefix("\(running.server.pageURL)start?code="))
        let target = link.replacing("http://\(running.host)", with: "")
        #expect(target.split(separator: "=").last?.count == 43)
        let first = try await running.ask("GET", target)
        #expect(first.status == 303 && first.header("Location") == "/")
        let cookie = try #require(first.header("Set-Cookie"))
        #expect(cookie.hasPrefix("mailkernel-\(running.port)="))
        for word in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="] { #expect(cookie.contains(word)) }
        #expect(!cookie.contains("Domain"))

        let second = try await running.ask("GET", target)
        #expect(second.status == 403 && second.header("Set-Cookie") == nil)
        #expect(second.text.contains("mailkernel open"))
        await running.server.stop()
    }

    @Test(arguments: ["", "?code=", "?code=x", "?code=%FF", "?other=1"])
    func awrongCodeShowsTheWay(_ query: String) async throws {
        let running = try RunningServer()
        let answer = try await running.ask("GET", "/start\(query)")
        #expect(answer.status == 403 && answer.text.contains("mailkernel open"))
        #expect(answer.header("Set-Cookie") == nil)
        await running.server.stop()
    }

    @Test func aLinkIsGoodForMinutes() throws {
        let place = try TemporaryFolder()
        let now = Mutex(Date.now)
        let links = StartLinks(folder: place.url, now: { now.withLock { $0 } })
        try links.begin(page: "http://127.0.0.1:1/")
        let code = try #require(try links.make()?.split(separator: "=").last)
        now.withLock { $0 += 11 * 60 }
        #expect(try !links.redeem(String(code)))
        now.withLock { $0 -= 11 * 60 }
        #expect(try !links.redeem(String(code)), "a code that was tried too late is gone")
    }

    /// As on a full disk: the page is opened all the same, for as long as the program runs.
    @Test func whatCannotBeWrittenOpensThePage() async throws {
        let running = try RunningServer()
        for name in ["start.json.new", "sessions.json.new"] {
            try FileManager.default.createDirectory(
                at: running.place.url.appending(path: name), withIntermediateDirectories: true)
        }
        let cookie = try await running.signIn()
        let answer = try await running.ask(
            "GET", "/.well-known/jmap", [cookie, "Sec-Fetch-Site: same-origin"])
        #expect(answer.status == 200 && answer.json["isPage"] as? Bool == true)
        await running.server.stop()
    }

    @Test func aSessionSurvivesARestart() async throws {
        let place = try TemporaryFolder()
        let first = try RunningServer(in: place)
        let cookie = try await first.signIn()
        let port = first.port
        await first.server.stop()

        let second = try RunningServer(in: place)
        #expect(second.port == port, "the port of the last time is taken again")
        let answer = try await second.ask(
            "GET", "/.well-known/jmap", [cookie, "Sec-Fetch-Site: same-origin"])
        #expect(answer.status == 200 && answer.json["isPage"] as? Bool == true)
        await second.server.stop()
    }

    @Test func aSessionEnds() throws {
        let place = try TemporaryFolder()
        let now = Mutex(Date.now)
        let sessions = SessionStore(folder: place.url, now: { now.withLock { $0 } })
        let secret = sessions.begin()
        now.withLock { $0 += 29 * 24 * 3600 }
        #expect(try sessions.session(for: secret) != nil)
        now.withLock { $0 += 29 * 24 * 3600 }
        #expect(try sessions.session(for: secret) != nil, "it is as old as its last use")
        now.withLock { $0 += 31 * 24 * 3600 }
        #expect(try sessions.session(for: secret) == nil)
    }

    @Test func onlyHashesAreKeptAndOnlyForTheUser() async throws {
        let running = try RunningServer { $0.tlsPort = .any }
        let cookie = try await running.signIn()
        let link = try running.server.startLink()
        let secrets = [
            cookie.split(separator: "=", maxSplits: 1)[1], link.split(separator: "=")[1],
            running.token[...], running.readToken.dropFirst(3),
        ]
        let files = try #require(
            FileManager.default.enumerator(at: running.place.url, includingPropertiesForKeys: nil)?
                .compactMap { $0 as? URL })
        #expect(files.contains { $0.lastPathComponent == "sessions.json" })
        for file in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            let mode = try #require(attributes[.posixPermissions] as? Int)
            guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
            #expect(mode & 0o077 == 0 || file.lastPathComponent == "mailkernel-ca.pem", "\(file.path)")
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            for secret in secrets { #expect(!text.contains(secret)) }
        }
        await running.server.stop()
    }

    /// Two commands and the program change one file at the same time.
    @Test func nothingIsLostWhenManyChangeAFile() async throws {
        let place = try TemporaryFolder()
        let made = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try await WireClient.onThread {
                        try TokenStore(folder: place.url).create(name: "n\(number)", isReadOnly: false)
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let store = TokenStore(folder: place.url)
        #expect(try store.list().count == 50)
        for token in made { #expect(try store.entry(for: token) != nil) }
    }

    @Test(arguments: ["", " ", "a\nb", "a:b", String(repeating: "x", count: 65), "\u{202e}x", "trailing "])
    func aNameOfATokenIsPlain(_ name: String) throws {
        let store = TokenStore(folder: try TemporaryFolder().url)
        #expect(throws: LocalServerError.self) { try store.create(name: name, isReadOnly: false) }
    }
}
