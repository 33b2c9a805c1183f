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

    /// ORG-87: the page asks before it sends a message that still contains one.
    @Test func aDraftNamesThePlaceholdersOfTemplatesThatNothingFilledIn() async throws {
        let test = try await TestKernel()
        let template: JSONValue = [
            "name": "Offer", "subject": "For {customer}",
            "html": "<p>Dear {<b>Company</b>} &amp; {R&amp;D},</p><pre>{other}</pre>",
        ]
        _ = try await test.program("Template/set", ["create": ["a": template]])
        let made = try await test.call(
            "Draft/set",
            [
                "create": [
                    "d": [
                        "subject": "For {Customer}",
                        "html": "<p>Dear {company}, {R&amp;D}, {other}</p><blockquote>{company}</blockquote>",
                    ]
                ]
            ])
        let draft = try #require(made["created"]["d"], "\(made.arguments)")
        func left(_ draft: JSONValue?) -> [String] {
            (draft?["problems"]?.arrayValue ?? []).filter { $0["kind"] == "placeholderLeft" }
                .compactMap { $0["value"]?.stringValue }
        }
        #expect(left(draft) == ["{Customer}", "{company}", "{R&D}"], "\(draft)")
        let id = try #require(draft["id"]?.stringValue)
        #expect(left(try await test.call("Draft/get", ["ids": [.string(id)]])["list"][0]).count == 3)
        let changed = try await test.call(
            "Draft/set", ["update": [id: ["subject": "For Ada", "html": "<p>Dear Ada, {R&amp;D}</p>"]]])
        #expect(left(changed["updated"][id]) == ["{R&D}"], "\(changed.arguments)")
        await test.kernel.stop()
    }
}
