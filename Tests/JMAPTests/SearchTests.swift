import Foundation
import KernelSupport
import MailKernelAPI
import Testing

/// ORG-30, ORG-32, ORG-33, ORG-35, ORG-37: searches in the user's words.
@Suite("Searches in the user's words are answered exactly") struct SearchTests {
    private static func message(
        _ subject: String, to: String = "x@b.org", cc: String = "", list: String = "", file: String? = nil,
        text: String = "Hello"
    ) -> String {
        var head = "From: Ana Lima <ana@a.org>\r\nTo: \(to)\r\nSubject: \(subject)\r\n"
        if !cc.isEmpty { head += "Cc: \(cc)\r\n" }
        if !list.isEmpty { head += "List-Id: <\(list)>\r\n" }
        guard let file else { return head + "\r\n\(text)\r\n" }
        return head + """
            MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n\
            \(text)\r\n--b\r\nContent-Type: application/octet-stream\r\n\
            Content-Disposition: attachment; filename="\(file)"\r\n\r\nabc\r\n--b--\r\n
            """
    }

    private static let mail = [
        message("roof", text: "A new roof for the house"),
        message("house", text: "The house has a roof that is new"),
        message("invoice", file: "Invoice-2024.pdf"),
        message("picture", cc: "Bo <bo@b.org>", file: "Cat.JPG"),
        message(
            "digest", list: "news.example.org",
            text: "a large digest " + String(repeating: "word ", count: 400)),
    ]

    private func made() async throws -> TestKernel {
        let test = try await TestKernel()
        for (index, mail) in Self.mail.enumerated() {
            _ = try await test.add(mail, receivedAt: "2026-03-0\(index + 1)T12:00:00Z")
        }
        return test
    }

    private func subjects(_ test: TestKernel, _ search: String) async throws -> [String] {
        let answer = try await test.call(
            "Email/query",
            [
                "filter": ["operator": "AND", "conditions": [["search": .string(search)], [:]]],
                "sort": [["property": "receivedAt"]], "calculateTotal": true,
            ])
        let ids = try #require(answer["ids"].arrayValue, "\(search): \(answer.arguments)")
        #expect(answer["total"].intValue == ids.count)
        let emails = try await test.call("Email/get", ["ids": .array(ids), "properties": ["subject"]])
        let found = emails["list"].arrayValue ?? []
        return ids.compactMap { id in found.first { $0["id"] == id }?["subject"]?.stringValue }
    }

    @Test func everyOperatorIsAnswered() async throws {
        let test = try await made()
        let expected: [(String, [String])] = [
            ("roof", ["roof", "house"]), ("-roof", ["invoice", "picture", "digest"]),
            ("\"new roof\"", ["roof"]), ("new -\"new roof\"", ["house"]),
            ("subject:roof OR subject:house", ["roof", "house"]),
            ("(invoice OR picture) -picture", ["invoice"]),
            ("to:bo", ["picture"]), ("cc:bo -from:nobody", ["picture"]), ("from:bo", []),
            ("list:news.example.org", ["digest"]), ("list:other", []),
            ("has:attachment", ["invoice", "picture"]), ("-has:attachment", ["roof", "house", "digest"]),
            ("filename:invoice", ["invoice"]), ("filename:*.jpg", ["picture"]), ("has:pdf", ["invoice"]),
            ("has:image", ["picture"]), ("-filename:pdf", ["roof", "house", "picture", "digest"]),
            ("filename:pdf OR subject:roof", ["roof", "invoice"]), ("filename:pdf filename:jpg", []),
            ("has:attachment -has:pdf", ["picture"]), ("larger:1k", ["digest"]),
            ("before:2026-03-02", ["roof"]), ("after:2026-03-05", ["digest"]), ("is:unread in:nowhere", []),
        ]
        for (search, wanted) in expected {
            #expect(try await subjects(test, search) == wanted, "\(search)")
        }
    }

    @Test func whatCannotBeAnsweredIsAnErrorInASentence() async throws {
        let test = try await made()
        let deep = String(repeating: "(", count: 30)
        for search in [
            deep, "filename:a filename:b filename:c filename:d", String(repeating: "a", count: 5000),
        ] {
            let answer = try await test.call("Email/query", ["filter": ["search": .string(search)]])
            #expect(answer.error == "unsupportedFilter", "\(search.prefix(20))")
            #expect(answer["description"].stringValue?.hasSuffix(".") == true)
        }
        let snippets = try await test.call(
            "SearchSnippet/get", ["filter": ["search": "filename:pdf hello"], "emailIds": []])
        #expect(snippets.error == nil)
    }

    @Test func actionsTakeSearchesWithFileNames() async throws {
        let test = try await made()
        _ = try await test.call(
            "MailAction/set", ["create": ["a": ["verb": "star", "filter": ["search": "filename:pdf"]]]])
        #expect(try await subjects(test, "is:starred") == ["invoice"])
    }

    @Test func aPageLearnsWhatWasUnderstood() async throws {
        let test = try await made()
        let parsed = try await test.program("SearchText/parse", ["text": "-roof in:nowhere larger:abc"])
        #expect(parsed["chips"].arrayValue?.map { $0["label"]?.stringValue } == ["Not “roof”", "In nowhere"])
        #expect(parsed["chips"][0]?["without"] == "in:nowhere larger:abc")
        let sentences = parsed["remarks"].arrayValue?.compactMap { $0["sentence"]?.stringValue } ?? []
        #expect(
            sentences.count == 2 && sentences.contains { $0.contains("no folder or label named “nowhere”") })
        let hints = try await test.program("SearchText/complete", ["text": "roof fr"])
        #expect(hints["list"][0]?["text"] == "roof from:" && hints["list"][0]?["caret"] == 10)
        let values = try await test.program("SearchText/complete", ["text": "is:un x", "caret": 5])
        #expect(values["list"][0]?["text"] == "is:unread x")
        #expect(
            try await test.program("SearchText/complete", ["text": "\"fr"])["list"].arrayValue?.isEmpty
                == true)
    }

    @Test func searchesAreSavedWithTheirCounts() async throws {
        let test = try await made()
        let made = try await test.program(
            "SavedSearch/set",
            [
                "create": [
                    "a": ["name": "Roofs", "text": "roof"], "b": ["name": "", "text": "x"],
                    "c": ["name": "x"],
                    "d": ["name": "Files", "text": "filename:pdf"],
                ]
            ])
        #expect(made["notCreated"]["b"]?["properties"] == ["name"])
        #expect(made["notCreated"]["c"]?["properties"] == ["text"])
        let id = try #require(made["created"]["a"]?["id"]?.stringValue, "\(made.arguments)")
        let list = try await test.program("SavedSearch/get")["list"]
        #expect(
            list[0]?["name"] == "Files" && list[0]?["totalThreads"] == 1 && list[0]?["unreadThreads"] == 1)
        #expect(list[1]?["name"] == "Roofs" && list[1]?["totalThreads"] == 2)
        _ = try await test.program("SavedSearch/set", ["update": [id: ["name": "Tiles"]]])
        #expect(
            try await test.program("SavedSearch/get", ["ids": [.string(id)]])["list"][0]?["name"] == "Tiles")
        _ = try await test.program("SavedSearch/set", ["destroy": [.string(id)]])
        #expect(try await test.program("SavedSearch/get")["list"].arrayValue?.count == 1)
    }
}
