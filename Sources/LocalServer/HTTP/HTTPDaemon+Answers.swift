import CMicroHTTPD
import FoundationEssentials

/// Answers as libmicrohttpd wants them.
extension HTTPDaemon {
    func reply(_ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
        guard let response = exchange.responseOrSuspend() else { return .YES }
        guard let native = native(response, exchange, connection) else { return .NO }
        defer { MHD_destroy_response(native) }
        let own = Set(response.headers.map { $0.name.lowercased() })
        for (name, value) in settings.headers where !own.contains(name.lowercased()) {
            MHD_add_response_header(native, name, value)
        }
        for (name, value) in response.headers {
            // Values that could start another header are rejected.
            guard MHD_add_response_header(native, name, value) == .YES else {
                settings.log("the response header \(name) has an invalid value")
                return .NO
            }
        }
        return MHD_queue_response(connection, UInt32(response.status), native)
    }

    private func native(
        _ response: HTTPResponse, _ exchange: Exchange, _ connection: OpaquePointer
    ) -> OpaquePointer? {
        switch response.body {
        case .data(let data):
            return data.withUnsafeBytes { bytes in
                MHD_create_response_from_buffer(
                    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .stream(let size, let produce):
            let pipe = exchange.makeAnswerPipe(isEndless: size == nil)
            if exchange.isHead {
                pipe.finish()
            } else {
                exchange.run {
                    do {
                        try await produce(pipe)
                        pipe.finish()
                    } catch {
                        pipe.breakOff()
                    }
                    return nil
                }
            }
            if size == nil, let seat = Self.seat(of: connection) {
                watch.watchForLeaving(seat) { [weak exchange] in exchange?.hangUp() }
            }
            return stream(size, StreamSource(exchange: exchange, pipe: pipe))
        case .upgrade(let limits, let serve):
            exchange.prepareUpgrade(limits, serve)
            return cmicrohttpd_upgrade { _, _, exchange, extra, count, socket, handle in
                guard let exchange, let handle else { return }
                Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue()
                    .upgrade(socket, extra: UnsafeRawBufferPointer(start: extra, count: count), handle)
            }
        }
    }

    private func stream(_ size: Int?, _ source: StreamSource) -> OpaquePointer? {
        let context = Unmanaged.passRetained(source)
        let native = MHD_create_response_from_callback(
            size.map { UInt64($0) } ?? UInt64.max, 32 * 1024,
            { context, _, buffer, count in
                guard let context, let buffer else { return StreamSource.broken }
                return Unmanaged<StreamSource>.fromOpaque(context).takeUnretainedValue()
                    .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
            }, context.toOpaque(),
            { context in
                guard let context else { return }
                Unmanaged<StreamSource>.fromOpaque(context).release()
            })
        if native == nil { context.release() }
        return native
    }
}

/// What the library's reader needs while it sends a body that is made as it goes.
private final class StreamSource {
    static let end = -1
    static let broken = -2

    private let exchange: Exchange
    private let pipe: BytePipe

    init(exchange: Exchange, pipe: BytePipe) {
        self.exchange = exchange
        self.pipe = pipe
    }

    /// The number of bytes, 0 after the connection was set aside, or one of the constants.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            switch pipe.take(into: buffer) {
            case .count(let count): return count
            case .end: return Self.end
            case .broken: return Self.broken
            case .nothingYet: if exchange.suspend(while: { _ in pipe.isEmpty }) { return 0 }
            }
        }
    }
}
