import MessageFormat

/// Names of mailboxes stand in lists beside others, so each is one visible line, read in the order in which it is
/// written (RFC 8621, section 2).
package enum MailboxName {
    package static func isSound(_ name: String) -> Bool {
        name.unicodeScalars.allSatisfy(\.fitsInName) && name.unicodeScalars.contains(where: \.isVisible)
    }

    /// A sound name in place of one that a service has.
    package static func sound(_ name: String) -> String {
        guard !isSound(name) else { return name }
        let line = ShownText.line(name)
        return isSound(line) ? line : "Unnamed"
    }
}

extension Unicode.Scalar {
    fileprivate var fitsInName: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: !properties.isBidiControl
        }
    }

    fileprivate var isVisible: Bool {
        properties.generalCategory != .spaceSeparator && !properties.isDefaultIgnorableCodePoint
    }
}
