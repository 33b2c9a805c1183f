/// A folder that is opened when it is first needed: once however many ask at a time, and again if that failed.
actor OpenedFolder {
    private let open: @Sendable () async throws -> MailFolder
    private let prepare: @Sendable (MailFolder) async throws -> Void
    private var opening: Task<MailFolder, any Error>?
    private var isClosed = false

    /// - Parameter prepare: runs before the folder is used; if it throws, the folder is closed.
    init(
        open: @escaping @Sendable () async throws -> MailFolder,
        prepare: @escaping @Sendable (MailFolder) async throws -> Void
    ) {
        self.open = open
        self.prepare = prepare
    }

    func folder() async throws(FolderError) -> MailFolder {
        guard !isClosed else { throw .closed }
        let task = opening ?? start()
        opening = task
        do {
            let folder = try await task.value
            guard !isClosed else { throw FolderError.closed }
            return folder
        } catch {
            if opening == task { opening = nil }
            throw error as? FolderError ?? .unusable(String(describing: error))
        }
    }

    private func start() -> Task<MailFolder, any Error> {
        Task { [open, prepare] in
            let folder = try await open()
            do {
                try await prepare(folder)
            } catch {
                await folder.close()
                throw error
            }
            return folder
        }
    }

    func close() async {
        guard !isClosed else { return }
        isClosed = true
        if let folder = try? await opening?.value { await folder.close() }
        opening = nil
    }
}
