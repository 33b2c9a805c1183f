import Foundation
import KernelSupport
import MailKernelAPI
import Testing

@Suite("Templates are kept, and filled on request") struct TemplateTests {
    @Test func aTemplateIsKeptCleanedAndFilled() async throws {
        let test = try await TestKernel()
        let made = try await test.program(
            "Template/set",
            [
                "create": [
                    "a": [
                        "name": "Thanks", "subject": "About {subject}",
                        "html": "<p onclick=x()>Dear {First Name}, {name}, {date} {other}</p>",
                    ], "b": ["html": ""],
                ]
            ])
        #expect(made["notCreated"]["b"]?["properties"] == ["name"])
        let id = try #require(made["created"]["a"]?["id"]?.stringValue, "\(made.arguments)")
        let read = try await test.program("Template/get")["list"][0]
        #expect(read?["html"] == "<p>Dear {First Name}, {name}, {date} {other}</p>")
        let filled = try await test.program(
            "Template/fill",
            [
                "id": .string(id), "subject": "Engines",
                "to": [["name": "Lovelace, Ada <b>", "email": "ada@example.org"]],
            ])
        #expect(filled["subject"] == "About Engines")
        let html = try #require(filled["html"].stringValue, "\(filled.arguments)")
        #expect(html.hasPrefix("<p>Dear Ada, Lovelace, Ada &lt;b&gt;, ") && html.hasSuffix(" {other}</p>"))
        #expect(!html.contains("{date}"))
        let unknown = try await test.program("Template/fill", ["id": .string(id)])
        #expect(unknown["html"].stringValue?.contains("{First Name}") == true)
        let changed = try await test.program("Template/set", ["update": [id: ["name": "Thank you"]]])
        #expect(changed["updated"].keys == [id], "\(changed.arguments)")
        _ = try await test.program("Template/set", ["destroy": [.string(id)]])
        #expect(try await test.program("Template/get")["list"].arrayValue?.isEmpty == true)
    }
}
