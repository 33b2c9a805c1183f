#!/bin/sh
# fingerprint.sh OUTPUT SOURCE... : writes a Swift file with a digest of the sources.
# Comments are left out, and spacing and line breaks outside of strings, so that better documentation makes no
# plugin stale. Strings count to the letter.
set -eu
output=$1
shift

code=$(LC_ALL=C awk '
# A space stays where two words would become one.
function put(text) {
    if (gap && is_word(last) && is_word(substr(text, 1, 1))) printf " "
    gap = 0
    printf "%s", text
    last = substr(text, length(text))
}
function is_word(character) {
    return character != "" && index("()[]{}<>.,:;=+-*/%&|^!?~@#\"\\ \t\n", character) == 0
}
# Literals, and the code that is interpolated in them, are nested.
function open_literal(from, closing, escape, may_break, interpolates) {
    top++
    is_code[top] = 0
    closings[top] = closing
    escapes[top] = escape
    may_breaks[top] = may_break
    interpolate[top] = interpolates
    put(from)
}
# Returns how many characters it has read.
function read_literal(rest,    escape, closing) {
    escape = escapes[top]
    closing = closings[top]
    if (index(rest, escape) == 1) {
        escape = substr(rest, 1, length(escape) + 1)
        put(escape)
        if (interpolate[top] && escape ~ /\($/) {
            top++
            is_code[top] = 1
            depths[top] = 1
        }
        return length(escape)
    }
    if (index(rest, closing) == 1) {
        put(closing)
        top--
        return length(closing)
    }
    if (rest == "\n" && !may_breaks[top]) {
        # It has no end: rather too much of the file counts than too little.
        top--
        gap = 1
        return 1
    }
    put(substr(rest, 1, 1))
    return 1
}
function read_code(rest,    character, hashes) {
    character = substr(rest, 1, 1)
    if (character ~ /[ \t\r\n]/) {
        gap = 1
        return 1
    }
    if (index(rest, "//") == 1) {
        gap = 1
        return length(rest)
    }
    if (index(rest, "/*") == 1) {
        comment = 1
        gap = 1
        return 2
    }
    if (match(rest, /^#*"/)) {
        hashes = substr(rest, 1, RLENGTH - 1)
        if (match(rest, /^#*"""[ \t\r]*\n/)) {
            open_literal(hashes "\"\"\"", "\"\"\"" hashes, "\\" hashes, 1, 1)
            return length(hashes) + 3
        }
        open_literal(hashes "\"", "\"" hashes, "\\" hashes, 0, 1)
        return length(hashes) + 1
    }
    if (match(rest, /^#+\//)) {
        hashes = substr(rest, 1, RLENGTH - 1)
        open_literal(hashes "/", "/" hashes, "\\", 1, 0)
        return RLENGTH
    }
    if (top && character == "(") depths[top]++
    if (top && character == ")" && --depths[top] == 0) top--
    put(character)
    return 1
}
function read_comment(rest) {
    if (index(rest, "*/") == 1) comment--
    # Those of Swift are nested, those of C are not.
    else if (index(rest, "/*") == 1 && FILENAME ~ /\.swift$/) comment++
    else return 1
    return 2
}
FNR == 1 {
    top = 0
    is_code[0] = 1
    comment = 0
    gap = 1
}
{
    rest = $0 "\n"
    while (rest != "") {
        if (comment) count = read_comment(rest)
        else if (is_code[top]) count = read_code(rest)
        else count = read_literal(rest)
        rest = substr(rest, count + 1)
    }
}' "$@")
digest=$(printf '%s' "$code" | sha256sum | cut -c1-32)
# The prefix lets the digest be found in a library that cannot be opened.
digest=mailkernel-api-$digest
cat > "$output" <<SWIFT
public import CMailKernelPlugin

extension MailKernelPlugin {
    /// Answers the kernel's questions to a plugin's library; call it from the function
    /// \`mailkernel_plugin\` and nowhere else, with one argument.
    ///
    /// The digest is a default argument for two reasons. With the body exported it is compiled into
    /// the plugin, and not looked up in the library that the program brings. And it is part of the
    /// interface: a new digest makes an incremental build compile the caller again.
    @export(implementation)
    public static func answer(
        _ question: UnsafeMutableRawPointer?, apiFingerprint: StaticString = "$digest"
    ) -> UnsafeMutableRawPointer? {
        answer(question, fingerprint: apiFingerprint, swift: MAILKERNEL_SWIFT)
    }
}

extension APIVersion {
    /// The digest of the API whose library is in this process. Not exported with its body, so that it
    /// is always that library's own.
    public static var fingerprint: String { "$digest" }
}
SWIFT
