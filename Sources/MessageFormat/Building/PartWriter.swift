import FoundationEssentials
import MailKernelAPI

/// Writes planned parts to a sink, in pieces of a size that suits it.
struct PartWriter<Sink: ByteSink> {
    private let sink: Sink
    private var pending = Data()
    private(set) var size = 0

    init(sink: Sink) {
        self.sink = sink
    }

    mutating func write(_ bytes: some Sequence<UInt8>) async throws {
        pending.append(contentsOf: bytes)
        if pending.count >= 65_536 { try await flush() }
    }

    mutating func flush() async throws {
        guard !pending.isEmpty else { return }
        size += pending.count
        try await sink.write(pending)
        pending = Data()
    }

    mutating func write(_ part: PartPlan) async throws {
        try await write(part.header)
        switch part.content {
        case .encoded(let bytes): try await write(bytes)
        case .source(let source, let encoding): try await write(source, encoding)
        case .parts(let parts, let boundary):
            for part in parts {
                try await write("--\(boundary)\r\n".utf8)
                try await write(part)
                try await write("\r\n".utf8)
            }
            try await write("--\(boundary)--\r\n".utf8)
        }
    }

    private mutating func write(_ source: any ByteSource, _ encoding: TransferEncoding) async throws {
        // A multiple of 57 bytes, which fill a line.
        let length = 57 * 4096
        for try await piece in source.pieces(of: length) {
            guard encoding == .base64 else {
                try await write(piece)
                continue
            }
            try await write(piece.base64Lines)
            if piece.count == length { try await write("\r\n".utf8) }
        }
    }
}
