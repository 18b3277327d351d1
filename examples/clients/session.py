"""A client of `session daemon`, for bots in Python: one file, and nothing but the standard library.

    from session import Session

    with Session("bot") as session:
        for event in session.events("echo", kinds=["messageReceived"], incoming=True):
            message = event.get("message")
            if message and message["body"]:
                session.send(message["conversation"], message["body"], reply_to=message["id"], event=event)

Events are delivered until they are acknowledged, which happens when the loop asks for the next one. The client connects
again whenever the daemon ends, and repeats the call that was under way. A text that answers an event has a key, so that
it is sent once although the event may come twice, after a crash. `session help bots` describes the methods.
"""

import base64
import json
import os
import socket
import time
import uuid


class SessionError(Exception):
    """A call that failed. Act on `code`, then on `kind`; show the text to people."""

    def __init__(self, error):
        super().__init__(error["message"])
        data = error.get("data", {})
        self.code = error["code"]
        self.kind = data.get("kind", "")
        self.advice = data.get("advice")
        self.data = data


class OutcomeUnknown(SessionError):
    """The connection broke in a change that must not be repeated blindly: look whether it was made."""

    def __init__(self, method):
        super().__init__({
            "code": 76, "message": f"the connection broke during {method}", "data": {"kind": "outcome-unknown"}})


class Gap(Exception):
    """Events were lost: read again what matters, then go on behind them."""

    def __init__(self, gap):
        super().__init__("events were lost")
        #: The account whose events they were.
        self.account = gap["account"]
        #: The oldest and the newest event that are stored, and the first and last that are gone.
        self.oldest, self.newest = gap["oldest"], gap["newest"]
        self.lost_from, self.lost_to = gap["lost_from"], gap["lost_to"]


class _Lost(Exception):
    """The connection has ended."""


def _ended(kind):
    """The error for a subscription that the daemon has ended."""
    return SessionError({
        "code": {"no-account": 78, "limit-reached": 71}.get(kind, 75),
        "message": f"the daemon has ended the subscription: {kind}", "data": {"kind": kind}})


def socket_path():
    """The path of the daemon's socket."""
    if os.environ.get("SESSION_SOCKET"):
        return os.environ["SESSION_SOCKET"]
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    places = [f"{state}/session/run/daemon.sock"]
    if os.environ.get("XDG_RUNTIME_DIR"):
        places.insert(0, f"{os.environ['XDG_RUNTIME_DIR']}/session/daemon.sock")
    return next((place for place in places if os.path.exists(place)), places[0])


