import CCurl
import COpenSSL
import FoundationEssentials

/// A transfer's handle in libcurl. To be used on the thread of the network alone.
final class EasyHandle {
    /// Which one it is.
    struct ID: Hashable, Sendable {
        private let address: Int

        init(_ pointer: UnsafeMutableRawPointer) {
            address = Int(bitPattern: pointer)
        }
    }

    let pointer: UnsafeMutableRawPointer
    private var headers: UnsafeMutablePointer<curl_slist>?
    private let words: UnsafeMutablePointer<CChar>

    init?() {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
        words = .allocate(capacity: Int(CURL_ERROR_SIZE))
        words.pointee = 0
        set(CURLOPT_ERRORBUFFER, to: UnsafeMutableRawPointer(words))
    }

    deinit {
        curl_easy_cleanup(pointer)
        words.deallocate()
        var next = headers
        while let line = next?.pointee {
            OPENSSL_cleanse(line.data, strlen(line.data))
            next = line.next
        }
        curl_slist_free_all(headers)
    }

    var id: ID { ID(pointer) }

    func set(_ option: CURLoption, to value: Int) { ccurl_set_number(pointer, option, value) }
    func set(_ option: CURLoption, to value: Bool) { ccurl_set_number(pointer, option, value ? 1 : 0) }
    func set(_ option: CURLoption, to value: String?) { ccurl_set_text(pointer, option, value) }
    func set(_ option: CURLoption, to value: UnsafeMutableRawPointer?) {
        ccurl_set_pointer(pointer, option, value)
    }

    /// `Name: value`, one call per header.
    func add(header: String) {
        headers = curl_slist_append(headers, header) ?? headers
        set(CURLOPT_HTTPHEADER, to: UnsafeMutableRawPointer(headers))
    }

    /// Sends this body, with any method. It must live as long as the handle.
    func setBody(_ upload: Upload) {
        ccurl_set_body(
            pointer, curl_off_t(upload.size),
            { bytes, size, count, context in
                guard let context, let bytes else { return Int(CURL_READFUNC_ABORT) }
                return Unmanaged<Upload>.fromOpaque(context).takeUnretainedValue()
                    .take(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
            },
            { context, offset, _ in
                guard let context else { return CURL_SEEKFUNC_FAIL }
                let upload = Unmanaged<Upload>.fromOpaque(context).takeUnretainedValue()
                return upload.begin(at: Int(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
            }, Unmanaged.passUnretained(upload).toOpaque())
    }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_number(pointer, info, &value) == CURLE_OK ? value : 0
    }

    /// The socket of its connection, or nil if it has none.
    var socket: CInt? {
        var socket: curl_socket_t = -1
        return ccurl_socket(pointer, &socket) == CURLE_OK && socket >= 0 ? socket : nil
    }

    /// libcurl's own words about what went wrong.
    var complaint: String { String(cString: words) }
}
