import Glibc
import InferenceWire

/// The connection to the program. When that is gone, so is this process.
///
/// There is one thread here: while llama.cpp computes, it asks `isStopped` again and again, and that is
/// where a cancellation is heard.
final class Line {
    private let descriptor: CInt
    private var frames = Frames()
    private var waiting: [Request] = []
    private var current: Int?
    private var isCancelled = false
    private var lastLook = 0.0
    private var lastSign = 0.0

    init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    /// Watches the connection in parallel: a file may keep the library busy without callbacks, and the end of
    /// the program would go unnoticed. False if that is not possible.
    static func endsWithProgram(_ descriptor: CInt) -> Bool {
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { place in
                var line = pollfd(fd: CInt(Int(bitPattern: place)), events: 0, revents: 0)
                // With no events requested, only the end is reported.
                while poll(&line, 1, -1) < 0, errno == EINTR {}
                _exit(0)
            }, UnsafeMutableRawPointer(bitPattern: Int(descriptor)))
        return code == 0
    }

    /// Waits for what to do next.
    func next() -> Request {
        while true {
            if !waiting.isEmpty {
                let request = waiting.removeFirst()
                // It was done before the word came.
                if case .cancel = request { continue }
                return request
            }
            listen()
        }
    }

    /// Answers one request, or says why not.
    func answer(_ number: Int, _ body: () throws(Refusal) -> Reply) {
        // It may have been called off while it waited.
        isCancelled = waiting.contains(.cancel(number: number))
        current = number
        defer { current = nil }
        do throws(Refusal) {
            say(try body())
        } catch {
            say(.refused(number: number, isCancelled ? .cancelled : error))
        }
    }

    func say(_ reply: Reply) {
        guard let bytes = try? Frames.encode(reply), Descriptors.write(bytes, to: descriptor) else {
            _exit(1)
        }
        lastSign = Self.now
    }

    /// Whether the current request was canceled. Cheap enough for frequent calls.
    var isStopped: Bool {
        let now = Self.now
        guard now - lastLook >= 0.01 else { return isCancelled }
        lastLook = now
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&ready, 1, 0) > 0 { listen() }
        if now - lastSign >= 5 { say(.working) }
        return isCancelled
    }

    private func listen() {
        // Immediately: the data to clean up is in use by the computing threads.
        guard let bytes = Descriptors.read(descriptor) else { _exit(0) }
        frames.add(bytes)
        do {
            while let request = try frames.next(Request.self) {
                if case .cancel(let number) = request, number == current { isCancelled = true }
                waiting.append(request)
            }
        } catch {
            _exit(1)
        }
    }

    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
