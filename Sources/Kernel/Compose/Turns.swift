/// Lets those who change the same thing do so one after the other.
actor Turns {
    private var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]

    /// Runs a change of what has this name, when those before it have come to an end.
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
        guard waiting[name] != nil else {
            waiting[name] = []
            return
        }
        await withCheckedContinuation { waiting[name]?.append($0) }
    }

    private func end(_ name: String) {
        guard waiting[name]?.isEmpty == false else {
            waiting[name] = nil
            return
        }
        waiting[name]?.removeFirst().resume()
    }
}
