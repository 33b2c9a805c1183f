import Foundation
import TestSupport

/// `Tests/Servers/mail_service.py`: an OAuth server in the shape of Google's, Dovecot, a submission server.
struct MailServiceProcess {
    struct Place: Decodable {
        let imaps: Int
        let submissions: Int
        let oauth: Int
        let certificate: String
    }

    struct Client: Decodable {
        let id: String
        let secret: String
    }

    struct Seen: Decodable {
        let requests: [String]
        let good: Int
        let tokens: [String]
    }

    struct Page: Decodable {
        let address: String
        let status: Int
        let text: String
    }

    static let password = "password-for-tests"
    static var isInstalled: Bool { access("/usr/sbin/dovecot", X_OK) == 0 }

    let place: Place
    private let process: Command

    init() async throws {
        let made = try await Command.run(Checkout.root.appending(path: "Tests/Tools/python-env"), [])
        guard made.status == 0 else { throw CannotStart(description: made.errors) }
        process = try Command(
            TestServers.python, ["-B", Self.script("mail_service.py"), "gmail"])
        guard await process.line(containing: "}\n") else {
            throw CannotStart(description: await process.result().errors)
        }
        place = try JSONDecoder().decode(Place.self, from: Data(process.outputSoFar.utf8))
    }

    private static func script(_ name: String) -> String {
        Checkout.root.appending(path: "Tests/Servers/\(name)").path
    }

    /// Ends it; its folder goes with it.
    func stop() async {
        process.signal(SIGTERM)
        _ = await process.result()
    }

    var oauth: String { "https://localhost:\(place.oauth)" }

    func newClient() async throws -> Client { try await browser("ask", "POST", "\(oauth)/_test/client") }
    func seen(_ client: Client) async throws -> Seen {
        try await browser("ask", "GET", "\(oauth)/_test/seen/\(client.id)")
    }

    /// Access tokens end before their time.
    func expireAll(of client: Client) async throws {
        let _: [String: String] = try await browser("ask", "POST", "\(oauth)/_test/expire/\(client.id)")
    }

    /// Goes to the sign-in page as a person does, and back to where it leads.
    func visit(_ page: String, as address: String, act: String = "allow") async throws -> Page {
        try await browser("visit", page, address, act)
    }

    private func browser<Answer: Decodable>(_ words: String...) async throws -> Answer {
        let result = try await Command.run(
            TestServers.python, ["-B", Self.script("browser.py"), place.certificate] + words)
        guard result.status == 0 else { throw CannotStart(description: result.errors) }
        return try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
    }
}
