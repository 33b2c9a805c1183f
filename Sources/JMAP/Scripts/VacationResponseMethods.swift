import FoundationEssentials
import Kernel
import MailKernelAPI
import Rules

extension RecordType {
    /// The vacation reply (RFC 8621, section 8): a part of the active script.
    static let vacationResponse = RecordType(
        "VacationResponse", .vacation, .stored(UserScripts.dataType),
        ["id", "isEnabled", "fromDate", "toDate", "subject", "textBody", "htmlBody"])
}

extension Method {
    static let vacation: [Method] = [
        .get(.vacationResponse) { context, accountID, _ async throws(MethodError) in
            let scripts = context.kernel.rulebook.scripts
            let active = try await context.reading { _ throws(StorageError) in
                try await scripts.active(in: accountID)
            }
            return [(singletonID, VacationRule(in: active?.text ?? "").json)]
        },
        .set(.vacationResponse, with: VacationSetter()),
    ]
}

extension VacationRule {
    fileprivate var json: [String: JSONValue] {
        [
            "id": .string(singletonID), "isEnabled": .bool(isOn),
            "fromDate": from.map { .string(JMAPDate.write($0)) } ?? .null,
            "toDate": to.map { .string(JMAPDate.write($0)) } ?? .null,
            "subject": subject.map { .string($0) } ?? .null, "textBody": .string(text), "htmlBody": .null,
        ]
    }

    fileprivate mutating func take(_ key: String, _ value: JSONValue) throws(SetError) {
        let isNull = value == .null
        switch key {
        case "isEnabled":
            guard let isOn = value.boolValue else { throw .invalidProperty(key, "must be a boolean") }
            self.isOn = isOn
        case "fromDate": from = try Self.date(key, value)
        case "toDate": to = try Self.date(key, value)
        case "subject":
            guard isNull || value.stringValue != nil else { throw .invalidProperty(key, "must be a string") }
            subject = value.stringValue
        case "textBody":
            guard isNull || value.stringValue != nil else { throw .invalidProperty(key, "must be a string") }
            text = value.stringValue ?? ""
        case "htmlBody":
            guard isNull else { throw .invalidProperty(key, "is not supported: replies are plain text") }
        case "id" where value.stringValue == singletonID: break
        default: throw .invalidProperty(key, "cannot be set")
        }
    }

    private static func date(_ key: String, _ value: JSONValue) throws(SetError) -> Date? {
        guard value != .null else { return nil }
        guard let date = value.stringValue.flatMap(JMAPDate.readUTC) else {
            throw .invalidProperty(key, "must be a date in UTC")
        }
        return date
    }
}

private struct VacationSetter: SoleRecordSetter {
    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        guard id == singletonID else { throw .notFound }
        let scripts = context.kernel.rulebook.scripts
        return try await SetError.wrapping {
            do {
                try await scripts.setVacation(in: accountID) { rule in
                    for (key, value) in patch.sorted(by: { $0.key < $1.key }) { try rule.take(key, value) }
                }
                return JSONValue.null
            } catch let problem as ScriptProblem {
                throw SetError("invalidProperties", problem.sentence)
            }
        }
    }
}
