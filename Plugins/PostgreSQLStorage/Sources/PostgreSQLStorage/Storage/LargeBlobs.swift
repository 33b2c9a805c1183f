import Digest
import FoundationEssentials
import MailKernelAPI
import Synchronization

extension OpenStore {
    func objectsOrWhyNot() throws(StorageError) -> ObjectStore {
        if let objects { return objects }
        throw .unsupported(
            "Large attachments of this store are in S3, and the setting “s3” is missing in "
                + "plugins/org.mailkernel.postgresql.json in the configuration folder.")
    }
}

/// When the row of an upload is renewed. That is a commit, which would otherwise come with every part.
private final class Renewal: Sendable {
    /// Of an hour, after which an upload counts as abandoned.
    private static let interval = 60.0

    private let clock: any HostClock
    private let last: Mutex<Date>

    init(_ clock: any HostClock) {
        self.clock = clock
        last = Mutex(clock.now)
    }

    /// True once in each interval.
    func isDue() -> Bool {
        let now = clock.now
        return last.withLock { last in
            // Also if the clock was set back.
            guard abs(now.timeIntervalSince(last)) >= Self.interval else { return false }
            last = now
            return true
        }
    }
}

extension OpenStore {
    /// False if the account is gone.
    fileprivate func atObject(
        _ object: StoredObject, of id: Id<Account>,
        _ body: @escaping @Sendable (Connection) throws(StorageError) -> Bool
    ) async throws(StorageError) -> Bool {
        let found = try await at(id) { server throws(StorageError) in
            try await server.write { connection throws(StorageError) in
                guard try connection.stays(object.account, id) else { throw .elsewhere }
                return try body(connection)
            }
        }
        return found ?? false
    }
}

/// Blobs in S3. An object is durable before the row of its blob, which is durable before `finish` returns.
extension PostgreSQLStorage {
    /// Uses S3 from now on, if the settings name a server.
    func openObjects(_ settings: ServerSettings, _ store: OpenStore) async throws(StorageError) {
        guard let s3 = settings.s3 else { return }
        let secret: Secret?
        do {
            secret = try await host.secrets.secret(named: "s3")
        } catch {
            throw .unsupported("The secret key for S3 cannot be read, because the secret store is locked.")
        }
        guard let secret else {
            throw .unsupported(
                "The secret key for S3 is missing. Save it: mailkernel plugins secret org.mailkernel.postgresql s3"
            )
        }
        let id = try await store.read { connection throws(StorageError) in try connection.storeID() }
        let client = S3Client(s3, secretKey: secret, network: host.network, clock: host.clock)
        let objects = ObjectStore(client, storeID: id)
        store.keepLargeBlobs(in: objects, ObjectSweep(objects, host))
    }

    func keepObject(
        _ info: BlobInfo, size: Int, _ objects: ObjectStore,
        _ read: @escaping @Sendable (_ offset: Int, _ count: Int) throws(StorageError) -> [UInt8]
    ) async throws(StorageError) {
        let store = try store()
        let (upload, key) = (Data.randomSecret().prefix(16).hex, Data.randomSecret())
        let account = try await store.at(info.accountID) { server throws(StorageError) in
            try await server.write { connection throws(StorageError) in
                let account = try connection.announceObject(of: info.accountID, upload, key: key)
                guard let account else { throw .elsewhere }
                return account
            }
        }
        guard let account else { throw .notFound("account \(info.accountID)") }
        let object = StoredObject(account: account, upload: upload, key: key, size: size)
        let renewal = Renewal(host.clock)
        do throws(StorageError) {
            try await objects.write(object, read) { () throws(StorageError) in
                guard renewal.isDue() else { return }
                let isWanted = try await store.atObject(object, of: info.accountID) {
                    connection throws(StorageError) in try connection.renewObject(object)
                }
                guard isWanted else { throw Self.givenUp }
            }
            try await keep(info, size: size) { connection, number throws(StorageError) in
                guard number == account else { throw .notFound("account \(info.accountID)") }
                guard try connection.finishObject(object) else { throw Self.givenUp }
                return upload
            }
        } catch {
            // In a task of its own, which goes on if this one is canceled.
            Task { await abandon(object, of: info.accountID, objects, store) }
            throw error
        }
    }

    private static var givenUp: StorageError {
        .unreachable(reason: "an attachment took too long on its way to S3")
    }

    /// Where the row is gone, with its account or because it was given up, there is no other way to the object.
    func abandon(
        _ object: StoredObject, of id: Id<Account>, _ objects: ObjectStore, _ store: OpenStore
    ) async {
        let isAnnounced = try? await store.atObject(object, of: id) { connection throws(StorageError) in
            try connection.abandonObject(object)
        }
        if isAnnounced == false {
            let name = objects.name(object.account, object.upload)
            try? await objects.client.abortUploads(of: name)
            try? await objects.client.remove(name)
        }
        store.sweep?.wake()
    }

    /// The keys are destroyed by now. What cannot be deleted at the moment is deleted later.
    func removeObjects(of account: Int, _ store: OpenStore) async {
        guard let objects = store.objects else { return }
        do throws(StorageError) {
            try await objects.client.removeAll(objects.prefix(of: account))
            for server in store.servers {
                try await server.write { connection throws(StorageError) in
                    let forget = "DELETE FROM blob_object WHERE account = $1 AND doomed"
                    _ = try connection.run(forget, .integer(account))
                }
            }
        } catch {
            host.log.warning("attachments of a removed account are still in S3: \(public: "\(error)")")
            store.sweep?.wake()
        }
    }

    /// Before the tables go: they alone know where the objects are.
    func removeAllObjects(_ store: OpenStore) async throws(StorageError) {
        if let objects = store.objects {
            try await objects.client.removeAll(objects.prefix)
            await store.sweep?.stop()
            return
        }
        for server in store.servers {
            let isUsed = try await server.read { connection throws(StorageError) in
                try connection.hasObjects()
            }
            if isUsed { _ = try store.objectsOrWhyNot() }
        }
    }
}
