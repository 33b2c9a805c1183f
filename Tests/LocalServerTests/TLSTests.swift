import Foundation
import TestSupport
import Testing

@testable import LocalServer

@Suite("HTTPS for other mail programs") struct TLSTests {
    private let running: RunningServer
    private var authority: LocalAuthority {
        LocalAuthority(folder: running.place.url.appending(path: "server"))
    }

    init() throws { running = try RunningServer { $0.tlsPort = .any } }

    private func curl(_ arguments: String...) async throws -> CommandResult {
        try await Command.run(
            URL(filePath: "/usr/bin/curl"),
            ["--silent", "--show-error", "--write-out", "\n%{http_code}"] + arguments)
    }

    @Test(arguments: ["localhost", "127.0.0.1", "[::1]"])
    func aClientThatTrustsTheAuthority(_ name: String) async throws {
        let url = "https://\(name):\(running.tlsPort)/.well-known/jmap"
        let answer = try await curl(
            "--cacert", authority.certificateFile.path, "--oauth2-bearer", running.token, url)
        #expect(answer.status == 0 && answer.output.hasSuffix("\n200"), "\(answer.errors)")
        #expect(
            answer.output.replacing("\\/", with: "/").contains("https://\(name):\(running.tlsPort)/jmap/api"))
        let basic = try await curl(
            "--cacert", authority.certificateFile.path, "--user", "me:\(running.token)", url)
        #expect(basic.output.hasSuffix("\n200"))
        await running.server.stop()
    }

    @Test func aClientThatDoesNotTrustItRefuses() async throws {
        let answer = try await curl("https://localhost:\(running.tlsPort)/.well-known/jmap")
        #expect(answer.status == 60)
        await running.server.stop()
    }

    @Test func oldTLSIsRefused() async throws {
        let answer = try await curl(
            "--cacert", authority.certificateFile.path, "--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0",
            "https://localhost:\(running.tlsPort)/")
        #expect(answer.status == 35)
        await running.server.stop()
    }

    /// A thief of the authority's key cannot be another site with it.
    @Test func theAuthorityIsForThisComputerAlone() async throws {
        let text = try await Command.run(
            "openssl", ["x509", "-in", authority.certificateFile.path, "-noout", "-text"]
        ).output
        #expect(text.contains("Name Constraints: critical") && text.contains("DNS:localhost"))
        #expect(text.contains("CA:TRUE, pathlen:0"))

        let folder = authority.certificateFile.deletingLastPathComponent()
        let script = """
            cd "\(folder.path)" && openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=x \
            -keyout k.pem -out r.pem 2>/dev/null && echo subjectAltName=DNS:mail.example.org > e &&
            openssl x509 -req -in r.pem -CA mailkernel-ca.pem -CAkey mailkernel-ca-key.pem -extfile e \
            -out stolen.pem 2>/dev/null && openssl verify -CAfile mailkernel-ca.pem stolen.pem
            """
        let verified = try await Command.run("sh", ["-c", script])
        #expect(verified.status != 0)
        #expect((verified.output + verified.errors).contains("permitted subtree violation"))
        await running.server.stop()
    }

    private func servedCertificate() async throws -> String {
        try await Command.run(
            "sh",
            [
                "-c",
                "openssl s_client -connect 127.0.0.1:\(running.tlsPort) </dev/null 2>/dev/null"
                    + " | openssl x509 -noout -serial",
            ]
        ).output
    }

    /// Certificates are for 90 days, and a program may run longer.
    @Test func aNewCertificateIsServedWithoutAStart() async throws {
        let before = try await servedCertificate()
        for _ in 0..<3 { try await running.server.renewCertificate(grace: .zero) }
        let after = try await servedCertificate()
        #expect(before.hasPrefix("serial=") && after.hasPrefix("serial=") && before != after)
        let url = "https://localhost:\(running.tlsPort)/.well-known/jmap"
        let answer = try await curl(
            "--cacert", authority.certificateFile.path, "--oauth2-bearer", running.token, url)
        #expect(answer.output.hasSuffix("\n200"), "\(answer.errors)")
        await running.server.stop()
    }

    @Test func theAuthorityStaysAndItsCertificateIsNew() async throws {
        let before = try Data(contentsOf: authority.certificateFile)
        let first = try authority.makeLeaf()
        let second = try authority.makeLeaf()
        #expect(first.key != second.key && first.certificate != second.certificate)
        #expect(try Data(contentsOf: authority.certificateFile) == before)
        let file = try running.place.write(first.certificate, to: "leaf.pem")
        let check = try await Command.run(
            "openssl",
            ["verify", "-CAfile", authority.certificateFile.path, "-verify_ip", "127.0.0.1", file.path])
        #expect(check.output.contains("OK"))
        await running.server.stop()
    }

    /// A page has no business there, and its cookie opens nothing.
    @Test func onlyProgramsUseIt() async throws {
        let base = "https://localhost:\(running.tlsPort)"
        let cookie = try await running.signIn().replacing(
            "mailkernel-\(running.port)", with: "mailkernel-\(running.tlsPort)")
        let trust = ["--cacert", authority.certificateFile.path]
        for (target, status) in [("/", "404"), ("/start?code=x", "404"), ("/.well-known/jmap", "401")] {
            let answer = try await Command.run(
                URL(filePath: "/usr/bin/curl"),
                trust + [
                    "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", "--header", cookie,
                    "--header", "Sec-Fetch-Site: same-origin", base + target,
                ])
            #expect(answer.output == status)
        }
        await running.server.stop()
    }
}
