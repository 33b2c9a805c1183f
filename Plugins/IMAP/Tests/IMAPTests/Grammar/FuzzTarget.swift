import FoundationEssentials

// libFuzzer is given the sources themselves; the tests are given the module.
#if canImport(IMAP)
    @testable import IMAP
#endif

/// What libFuzzer calls with bytes that it makes up. They are pushed whole and in pieces, which has to mean
/// the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: CInt) -> CInt {
    let data = Data(UnsafeBufferPointer(start: bytes, count: Int(count)))
    guard let first = data.first else { return 0 }
    let whole = events(data, piece: .max, streams: first.isMultiple(of: 2))
    let pieces = events(data, piece: Int(first % 13) + 1, streams: first.isMultiple(of: 2))
    precondition(whole == pieces, "the pieces make a difference")
    _ = MailboxName(wire: String(decoding: data, as: UTF8.self)).shown
    for encoding in ["base64", "quoted-printable"] {
        var decoder = TransferDecoder(encoding: encoding)
        _ = decoder.decode(data)
        _ = decoder.finish()
    }
    return 0
}

/// Events but for the bodies, which come in other pieces.
private func events(_ data: Data, piece: Int, streams: Bool) -> [IMAPSession.Event] {
    var session = IMAPSession(limits: ResponseFramer.Limits(text: 4_096, literals: 20, kept: 4_096))
    session.streamsBodies = streams
    _ = session.begin(.select(.inbox))
    _ = session.begin(.noop)
    var events: [IMAPSession.Event] = []
    var rest = data
    while !rest.isEmpty {
        session.push(Data(rest.prefix(piece)))
        rest = Data(rest.dropFirst(piece))
        do {
            while let event = try session.nextEvent() {
                if case .chunk = event { continue }
                events.append(event)
            }
        } catch {
            return events
        }
    }
    return events
}
