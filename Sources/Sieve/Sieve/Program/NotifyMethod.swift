/// The URIs that `notify` takes (RFC 5435).
enum NotifyMethod {
    static let mail = "mailto"
    static let program = "mailkernel"

    static func isSupported(_ method: Bytes, _ limits: SieveLimits) -> Bool {
        guard let colon = method.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = Bytes(method[..<colon]).lowered.text
        guard limits.notifySchemes.contains(scheme) else { return false }
        let rest = Bytes(method[(colon + 1)...])
        return switch scheme {
        case mail: isAddresses(rest)
        case program: rest.text == "notify"
        default: true
        }
    }

    private static func isAddresses(_ text: Bytes) -> Bool {
        let path = text.prefix { $0 != UInt8(ascii: "?") }
        let parts = path.split(separator: UInt8(ascii: ","))
        return !parts.isEmpty
            && parts.allSatisfy { AddressParser.single(TransferText.percentDecoded(Bytes($0))) != nil }
    }
}
