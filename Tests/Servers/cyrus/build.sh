#!/bin/sh
# Builds a Debian 12 folder that holds cyrus-imapd, which the system cannot have beside dovecot:  build.sh ROOT
# Does nothing if it is there, or cannot be had here; tests that need it are skipped then. About 370 MB.
set -eu
root=$1
[ ! -e "$root/built" ] || exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null || ! grep -q '^VERSION_CODENAME=bookworm' /etc/os-release; then
    echo "Cyrus is not set up: that takes root and debootstrap on Debian 12. Its tests are skipped."
    exit 0
fi

build() {
    rm -rf "$root"
    mkdir -p "$(dirname "$root")"
    source=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -1)
    [ -n "$source" ] || source=$(sed -n 's/^deb \(\[[^]]*\] \)\?\([^ ]*\) bookworm main.*/\2/p' /etc/apt/sources.list | head -1)
    timeout 300 debootstrap --variant=minbase bookworm "$root" "$source" || return 1
    # The security archive and the proxies of the system are used here as well.
    if cp /etc/apt/sources.list.d/debian.sources "$root/etc/apt/sources.list.d/" 2>/dev/null; then
        : >"$root/etc/apt/sources.list"
    fi
    cp /etc/apt/apt.conf.d/99* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
    cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod +x "$root/usr/sbin/policy-rc.d"
    export DEBIAN_FRONTEND=noninteractive LC_ALL=C
    timeout 300 chroot "$root" apt-get update || return 1
    timeout 300 chroot "$root" apt-get install -y --no-install-recommends \
        cyrus-imapd cyrus-caldav cyrus-admin sasl2-bin libsasl2-modules db-util || return 1
    chroot "$root" apt-get clean
    touch "$root/built"
}

if ! build >"$root.log" 2>&1; then
    echo "Cyrus could not be set up (see $root.log). Its tests are skipped."
fi
