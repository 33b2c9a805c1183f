import MailKernelAPI
import Synchronization

extension MemoryStorage {
    /// Takes the place of a disk: it outlives the store, and the next store on it finds everything confirmed
    /// before.
    public final class Disk: Sendable {
        private let contents = Mutex<StoreContents?>(nil)
        /// Held while a change is made, so that changes follow one another and no reader waits.
        private let writer = Mutex<Void>(())
        let kernels = MemoryKernels()

        /// How many writes there still may be, and what is done when there are no more.
        private let end = Mutex<(left: Int, isOver: @Sendable () -> Void)?>(nil)

        /// An empty disk.
        public init() {}

        /// Keeps nothing after this many more writes, as if the computer had stopped there.
        public func stop(afterWrites count: Int, whenOver: @escaping @Sendable () -> Void = {}) {
            end.withLock { $0 = (count, whenOver) }
        }

        /// Keeps everything again. Returns whether the limit of `stop` was reached.
        @discardableResult
        public func goOn() -> Bool {
            end.withLock { end in
                defer { end = nil }
                return end.map { $0.left < 0 } ?? false
            }
        }

        private func countWrite() throws(StorageError) {
            let (isOver, tell) = end.withLock { end -> (Bool, (@Sendable () -> Void)?) in
                guard let (left, whenOver) = end else { return (false, nil) }
                end?.left = max(-1, left - 1)
                return (left <= 0, left == 0 ? whenOver : nil)
            }
            tell?()
            if isOver { throw .closed }
        }

        func read() -> StoreContents? {
            contents.withLock { $0 }
        }

        /// Makes an empty store unless there is one. Returns whether it made one.
        func format() -> Bool {
            contents.withLock { contents in
                guard contents == nil else { return false }
                contents = StoreContents()
                return true
            }
        }

        func erase() {
            writer.withLock { _ in
                contents.withLock { $0 = nil }
            }
        }

        /// Works on a copy that takes the place of the contents once `body` has succeeded.
        ///
        /// - Parameter done: is called before the next change can be made.
        func change<Answer: Sendable>(
            _ body: (inout StoreContents) throws(StorageError) -> Answer, done: (Answer) -> Void = { _ in }
        ) throws(StorageError) -> Answer {
            try writer.withLock { _ throws(StorageError) in
                guard var next = read() else { throw .closed }
                try countWrite()
                let answer = try body(&next)
                replace(with: next)
                done(answer)
                return answer
            }
        }

        private func replace(with next: StoreContents) {
            contents.withLock { $0 = next }
        }
    }
}
