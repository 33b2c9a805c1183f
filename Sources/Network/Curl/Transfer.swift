import CCurl
import FoundationEssentials
import MailKernelAPI

/// One transfer of libcurl while it is under way. To be used on the thread of the network alone.
final class Transfer {
    /// libcurl is paused when this much of a body is waiting.
    static let highWater = 4 << 20
    /// The size at which a piece is handed to the reader.
    private static let piece = 1 << 20
    private static let headLimit = 256 * 1024

    let easy: EasyHandle
    let host: String
    let port: Int
    let purpose: String
    let proxy: String?
    /// Whether all that is wanted is the connection.
    let isStream: Bool
    /// The request's body, where it has one.
    let upload: Upload?
    private let book: ConnectionBook
    private(set) var connection: LiveConnection?
    var signal = Signal()
    private(set) var head: WireHead?
    private var status = 0
    private var headers: [String: String] = [:]
    private var headSize = 0
    private var body = Data()
    private var isPaused = false
    /// Set when it is over: with nil, or why it failed.
    private(set) var end: NetworkError??
    /// The host has an address where nothing may connect to. It may have another.
    private var isRefused = false
    /// What a callback found wrong, which libcurl does not know.
    private var objection: NetworkError?

    init(
        _ easy: EasyHandle, host: String, port: Int, purpose: String, proxy: String?, isStream: Bool,
        upload: Upload? = nil, book: ConnectionBook
    ) {
        self.easy = easy
        self.host = host
        self.port = port
        self.purpose = purpose
        self.proxy = proxy
        self.isStream = isStream
        self.upload = upload
        self.book = book
        let me = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_open_socket(
            easy.pointer, { context, _, address in Transfer.this(context)?.openSocket(address) ?? -1 })
        easy.set(CURLOPT_OPENSOCKETDATA, to: me)
        ccurl_set_close_socket(
            easy.pointer, { context, socket in ConnectionBook.close(socket, context) })
        easy.set(CURLOPT_CLOSESOCKETDATA, to: Unmanaged.passUnretained(book).toOpaque())
        ccurl_set_will_resolve(
            easy.pointer, { _, _, context in Transfer.this(context)?.willConnect() == true ? 0 : 1 })
        easy.set(CURLOPT_RESOLVER_START_DATA, to: me)
        ccurl_set_will_request(
            easy.pointer, { context, _, _, _, port in Transfer.this(context)?.willRequest(port) ?? 1 })
        easy.set(CURLOPT_PREREQDATA, to: me)
        ccurl_set_take_bytes(
            easy.pointer, CURLOPT_HEADERFUNCTION,
            { bytes, size, count, context in
                Transfer.this(context)?.takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
                    ?? 0
            })
        easy.set(CURLOPT_HEADERDATA, to: me)
        ccurl_set_take_bytes(
            easy.pointer, CURLOPT_WRITEFUNCTION,
            { bytes, size, count, context in
                Transfer.this(context)?.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
                    ?? 0
            })
        easy.set(CURLOPT_WRITEDATA, to: me)
        if let upload {
            easy.setBody(upload)
            upload.onWanted = { [unowned self] in signal.fire() }
        }
    }

    /// The next bytes of the request's body.
    func send(_ bytes: Data, from offset: Int) {
        guard end == nil, upload?.give(bytes, from: offset) == true else { return }
        curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
    }

    /// Everything of the body that has come, and lets more come.
    func takeBody() -> Data {
        let taken = body
        // Where much comes at once, the next piece does not grow step by step.
        body = Data(capacity: taken.count < Self.piece ? 0 : Self.highWater + Int(CURL_MAX_WRITE_SIZE))
        if isPaused {
            isPaused = false
            // More can come during this call.
            curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
        }
        return taken
    }

    var hasBody: Bool { !body.isEmpty }
    var hasPiece: Bool { body.count >= Self.piece }

