import Kernel
import MailKernelAPI

extension SetError {
    init(_ error: MethodError) {
        self.init(error.type == "serverUnavailable" ? "serverFail" : error.type, error.description)
    }

    /// Runs an action of the kernel and says its errors as those of one object.
    @discardableResult
    static func wrapping<Value: Sendable>(
        _ action: @Sendable () async throws -> Value
    ) async throws(SetError) -> Value {
        do {
            return try await action()
        } catch StorageError.notFound {
            throw .notFound
        } catch StorageError.invalid(let reason) {
            throw SetError("invalidProperties", reason)
        } catch StorageError.full {
            throw SetError("overQuota", StorageError.full.sentence)
        } catch let error as StorageError {
            throw SetError(MethodError(error))
        } catch let error as AccountError {
            throw SetError("serverFail", error.sentence)
        } catch let error as BlobError {
            throw SetError("blobNotFound", error.sentence)
        } catch let error as ActionProblem {
            throw SetError("forbidden", error.sentence)
        } catch let error as PreferenceProblem {
            throw .invalidProperty(error.key, error.reason)
        } catch let error as SetError {
            throw error
        } catch {
            throw SetError("serverFail", "\(error)")
        }
    }
}
