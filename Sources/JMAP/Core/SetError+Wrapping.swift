import Mail
import MailKernelAPI
import Store

extension SetError {
    init(_ error: MethodError) {
        self.init(error.type == "serverUnavailable" ? "serverFail" : error.type, error.description)
    }

    /// Repeats an attempt to change records until no other client changes them between its reading and its commit.
    ///
    /// - Parameter attempt: reads the records and commits with their state as a precondition.
    static func again<Value>(
        _ attempt: () async throws(SetError) -> Value
    ) async throws(SetError) -> Value {
        var tries = 1
        while true {
            do throws(SetError) {
                return try await attempt()
            } catch {
                // Each failure means that another client succeeded. This many indicate a bug.
                guard error.type == "stateMismatch", tries < mostTries else { throw error }
                tries += 1
            }
        }
    }

    private static let mostTries = 1000

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
