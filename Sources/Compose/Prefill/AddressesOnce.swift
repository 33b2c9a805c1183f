import MailKernelAPI
import MessageFormat

extension [EmailAddress] {
    /// Each address once, the first time it comes, without those in `others`.
    func once(besides others: [EmailAddress] = []) -> [EmailAddress] {
        var seen = Set(others.map(\.key))
        return filter { seen.insert($0.key).inserted }
    }
}
