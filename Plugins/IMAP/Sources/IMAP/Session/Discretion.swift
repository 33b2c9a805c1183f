import FoundationEssentials
import MailKernelAPI

/// Removes credentials from texts that are shown. Servers repeat input, in part and in Base64, and their
/// texts end up in reports and screenshots.
struct Discretion: Sendable {
    /// A piece of a secret of this many bytes is one; shorter ones are found in any text.
    private static let piece = 12

    private let pieces: Set<[UInt8]>
    private let short: [String]

    init(_ credentials: IMAPCredentials) {
        let forms =
            switch credentials {
            case .oauth(let user, let token):
                [token.revealed, Authentication.xoauth2(user: user, token: token).answer]
                    + Self.inBase64(token.revealed)
            case .password(let user, let password):
                [password.revealed, Authentication.plain(user: user, password: password).answer]
                    + Self.inBase64(password.revealed)
            }
        var pieces: Set<[UInt8]> = []
        for form in forms.map({ Array($0.utf8) }) where form.count >= Self.piece {
            for start in 0...(form.count - Self.piece) {
                pieces.insert(Array(form[start..<start + Self.piece]))
            }
        }
        self.pieces = pieces
        // A form of three letters would match many words.
        short = forms.filter { (4..<Self.piece).contains($0.utf8.count) }
    }

    func hide(_ text: String) -> String {
        short.reduce(hidingPieces(in: text)) { $0.replacing($1, with: "…") }
    }

    private func hidingPieces(in text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.count >= Self.piece else { return text }
        var isSecret = [Bool](repeating: false, count: bytes.count)
        for start in 0...(bytes.count - Self.piece)
        where pieces.contains(Array(bytes[start..<start + Self.piece])) {
            for index in start..<start + Self.piece { isSecret[index] = true }
        }
        guard isSecret.contains(true) else { return text }
        var shown: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if !isSecret[index] {
                shown.append(byte)
            } else if index == 0 || !isSecret[index - 1] {
                shown += Array("…".utf8)
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// The part of the Base64 form that does not depend on surrounding bytes.
    private static func inBase64(_ text: String) -> [String] {
        (0..<3).compactMap { offset in
            let bytes = Data(repeating: 0, count: offset) + Data(text.utf8)
            let whole = Data(bytes.prefix(bytes.count / 3 * 3)).base64EncodedString()
            let form = whole.dropFirst(offset == 0 ? 0 : 4)
            return form.isEmpty ? nil : String(form)
        }
    }
}

extension AccountError {
    package func hiding(_ credentials: IMAPCredentials) -> AccountError {
        let discretion = Discretion(credentials)
        return switch self {
        case .authenticationRequired(let reason): .authenticationRequired(reason: discretion.hide(reason))
        case .refused(let words): .refused(discretion.hide(words))
        case .unreachable(let host, let reason):
            .unreachable(host: host, reason: discretion.hide(reason))
        case .offline, .insecure, .denied, .throttled, .notFound, .cursorExpired, .badAnswer, .unsupported,
            .invalid, .secrets, .cancelled, .local:
            self
        }
    }
}
