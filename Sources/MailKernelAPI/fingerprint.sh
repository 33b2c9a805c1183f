#!/bin/sh
# fingerprint.sh OUTPUT SOURCE... : writes a Swift file with a digest of the sources.
# Comments, spacing and line breaks are left out, so that better documentation makes no plugin stale.
set -eu
output=$1
shift
digest=$(cat "$@" | sed 's|//.*$||' | tr -d '[:space:]' | sha256sum | cut -c1-32)
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