    /// - Parameter code: libcurl's last word; nil if it was given up.
    func finish(_ code: CURLcode?, _ error: NetworkError? = nil) {
        guard end == nil else { return }
        var error = objection ?? error
        if error == nil, isRefused, let code, code != CURLE_OK {
            error = .hostNotAllowed(host: host)
        }
        if error == nil, let code, code != CURLE_OK {
            error =
                CurlFailure(
                    code: code, host: host, port: port, proxy: proxy, complaint: easy.complaint,
                    certificate: easy.number(CURLINFO_SSL_VERIFYRESULT)
                ).error
        }
        if head == nil, error == nil, status >= 200 { completeHead() }
        end = .some(error)
        connection?.finished(problem: error.map(LedgerWords.problem))
        connection = nil
        signal.fire()
    }

    /// Takes its connection out of the ledger's care of this pool.
    func handOverConnection() -> ConnectionLedger.Ticket? {
        connection?.handOver()
    }

    private static func this(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The ledger comes first: before a name is looked up, and before a socket is there.
    private func willConnect() -> Bool {
        if let connection, !connection.isSpent { return true }
        // libcurl reconnects if a kept connection turns out to be dead.
        connection?.finished(problem: nil)
        connection = nil
        do {
            let begun = try book.begin(host: host, port: port, purpose: purpose, proxy: proxy)
            begun.began(purpose)
            connection = begun
            return true
        } catch {
            objection = .local(reason: "\(error)")
            return false
        }
    }

    private func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>?) -> CInt {
        guard let address, willConnect(), let connection else { return -1 }
        // Of a proxy only its own address is seen, which the user has set.
        guard proxy != nil || book.allows(address) else {
            isRefused = true
            return -1
        }
        return book.open(address.pointee, for: connection)
    }

    /// The connection is there, new or used before.
    private func willRequest(_ localPort: CInt) -> CInt {
        if let used = book.connection(onPort: localPort), used !== connection {
            connection?.finished(problem: nil)
            used.began(purpose)
            connection = used
        }
        connection?.carriedRequest()
        return CURL_PREREQFUNC_OK
    }

    private func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
        headSize += bytes.count
        guard headSize <= Self.headLimit else {
            objection = .badAnswer(
                host: host, reason: "its headers are larger than \(Self.headLimit / 1024) KiB")
            return 0
        }
        let line = String(decoding: bytes, as: UTF8.self).trimmingEnd()
        if line.hasPrefix("HTTP/") {
            status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            headers = [:]
        } else if line.isEmpty {
            // 100 and 103 announce an answer that is yet to come.
            if status >= 200 { completeHead() }
        } else if let colon = line.firstIndex(of: ":") {
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            headers[name] = headers[name].map { "\($0), \(value)" } ?? String(value)
        }
        return bytes.count
    }

    private func completeHead() {
        guard head == nil else { return }
        head = WireHead(status: status, headers: headers)
        signal.fire()
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard body.count < Self.highWater else {
            isPaused = true
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        guard let start = bytes.baseAddress else { return 0 }
        let wasEmpty = body.isEmpty
        body.append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        // Who waits for more is not woken for each of the 16 KiB that libcurl hands over.
        if wasEmpty || hasPiece { signal.fire() }
        return bytes.count
    }
}

extension String {
    fileprivate func trimmingEnd() -> Substring {
        var text = self[...]
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}

/// What the ledger says about a connection that failed. Never what a server said: it could quote.
enum LedgerWords {
    static func problem(_ error: NetworkError) -> String {
        switch error {
        case .offline: "there was no network"
        case .unreachable(_, let reason): reason
        case .insecure(_, let reason): reason
        case .hostNotAllowed: "the host is not allowed"
        case .badAnswer: "the response was invalid"
        case .loginRefused: "the sign-in was refused"
        case .closed: "the connection was closed"
        case .cancelled: "it was canceled"
        case .local(let reason): reason
        }
    }
}
