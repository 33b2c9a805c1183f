import FoundationEssentials
import MailKernelAPI

extension JMAPAccountSession {
    /// Changes and destroys objects; returns the error of each that stayed as it is.
    func set(
        _ type: String, update: [String: JSONValue] = [:], destroy: [String] = [],
        more: [String: JSONValue] = [:]
    ) async throws -> [String: MethodError] {
        let resource = try await resource()
        var errors: [String: MethodError] = [:]
        for part in update.sorted(by: { $0.key < $1.key }).slices(of: resource.objectsInSet) {
            let objects = Dictionary(part.map { ($0.key, $0.value) }) { first, _ in first }
            errors.merge(try await set(type, more.merging(["update": .object(objects)]) { own, _ in own })) {
                $1
            }
        }
        for part in destroy.slices(of: resource.objectsInSet) {
            let ids = JSONValue.array(part.map { .string($0) })
            errors.merge(try await set(type, more.merging(["destroy": ids]) { own, _ in own })) { $1 }
        }
        return errors
    }

    private func set(_ type: String, _ arguments: [String: JSONValue]) async throws -> [String: MethodError] {
        var arguments = arguments
        arguments["accountId"] = .string(try await resource().accountID)
        let answer = try await request([Call("\(type)/set", "s", arguments)], purpose: "change mail")
        let value = try answer.response("s").value
        var errors: [String: MethodError] = [:]
        for key in ["notUpdated", "notDestroyed"] {
            for (id, error) in value[key]?.objectValue ?? [:] { errors[id] = MethodError(error) }
        }
        return errors
    }

    /// The mailboxes of some messages; those that are gone are missing.
    func mailboxes(of ids: [String]) async throws -> [String: Set<RemoteMailboxID>] {
        let resource = try await resource()
        var found: [String: Set<RemoteMailboxID>] = [:]
        for part in ids.slices(of: resource.objectsInGet) {
            let answer = try await request([
                Call(
                    "Email/get", "e",
                    [
                        "accountId": .string(resource.accountID), "ids": .array(part.map { .string($0) }),
                        "properties": ["id", "mailboxIds"],
                    ])
            ])
            for email in try answer.response("e").emails?.found ?? [] {
                found[email.id] = email.remoteMailboxIDs
            }
        }
        return found
    }
}

/// Patches of an `Email` (RFC 8620, 5.3).
enum Patch {
    static func keyword(_ keyword: Keyword, _ isSet: Bool) -> (String, JSONValue) {
        ("keywords/" + escaped(keyword.rawValue), isSet ? true : nil)
    }

    static func mailbox(_ id: RemoteMailboxID, _ isIn: Bool) -> (String, JSONValue) {
        ("mailboxIds/" + id.rawValue, isIn ? true : nil)
    }

    /// Whether JMAP allows this keyword (RFC 8621, 4.1.1).
    static func isValid(_ keyword: Keyword) -> Bool {
        (1...255).contains(keyword.rawValue.utf8.count)
            && keyword.rawValue.utf8.allSatisfy {
                (0x21...0x7e).contains($0) && !"(){]%*\"\\".utf8.contains($0)
            }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("~", with: "~0").replacing("/", with: "~1")
    }
}
