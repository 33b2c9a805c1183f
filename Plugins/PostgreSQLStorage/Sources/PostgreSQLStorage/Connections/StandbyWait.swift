import MailKernelAPI

extension Connection {
    /// Names the cause where a change waits for another one, and that for a standby.
    func explanation(of error: StorageError) -> StorageError {
        guard !isLost, failure?.state == "55P03", isStandbyMissing else { return error }
        return .unreachable(
            reason: "the server waits for a standby that is not connected or too slow, and saves nothing")
    }

    /// Commits of this role wait for a standby. `statement_timeout` does not end that.
    private var isStandbyMissing: Bool {
        let find = """
            SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE usename = current_user
                AND datname = current_database() AND wait_event = 'SyncRep')
            """
        return (try? first(find, once: true) { $0.flag(0) }) ?? false
    }
}
