/// Names and subjects as strangers wrote them, so that they can stand beside other text: on one line, in the order
/// in which they were written, with nothing that cannot be seen or that covers the lines above and below.
public enum ShownText {
    /// Hardly a language puts more on a letter, and stacks of them reach over other lines.
    private static let mostMarks = 4

    public static func line(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        var isFlag = false
        var marks = 0
        for scalar in text.unicodeScalars {
            // Flags of parts of a country are a black flag with tags, which cannot be seen elsewhere.
            if scalar.value == 0x1F3F4 { isFlag = true }
            if isHidden(scalar, isFlag: isFlag, after: scalars.last) { continue }
            marks = !scalar.isASCII && scalar.isMark ? marks + 1 : 0
            if marks > mostMarks { continue }
            let isSpace = scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
            if isSpace || scalar.value == 0x2800 || scalar.value == 0x3164 {
                if scalars.last != " " { scalars.append(" ") }
            } else {
                scalars.append(scalar)
            }
        }
        return String(scalars).trimmingBlanks()
    }

    private static func isHidden(_ scalar: Unicode.Scalar, isFlag: Bool, after last: Unicode.Scalar?) -> Bool
    {
        switch scalar.value {
        // Joiners are part of Persian and Indic letters, and combine emoji.
        case 0x200C, 0x200D: return last.map { $0.isASCII } ?? true
        case 0xFE00...0xFE0F: return last.map { $0.isASCII && !($0.properties.isEmoji) } ?? true
        case 0xE0020...0xE007F: return !isFlag
        case 0x3164, 0x2800: return false
        default:
            return scalar.properties.generalCategory == .format
                || scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