class Session:
    """A connection to the daemon, for one thread."""

    #: The most bytes of a reply.
    LINE = 8 << 20
    #: Calls that change something, and may not be repeated when the connection broke before the reply.
    UNREPEATABLE = {"delete", "resend", "group.create", "group.invite", "group.promote", "group.remove", "group.leave",
                    "group.delete", "requests.accept", "requests.decline", "requests.block", "contacts.delete"}

    def __init__(self, account=None, path=None, name="session.py"):
        self.account = account
        self.path = path
        self.name = name
        self._socket = None
        self._buffer = b""
        self._number = 0
        #: Events, and the errors to raise in their order.
        self._events = []
        self._subscription = None
        #: Reader and filters of the subscription, and the event that it delivered and that is not acknowledged yet.
        self._reading = None
        self._unacknowledged = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self._socket:
            self._socket.close()
        self._socket = None
        self._buffer, self._events, self._subscription = b"", [], None
        self._reading = self._unacknowledged = None

    # Calls

    def call(self, method, **params):
        """The result of a method. Waits for the daemon, also while it starts again."""
        while True:
            self._connect()
            try:
                return self._exchange(method, params)
            except _Lost:
                self.close()
                if method in self.UNREPEATABLE or (method == "send" and "key" not in params):
                    raise OutcomeUnknown(method) from None

    def send(self, to, text, *, event=None, part=0, key=None, **params):
        """Sends a text. With an event it is sent once for that event; `part` tells several texts of one event apart."""
        if key is None:
            key = str(uuid.uuid4())
            if event is not None:
                key = f"{event['reader']}:{event['cursor']}" + (f":{part}" if part else "")
        if event is not None:
            params.setdefault("account", event["account"])
        return self.call("send", to=to, text=text, key=key, **params)

    def messages(self, chat, limit=100):
        """The messages of a conversation, newest first, page by page."""
        before = {}
        while True:
            page = self.call("show", chat=chat, limit=limit, **before)
            yield from reversed(page["items"])
            if not page["more"]:
                return
            before = {"before": page["next"]}

    def attachment(self, message, number=1):
        """The content of a file that was downloaded."""
        content = b""
        while True:
            part = self.call("attachment.read", message=message, number=number, at=len(content))
            content += base64.b64decode(part["data"])
            if part["end"]:
                return content

    def upload(self, path, name=None):
        """Sends the content of a file, also one that the daemon cannot read itself; for `attach` of the method `send`."""
        with open(path, "rb") as file:
            while True:
                self._connect()
                try:
                    file.seek(0)
                    begun = self._exchange("file.begin", {"name": name or os.path.basename(path)})
                    at = 0
                    while piece := file.read(begun["chunk"]):
                        self._exchange("file.chunk", {"upload": begun["upload"], "at": at,
                                                      "data": base64.b64encode(piece).decode()})
                        at += len(piece)
                    return {"file": self._exchange("file.end", {"upload": begun["upload"]})["file"]}
                except _Lost:
                    # An upload ends with its connection.
                    self.close()

    # Events

    def events(self, reader, **filters):
        """Yields events for ever, from behind the last one that was acknowledged under this name.

        The step to the next event acknowledges the one before; an event whose handling failed comes again when this is
        called again. Raises `Gap` in the place of events that were lost; called again, it goes on behind them. Raises
        `SessionError` when the daemon ends the subscription: of the kind "taken-over" when another program reads under this
        name. With accounts="*" the events are those of all accounts; each names its own as `account`.
        """
        while True:
            # Only a new subscription begins behind the last acknowledgement.
            if self._unacknowledged is not None or self._reading not in (None, (reader, filters)):
                self.close()
            self._connect()
            try:
                if self._subscription is None:
                    # A connection that broke may still count for a moment.
                    begun = self._exchange(
                        "events.subscribe", {"reader": reader, "take_over": True, **filters})
                    self._subscription, self._reading = begun["subscription"], (reader, filters)
                    for position in begun["positions"]:
                        if "gap" in position:
                            self._events.insert(0, Gap({"account": position["account"], **position["gap"]}))
                event = self._next_event()
            except _Lost:
                self.close()
                continue
            if isinstance(event, SessionError):
                self.close()
            if isinstance(event, Exception):
                raise event
            event["reader"] = reader
            self._unacknowledged = event
            yield event
            self.call("events.ack", reader=reader, account=event["account"], cursor=event["cursor"])
            if self._unacknowledged is event:
                self._unacknowledged = None

    def _next_event(self):
        while not self._events:
            self._take(self._read())
        return self._events.pop(0)

    # The connection

    def _connect(self):
        pause = 0.1
        while self._socket is None:
            try:
                connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                connection.connect(self.path or socket_path())
                self._socket = connection
                self._exchange("hello", {"client": self.name, "protocol": 1,
                                         **({"account": self.account} if self.account else {})})
            except (OSError, _Lost):
                self.close()
                time.sleep(pause)
                pause = min(pause * 2, 10)
            except BaseException:
                # Later calls would go to another account.
                self.close()
                raise

    def _exchange(self, method, params):
        self._number += 1
        call = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        try:
            self._socket.sendall((json.dumps(call, ensure_ascii=False) + "\n").encode())
        except OSError:
            raise _Lost from None
        while True:
            reply = self._read()
            if reply.get("id") == self._number:
                break
            self._take(reply)
        if "error" not in reply:
            return reply["result"]
        error = SessionError(reply["error"])
        if error.kind == "stopping":
            raise _Lost
        raise error

    def _take(self, message):
        """Takes a notification. Ignore unknown notifications."""
        params = message.get("params", {})
        if message.get("method") == "event" and params.get("subscription") == self._subscription_of(params):
            self._events.append({"account": params["account"], **params["event"]})
        elif message.get("method") == "signal" and params.get("kind") == "gap":
            self._events.append(Gap(params))
        elif message.get("method") == "subscription.ended" and params.get("subscription") == self._subscription:
            # What was delivered and not handled is delivered again to the next reader.
            self._events = [_ended(params["kind"])]
        elif message.get("method") == "bye":
            raise _Lost

    def _subscription_of(self, params):
        # The first events may come before the reply to the subscription.
        return self._subscription or params.get("subscription")

    def _read(self):
        while b"\n" not in self._buffer:
            if len(self._buffer) > self.LINE:
                raise _Lost
            try:
                piece = self._socket.recv(65536)
            except OSError:
                raise _Lost from None
            if not piece:
                raise _Lost
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        return json.loads(line)
