import Accounts

/// Serializes changes by name.
actor NamedTurns {
    private var turns = Turns<String>()

    /// Runs a change after all earlier ones with this name.
    nonisolated func take<Answer: Sendable>(
        _ name: String, _ change: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        await begin(name)
        do {
            let answer = try await change()
            await end(name)
            return answer
        } catch {
            await end(name)
            throw error
        }
    }

    private func begin(_ name: String) async {
        guard !turns.take(name) else { return }
        await withCheckedContinuation { turns.wait(for: name, $0) }
    }

    private func end(_ name: String) { turns.giveBack(name) }
}
