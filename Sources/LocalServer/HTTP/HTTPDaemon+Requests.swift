import CMicroHTTPD
import CSockets
import FoundationEssentials
import Glibc

/// What libmicrohttpd's thread does with each request. Nothing here waits.
extension HTTPDaemon {
    /// Called once with the head of a request, then with each piece of its body, then for the answer.
    func handle(
        _ exchange: Exchange, _ connection: OpaquePointer, _ method: String, _ body: UnsafeRawBufferPointer,
        _ count: inout Int
    ) -> MHD_Result {
        if exchange.isFirst() {
            let request = HTTPRequest(
                method: method, target: exchange.target, headers: Self.headers(of: connection),
                listener: listener)
            return admit(request, exchange, connection)
        }
        guard !body.isEmpty else {
            exchange.bodyEnded()
            return reply(exchange, connection)
        }
        switch exchange.receive(body) {
        case .taken: count = 0
        case .later: break
        case .abort: return .NO
        }
        return .YES
    }

    private func admit(
        _ request: HTTPRequest, _ exchange: Exchange, _ connection: OpaquePointer
    ) -> MHD_Result {
        let seat = Self.seat(of: connection)
        guard seat?.isForeign != true else { return .NO }
        var admission =
            isStopping.load(ordering: .relaxed)
            ? .refuse(.problem(503, "mailkernel is stopping.").with("Connection", "close"))
            : settings.admit(request)
        if let seat {
            var isKnown = false
            if case .serve(_, true, _) = admission { isKnown = true }
            if !watch.headArrived(seat, isKnown: isKnown) { admission = .refuse(Self.tooManyConnections) }
        }
        exchange.begin(Self.handle(for: connection), request, admission)
        // An answer from here, the first call, closes the connection with the body unread, and most clients then see
        // a broken connection instead of the answer. So the body is read first, and dropped, unless it is endless or
        // the client waits to be asked for it.
        let isEndless = request.contentLength ?? 0 > Exchange.longestDropped || request.hasUnclearLength
        if case .refuse(_, .zero) = admission, isEndless || request.waitsToBeAsked {
            return reply(exchange, connection)
        }
        return .YES
    }

    private static let tooManyConnections = HTTPResponse.problem(
        429, "Too many connections are open. Close some, or try again in a few seconds."
    ).with("Retry-After", "5").with("Connection", "close")

    func complete(_ exchange: Exchange, _ connection: OpaquePointer?) {
        exchange.complete()
        forget(exchange)
        if let connection, let seat = Self.seat(of: connection) { watch.requestEnded(seat) }
    }

    func notify(
        _ connection: OpaquePointer, _ slot: inout UnsafeMutableRawPointer?,
        _ event: MHD_ConnectionNotificationCode
    ) {
        if event == .CONNECTION_NOTIFY_STARTED {
            let socket = cmicrohttpd_socket(connection)
            let seat = ConnectionWatch.Seat(socket: socket, isForeign: peers.isForeign(socket))
            slot = Unmanaged.passRetained(seat).toOpaque()
            watch.add(seat)
            if seat.isForeign { settings.log("a connection from another user of this computer was refused") }
        } else if let opaque = slot {
            slot = nil
            watch.remove(Unmanaged<ConnectionWatch.Seat>.fromOpaque(opaque).takeRetainedValue())
        }
    }

    static func seat(of connection: OpaquePointer) -> ConnectionWatch.Seat? {
        cmicrohttpd_socket_context(connection).map {
            Unmanaged<ConnectionWatch.Seat>.fromOpaque($0).takeUnretainedValue()
        }
    }

    private static func handle(for connection: OpaquePointer) -> Exchange.Connection {
        // The pointer is used under the exchange's lock only, and forgotten there before the connection goes.
        nonisolated(unsafe) let pointer = connection
        return Exchange.Connection(
            suspend: { MHD_suspend_connection(pointer) }, resume: { MHD_resume_connection(pointer) },
            carried: {
                var (received, sent): (UInt64, UInt64) = (0, 0)
                csockets_count(cmicrohttpd_socket(pointer), &received, &sent)
                return received &+ sent
            },
            cut: { shutdown(cmicrohttpd_socket(pointer), CInt(SHUT_RDWR)) })
    }

    private static func headers(of connection: OpaquePointer) -> [(name: String, value: String)] {
        var found: [(name: String, value: String)] = []
        withUnsafeMutablePointer(to: &found) { found in
            // With their lengths, because a value can contain NUL.
            _ = MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { context, _, name, nameSize, value, valueSize in
                    context?.assumingMemoryBound(to: [(name: String, value: String)].self).pointee.append(
                        (HTTPDaemon.text(name, nameSize).asciiLowercased, HTTPDaemon.text(value, valueSize)))
                    return .YES
                }, found)
        }
        return found
    }

    private static func text(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count), as: UTF8.self)
    }
}
