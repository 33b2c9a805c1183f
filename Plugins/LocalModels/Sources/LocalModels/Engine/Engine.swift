import FoundationEssentials
import InferenceWire
import MailKernelAPI
import Synchronization

/// Runs one model in a separate process: starts it on demand, ends it after a while without work, and starts
/// another after a crash.
actor Engine {
    /// A process that says nothing for so long is stuck. It says that it is at work every five seconds.
    static let silence = 60.0
    /// No work takes longer than ten minutes.
    static let mostSilences = 10
    /// After so long without work the memory is given back.
    static let idleTime = 300.0
    /// After this many crashes in a row, the model is no longer started.
    static let mostCrashes = 3

    private let program: HelperProgram
    private let model: LoadRequest
    private let memoryNeeded: Int
    private let clock: any HostClock
    private let turns = Turns()
    private var process: InferenceProcess?
    private var number = 0
    private var idle: Task<Void, Never>?
    private var crashes = 0
    private var isDismissed = false

    init(_ program: HelperProgram, _ model: LoadRequest, memoryNeeded: Int, clock: any HostClock) {
        self.program = program
        self.model = model
        self.memoryNeeded = memoryNeeded
        self.clock = clock
    }

    deinit { process?.stop() }

    var isTooCrashy: Bool { crashes >= Self.mostCrashes }
    var isLoaded: Bool { process?.isRunning == true }

    /// Runs a request, after earlier ones and those that the user waits for.
    ///
    /// - Parameters:
    ///   - isAwaited: whether the user waits for it; background work comes last.
    ///   - request: creates the request with the number for its responses.
    ///   - take: processes each response until it returns a result.
    func perform<Result: Sendable>(
        isAwaited: Bool = true, _ request: (Int) -> Request,
        _ take: @Sendable (Reply) throws(ModelError) -> Result?
    ) async throws(ModelError) -> Result {
        guard await turns.take(isAwaited: isAwaited) else { throw .cancelled }
        idle?.cancel()
        defer {
            sleepSoon()
            turns.giveBack()
        }
        guard !isDismissed else { throw .notAvailable }
        guard !isTooCrashy else { throw .failed(reason: Self.tooCrashy) }
        number += 1
        let process = try await running()
        let result = try await listen(to: process, request(number), number: number, take)
        crashes = 0
        return result
    }

    /// Frees the memory once earlier requests are done.
    func unload() async {
        guard await turns.take(isAwaited: false) else { return }
        stop()
        turns.giveBack()
    }

    /// Frees the memory at once. Work that is under way fails.
    func stop() {
        process?.stop()
        process = nil
    }

    /// Stops permanently: waiting requests fail.
    func dismiss() {
        isDismissed = true
        stop()
    }

    private func running() async throws(ModelError) -> InferenceProcess {
        if let process, process.isRunning { return process }
        if let free = SystemMemory.available, free < memoryNeeded / 2 {
            throw .failed(
                reason:
                    "This model needs about \(memoryNeeded >> 20) MB of memory, but only \(free >> 20) MB are "
                    + "free. Close other programs, or choose a smaller model.")
        }
        let process = try InferenceProcess(program.checked())
        self.process = process
        do throws(ModelError) {
            try await listen(to: process, .load(model), number: 0) { reply throws(ModelError) in
                if case .ready = reply { () } else { nil }
            }
        } catch {
            stop()
            throw error
        }
        return process
    }

    private func listen<Result: Sendable>(
        to process: InferenceProcess, _ request: Request, number: Int,
        _ take: (Reply) throws(ModelError) -> Result?
    ) async throws(ModelError) -> Result {
        let replies = process.ask(request, number: number)
        let watch = Watch(clock) { process.stop() }
        defer {
            watch.end()
            process.forget(number)
        }
        for await reply in replies {
            watch.heard()
            if case .refused(_, let refusal) = reply { throw Self.error(refusal) }
            if let result = try take(reply) { return result }
        }
        if Task.isCancelled {
            process.send(.cancel(number: number))
            throw .cancelled
        }
        if self.process === process { self.process = nil }
        if isDismissed { throw .notAvailable }
        crashes += 1
        if watch.isOver { throw .failed(reason: "The model did not respond in time and was stopped.") }
        throw .failed(reason: "The model crashed and was stopped. The program itself is not affected.")
    }

    private func sleepSoon() {
        let clock = clock
        idle = Task { [weak self] in
            guard (try? await clock.sleep(for: Self.idleTime)) != nil else { return }
            await self?.unload()
        }
    }

    static let tooCrashy =
        "This model crashed several times and will not be started again. Try it again, or choose another one."

    private static func error(_ refusal: Refusal) -> ModelError {
        switch refusal {
        case .cancelled: .cancelled
        case .badFile:
            .badFile(reason: "The model cannot be loaded: its file is damaged or not supported.")
        case .badGrammar: .failed(reason: "The grammar for the text is invalid.")
        case .failed(let reason): .failed(reason: "The model cannot be used: \(reason).")
        }
    }
}

/// Ends what says nothing for too long, or does not come to an end.
private final class Watch: Sendable {
    private struct State {
        var hasSign = false
        var isOver = false
    }

    private let state = Mutex(State())
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ clock: any HostClock, _ stop: @escaping @Sendable () -> Void) {
        let watching = Task { [weak self] in
            for silences in 1... {
                guard (try? await clock.sleep(for: Engine.silence)) != nil, let self else { return }
                let isOver = self.state.withLock { state in
                    defer { state.hasSign = false }
                    state.isOver = !state.hasSign || silences >= Engine.mostSilences
                    return state.isOver
                }
                if isOver { return stop() }
            }
        }
        task.withLock { $0 = watching }
    }

    func heard() { state.withLock { $0.hasSign = true } }
    func end() { task.withLock { $0?.cancel() } }
    var isOver: Bool { state.withLock { $0.isOver } }
}
