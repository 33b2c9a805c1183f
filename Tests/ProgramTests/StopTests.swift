import Foundation
import TestSupport
import Testing

@Suite("The program stops when it is told to", .serialized) struct StopTests {
    /// Two accounts whose plugin takes a thread each and never gives it back.
    @Test func aPluginThatNeverReturnsIsNamedAndLeft() async throws {
        let installed = try Installed()
        try installed.setSettings(
            #"{"calls": {"changes": {"error": "block"}}}"#, of: "org.mailkernel.mock.account")
        try installed.place.write("open sesame\n", to: "key")
        let key = installed.place.url.appending(path: "key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        let options = ["--demo", "--vault-key-file", key.path]
        let program = try installed.start(options)
        #expect(await program.errorLine(containing: "blocks its thread"))
        program.signal(SIGTERM)
        let result = await program.result()
        #expect(result.status == 1 && !result.endedBySignal)
        #expect(result.errors.contains("org.mailkernel.mock.account"), "\(result.errors)")
        #expect(result.errors.contains("did not return from “changes”"), "\(result.errors)")

        // What was stored is whole.
        try installed.setSettings("{}", of: "org.mailkernel.mock.account")
        let next = try installed.start(options)
        #expect(await next.line(containing: "is ready"))
        next.signal(SIGTERM)
        #expect(await next.result().status == 0)
    }
}
