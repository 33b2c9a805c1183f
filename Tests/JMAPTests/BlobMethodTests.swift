import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import Testing

@Suite("Blobs are made, read and looked up (RFC 9404)") struct BlobMethodTests {
    private func made(_ answer: CallAnswer, _ name: String = "b") throws -> String {
        try #require(answer["created"][name]?["id"]?.stringValue, "\(answer.arguments)")
    }

    /// ACC-60
    @Test func aBlobIsMadeOfTextBase64AndRangesOfOthers() async throws {
        let test = try await TestKernel()
        let first = try await test.call(
            "Blob/upload",
            ["create": ["b": ["type": "text/plain", "data": [["data:asText": "The quick brown fox"]]]]])
        #expect(first["created"]["b"]?["size"] == 19 && first["created"]["b"]?["type"] == "text/plain")
        let id = try made(first)
        // In one call, each after those that it is made of.
        let second = try await test.call(
            "Blob/upload",
            [
                "create": [
                    "a": ["data": [["blobId": "#c", "offset": 1], ["data:asBase64": "/w=="]]],
                    "c": [
                        "data": [
                            ["data:asText": "a "], ["blobId": .string(id), "offset": 4, "length": 5],
                            ["blobId": .string(id), "offset": 19],
                        ]
                    ],
                ]
            ])
        #expect(second["created"]["c"]?["size"] == 7, "\(second.arguments)")
        #expect(second["created"]["a"]?["type"] == "application/octet-stream")
        #expect(try await test.download(try made(second, "c")) == Data("a quick".utf8))
        #expect(try await test.download(try made(second, "a")) == Data(" quick".utf8) + [0xFF])
    }

    /// ACC-60
    @Test func whatIsWrongIsRefusedByItself() async throws {
        let test = try await TestKernel()
        let id = try await test.upload("0123456789")
        let pieces: [String: JSONValue] = [
            "late": [["blobId": .string(id), "offset": 11]], "long": [["blobId": .string(id), "length": 11]],
            "unknown": [["blobId": "nothing"]], "both": [["data:asText": "a", "data:asBase64": "YQ=="]],
            "none": [[:]], "base": [["data:asBase64": "Y Q=="]], "itself": [["blobId": "#itself"]],
            "range": [["data:asText": "abc", "offset": 1]], "number": [1],
            "many": .array(Array(repeating: ["data:asText": ""], count: 65)),
        ]
        var create = pieces.mapValues { JSONValue.object(["data": $0]) }
        create["type"] = ["data": [], "type": "text/plain\r\nX: y"]
        create["noData"] = [:]
        create["other"] = ["data": [], "name": "x"]
        create["good"] = ["data": []]
        let answer = try await test.call("Blob/upload", ["create": .object(create)])
        #expect(answer["created"].keys == ["good"], "\(answer.arguments)")
        #expect(answer["notCreated"].keys == create.keys.filter { $0 != "good" }.sorted())
        #expect(answer["notCreated"]["unknown"]?["type"] == "blobNotFound")
        #expect(answer["notCreated"]["unknown"]?["notFound"] == ["nothing"])
        let reading = try await test.call("Blob/upload", ["create": [:]], as: TestKernel.reader)
        #expect(reading.error == "accountReadOnly")
    }

    /// ACC-60
    @Test func aBlobHasALimitAndSoHaveAllOfOneCall() async throws {
        var limits = JMAPLimits()
        limits.maxSizeUpload = 20
        let test = try await TestKernel(limits: limits)
        let id = try await test.upload("0123456789")
        let twice: JSONValue = ["data": [["blobId": .string(id)], ["blobId": .string(id)]]]
        let answer = try await test.call(
            "Blob/upload",
            [
                "create": [
                    "a": twice, "b": twice,
                    "c": ["data": [["blobId": .string(id)], ["blobId": .string(id)], ["data:asText": "x"]]],
                ]
            ])
        #expect(answer["created"].keys == ["a"])
        #expect(answer["notCreated"]["b"]?["type"] == "tooLarge")
        #expect(answer["notCreated"]["c"]?["type"] == "tooLarge")
    }

    /// ACC-61: the examples of RFC 9404, section 4.2.
    @Test func rangesAndDigestsAreRead() async throws {
        let test = try await TestKernel()
        let id = try await test.upload("The quick brown fox jumped over the lazy dog.")
        let whole = try await test.call(
            "Blob/get",
            [
                "ids": [.string(id), "missing"],
                "properties": ["data:asText", "digest:sha", "digest:sha-256", "size"],
            ])
        #expect(whole["notFound"] == ["missing"] && whole["state"] == .null)
        let blob = try #require(whole["list"][0])
        #expect(blob["data:asText"] == "The quick brown fox jumped over the lazy dog." && blob["size"] == 45)
        #expect(blob["digest:sha"] == "wIVPufsDxBzOOALLDSIFKebu+U4=", "\(blob)")
        #expect(blob["isTruncated"] == nil && blob["isEncodingProblem"] == nil)
        let part = try await test.call(
            "Blob/get",
            [
                "ids": [.string(id)], "offset": 4, "length": 9,
                "properties": ["data:asText", "digest:sha", "digest:sha-256", "size"],
            ])
        #expect(part["list"][0]?["data:asText"] == "quick bro" && part["list"][0]?["size"] == 45)
        #expect(part["list"][0]?["digest:sha"] == "QiRAPtfyX8K6tm1iOAtZ87Xj3Ww=")
        #expect(
            part["list"][0]?["digest:sha-256"] == "gdg9INW7lwHK6OQ9u0dwDz2ZY/gubi0En0xlFpKt0OA=")
        let end = try await test.call("Blob/get", ["ids": [.string(id)], "offset": 41, "length": 9])
        #expect(end["list"][0]?["data:asText"] == "dog." && end["list"][0]?["isTruncated"] == true)
        let past = try await test.call("Blob/get", ["ids": [.string(id)], "offset": 50])
        #expect(past["list"][0]?["data:asText"] == "" && past["list"][0]?["isTruncated"] == true)
        for bad: JSONValue in [
            ["ids": [.string(id)], "properties": ["digest:md5"]], ["ids": [.string(id)], "offset": -1],
            ["properties": ["size"]],
        ] { #expect(try await test.call("Blob/get", bad).error == "invalidArguments") }
    }

    /// ACC-61
    @Test func bytesThatAreNoTextAreSaidToBeNone() async throws {
        let test = try await TestKernel()
        let made = try await test.call(
            "Blob/upload", ["create": ["b": ["data": [["data:asText": "ab"], ["data:asBase64": "gYE="]]]]])
        let id = JSONValue.string(try self.made(made))
        let any = try await test.call("Blob/get", ["ids": [id]])
        #expect(
            any["list"][0]?["data:asBase64"] == "YWKBgQ==" && any["list"][0]?["isEncodingProblem"] == true)
        #expect(any["list"][0]?["data:asText"] == nil)
        let text = try await test.call("Blob/get", ["ids": [id], "properties": ["data:asText"]])
        #expect(text["list"][0]?["data:asText"] == .null && text["list"][0]?["isEncodingProblem"] == true)
        let start = try await test.call("Blob/get", ["ids": [id], "length": 2])
        #expect(start["list"][0]?["data:asText"] == "ab" && start["list"][0]?["isTruncated"] == nil)
    }

    /// ACC-61
    @Test func moreThanOneAnswerMayHoldIsNotRead() async throws {
        var limits = JMAPLimits()
        limits.maxSizeAnswers = 2000
        let test = try await TestKernel(limits: limits)
        let id = JSONValue.string(try await test.upload(String(repeating: "x", count: 3000)))
        #expect(try await test.call("Blob/get", ["ids": [id]]).error == "requestTooLarge")
        let size = try await test.call("Blob/get", ["ids": [id], "properties": ["size", "digest:sha"]])
        #expect(size["list"][0]?["size"] == 3000 && size["list"][0]?["digest:sha"] != nil)
    }

    /// ACC-62
    @Test func aBlobLeadsToItsEmailThreadAndMailboxes() async throws {
        let test = try await TestKernel()
        let email = try await test.add(
            "From: a@example.org\r\nSubject: x\r\nMIME-Version: 1.0\r\n"
                + "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n--b\r\n"
                + "Content-Type: image/png\r\nContent-Disposition: attachment; filename=p.png\r\n\r\npng\r\n--b--\r\n"
        )
        let read = try await test.call(
            "Email/get", ["ids": [.string(email)], "properties": ["blobId", "threadId", "attachments"]])
        let whole = try #require(read["list"][0]?["blobId"])
        let part = try #require(read["list"][0]?["attachments"]?[0]?["blobId"])
        let upload = JSONValue.string(try await test.upload("unused"))
        let answer = try await test.call(
            "Blob/lookup",
            ["typeNames": ["Mailbox", "Thread", "Email"], "ids": [whole, part, upload, "missing"]])
        #expect(answer["notFound"] == ["missing"], "\(answer.arguments)")
        for index in 0...1 {
            let matched = answer["list"][index]?["matchedIds"]
            #expect(matched?["Email"] == [.string(email)])
            #expect(matched?["Thread"]?[0] == read["list"][0]?["threadId"])
            #expect(matched?["Mailbox"] == [.string(try await test.mailbox(.inbox).rawValue)])
        }
        #expect(answer["list"][2]?["matchedIds"] == ["Email": [], "Mailbox": [], "Thread": []])
        let unknown = try await test.call("Blob/lookup", ["typeNames": ["Calendar"], "ids": []])
        #expect(unknown.error == "unknownDataType")
    }
}
