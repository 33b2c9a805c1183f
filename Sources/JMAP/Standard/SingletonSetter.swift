import MailKernelAPI

/// The id of a type's only record.
let singletonID = "singleton"

/// Sets the only record of a type with a function.
struct SingletonSetter: SoleRecordSetter, Sendable {
    let set: @Sendable ([String: JSONValue], inout RequestContext) async throws(SetError) -> Void

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        guard id == singletonID else { throw .notFound }
        try await set(patch, &context)
        return .null
    }
}

/// Sets a record that is always there: it can neither be created nor destroyed (RFC 8620, section 5.3).
protocol SoleRecordSetter: RecordSetter {}

extension SoleRecordSetter {
    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        throw SetError("singleton")
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        throw SetError("singleton")
    }
}
