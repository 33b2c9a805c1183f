import Foundation
import MailKernelAPI
import TestSupport
import Testing

@Suite("The program starts and stops") struct StartTests {
    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func aSignalStopsItCleanly(_ signal: Int32) async throws {
        let kernel = try Installed().start()
        #expect(await kernel.line(containing: "is ready"))
        kernel.signal(signal)
        let result = await kernel.result()
        #expect(result.status == 0 && !result.endedBySignal)
        #expect(result.output.contains("mailkernel has stopped."))
        #expect(result.errors.isEmpty)
    }

    @Test func aStoreThatWasDamagedIsNews() async throws {
        let installed = try Installed()
        try installed.setSettings(
            #"{"calls": {"open": {"answer": {"recovered": {"copy": "/x/mail.damaged", "salvaged": 2}}}}}"#,
            of: "org.mailkernel.mock.storage")
        let kernel = try installed.start()
        #expect(await kernel.line(containing: "is ready"))
        let notices = try await PageClient(kernel).call(
            "Notice/get", ["accountId": "program", "ids": NSNull()])
        let texts = (notices["list"] as? [[String: Any]])?.compactMap { $0["text"] as? String } ?? []
        #expect(
            texts.count == 1 && texts[0].hasPrefix("The store was damaged. It is kept in /x/mail.damaged. "))
        kernel.signal(SIGTERM)
        let errors = await kernel.result().errors
        #expect(errors.contains("The store was damaged. It is kept in /x/mail.damaged"))
    }

    @Test func oneKernelPerDataFolder() async throws {
        let installed = try Installed()
        let first = try installed.start()
        #expect(await first.line(containing: "is ready"))
        let second = try await installed.run()
        #expect(second.status == 1)
        #expect(second.errors.contains("in process \(first.processID)."))
        #expect(second.errors.split(separator: "\n").count == 1)
        first.signal(SIGTERM)
        #expect(await first.result().status == 0)
    }

    @Test func aKilledKernelDoesNotHoldTheFolder() async throws {
        let installed = try Installed()
        let first = try installed.start()
        #expect(await first.line(containing: "is ready"))
        first.signal(SIGKILL)
        _ = await first.result()
        let second = try installed.start()
        #expect(await second.line(containing: "is ready"))
        second.signal(SIGTERM)
        #expect(await second.result().status == 0)
    }

    @Test func itsFoldersAreItsUsersAlone() async throws {
        let installed = try Installed()
        let kernel = try installed.start()
        #expect(await kernel.line(containing: "is ready"))
        kernel.signal(SIGTERM)
        _ = await kernel.result()
        for folder in [installed.data, installed.configuration] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test func theFoldersFollowXDG() async throws {
        let place = try TemporaryFolder()
        let kernel = try Command(
            Checkout.program, ["--plugins", Checkout.mockPlugins.path],
            environment: [
                "XDG_DATA_HOME": place.url.appending(path: "d").path,
                "XDG_CONFIG_HOME": place.url.appending(path: "c").path,
            ])
        #expect(await kernel.line(containing: "is ready"))
        kernel.signal(SIGTERM)
        _ = await kernel.result()
        #expect(FileManager.default.fileExists(atPath: place.url.appending(path: "d/mailkernel/lock").path))
        #expect(FileManager.default.fileExists(atPath: place.url.appending(path: "c/mailkernel").path))
    }

    @Test func allFourKindsAreLoadedIntoOneCopyOfTheAPI() async throws {
        let kernel = try Installed().start()
        guard await kernel.line(containing: "with 4 plugins") else {
            kernel.signal(SIGTERM)
            let said = await kernel.result()
            Issue.record("It ended with \(said.status): \(said.output)\(said.errors)")
            return
        }
        // Foundation reads only the beginning of a file that says it is empty, as all of /proc does.
        let maps = try await Command.run("cat", ["/proc/\(kernel.processID)/maps"]).output
        let libraries = Set(maps.split(separator: "\n").compactMap { $0.split(separator: " ").last })
        #expect(libraries.filter { $0.hasSuffix("/libMailKernelAPI.so") }.count == 1)
        #expect(libraries.filter { $0.contains("/MockPlugins/") }.count == 4)
        kernel.signal(SIGTERM)
        _ = await kernel.result()
    }
}
