import Foundation
import KernelSupport
import MailKernelAPI
import Testing

/// ORG-15: SieveScript of RFC 9661.
@Suite("Sieve scripts over JMAP") struct SieveScriptTests {
    private func upload(_ test: TestKernel, _ text: String) async throws -> JSONValue {
        .string(try await test.upload(text, type: "application/sieve"))
    }

    @Test func aScriptLives() async throws {
        let test = try await TestKernel()
        let session = try JSONDecoder().decode(
            JSONValue.self, from: try await test.jmap.session(for: TestKernel.page, at: TestKernel.urls))
        let sieve = "urn:ietf:params:jmap:sieve"
        #expect(session["capabilities"]?[sieve]?["implementation"] == "mailkernel")
        let account = session["accounts"]?[test.ada.rawValue]?["accountCapabilities"]?[sieve]
        #expect(account?["sieveExtensions"]?.strings.contains("fileinto") == true)
        #expect(account?["maxNumberRedirects"] == 4 && account?["notificationMethods"]?.strings == ["mailto"])

        let keep = try await upload(test, "keep;")
        let made = try await test.call(
            "SieveScript/set",
            [
                "create": ["a": ["name": "First", "blobId": keep], "b": ["blobId": keep]],
                "onSuccessActivateScript": "#a",
            ])
        let first = made["created"]["a"]?["id"]?.stringValue ?? ""
        let second = made["created"]["b"]?["id"]?.stringValue ?? ""
        #expect(made["created"]["a"]?["isActive"] == true)
        #expect(made["created"]["b"]?["name"] == "Rules")
        #expect(made["newState"] != made["oldState"])
        let got = try await test.call("SieveScript/get", ["ids": [.string(first)]])
        let blobID = got["list"][0]?["blobId"]?.stringValue ?? ""
        #expect(got["list"][0]?["isActive"] == true)
        #expect(String(decoding: try await test.download(blobID), as: UTF8.self) == "keep;")

        let active = try await test.call("SieveScript/query", ["filter": ["isActive": true]])
        #expect(active["ids"].strings == [first])
        let sorted = try await test.call(
            "SieveScript/query", ["sort": [["property": "name", "isAscending": false]]])
        #expect(sorted["ids"].strings == [second, first])

        // Of two, one at most is active.
        let swapped = try await test.call("SieveScript/set", ["onSuccessActivateScript": .string(second)])
        #expect(swapped["updated"][first]?["isActive"] == false)
        #expect(swapped["updated"][second]?["isActive"] == true)
        let changed = try await test.call(
            "SieveScript/set",
            ["update": [second: ["name": "Second", "blobId": try await upload(test, "stop;")]]])
        #expect(changed["updated"][second]?["blobId"]?.stringValue != blobID)
        let off = try await test.call(
            "SieveScript/set", ["destroy": [.string(first)], "onSuccessDeactivateScript": true])
        #expect(off["destroyed"].strings == [first] && off["updated"][second]?["isActive"] == false)
        await test.kernel.stop()
    }

    @Test func everyMistakeHasASentence() async throws {
        let test = try await TestKernel()
        let (good, bad) = (try await upload(test, "keep;"), try await upload(test, "keep;\nfileinto \"A\";"))
        let valid = try await test.call("SieveScript/validate", ["blobId": good])
        #expect(valid.name == "SieveScript/validate" && valid["error"] == .null)
        let invalid = try await test.call("SieveScript/validate", ["blobId": bad])
        #expect(invalid["error"]["type"] == "invalidSieve")
        #expect(invalid["error"]["description"]?.stringValue?.hasPrefix("Line 2, column 1: ") == true)
        let missing = try await test.call("SieveScript/validate", ["blobId": "nothing"])
        #expect(missing["error"]["type"] == "blobNotFound")

        let made = try await test.call(
            "SieveScript/set",
            [
                "create": [
                    "a": ["name": "A", "blobId": good], "b": ["name": "A", "blobId": good],
                    "c": ["name": "C", "blobId": bad], "d": ["name": "a\nb", "blobId": good],
                    "e": ["name": "E"], "f": ["blobId": good, "isActive": true],
                ], "onSuccessActivateScript": "#a",
            ])
        #expect(made["created"].keys == ["a"])
        func type(_ id: String) -> String? { made["notCreated"][id]?["type"]?.stringValue }
        #expect(type("b") == "alreadyExists" && type("c") == "invalidSieve")
        #expect(type("d") == "invalidProperties" && type("e") == "invalidProperties")
        #expect(type("f") == "invalidProperties")
        // Not everything was done, so nothing is activated.
        let id = made["created"]["a"]?["id"]?.stringValue ?? ""
        #expect(try await test.call("SieveScript/get")["list"][0]?["isActive"] == false)

        _ = try await test.call("SieveScript/set", ["onSuccessActivateScript": .string(id)])
        let kept = try await test.call("SieveScript/set", ["destroy": [.string(id)]])
        #expect(kept["notDestroyed"][id]?["type"] == "sieveIsActive")
        let reader = try await test.call("SieveScript/set", ["destroy": [.string(id)]], as: TestKernel.reader)
        #expect(reader.error == "accountReadOnly")
        await test.kernel.stop()
    }
}
