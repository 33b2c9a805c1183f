import Foundation
import TestSupport
import Testing

@testable import LocalServer

@Suite("The page's files") struct PageTests {
    private let place: TemporaryFolder
    private let running: RunningServer
    private let script = String(repeating: "console.log('mail');\n", count: 200)

    init() throws {
        place = try TemporaryFolder()
        try place.write("<!doctype html><title>mail</title>", to: "page/index.html")
        try place.write(script, to: "page/assets/app.js")
        try place.write("<!doctype html>", to: "page/mail.frame.html")
        try place.write("addEventListener('fetch', () => {})", to: "page/offline.js")
        try place.write("secret", to: "page/.hidden.html")
        try place.write("secret", to: "page/notes.md")
        try place.write("secret", to: "outside.html")
        let link = place.url.appending(path: "page/link.html")
        try FileManager.default.createSymbolicLink(
            at: link, withDestinationURL: place.url.appending(path: "outside.html"))
        running = try RunningServer(page: place.url.appending(path: "page"))
    }

    @Test func thePageIsThere() async throws {
        let answer = try await running.ask("GET", "/")
        #expect(answer.status == 200 && answer.text.contains("<title>mail</title>"))
        #expect(answer.header("Content-Type") == "text/html; charset=utf-8")
        let worker = try await running.ask("GET", "/offline.js")
        #expect(worker.header("Content-Security-Policy") == PageHeaders.serviceWorker)
        await running.server.stop()
    }

    @Test func aFileIsCompressedAndNotSentTwice() async throws {
        let answer = try await running.ask("GET", "/assets/app.js", ["Accept-Encoding: br, gzip"])
        #expect(answer.header("Content-Encoding") == "gzip" && answer.body.count < script.count / 4)
        let file = place.url.appending(path: "app.js.gz")
        try answer.body.write(to: file)
        #expect(try await Command.run("gzip", ["-dc", file.path]).output == script)

        let plain = try await running.ask("GET", "/assets/app.js", ["Accept-Encoding: gzip;q=0"])
        #expect(plain.text == script && plain.header("Vary") == "Accept-Encoding")
        let etag = try #require(plain.header("ETag"))
        let again = try await running.ask("GET", "/assets/app.js", ["If-None-Match: W/\"x\", \(etag)"])
        #expect(again.status == 304 && again.body.isEmpty && again.header("ETag") == etag)

        try place.write("changed", to: "page/assets/app.js")
        let changed = try await running.ask("GET", "/assets/app.js", ["If-None-Match: \(etag)"])
        #expect(changed.status == 200 && changed.text == "changed")
        await running.server.stop()
    }

    /// A browser keeps a file whose name says what is in it. It asks for all others again.
    @Test func onlyAFileNamedByItsContentIsKept() async throws {
        for name in ["main-I7UCMNZ2.js", "main-IFZTHWGI.css"] {
            try place.write("x", to: "page/\(name)")
            let answer = try await running.ask("GET", "/\(name)")
            #expect(answer.header("Cache-Control") == "private, max-age=31536000, immutable")
        }
        for name in ["pdf.worker.js", "a-b.js", "main-I7UCMNZ2.html", "main-i7ucmnz2.js", "I7UCMNZ2.js"] {
            try place.write("x", to: "page/\(name)")
            #expect(try await running.ask("GET", "/\(name)").header("Cache-Control") == "no-cache")
        }
        for target in ["/", "/mail.frame.html", "/offline.js"] {
            #expect(try await running.ask("GET", target).header("Cache-Control") == "no-cache")
        }
        let gone = try await running.ask("GET", "/main-AAAAAAAA.js")
        #expect(gone.status == 404 && gone.header("Cache-Control")?.contains("immutable") != true)
        await running.server.stop()
    }

    @Test(arguments: [
        "/../outside.html", "/%2e%2e/outside.html", "/assets/..%2f..%2foutside.html", "/.hidden.html",
        "/link.html", "/notes.md", "/assets", "/assets/", "/nothing.js", "//index.html", "/index.html%00.js",
        "/assets/app.js/", "/\\outside.html", "/%FF",
    ])
    func whatIsNoFileOfThePage(_ target: String) async throws {
        let answer = try await running.ask("GET", target)
        #expect(answer.status == 404 && !answer.text.contains("secret"))
        await running.server.stop()
    }

    @Test func everyAnswerHasTheHeaders() async throws {
        for target in ["/", "/nothing", "/start?code=x", "/jmap/api", "/.well-known/jmap", "/assets/app.js"] {
            let answer = try await running.ask("GET", target)
            #expect(answer.header("X-Content-Type-Options") == "nosniff", "\(target)")
            #expect(answer.header("Referrer-Policy") == "no-referrer")
            #expect(answer.header("Cross-Origin-Opener-Policy") == "same-origin")
            #expect(answer.header("Cross-Origin-Resource-Policy") == "same-origin")
            #expect(answer.header("Cross-Origin-Embedder-Policy") == "require-corp")
            #expect(answer.header("Permissions-Policy")?.contains("camera=()") == true)
            #expect(answer.header("X-Frame-Options") == "DENY")
            let policy = try #require(answer.header("Content-Security-Policy"))
            #expect(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"))
            #expect(!policy.contains("unsafe") && !policy.contains("http"))
            #expect(answer.headers.count { $0.name == "Content-Security-Policy" } == 1)
        }
        await running.server.stop()
    }

    /// Mail is shown in a document that runs nothing and loads nothing.
    @Test func theFrameForMailRunsNothing() async throws {
        let answer = try await running.ask("GET", "/mail.frame.html")
        let policy = try #require(answer.header("Content-Security-Policy"))
        #expect(policy.contains("default-src 'none'") && !policy.contains("script"))
        #expect(policy.contains("sandbox") && !policy.contains("allow-scripts"))
        #expect(policy.contains("frame-ancestors 'self'"))
        #expect(answer.header("X-Frame-Options") == "SAMEORIGIN")
        await running.server.stop()
    }

    @Test func aBuildWithoutAPageSaysHowToGoOn() async throws {
        for folder in [nil, URL(filePath: "/nonexistent/page")] {
            let running = try RunningServer(page: folder)
            let answer = try await running.ask("GET", "/")
            #expect(answer.status == 200 && answer.text.contains("mailkernel token create"))
            #expect(try await running.ask("GET", "/app.js").status == 404)
            await running.server.stop()
        }
    }
}
