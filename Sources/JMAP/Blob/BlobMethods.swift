import Digest
import Mail
import MailKernelAPI

extension Method {
    /// RFC 9404.
    static let blob = [
        Method("Blob/upload", .blob, BlobUploadMethod.upload),
        Method("Blob/get", .blob, BlobGetMethod.get),
        Method("Blob/lookup", .blob, BlobLookupMethod.lookup),
    ]
}

/// What the capability promises of blobs.
enum BlobMethods {
    /// How many pieces one new blob can be made of: at least 64, says RFC 9404.
    static let maxDataSources = 64

    /// Its value for a mail account (RFC 9404, section 3.1).
    static func capability(_ limits: JMAPLimits) -> JSONValue {
        [
            "maxSizeBlobSet": .number(Double(limits.maxSizeUpload)),
            "maxDataSources": .number(Double(maxDataSources)),
            "supportedTypeNames": .array(BlobLookupMethod.typeNames.map { .string($0) }),
            "supportedDigestAlgorithms": .array(NamedDigest.names.map { .string($0) }),
        ]
    }

    /// A blob's content; nil if it does not exist.
    ///
    /// - Throws: if it exists and cannot be read now, so that the call can be repeated later.
    static func content(
        _ id: Id<Blob>, in account: Account, _ context: RequestContext
    ) async throws(MethodError) -> Blobs.Content? {
        let blobs = context.kernel.blobs
        return try await reading { try await blobs.content(id, in: account.id) }
    }

    /// Nil where the body finds that the blob does not exist.
    static func reading<Value>(_ body: () async throws -> Value) async throws(MethodError) -> Value? {
        do {
            return try await body()
        } catch BlobError.notFound, StorageError.notFound, AccountError.notFound {
            return nil
        } catch let error as MethodError {
            throw error
        } catch let error as StorageError {
            throw MethodError(error)
        } catch let error as BlobError {
            throw MethodError("serverFail", error.sentence)
        } catch let error as AccountError {
            throw MethodError("serverUnavailable", error.sentence)
        } catch {
            throw MethodError("serverFail", "The bytes could not be read.")
        }
    }
}
