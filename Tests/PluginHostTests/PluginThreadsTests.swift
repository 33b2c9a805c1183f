import Synchronization
import Testing

@testable import PluginHost

@Suite("A plugin's calls have threads of their own", .timeLimit(.minutes(1))) struct PluginThreadsTests {
    private func answers(on threads: PluginThreads, count: Int = 40) async -> [Int] {
        await withTaskGroup(of: Int.self) { group in
            for number in 0..<count {
                group.addTask(executorPreference: threads) {
                    await Task.yield()
                    return number
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted()
        }
    }

    @Test func allCallsAreAnswered() async {
        #expect(await answers(on: PluginThreads(pluginID: "org.example.many")) == Array(0..<40))
    }

    @Test func theyAreAnsweredWithoutAThread() async {
        let threads = PluginThreads(pluginID: "org.example.none") { _ in false }
        #expect(await answers(on: threads) == Array(0..<40))
    }

    @Test func theyAreAnsweredWhenTheSystemHasFewThreads() async {
        let tries = Mutex(0)
        let threads = PluginThreads(pluginID: "org.example.few") { threads in
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            return number % 3 == 0 && threads.start()
        }
        #expect(await answers(on: threads) == Array(0..<40))
    }
}
