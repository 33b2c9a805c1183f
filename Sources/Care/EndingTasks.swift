extension [String: Task<Void, Never>] {
    /// Cancels all of them, and waits until they have ended.
    func endAll() async {
        for task in values { task.cancel() }
        for task in values { await task.value }
    }
}
