"""A system bus of its own, and on it what logind says of sessions and sleep.

    login.py FOLDER

Its first line is {"address": …}. Each line after it says that it was asked whose a session is. A call of org.mailkernel.Login.Say makes it say a thing: "sleep", "wake", "lock" or
"hint" (a session of the caller's user), "stranger" (one of another user), "unlock". It ends with its parent.
"""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from jeepney import DBusAddress, HeaderFields, MessageType, message_bus, new_error, new_method_return, new_signal
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.login1"
MANAGER = DBusAddress("/org/freedesktop/login1", interface=f"{NAME}.Manager")
OWN, STRANGE = (f"/org/freedesktop/login1/session/_3{number}" for number in (1, 2))


def session(path, interface=f"{NAME}.Session"):
    return DBusAddress(path, interface=interface)


def hint(path, is_locked):
    properties = session(path, "org.freedesktop.DBus.Properties")
    return new_signal(
        properties, "PropertiesChanged", "sa{sv}as", (f"{NAME}.Session", {"LockedHint": ("b", is_locked)}, []))


SIGNALS = {
    "sleep": lambda: new_signal(MANAGER, "PrepareForSleep", "b", (True,)),
    "wake": lambda: new_signal(MANAGER, "PrepareForSleep", "b", (False,)),
    "lock": lambda: new_signal(session(OWN), "Lock"),
    "unlock": lambda: hint(OWN, False),
    "hint": lambda: hint(OWN, True),
    "stranger": lambda: hint(STRANGE, True),
}


def answer(connection, message):
    name = message.header.fields.get(HeaderFields.member)
    if name == "Say" and message.body[0] in SIGNALS:
        connection.send(SIGNALS[message.body[0]]())
        return new_method_return(message)
    if name == "Get" and message.body == (f"{NAME}.Session", "User"):
        print(json.dumps({"asked": message.header.fields[HeaderFields.path]}), flush=True)
        is_own = message.header.fields[HeaderFields.path] == OWN
        user = os.getuid() if is_own else os.getuid() + 1
        return new_method_return(message, "v", (("(uo)", (user, "/org/freedesktop/login1/user/_0")),))
    return new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")


def serve(connection):
    connection.send_and_get_reply(message_bus.RequestName(NAME))
    while True:
        message = connection.receive()
        if message.header.message_type == MessageType.method_call:
            connection.send(answer(connection, message))


def end_with(parent, bus):
    while os.getppid() == parent:
        time.sleep(0.3)
    bus.terminate()
    os._exit(0)


def main():
    bus = subprocess.Popen(
        ["dbus-daemon", f"--config-file={Path(__file__).parent / 'bus.conf'}", "--nofork", "--print-address"],
        stdout=subprocess.PIPE, stderr=open(Path(sys.argv[1]) / "bus.log", "w"), text=True)
    threading.Thread(target=end_with, args=(os.getppid(), bus), daemon=True).start()
    address = bus.stdout.readline().strip()
    connection = open_dbus_connection(address)
    print(json.dumps({"address": address}), flush=True)
    try:
        serve(connection)
    except (ConnectionError, KeyboardInterrupt):
        pass
    finally:
        bus.terminate()


if __name__ == "__main__":
    main()
