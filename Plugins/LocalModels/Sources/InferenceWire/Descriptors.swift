import Glibc

/// Reading and writing a descriptor as a whole.
package enum Descriptors {
    /// Waits for bytes; nil once the other side is gone.
    package static func read(_ descriptor: CInt, upTo count: Int = 65_536) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        while true {
            let got = Glibc.read(descriptor, &buffer, count)
            if got < 0, errno == EINTR { continue }
            return got > 0 ? Array(buffer.prefix(got)) : nil
        }
    }

    /// Writes all of it; false if the other side is gone, or takes nothing for two seconds.
    package static func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
            if sent > 0 {
                rest = rest.dropFirst(sent)
            } else if errno == EAGAIN {
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard poll(&ready, 1, 2000) != 0 else { return false }
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
