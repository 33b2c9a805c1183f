#!/bin/sh
# fingerprint.sh OUTPUT SOURCE... : writes a Swift file with a digest of the sources.
# Comments and spacing are left out, so that better documentation makes no plugin stale.
set -eu
output=$1
shift
digest=$(cat "$@" | sed -E 's|//.*$||; s/[[:space:]]+/ /g; /^ ?$/d' | sha256sum | cut -c1-32)
cat > "$output" <<SWIFT
/// The digest of the API that the *calling* module was compiled against: the body is exported so
/// that it is compiled into the plugin, and not looked up in the library the program brings.
@export(implementation) public func apiFingerprint() -> StaticString { "$digest" }
SWIFT
