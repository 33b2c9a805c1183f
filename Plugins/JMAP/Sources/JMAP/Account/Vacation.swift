import FoundationEssentials
import MailKernelAPI
import WebCalls

/// The vacation reply of the service (RFC 8621, section 8).
extension JMAPAccountSession {
    private static let only = "singleton"

    func vacation() async throws(AccountError) -> RemoteVacation {
        try await meaningful {
            let call = Call(
                "VacationResponse/get", "v",
                ["accountId": .string(try await vacationAccount()), "ids": [.string(Self.only)]])
            let answer = try await request([call], Capability.vacation, purpose: "read the vacation reply")
            guard let value = try answer.response("v").value["list"]?.arrayValue?.first else {
                throw AccountError.badAnswer("VacationResponse/get has no list")
            }
            return RemoteVacation(value)
        }
    }

    func setVacation(_ vacation: RemoteVacation) async throws(AccountError) {
        try await meaningful {
            let call = Call(
                "VacationResponse/set", "v",
                [
                    "accountId": .string(try await vacationAccount()), "update": [Self.only: vacation.json],
                ])
            let answer = try await request([call], Capability.vacation, purpose: "set the vacation reply")
            let value = try answer.response("v").value
            if let error = value["notUpdated"]?[Self.only] { throw MethodError(error) }
            guard value["updated"]?.objectValue?.keys.contains(Self.only) == true else {
                throw AccountError.badAnswer("VacationResponse/set does not report the change")
            }
        }
    }

    private func vacationAccount() async throws -> String {
        guard let account = try await resource().vacationID else {
            throw AccountError.unsupported("vacation replies of the service")
        }
        return account
    }
}

extension RemoteVacation {
    fileprivate init(_ json: JSONValue) {
        func text(_ name: String) -> String? {
            json[name]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        }
        self.init(
            isEnabled: json["isEnabled"]?.boolValue ?? false, from: text("fromDate").flatMap(JSONDate.read),
            to: text("toDate").flatMap(JSONDate.read), subject: text("subject"), text: text("textBody"),
            html: text("htmlBody"))
    }

    fileprivate var json: JSONValue {
        [
            "isEnabled": .bool(isEnabled), "fromDate": from.map { JSONDate.write($0) } ?? .null,
            "toDate": to.map { JSONDate.write($0) } ?? .null,
            "subject": subject.map { .string($0) } ?? .null, "textBody": text.map { .string($0) } ?? .null,
            "htmlBody": html.map { .string($0) } ?? .null,
        ]
    }
}
