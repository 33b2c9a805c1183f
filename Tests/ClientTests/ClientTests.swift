import Foundation
import TestSupport
import Testing

/// What the test needs beside the program.
private enum Parts {
    static let python = Checkout.root.appending(path: ".build/python/bin/python")
    static let plugins = ["SQLiteStorage", "LocalFolders"].map {
        Checkout.root.appending(path: "Plugins/\($0)")
    }

    static var areThere: Bool {
        let files = plugins.map { plugin in
            let all = (try? FileManager.default.contentsOfDirectory(atPath: plugin.path)) ?? []
            return all.contains { $0.hasPrefix("lib") && $0.hasSuffix(".so") }
        }
        return files.allSatisfy { $0 } && FileManager.default.fileExists(atPath: python.path)
    }
}

/// The program with its demo, driven by other authors' JMAP clients.
@Suite(
    "Other people’s JMAP clients can use it",
    .enabled(
        if: Parts.areThere,
        "It needs the plugins SQLiteStorage and LocalFolders (make plugins) and .build/python (Tests/Tools/python-env)."
    ))
struct ClientTests {
    /// ACC-67
    @Test(.timeLimit(.minutes(10)), arguments: ["jmapc", "jmaplib", "jmap_engine", "websockets"])
    func itDoesAllThatAMailProgramDoes(_ client: String) async throws {
        let installed = try Installed(plugins: Parts.plugins)
        let token = try await installed.token("client")
        let kernel = try installed.start("serve", "--demo", "--port", "0", "--tls-port", "0")
        #expect(await kernel.line(containing: "Open http"))
        defer { kernel.signal(SIGTERM) }
        let place = try #require(try await installed.place())
        let authority = installed.data.appending(path: "server/tls/mailkernel-ca.pem").path
        let script = Checkout.root.appending(path: "Tests/ClientTests/with_\(client).py").path
        let result = try await Command(
            Parts.python, [script, place, token, authority],
            environment: ["REQUESTS_CA_BUNDLE": authority, "PYTHONDONTWRITEBYTECODE": "1"]
        ).result()
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.contains("sent") && result.output.contains("event"))
    }
}

extension Installed {
    private func tokenCommand(_ arguments: [String]) async throws -> String {
        let folders = ["--data", data.path, "--config", configuration.path, "--demo"]
        let result = try await Command.run(Checkout.program, ["token"] + arguments + folders)
        guard result.status == 0 else { throw CannotStart(description: result.errors) }
        return result.output
    }

    fileprivate func token(_ name: String) async throws -> String {
        String(try await tokenCommand(["create", name]).split(separator: "\n").first ?? "")
    }

    /// Host and port of the listener with TLS.
    fileprivate func place() async throws -> String? {
        let output = try await tokenCommand(["create", "second"])
        return output.firstMatch(of: /https:\/\/([^\/]+)\//).map { String($0.1) }
    }
}
