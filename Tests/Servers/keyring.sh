#!/bin/sh
# A session bus of its own, with gnome-keyring on it unless the second word is “none”: keyring.sh FOLDER [none].
# Prints the bus's address when it can be used, and ends with the process that started it.
set -eu
parent=$PPID
folder=$1
export HOME="$folder" XDG_RUNTIME_DIR="$folder/run" XDG_DATA_HOME="$folder/data"
mkdir -p -m 700 "$XDG_RUNTIME_DIR" "$XDG_DATA_HOME"

dbus-daemon --config-file="$(dirname "$0")/bus.conf" --nofork --print-address > "$folder/address" 2> "$folder/bus.log" &
children=$!
trap 'kill $children 2>/dev/null; exit 0' TERM INT
while [ ! -s "$folder/address" ]; do sleep 0.02; done
DBUS_SESSION_BUS_ADDRESS=$(cat "$folder/address")
export DBUS_SESSION_BUS_ADDRESS

if [ "${2:-}" != none ]; then
    printf 'keyring password' |
        gnome-keyring-daemon --foreground --unlock --components=secrets > "$folder/keyring.log" 2>&1 &
    children="$children $!"
    until dbus-send --session --print-reply --dest=org.freedesktop.DBus / \
        org.freedesktop.DBus.GetNameOwner string:org.freedesktop.secrets > /dev/null 2>&1; do
        sleep 0.02
    done
fi

echo "$DBUS_SESSION_BUS_ADDRESS"
while [ -d "/proc/$parent" ]; do sleep 0.3; done
kill $children 2>/dev/null
