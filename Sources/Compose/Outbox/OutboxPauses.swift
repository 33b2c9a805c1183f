import FoundationEssentials
import MailKernelAPI
import Store

/// The undo time stands still while no window of the page is open.
extension Outbox {
    /// The submissions whose undo time stands still.
    package var paused: Set<Id<EmailSubmission>> {
        Set(submissions.filter { $0.value.countdown?.isPaused == true }.keys)
    }

    func windowsChanged() async {
        let counting = submissions.filter { $0.value.countdown != nil }.keys
        guard !counting.isEmpty else { return }
        let isAnyOpen = await presence.isAnyOpen
        // Unknown, it is “no”: nothing is sent that the user may not want sent.
        let sendsWhileClosed = (try? await preferences.value(.sendWhileClosed).boolValue) ?? false
        var turned: Set<Id<EmailSubmission>> = []
        for id in counting {
            let isTurned = submissions[id]?.countdown?.windowsChanged(
                isAnyOpen: isAnyOpen, sendsWhileClosed: sendsWhileClosed, at: uptime.uptime)
            if isTurned == true { turned.insert(id) }
        }
        guard !turned.isEmpty else { return }
        await tell(turned)
        changed()
    }

    /// Saves the new due times of resumed submissions, and notifies the user about waiting ones.
    private func tell(_ turned: Set<Id<EmailSubmission>>) async {
        do {
            for account in try await store.read.accounts() {
                for id in turned { try await note(id, in: account.id) }
            }
        } catch {
            log.write(.warning, "mailkernel", "The outbox could not save a pause. \(error.logged)")
        }
        beatWhilePaused()
        waitingNotice?.cancel()
        let isWaiting = !paused.isEmpty
        waitingNotice = Task { [clock, weak self] in
            // A page that is loaded again is closed for a moment.
            if isWaiting, (try? await clock.sleep(for: WaitingNotice.patience)) == nil { return }
            guard !Task.isCancelled else { return }
            await self?.noticeWaiting()
        }
    }

    /// Updates the notice about waiting submissions.
    func noticeWaiting() async {
        do {
            let own = store.sharing == nil ? nil : noticed
            noticed = try await WaitingNotice(store: store).set(for: paused, at: clock.now, clearing: own)
        } catch {
            log.write(.warning, "mailkernel", "A notice could not be written. \(error.logged)")
        }
    }

    func note(_ id: Id<EmailSubmission>, in accountID: Id<Account>) async throws(StorageError) {
        let state = try await store.read.state(of: .submission, in: accountID)
        guard var submission = try await store.read.submissions([id], in: accountID).first,
            submission.undoStatus == .pending, let countdown = submissions[id]?.countdown
        else { return }
        submission.sendAt = clock.now.addingTimeInterval(countdown.seconds(at: uptime.uptime))
        do throws(StorageError) {
            // A concurrent change, such as canceling, takes precedence.
            try await store.commit(
                [.putSubmission(submission)],
                preconditions: [ChangeSet.Precondition(.submission, in: accountID, is: state)])
        } catch .stateMismatch {}
    }
}
