import FoundationEssentials
import MailKernelAPI

extension GraphAccountSession {
    func createFolder(_ name: String, _ parent: RemoteMailboxID?) async throws -> MutationOutcome {
        func existing(in mailboxes: [RemoteMailbox]) -> RemoteMailboxID? {
            mailboxes.first { $0.name == name && $0.parentID == parent }?.id
        }
        let mailboxes = try await listing()
        // After an interruption it may be there.
        if let id = existing(in: mailboxes) { return .done(newIDs: [:], mailbox: id) }
        guard parent == nil || mailboxes.contains(where: { $0.id == parent }) else {
            return .refused(.notFound)
        }
        let path =
            parent.map { place.folder($0.rawValue) + "/childFolders" } ?? place.mailbox + "/mailFolders"
        do throws(GraphFailure) {
            let json = try await wire.send(
                "POST", path, json: ["displayName": .string(name)], purpose: "change mail")
            guard let id = json?["id"]?.stringValue, RemoteMailboxID(id).isUsable else {
                throw .account(.badAnswer("a new folder has no id"))
            }
            // The list of changes can come a little later; until then the folder would count as gone.
            let root = tree.known[FolderTree.rootName]
            tree.take(FolderTree.Folder(id: id, name: name, parent: parent?.rawValue ?? root))
            return .done(newIDs: [:], mailbox: RemoteMailboxID(id))
        } catch {
            if let id = existing(in: try await listing()) { return .done(newIDs: [:], mailbox: id) }
            return try outcome(of: error)
        }
    }

    func renameFolder(
        _ mailbox: RemoteMailboxID, _ name: String, _ parent: RemoteMailboxID?
    ) async throws -> MutationOutcome {
        guard let old = try await listing().first(where: { $0.id == mailbox }) else {
            return .refused(.notFound)
        }
        let path = place.folder(mailbox.rawValue)
        do throws(GraphFailure) {
            if old.name != name {
                _ = try await wire.send(
                    "PATCH", path, json: ["displayName": .string(name)], purpose: "change mail")
            }
            if old.parentID != parent {
                let target = parent?.rawValue ?? FolderTree.rootName
                _ = try await wire.send(
                    "POST", path + "/move", json: ["destinationId": .string(target)], purpose: "change mail")
            }
        } catch {
            return try outcome(of: error)
        }
        let root = tree.known[FolderTree.rootName]
        tree.take(FolderTree.Folder(id: mailbox.rawValue, name: name, parent: parent?.rawValue ?? root))
        return .done(newIDs: [:], mailbox: mailbox)
    }

    func deleteFolder(_ mailbox: RemoteMailboxID) async throws -> MutationOutcome {
        let nothing = MutationOutcome.done(newIDs: [:], mailbox: nil)
        guard mailbox.isUsable else { return nothing }
        do throws(GraphFailure) {
            _ = try await wire.send(
                "POST", place.folder(mailbox.rawValue) + "/permanentDelete", json: [:], purpose: "change mail"
            )
        } catch {
            if !error.isNotFound { return try outcome(of: error) }
        }
        tree.folders[mailbox.rawValue] = nil
        return nothing
    }

    private func outcome(of failure: GraphFailure) throws -> MutationOutcome {
        guard let refusal = failure.refusal, !refusal.isNotFound, !Self.mayPass(refusal) else {
            throw failure
        }
        return .refused(.refused(refusal.text))
    }
}
