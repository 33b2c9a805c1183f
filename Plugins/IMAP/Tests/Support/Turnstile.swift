/// Lets a few through at a time: a test server has no room for hundreds of accounts at once, and closes
/// connections that others still use.
public actor Turnstile {
    public static let dovecot = Turnstile(8)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    public init(_ width: Int) { free = width }

    public nonisolated func pass<Answer: Sendable>(
        _ body: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        await enter()
        do {
            let answer = try await body()
            await leave()
            return answer
        } catch {
            await leave()
            throw error
        }
    }

    private func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
