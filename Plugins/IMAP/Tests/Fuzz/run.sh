#!/bin/sh
# Lets libFuzzer look for bytes that break the parser: run.sh SECONDS [FOLDER]. What it finds, it writes into
# the folder as crash-…; put that among the seeds, which the tests try too, before it is mended.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-60}
folder=${2:-$(mktemp -d)}
mkdir -p "$folder/corpus"
# Grammar and session know nothing but bytes, so they are compiled without the package.
swiftc -O -sanitize=fuzzer -parse-as-library -swift-version 6 -o "$folder/fuzz" \
    Sources/IMAP/Grammar/*.swift Sources/IMAP/Session/IMAPSession.swift \
    Sources/IMAP/Session/SelectedMailbox.swift Sources/IMAP/Account/TransferDecoder.swift \
    Tests/IMAPTests/Grammar/FuzzTarget.swift
for path in Tests/Fuzz/seeds/*; do
    [ -f "$path" ] && cp "$path" "$folder/corpus/"
done
cd "$folder"
exec ./fuzz -max_total_time="$seconds" -timeout=5 -rss_limit_mb=1024 -max_len=4096 corpus
