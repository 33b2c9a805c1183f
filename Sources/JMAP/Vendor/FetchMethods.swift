import Mail
import MailKernelAPI

extension RecordType {
    /// Blobs being fetched from services on request.
    static let blobFetch = RecordType(
        "BlobFetch", .sync, of: .program,
        .running(BlobFetches.dataType) { kernel, _ in await kernel.blobs.fetches.state },
        ["id", "mailAccountId", "received", "size"])
}

extension Method {
    static let fetches: [Method] = [
        .get(.blobFetch) { context, _, _ in
            await context.kernel.blobs.fetches.statuses.map { ($0.id.rawValue, $0.json) }
        },
        .set(.blobFetch, with: BlobFetchSetter()),
    ]
}

/// Destroying ends one.
private struct BlobFetchSetter: RecordSetter {
    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        throw SetError("forbidden", "A download creates it.")
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        throw SetError("forbidden", "A fetch can only be destroyed.")
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        guard await context.kernel.blobs.fetches.cancel(Id(id)) else { throw .notFound }
    }
}

extension BlobFetches.Status {
    fileprivate var json: [String: JSONValue] {
        [
            "id": .string(id.rawValue), "mailAccountId": .string(accountID.rawValue),
            "received": .number(Double(received)), "size": size.map { .number(Double($0)) } ?? .null,
        ]
    }
}
