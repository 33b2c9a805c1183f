import CCurl
import Glibc

/// libcurl's set of transfers and kept connections, driven by the sockets and timers of the loop. To be
/// used on the loop's thread alone, and closed before it is let go.
final class CurlMulti {
    private let pointer: UnsafeMutableRawPointer
    private unowned let loop: LoopThread
    private let didFinish: (EasyHandle.ID, CURLcode) -> Void
    private var timer: TimerID?
    private var sockets: Set<CInt> = []

    /// - Parameter didFinish: called with a transfer that has ended; it is still in the set.
    init?(on loop: LoopThread, didFinish: @escaping (EasyHandle.ID, CURLcode) -> Void) {
        guard let pointer = curl_multi_init() else { return nil }
        self.pointer = pointer
        self.loop = loop
        self.didFinish = didFinish
        ccurl_multi_set_callbacks(
            pointer, { _, socket, what, context, _ in CurlMulti.this(context)?.watch(socket, what) ?? 0 },
            { _, milliseconds, context in CurlMulti.this(context)?.setTimer(milliseconds) ?? 0 },
            Unmanaged.passUnretained(self).toOpaque())
    }

    /// Closes all kept connections. No transfer may be left in it.
    func close() {
        curl_multi_cleanup(pointer)
        loop.cancel(timer)
        for socket in sockets { loop.forget(socket, of: self) }
    }

    func add(_ easy: EasyHandle) -> Bool {
        curl_multi_add_handle(pointer, easy.pointer) == CURLM_OK
    }

    func remove(_ easy: EasyHandle) {
        curl_multi_remove_handle(pointer, easy.pointer)
    }

    private static func this(_ context: UnsafeMutableRawPointer?) -> CurlMulti? {
        context.map { Unmanaged<CurlMulti>.fromOpaque($0).takeUnretainedValue() }
    }

    private func watch(_ socket: CInt, _ what: CInt) -> CInt {
        let events: CInt =
            switch what {
            case CURL_POLL_IN: POLLIN
            case CURL_POLL_OUT: POLLOUT
            case CURL_POLL_INOUT: POLLIN | POLLOUT
            default: 0
            }
        if events == 0 { sockets.remove(socket) } else { sockets.insert(socket) }
        loop.watch(socket, of: self, for: Int16(events)) { [unowned self] ready in
            var bits: CInt = 0
            if ready & Int16(POLLIN | POLLHUP) != 0 { bits |= CURL_CSELECT_IN }
            if ready & Int16(POLLOUT) != 0 { bits |= CURL_CSELECT_OUT }
            if ready & Int16(POLLERR) != 0 { bits |= CURL_CSELECT_ERR }
            act(socket, bits)
        }
        return 0
    }

    private func setTimer(_ milliseconds: Int) -> CInt {
        loop.cancel(timer)
        timer =
            milliseconds < 0
            ? nil
            : loop.after(.milliseconds(milliseconds)) { [unowned self] in
                timer = nil
                act(CURL_SOCKET_TIMEOUT, 0)
            }
        return 0
    }

    private func act(_ socket: CInt, _ bits: CInt) {
        var running: CInt = 0
        curl_multi_socket_action(pointer, socket, bits, &running)
        // Taking a transfer out makes the message invalid, so all are read first.
        var finished: [(EasyHandle.ID, CURLcode)] = []
        var left: CInt = 0
        while let message = curl_multi_info_read(pointer, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
                continue
            }
            finished.append((EasyHandle.ID(easy), ccurl_result(message)))
        }
        for (easy, code) in finished { didFinish(easy, code) }
    }
}
