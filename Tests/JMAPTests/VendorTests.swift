import Care
import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import Store
import Synchronization
import TestSupport
import Testing

@Suite("What JMAP has no words for") struct VendorTests {
    /// Section 5 of the settings specification, NFR-SET-01: on disk before the answer, and ORG-04.
    @Test func everySettingHasItsDefaultAndItsValues() async throws {
        let test = try await TestKernel()
        let expected: JSONValue = [
            "id": "singleton", "defaultSendingAccountId": nil, "undoSendDelaySeconds": 5,
            "appTheme": "system",
            "categoryTabVisibility": ["primary": true, "social": true, "promotions": true, "updates": true],
            "appLockEnabled": false, "notificationPreferences": [:], "isOnboardingComplete": false,
            "sendWhileClosed": false, "writesPlainText": false, "appLockDelayMinutes": 5,
            "notifyOnEveryComputer": false, "listDensity": "cozy", "readingPane": "right",
            "textSizePercent": 100, "paneSizes": [:], "collapsedFolders": [:],
            "favoriteFolders": [:], "folderColors": [:], "folderCounts": [:],
            "replyPlace": "below", "composerBox": [:], "serviceSearch": "ask",
        ]
        #expect(try await test.program("Preferences/get")["list"] == [expected])
        let allowed: [String: [JSONValue]] = [
            "undoSendDelaySeconds": [0, 10, 15, 30, 5], "appTheme": ["light", "dark", "system"],
            "sendWhileClosed": [true, false], "writesPlainText": [true, false],
            "notifyOnEveryComputer": [true, false],
            "appLockDelayMinutes": [0, 1, 15, 60, 5],
            "isOnboardingComplete": [true, false],
            "defaultSendingAccountId": [.string(test.grace.rawValue), nil],
            "notificationPreferences": [[test.ada.rawValue: false], [:]],
            "categoryTabVisibility": [["primary": true, "social": false]],
            "listDensity": ["compact", "roomy"], "readingPane": ["below", "off"],
            "textSizePercent": [80, 200], "paneSizes": [["sidebar": 200, "list": 950], [:]],
            "collapsedFolders": [[test.ada.rawValue: true, "\(test.ada)/inbox": true], [:]],
            "favoriteFolders": [["\(test.ada)/inbox": true], [:]],
            "folderColors": [["\(test.ada)/inbox": "teal"], [:]],
            "folderCounts": [["\(test.ada)/inbox": false], [:]],
            "replyPlace": ["floating", "window"], "composerBox": [["left": 0, "width": 1000], [:]],
            "serviceSearch": ["allow", "refuse", "ask"],
        ]
        for (key, values) in allowed {
            for value in values {
                let answer = try await test.program(
                    "Preferences/set", ["update": ["singleton": [key: value]]])
                #expect(answer["updated"].keys == ["singleton"], "\(key) \(value)")
                let document = try await test.storage.document(DocumentKey("preference", key))
                let read = try await test.program("Preferences/get")["list"][0]?[key]
                #expect(read == value && (document == nil || document?.value == value), "\(key)")
            }
        }
        let refused: [(String, JSONValue)] = [
            ("undoSendDelaySeconds", 7), ("undoSendDelaySeconds", "5"), ("appTheme", "blue"),
            ("appLockEnabled", 1), ("appLockEnabled", true),
            ("categoryTabVisibility", ["forums": true]), ("categoryTabVisibility", ["primary": 1]),
            ("notificationPreferences", []), ("defaultSendingAccountId", 5), ("nothing", true), ("id", "x"),
            ("listDensity", "tiny"), ("textSizePercent", 101), ("paneSizes", ["list": 20]),
            ("paneSizes", ["list": "wide"]), ("paneSizes", ["other": 200]),
            ("collapsedFolders", ["a/b/c": true]), ("replyPlace", "above"), ("composerBox", ["left": 1001]),
            ("collapsedFolders", ["": true]), ("favoriteFolders", ["inbox": true]),
            ("folderColors", ["a/inbox": "#ff0000"]), ("folderColors", ["a/": "red"]),
            ("folderCounts", ["a/inbox": 3]),
        ]
        for (key, value) in refused {
            let answer = try await test.program("Preferences/set", ["update": ["singleton": [key: value]]])
            #expect(answer["notUpdated"]["singleton"]?["properties"] == [.string(key)], "\(key) \(value)")
            #expect(answer["oldState"] == answer["newState"])
        }
        let both = try await test.program(
            "Preferences/set", ["update": ["singleton": ["appTheme": "dark", "appLockEnabled": 3]]])
        #expect(both["updated"] == .null)
        #expect(try await test.program("Preferences/get")["list"][0]?["appTheme"] == "system")
        let patch = try await test.program(
            "Preferences/set", ["update": ["singleton": ["notificationPreferences/\(test.ada)": false]]])
        #expect(patch["updated"].keys == ["singleton"])
        let others = try await test.program(
            "Preferences/set", ["create": ["k": [:]], "destroy": ["singleton"], "update": ["x": [:]]])
        #expect(
            others["notCreated"]["k"]?["type"] == "singleton"
                && others["notDestroyed"]["singleton"]?["type"] == "singleton")
        #expect(others["notUpdated"]["x"]?["type"] == "notFound")
        let changes = try await test.program("Preferences/changes", ["sinceState": patch["oldState"]])
        #expect(changes["updated"].strings == ["singleton"])
    }

    @Test func accountsHaveSettings() async throws {
        let test = try await TestKernel(messages: 1)
        let id = test.ada.rawValue
        let before = try #require(
            try await test.program("AccountSettings/get", ["ids": [.string(id), "none"]])["list"][0])
        #expect(
            before["address"] == "ada@example.org" && before["syncWindowDays"] == 30
                && before["attachmentCacheLimitMB"] == 500)
        let answer = try await test.program(
            "AccountSettings/set", ["update": [id: ["syncWindowDays": 7, "displayName": "A"]]])
        #expect(answer["updated"].keys == [id])
        for (key, value) in [
            ("syncWindowDays", 8), ("displayName", ""), ("address", "x@y.org"), ("attachmentCacheLimitMB", 1),
        ] as [(String, JSONValue)] {
            let refused = try await test.program("AccountSettings/set", ["update": [id: [key: value]]])
            #expect(refused["notUpdated"][id]?["properties"] == [.string(key)])
        }
        let created = try await test.program(
            "AccountSettings/set", ["create": ["k": [:]], "destroy": ["none", .string(id)]])
        #expect(
            created["notCreated"]["k"]?["type"] == "forbidden"
                && created["notDestroyed"]["none"]?["type"] == "notFound")
        #expect(created["destroyed"].strings == [id])
        #expect(try await test.call("Mailbox/get").error == "accountNotFound")
    }

    @Test func contactsComeFromMail() async throws {
        let test = try await TestKernel(messages: 6)
        let answer = try await test.program("Contact/query", ["text": "gra", "limit": 5])
        #expect(
            answer["list"][0]?["email"] == "grace@example.org" && answer["list"][0]?["name"] == "Grace Hopper"
        )
        #expect(answer["list"][0]?["frequency"]?.intValue ?? 0 > 0)
        let all = try await test.program("Contact/query")
        #expect(
            !(all["list"].arrayValue ?? []).contains { $0["email"] == "ada@example.org" }
                || test.accounts.count == 2)
    }

    @Test func pluginsAreListed() async throws {
        let test = try await TestKernel()
        let plugin = try await test.program("Plugin/get")["list"][0]
        #expect(plugin?["id"] == .string(TestKernel.pluginID) && plugin?["state"] == "loaded")
    }

    @Test func aPluginIsTriedAgainByThePageAloneAndOnlyIfItWasLeftOut() async throws {
        let folder = try TemporaryFolder()
        let restarts = Mutex(0)
        let test = try await TestKernel(
            program: ProgramAccess(
                folders: KernelFolders(data: folder.url, configuration: folder.url),
                restart: { restarts.withLock { $0 += 1 } }))
        let update: JSONValue = [
            "update": [TestKernel.pluginID: ["state": "loaded"], "none": ["state": "loaded"]]
        ]
        let answer = try await test.program("Plugin/set", update)
        #expect(answer["notUpdated"][TestKernel.pluginID]?["description"] == "The plugin is already loaded.")
        #expect(answer["notUpdated"]["none"]?["type"] == "notFound")
        let other = try await test.program("Plugin/set", ["update": [TestKernel.pluginID: ["name": "x"]]])
        #expect(other["notUpdated"][TestKernel.pluginID]?["type"] == "invalidProperties")
        let program = JMAPClient(name: "p", mayWrite: true, isPage: false)
        #expect(try await test.program("Plugin/set", update, as: program).error == "forbidden")
        #expect(restarts.withLock { $0 } == 0)
    }

    @Test func statusAndNotices() async throws {
        let test = try await TestKernel(messages: 1)
        try await test.wait(for: "listening") {
            try await test.program("SyncStatus/get")["list"].arrayValue?.allSatisfy {
                $0["phase"] == "listening"
            } == true
        }
        let status = try await test.program("SyncStatus/get", ["ids": [.string(test.ada.rawValue)]])
        #expect(status["list"][0]?["problem"] == .null && status["list"].arrayValue?.count == 1)
        test.server.setOutage(.offline)
        let id = try await test.emailIDs()[0]
        try await test.kernel.mail.update(
            [EmailUpdate(id, in: test.ada, addKeywords: [.flagged])], in: test.ada)
        await test.settle()
        let waiting = try await test.program("SyncStatus/get", ["ids": [.string(test.ada.rawValue)]])
        #expect(waiting["list"][0]?["phase"] == "waiting" && waiting["state"] != status["state"])
        #expect(waiting["list"][0]?["problem"]?.stringValue?.contains("Network unavailable") == true)
        // A user who asks for the next try does not wait for it.
        test.server.setOutage(nil)
        let refreshed = try await test.program("SyncStatus/refresh", ["ids": [.string(test.ada.rawValue)]])
        #expect(refreshed["ids"] == [.string(test.ada.rawValue)])
        try await test.wait(for: "listening again") {
            try await test.program("SyncStatus/get", ["ids": [.string(test.ada.rawValue)]])["list"][0]?[
                "phase"]
                == "listening"
        }
        #expect(try await test.program("Notice/get")["list"] == [])
        let none = try await test.program(
            "Notice/set", ["create": ["k": [:]], "update": ["x": [:]], "destroy": ["x"]])
        #expect(
            none["notCreated"]["k"]?["type"] == "forbidden"
                && none["notDestroyed"]["x"]?["type"] == "notFound")
    }

    // MARK: Events

    private func states(_ event: PushEvent) throws -> JSONValue {
        let json = try JSONDecoder().decode(JSONValue.self, from: Data(event.data.utf8))
        #expect(json["@type"] == "StateChange" && event.name == "state")
        return json["changed"] ?? .null
    }

    @Test func changesArePushed() async throws {
        let test = try await TestKernel(messages: 1)
        let stream = test.jmap.events(
            EventSubscription(types: ["Email", "Preferences"]), for: TestKernel.page)
        var events = stream.makeAsyncIterator()
        _ = try await test.program("Preferences/set", ["update": ["singleton": ["appTheme": "dark"]]])
        let first = try states(try #require(await events.next()))
        #expect(first.keys == ["program"])
        #expect(first["program"]?["Preferences"] == (try await test.program("Preferences/get")["state"]))
        // Several changes that were not read yet are one event.
        let id = try await test.emailIDs()[0].rawValue
        for number in 0..<20 {
            _ = try await test.call("Email/set", ["update": [id: ["keywords/k\(number)": true]]])
        }
        await test.settle()
        let second = try states(try #require(await events.next()))
        #expect(second[test.ada.rawValue]?.keys == ["Email"])
        #expect(
            second[test.ada.rawValue]?["Email"] == (try await test.call("Email/get", ["ids": []])["state"]))
    }

    @Test func whoComesBackIsToldAllStates() async throws {
        let test = try await TestKernel(messages: 1)
        let stream = test.jmap.events(EventSubscription(lastEventID: "1"), for: TestKernel.page)
        var events = stream.makeAsyncIterator()
        let all = try states(try #require(await events.next()))
        #expect(all[test.ada.rawValue]?["Email"] == (try await test.call("Email/get", ["ids": []])["state"]))
        #expect(all["program"]?["Window"] != nil && all["program"]?["Preferences"] != nil)
        for type in ["Import", "Export", "AppLock", "SignIn", "SyncStatus", "Model"] {
            #expect(all["program"]?[type] != nil, "\(type)")
        }
    }

    @Test func newMailIsDelivery() async throws {
        let test = try await TestKernel()
        let stream = test.jmap.events(EventSubscription(types: ["EmailDelivery"]), for: TestKernel.page)
        var events = stream.makeAsyncIterator()
        test.server.fill("ada@example.org", count: 1)
        let changed = try states(try #require(await events.next()))
        #expect(changed[test.ada.rawValue]?.keys == ["EmailDelivery"])
    }

    @Test func aWindowIsOpenWhileItsStreamIsRead() async throws {
        let test = try await TestKernel()
        let reading = Task {
            for await _ in test.jmap.events(EventSubscription(windowID: "w1"), for: TestKernel.page) {}
        }
        try await test.wait(for: "the window") { await test.kernel.presence.isAnyOpen }
        #expect(try await test.program("Window/get")["list"] == [["id": "w1", "isVisible": true]])
        let hidden = try await test.program(
            "Window/set", ["update": ["w1": ["isVisible": false], "w2": ["isVisible": true]]])
        #expect(hidden["updated"].keys == ["w1"] && hidden["notUpdated"]["w2"]?["type"] == "notFound")
        #expect(await !test.kernel.presence.isAnyVisible)
        reading.cancel()
        try await test.wait(for: "its end") { await !test.kernel.presence.isAnyOpen }
    }
}
