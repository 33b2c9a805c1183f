extension String {
    /// The text with everything replaced that could steer a terminal, forge a line or hide what stands
    /// there. For foreign text that a person reads.
    public var printable: String {
        var plain = UnicodeScalarView()
        for scalar in unicodeScalars { plain.append(scalar.isPrintable ? scalar : "\u{FFFD}") }
        return String(plain)
    }
}

extension Unicode.Scalar {
    var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
    }
}
