import FoundationEssentials
import MailKernelAPI

/// Why something that the user wanted with a model did not come about, in the words of the specification
/// (FR-SET-04, FR-OB-01).
package struct ModelProblem: Error, Sendable, Hashable {
    package var text: String
    /// The first steps say it in other words, which lead to the settings.
    package var isFailedDownload = false
    /// The cause, as a sentence.
    package var reason: String?

    package static let notFound = ModelProblem("This model does not exist.")

    init(_ text: String, reason: String? = nil) {
        self.text = text
        self.reason = reason
    }

    /// Nil if the user ended it themselves.
    init?(downloading error: ModelError) {
        switch error {
        case .cancelled: return nil
        case .verificationFailed: self.init("Download verification failed. Please retry.")
        case .noSpace: self.init(error.sentence)
        case .network, .notAvailable, .badFile, .unsupported, .failed:
            self.init("Download failed. Please retry.", reason: error.sentence)
            isFailedDownload = true
        }
    }

    init(deleting error: ModelError) {
        self.init("The model could not be deleted.", reason: error.sentence)
    }

    init(importing error: ModelError) {
        switch error {
        case .noSpace: self.init(error.sentence)
        case .notAvailable, .network, .verificationFailed, .badFile, .unsupported, .failed, .cancelled:
            self.init("The model could not be added.", reason: error.sentence)
        }
    }
}

extension ModelError {
    /// What the user reads.
    package var sentence: String {
        switch self {
        case .notAvailable: "The model is not downloaded."
        // A model can come from several hosts, none of which is a service that the user signs in to.
        case .network(.badAnswer(let host, let reason)): "\(host) sent an invalid response: \(reason)."
        case .network(.loginRefused(let host, _)): "\(host) requires a login."
        case .network(let error): AccountError(error).sentence
        case .verificationFailed: "The file does not match its checksum."
        case .noSpace(let needed, let free):
            "Not enough free space: \(needed.asBytes) needed, \(free.asBytes) free. Free some space and try "
                + "again."
        case .badFile(let reason): reason
        case .unsupported(let what): "This is not supported: \(what)"
        case .failed(let reason): reason
        case .cancelled: "Canceled."
        }
    }
}

extension Int {
    /// A number of bytes, as people read it.
    var asBytes: String {
        let units = ["bytes", "KB", "MB", "GB", "TB"]
        var (value, unit) = (Double(Swift.max(0, self)), 0)
        while value >= 999.5, unit + 1 < units.count {
            value /= 1000
            unit += 1
        }
        let isFine = unit > 0 && value < 9.95
        let digits = isFine ? "\((value * 10).rounded() / 10)" : "\(Int(value.rounded()))"
        return "\(digits) \(units[unit])"
    }
}
