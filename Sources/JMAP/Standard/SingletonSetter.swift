import MailKernelAPI

/// The id of a type's only record.
let singletonID = "singleton"

/// Sets the only record of a type, which is always there (RFC 8620, section 5.3).
struct SingletonSetter: RecordSetter, Sendable {
    let set: @Sendable ([String: JSONValue], inout RequestContext) async throws(SetError) -> Void

    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        throw SetError("singleton")
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        guard id == singletonID else { throw .notFound }
        try await set(patch, &context)
        return .null
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        throw SetError("singleton")
    }
}
