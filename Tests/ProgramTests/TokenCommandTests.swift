import Foundation
import TestSupport
import Testing

@Suite("mailkernel token and open") struct TokenCommandTests {
    private let place: TemporaryFolder

    init() throws { place = try TemporaryFolder() }

    private func run(_ arguments: String...) async throws -> CommandResult {
        let folders = ["--data", place.url.path + "/data", "--config", place.url.path + "/config"]
        return try await Command.run(Checkout.program, arguments + folders)
    }

    @Test func aTokenIsMadeListedAndRevoked() async throws {
        let created = try await run("token", "create", "My phone", "--read-only")
        #expect(created.status == 0)
        #expect(created.output.hasPrefix("mk_") && created.output.contains("which is read-only"))
        let token = try #require(created.output.split(separator: "\n").first)
        let authority = place.url.path + "/data/server/tls/mailkernel-ca.pem"
        #expect(created.output.contains(authority) && FileManager.default.fileExists(atPath: authority))

        #expect(try await run("token", "create", "Laptop").output.contains("mk_"))
        let listed = try await run("token", "list").output
        #expect(listed.contains("My phone: read-only, created on 20"))
        #expect(listed.contains("Laptop: read and change") && !listed.contains(token))

        #expect(try await run("token", "revoke", "My phone").status == 0)
        #expect(try await !run("token", "list").output.contains("My phone"))
        let again = try await run("token", "revoke", "My phone")
        #expect(again.status == 1 && again.errors.contains("There is no token “My phone”."))
    }

    @Test func twoTokensOfOneNameAreRefused() async throws {
        _ = try await run("token", "create", "Phone")
        let second = try await run("token", "create", "Phone")
        #expect(second.status == 1 && second.errors.contains("The token “Phone” already exists."))
        #expect(second.output.isEmpty)
    }

    @Test func listingNothingSaysSo() async throws {
        #expect(try await run("token", "list").output == "There are no tokens.\n")
    }

    @Test(arguments: [
        ["token"], ["token", "create"], ["token", "revoke"], ["token", "frob"], ["open", "x"],
    ])
    func whatIsNotUnderstood(_ words: [String]) async throws {
        let result = try await Command.run(
            Checkout.program, words, environment: ["HOME": place.url.path])
        #expect(result.status == 64 && result.errors.split(separator: "\n").count == 1)
    }

    @Test func openNeedsARunningProgram() async throws {
        let result = try await run("open", "--no-browser")
        #expect(result.status == 1 && result.errors.contains("mailkernel is not running on"))
    }
}
