"""A desktop: a session bus of its own, and on it what shows notifications.

    desktop.py FOLDER [none]

Its first line is {"address": …}. Each line after it is something that was seen: {"shown": {…}}, {"closed": 3},
{"badge": 2}. A call of org.mailkernel.Desktop.Use (a number and the id of an action) does what a user does. With
`none` nothing shows notifications. It ends with its parent.
"""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from jeepney import DBusAddress, HeaderFields, MatchRule, MessageType, message_bus
from jeepney import new_error, new_method_return, new_signal
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.Notifications"
SEEN_BY = DBusAddress("/org/freedesktop/Notifications", interface=NAME)
CAPABILITIES = ["actions", "body", "body-markup", "sound"]
CLOSED_BY_USER, CLOSED_BY_PROGRAM = 2, 3


def say(**line):
    print(json.dumps(line), flush=True)


class Desktop:
    def __init__(self, address):
        self.connection = open_dbus_connection(address)
        self.shown = {}
        self.last = 0
        self.methods = {
            (NAME, "GetCapabilities"): lambda: ("as", (CAPABILITIES,)),
            (NAME, "GetServerInformation"): lambda: ("ssss", ("desktop", "mailkernel", "1", "1.2")),
            (NAME, "Notify"): self.notify,
            (NAME, "CloseNotification"): self.close,
            ("org.mailkernel.Desktop", "Use"): self.use,
        }
        badges = MatchRule(type="signal", interface="com.canonical.Unity.LauncherEntry", member="Update")
        self.connection.send_and_get_reply(message_bus.AddMatch(badges))
        self.connection.send_and_get_reply(message_bus.RequestName(NAME))

    def serve(self):
        while True:
            message = self.connection.receive()
            fields = message.header.fields
            key = fields.get(HeaderFields.interface), fields.get(HeaderFields.member)
            if message.header.message_type == MessageType.signal and key[1] == "Update":
                say(badge=message.body[1]["count"][1])
            elif message.header.message_type == MessageType.method_call:
                self.connection.send(self.answer(message, key))

    def answer(self, message, key):
        if key not in self.methods:
            return new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")
        try:
            return new_method_return(message, *self.methods[key](*message.body))
        except KeyError:
            return new_error(message, f"{NAME}.Error.InvalidId")

    def notify(self, program, replaced, icon, title, body, actions, hints, timeout):
        number = replaced if replaced in self.shown else self.last + 1
        self.last = max(self.last, number)
        self.shown[number] = actions
        labels = dict(zip(actions[::2], actions[1::2]))
        say(shown={"number": number, "title": title, "body": body, "actions": labels, "program": program})
        return "u", (number,)

    def close(self, number):
        self.remove(number, CLOSED_BY_PROGRAM)
        return "", ()

    def use(self, number, action):
        if action != "dismiss":
            self.signal("ActionInvoked", "us", (number, action))
        self.remove(number, CLOSED_BY_USER)
        return "", ()

    def remove(self, number, reason):
        del self.shown[number]
        say(closed=number)
        self.signal("NotificationClosed", "uu", (number, reason))

    def signal(self, name, signature, body):
        self.connection.send(new_signal(SEEN_BY, name, signature, body))


def end_with(parent, bus):
    while os.getppid() == parent:
        time.sleep(0.3)
    bus.terminate()
    os._exit(0)


def main():
    folder = Path(sys.argv[1])
    bus = subprocess.Popen(
        ["dbus-daemon", f"--config-file={Path(__file__).parent / 'bus.conf'}", "--nofork", "--print-address"],
        stdout=subprocess.PIPE, stderr=open(folder / "bus.log", "w"), text=True)
    threading.Thread(target=end_with, args=(os.getppid(), bus), daemon=True).start()
    address = bus.stdout.readline().strip()
    desktop = None if sys.argv[2:] == ["none"] else Desktop(address)
    say(address=address)
    try:
        desktop.serve() if desktop else threading.Event().wait()
    except (ConnectionError, KeyboardInterrupt):
        pass
    finally:
        bus.terminate()


if __name__ == "__main__":
    main()
