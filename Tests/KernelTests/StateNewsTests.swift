import KernelSupport
import MailKernelAPI
import Testing

@testable import Store

@Suite("News of states") struct StateNewsTests {
    /// Waking a listener takes its task's lock, and cancelling it holds that one while the listener is forgotten:
    /// publishing must not hold a lock of its own meanwhile, or the program never ends.
    @Test(.timeLimit(.minutes(10))) func cancellingWhileNewsComeLocksNobodyOut() async {
        let news = StateNews()
        let change = CommitResult.StateChange(DataType(rawValue: "Window"), in: nil, State(rawValue: "1"))
        let publisher = Task.detached {
            while !Task.isCancelled { news.publish([change]) }
        }
        for _ in 0..<(Sweep.isThorough ? 20_000 : 1_000) {
            let listener = Task.detached { for await _ in news.listen() {} }
            // So that it waits for news when it is cancelled.
            for _ in 0..<3 { await Task.yield() }
            listener.cancel()
            await listener.value
        }
        publisher.cancel()
        await publisher.value
    }
}
