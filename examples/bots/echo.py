#!/usr/bin/env python3
"""Answers each text with the same text, for an account that `session daemon` serves.

  examples/bots/echo.py [ACCOUNT]

It needs nothing but Python. Whenever it ends, it continues behind the last event that it handled, and no message is
answered twice: the key of an answer is the number of its event.
"""

import json
import os
import socket
import sys
import time

READER = "echo"


def path():
    """Where the daemon listens: in the folder of the login session, or where there is none, beside its locks."""
    state = os.environ.get("XDG_STATE_HOME", os.path.expanduser("~/.local/state"))
    places = [f"{state}/session/run/daemon.sock"]
    if "XDG_RUNTIME_DIR" in os.environ:
        places.insert(0, f"{os.environ['XDG_RUNTIME_DIR']}/session/daemon.sock")
    return next((place for place in places if os.path.exists(place)), places[0])


class Refusal(Exception):
    """An error reply."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class Connection:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path())
        self.lines = self.socket.makefile("r", encoding="utf-8", newline="\n")
        self.number = 0
        self.events = []

    def read(self):
        line = self.lines.readline()
        if not line:
            raise ConnectionError("the daemon has ended")
        return json.loads(line)

    def call(self, method, **params):
        self.number += 1
        call = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.socket.sendall((json.dumps(call) + "\n").encode())
        while True:
            reply = self.read()
            if reply.get("method") == "event":
                self.events.append(reply["params"]["event"])
            elif reply.get("method") == "subscription.ended":
                raise ConnectionError("the subscription has ended")
            elif reply.get("id") == self.number:
                if "error" in reply:
                    raise Refusal(reply["error"])
                return reply["result"]

    def next_event(self):
        while not self.events:
            message = self.read()
            if message.get("method") == "event":
                self.events.append(message["params"]["event"])
            elif message.get("method") == "subscription.ended":
                raise ConnectionError("the subscription has ended")
        return self.events.pop(0)


def answer(event):
    """The text that answers an event; None for events that need no answer."""
    message = event.get("message")
    if event["event"] != "messageReceived" or not message or message.get("outgoing") or message.get("kind") != "message":
        return None
    if message.get("body"):
        return message["body"]
    count = len(message.get("attachments", []))
    return f"{count} files, thank you" if count else None


def serve(connection, account):
    if account:
        connection.call("hello", client="echo.py", account=account)
    connection.call("events.subscribe", reader=READER, kinds=["messageReceived"], incoming=True, max_tries=5,
                    take_over=True)
    while True:
        event = connection.next_event()
        cursor, text = event["cursor"], answer(event)
        ack = {"reader": READER, "cursor": cursor}
        if text is not None:
            reply_to = event["message"]["id"]
            try:
                connection.call("send", to=event["conversation"], text=text, reply_to=reply_to,
                                key=f"{READER}:{cursor}", ack=ack)
                continue
            except Refusal as refusal:
                if refusal.code not in (65, 67):
                    raise
                # This message can never be answered: its sender or the message is gone.
                print(f"echo.py: event {cursor}: {refusal}", file=sys.stderr, flush=True)
        connection.call("events.ack", **ack)


def main():
    account, pause = (sys.argv[1] if len(sys.argv) > 1 else None), 0.1
    while True:
        try:
            connection = Connection()
            pause = 0.1
            serve(connection, account)
        except (OSError, ValueError, Refusal) as error:
            print(f"echo.py: {error}; trying again in {pause:.1f} s", file=sys.stderr, flush=True)
            time.sleep(pause)
            pause = min(pause * 2, 10)


if __name__ == "__main__":
    main()
