import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@Suite("Mailboxes (RFC 8621, section 2)") struct MailboxTests {
    private func set(_ test: TestKernel, _ arguments: JSONValue) async throws -> CallAnswer {
        try await test.call("Mailbox/set", arguments)
    }

    @Test func aHierarchyComesAndGoesInOneCall() async throws {
        let test = try await TestKernel()
        let answer = try await set(
            test,
            [
                "create": [
                    "a": ["name": "Leaf", "parentId": "#b"], "b": ["name": "Branch", "parentId": "#c"],
                    "c": ["name": "Root", "sortOrder": 3, "isSubscribed": false],
                ]
            ])
        #expect(answer["created"].keys == ["a", "b", "c"], "\(answer.arguments)")
        let ids = ["a", "b", "c"].compactMap { answer["created"][$0]?["id"] }
        let list = try await test.call("Mailbox/get", ["ids": .array(ids)])["list"]
        #expect(
            list[0]?["parentId"] == ids[1] && list[1]?["parentId"] == ids[2] && list[2]?["parentId"] == .null)
        #expect(
            list[2]?["sortOrder"] == 3 && list[2]?["isSubscribed"] == false && list[2]?["totalEmails"] == 0)
        #expect(list[0]?["myRights"]?["mayDelete"] == true)
        let kept = try await set(test, ["destroy": [ids[2]]])
        #expect(kept["notDestroyed"][ids[2].stringValue ?? ""]?["type"] == "mailboxHasChild")
        let gone = try await set(test, ["destroy": [ids[2], ids[0], ids[1]]])
        #expect(Set(gone["destroyed"].strings) == Set(ids.compactMap(\.stringValue)))
        #expect(gone["notDestroyed"] == .null)
    }

    @Test func nullIsTheDefault() async throws {
        let test = try await TestKernel()
        let made = try await set(
            test, ["create": ["k": ["name": "Box", "sortOrder": nil, "isSubscribed": nil]]])
        let id = try #require(made["created"]["k"]?["id"]?.stringValue, "\(made.arguments)")
        _ = try await set(test, ["update": [id: ["sortOrder": 7, "isSubscribed": false]]])
        let back = try await set(test, ["update": [id: ["sortOrder": nil, "isSubscribed": nil]]])
        #expect(back["updated"].keys == [id], "\(back.arguments)")
        let box = try await test.call("Mailbox/get", ["ids": [.string(id)]])["list"][0]
        #expect(box?["sortOrder"] == 0 && box?["isSubscribed"] == true)
    }

    /// Mail may come between the look and the deed.
    @Test func mailThatComesMeanwhileKeepsItsMailbox() async throws {
        let test = try await TestKernel(layout: .folders)
        for round in 0..<40 {
            let made = try await set(test, ["create": ["k": ["name": .string("Box \(round)")]]])
            let box = try #require(made["created"]["k"]?["id"]?.stringValue)
            // Without a Message-ID it could not be known again at a server that does not name what it took.
            let message = "Message-ID: <\(round)@example.org>\r\nSubject: \(round)\r\n\r\nx"
            let blob = try await test.upload(message, type: "message/rfc822")
            let email: JSONValue = ["blobId": .string(blob), "mailboxIds": [box: true]]
            async let adding = test.call("Email/import", ["emails": ["k": email]])
            async let destroying = set(test, ["destroy": [.string(box)]])
            let (added, destroyed) = try await (adding, destroying)
            let isDestroyed = destroyed["destroyed"].strings == [box]
            guard let id = added["created"]["k"]?["id"] else {
                #expect(isDestroyed)
                continue
            }
            #expect(!isDestroyed && destroyed["notDestroyed"][box]?["type"] == "mailboxHasEmail")
            #expect(try await test.call("Email/get", ["ids": [id]])["notFound"] == [])
        }
    }

    @Test func aMailboxWithMailGoesOnlyWhenAskedTo() async throws {
        let test = try await TestKernel(messages: 1)
        let box = try #require(
            try await set(test, ["create": ["k": ["name": "Box"]]])["created"]["k"]?["id"]?.stringValue)
        let id = try await test.emailIDs()[0].rawValue
        _ = try await test.call("Email/set", ["update": [id: ["mailboxIds": [box: true]]]])
        let kept = try await set(test, ["destroy": [.string(box)]])
        #expect(kept["notDestroyed"][box]?["type"] == "mailboxHasEmail")
        await test.settle()
        let gone = try await set(test, ["destroy": [.string(box)], "onDestroyRemoveEmails": true])
        #expect(gone["destroyed"].strings == [box])
        // Of a label's mail the service has the last word.
        try await test.wait(for: "the end of the mail") { try await test.emailIDs().isEmpty }
    }

    @Test(
        arguments: [
            ([:], "name"), (["name": ""], "name"), (["name": 1], "name"), (["name": "a\u{7}b"], "name"),
            (["name": .string(String(repeating: "x", count: 500))], "name"), (["name": "Inbox"], "name"),
            (["name": "x", "parentId": "none"], "parentId"), (["name": "x", "parentId": 1], "parentId"),
            (["name": "x", "sortOrder": -1], "sortOrder"),
            (["name": "x", "isSubscribed": "yes"], "isSubscribed"),
            (["name": "x", "role": "inbox"], "role"), (["name": "x", "totalEmails": 1], "totalEmails"),
            (["name": "x", "color": "red"], "color"), (["name": "x", "parentId": "#nobody"], "parentId"),
        ] as [(JSONValue, String)])
    func whatCannotBeMadeIsNamed(_ object: JSONValue, _ property: String) async throws {
        let test = try await TestKernel()
        let answer = try await set(test, ["create": ["k": object]])
        #expect(answer["notCreated"]["k"]?["type"] == "invalidProperties")
        #expect(answer["notCreated"]["k"]?["properties"]?.strings == [property])
        #expect(answer["oldState"] == answer["newState"])
    }

    /// RFC 5198, section 3: a name is kept composed, and a client that wrote it otherwise learns how.
    @Test func aNameIsKeptComposed() async throws {
        let test = try await TestKernel()
        let made = try await set(test, ["create": ["k": ["name": "Cafe\u{301}"]]])
        let id = try #require(made["created"]["k"]?["id"]?.stringValue)
        #expect(made["created"]["k"]?["name"]?.stringValue.map { Array($0.utf8) } == Array("Caf\u{E9}".utf8))
        let renamed = try await set(test, ["update": [id: ["name": "Cafe\u{301}"]]])
        #expect(
            renamed["updated"][id]?["name"]?.stringValue.map { Array($0.utf8) } == Array("Caf\u{E9}".utf8))
        let other = try await set(test, ["update": [id: ["name": "Caf\u{E9}s"]]])
        #expect(other["updated"][id] == .null)
        let read = try await test.call("Mailbox/get", ["ids": [.string(id)]])["list"][0]
        #expect(read?["name"]?.stringValue == "Caf\u{E9}s")
    }

    /// RFC 8620, section 5.3: only the final state has to be valid.
    @Test(arguments: [MemoryMailServer.Layout.labels, .folders], [2, 3])
    func mailboxesSwapTheirNames(_ layout: MemoryMailServer.Layout, _ count: Int) async throws {
        let test = try await TestKernel(layout: layout)
        let names = (0..<count).map { "Box \($0)" }
        let made = try await set(
            test,
            [
                "create": .object(
                    Dictionary(
                        uniqueKeysWithValues: names.enumerated().map {
                            ("k\($0)", ["name": .string($1)])
                        }))
            ])
        let ids = try names.indices.map { try #require(made["created"]["k\($0)"]?["id"]?.stringValue) }
        await test.settle()
        let there = try remoteIDs(names, test)
        let swap = try await set(
            test,
            [
                "update": .object(
                    Dictionary(
                        uniqueKeysWithValues: ids.indices.map {
                            (ids[$0], ["name": .string(names[($0 + 1) % count])])
                        }))
            ])
        #expect(swap["updated"].keys == ids.sorted() && swap["notUpdated"] == .null, "\(swap.arguments)")
        await test.settle()
        let swapped = try remoteIDs(names, test)
        for index in ids.indices { #expect(swapped[(index + 1) % count] == there[index]) }
        #expect(test.server.mailboxes(of: "ada@example.org").allSatisfy { !$0.name.hasPrefix("renaming") })
        let list = try await test.call("Mailbox/get", ["ids": .array(ids.map { .string($0) })])["list"]
        for index in ids.indices {
            #expect(list[index]?["name"]?.stringValue == names[(index + 1) % count])
        }
    }

    /// The service may have been told of one of them, of both or of neither.
    @Test func mailboxesSwapTheirNamesWhileTheyAreMade() async throws {
        let test = try await TestKernel(layout: .folders)
        for round in 0..<20 {
            let names = ["Left \(round)", "Right \(round)"]
            let made = try await set(
                test, ["create": ["a": ["name": .string(names[0])], "b": ["name": .string(names[1])]]])
            let ids = try ["a", "b"].map { try #require(made["created"][$0]?["id"]?.stringValue) }
            let swap = try await set(
                test,
                ["update": [ids[0]: ["name": .string(names[1])], ids[1]: ["name": .string(names[0])]]])
            #expect(swap["updated"].keys == ids.sorted(), "\(swap.arguments)")
            // A rename that waits for another one's place is told in a round that follows by itself.
            try await test.wait(for: "the names") {
                Set(test.server.mailboxes(of: "ada@example.org").map(\.name)).isSuperset(of: names)
            }
            let list = try await test.call("Mailbox/get", ["ids": .array(ids.map { .string($0) })])["list"]
            #expect(list[0]?["name"]?.stringValue == names[1] && list[1]?["name"]?.stringValue == names[0])
        }
        #expect(test.server.mailboxes(of: "ada@example.org").allSatisfy { !$0.name.hasPrefix("renaming") })
    }

    private func remoteIDs(_ names: [String], _ test: TestKernel) throws -> [RemoteMailboxID] {
        let all = test.server.mailboxes(of: "ada@example.org")
        return try names.map { name in try #require(all.first { $0.name == name }?.id, "\(name) in \(all)") }
    }

    /// Two of one name in two places swap the places; what one leaves another can take, or be made at.
    @Test func placesAreSwapped() async throws {
        let test = try await TestKernel(layout: .folders)
        let made = try await set(
            test,
            [
                "create": [
                    "a": ["name": "A"], "b": ["name": "B"], "x": ["name": "Same", "parentId": "#a"],
                    "y": ["name": "Same", "parentId": "#b"], "old": ["name": "Old"], "new": ["name": "New"],
                ]
            ])
        let id = try ["a", "b", "x", "y", "old", "new"].map {
            try #require(made["created"][$0]?["id"]?.stringValue, "\(made.arguments)")
        }
        await test.settle()
        let swap = try await set(
            test,
            [
                "update": [
                    id[2]: ["parentId": .string(id[1])], id[3]: ["parentId": .string(id[0])],
                    id[5]: ["name": "Old"],
                ],
                "create": ["n": ["name": "New"]], "destroy": [.string(id[4])],
            ])
        #expect(swap["notUpdated"] == .null && swap["notCreated"] == .null, "\(swap.arguments)")
        await test.settle()
        let all = test.server.mailboxes(of: "ada@example.org")
        func place(_ name: String, in parent: String?) -> Bool {
            let parentID = parent.map { parent in all.first { $0.name == parent }?.id }
            return all.count { $0.name == name && (parent == nil || $0.parentID == parentID ?? nil) } == 1
        }
        #expect(place("Same", in: "A") && place("Same", in: "B"), "\(all)")
        #expect(all.count { $0.name == "Old" } == 1 && all.count { $0.name == "New" } == 1, "\(all)")
        let list = try await test.call("Mailbox/get", ["ids": [.string(id[2]), .string(id[3])]])["list"]
        #expect(list[0]?["parentId"]?.stringValue == id[1] && list[1]?["parentId"]?.stringValue == id[0])
    }

    @Test func whatCannotBeSwappedIsRefused() async throws {
        let test = try await TestKernel()
        let made = try await set(
            test, ["create": ["a": ["name": "A"], "b": ["name": "B"], "c": ["name": "C"]]])
        let ids = try ["a", "b", "c"].map { try #require(made["created"][$0]?["id"]?.stringValue) }
        let answer = try await set(
            test, ["update": [ids[0]: ["name": "B"], ids[1]: ["name": "A"], ids[2]: ["name": "Inbox"]]])
        #expect(answer["updated"].keys == ids.dropLast().sorted(), "\(answer.arguments)")
        #expect(answer["notUpdated"][ids[2]]?["properties"] == ["name"])
        let both = try await set(test, ["update": [ids[0]: ["name": "C"], ids[1]: ["name": "C"]]])
        #expect(both["updated"] == .null && both["notUpdated"].keys == ids.dropLast().sorted())
    }

    @Test func mailboxesAreRenamedAndMoved() async throws {
        let test = try await TestKernel()
        let made = try await set(
            test, ["create": ["a": ["name": "A"], "b": ["name": "B", "parentId": "#a"]]])
        let a = try #require(made["created"]["a"]?["id"]?.stringValue)
        let b = try #require(made["created"]["b"]?["id"]?.stringValue)
        let circle = try await set(test, ["update": [a: ["parentId": .string(b)]]])
        #expect(circle["notUpdated"][a]?["properties"] == ["parentId"])
        let renamed = try await set(test, ["update": [b: ["parentId": nil, "name": "C"]]])
        #expect(renamed["updated"][b] == .null)
        let taken = try await set(test, ["update": [b: ["name": "A"]]])
        #expect(taken["notUpdated"][b]?["properties"] == ["name"])
        await test.settle()
        #expect(
            test.server.mailboxes(of: "ada@example.org").contains { $0.name == "C" && $0.parentID == nil })
        let inbox = try await test.mailbox(.inbox).rawValue
        let fixed = try await set(test, ["update": [inbox: ["name": "Box"]], "destroy": [.string(inbox)]])
        #expect(fixed["notUpdated"][inbox]?["type"] == "forbidden")
        #expect(fixed["notDestroyed"][inbox]?["type"] == "forbidden")
    }

    @Test func anAccountWhoseMailboxesAreFixedSaysSo() async throws {
        let test = try await TestKernel(lacking: [.mailboxChanges])
        #expect(
            try await set(test, ["create": ["k": ["name": "x"]]])["notCreated"]["k"]?["type"] == "forbidden")
    }

    @Test func queriesFilterSortAndMakeTrees() async throws {
        let test = try await TestKernel()
        _ = try await set(
            test,
            [
                "create": [
                    "z": ["name": "Zoo", "sortOrder": 20],
                    "a": ["name": "Ape", "parentId": "#z", "sortOrder": 1],
                    "b": ["name": "Bee", "parentId": "#z", "sortOrder": 30],
                ]
            ])
        let all = try await test.call("Mailbox/get", ["properties": ["name"]])["list"].arrayValue ?? []
        let names = Dictionary(
            uniqueKeysWithValues: all.map { ($0["id"]?.stringValue ?? "", $0["name"]?.stringValue ?? "") })
        func found(_ arguments: JSONValue) async throws -> [String] {
            try await test.call("Mailbox/query", arguments)["ids"].strings.compactMap { names[$0] }
        }
        #expect(try await found(["filter": ["role": "inbox"]]) == ["Inbox"])
        #expect(
            try await found(["filter": ["hasAnyRole": false], "sort": [["property": "name"]]]) == [
                "Ape", "Bee", "Zoo",
            ])
        #expect(try await found(["filter": ["name": "BE"]]) == ["Bee"])
        #expect(try await found(["filter": ["parentId": nil, "hasAnyRole": false]]) == ["Zoo"])
        #expect(
            try await found([
                "filter": ["operator": "NOT", "conditions": [["hasAnyRole": true], ["name": "z"]]],
                "sort": [["property": "name", "isAscending": false]],
            ]) == ["Bee", "Ape"])
        let tree = try await found(["sort": [["property": "sortOrder"]], "sortAsTree": true])
        #expect(Array(tree.suffix(3)) == ["Zoo", "Ape", "Bee"])
        #expect(
            try await found(["filter": ["hasAnyRole": false, "name": "ape"], "filterAsTree": true]) == [])
        let answer = try await test.call(
            "Mailbox/query", ["limit": 2, "position": -1, "calculateTotal": true])
        #expect(answer["ids"].strings.count == 1 && answer["total"].intValue == names.count)
        #expect(
            try await test.call("Mailbox/query", ["sort": [["property": "color"]]]).error == "unsupportedSort"
        )
        #expect(try await test.call("Mailbox/query", ["filter": ["color": 1]]).error == "unsupportedFilter")
        let same = try await test.call(
            "Mailbox/queryChanges", ["sinceQueryState": answer["queryState"], "calculateTotal": true])
        #expect(same["total"].intValue == names.count && same["added"] == [])
    }

    @Test func countsAloneAreToldAsSuch() async throws {
        let test = try await TestKernel(messages: 2)
        let state = try await test.call("Mailbox/get", ["ids": []])["state"]
        let id = try await test.emailIDs()[0].rawValue
        _ = try await test.call("Email/set", ["update": [id: ["keywords/$seen": true]]])
        let changes = try await test.call("Mailbox/changes", ["sinceState": state])
        #expect(
            changes["updatedProperties"].strings == [
                "totalEmails", "unreadEmails", "totalThreads", "unreadThreads",
            ])
        _ = try await set(test, ["create": ["k": ["name": "x"]]])
        #expect(try await test.call("Mailbox/changes", ["sinceState": state])["updatedProperties"] == .null)
    }
}
