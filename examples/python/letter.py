#!/usr/bin/env python3
"""letter.py NETWORK-FILE: one account sends another a message through a private network.

Everything secret happens in the C library, which is called through ctypes; storage nodes are asked in JSON.
"""
import base64, ctypes, json, os, sys, time
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint8, c_uint64, c_void_p

core = ctypes.CDLL(os.environ.get("SESSION_CORE", "libsession-core.so"))


class Bytes(ctypes.Structure):
    """sc_bytes: bytes that are borrowed, here from Python."""
    _fields_ = [("ptr", c_char_p), ("len", c_size_t)]

    def __init__(self, content: bytes):
        super().__init__(content, len(content))


class View(ctypes.Structure):
    """sc_bytes again, as the library returns them."""
    _fields_ = [("ptr", c_void_p), ("len", c_size_t)]


class Buffer(ctypes.Structure):
    """sc_buffer: bytes that the library allocates; zeroed, it is empty and ready."""
    _fields_ = [("ptr", c_void_p), ("len", c_size_t), ("capacity", c_size_t), ("env", c_void_p)]

    def take(self) -> bytes:
        content = ctypes.string_at(self.ptr, self.len)
        core.sc_buffer_free(byref(self))
        return content


class Account(ctypes.Structure):
    """sc_account: the keys of a person in both forms, and the id that others know."""
    _fields_ = [("ed_public", c_uint8 * 32), ("ed_secret", c_uint8 * 64),
                ("x_public", c_uint8 * 32), ("x_secret", c_uint8 * 32), ("id", c_uint8 * 33)]


# Arguments that are no pointers to what is above have to be declared, and results that are no int.
core.sc_status_text.restype = c_char_p
core.sc_network_host_open.argtypes = [POINTER(c_void_p), c_void_p, Bytes, c_char_p]
core.sc_network_host_call.argtypes = [POINTER(Buffer), POINTER(c_int), c_void_p, Bytes, c_uint64]
core.sc_content_write_text.argtypes = [POINTER(Buffer), Bytes, c_uint64]
core.sc_encode_for_contact.argtypes = [POINTER(Buffer), c_void_p, c_void_p, c_void_p, Bytes, c_uint64, c_void_p]
core.sc_decode_from_contact.argtypes = [POINTER(c_void_p), c_void_p, c_void_p, c_size_t, c_void_p, Bytes]
core.sc_message_text.argtypes, core.sc_message_text.restype = [c_void_p], View
core.sc_message_sender.argtypes, core.sc_message_sender.restype = [c_void_p], c_void_p
core.sc_message_free.argtypes = core.sc_network_host_free.argtypes = [c_void_p]


def check(status: int) -> None:
    """Every call that can fail returns a status: 0, or a negative number that has a text."""
    if status != 0:
        sys.exit(core.sc_status_text(status).decode())


def ask(host: c_void_p, method: str, **params) -> dict:
    """Asks the nodes that keep an account's messages, over an onion path, and waits at most a minute."""
    reply, code, call = Buffer(), c_int(), json.dumps({"method": method, "params": params}).encode()
    check(core.sc_network_host_call(byref(reply), byref(code), host, Bytes(call), 60 * 10**9))
    body = reply.take()
    if code.value != 200:
        sys.exit(f"the node says no: {code.value} {body.decode()}")
    return json.loads(body)


def send(host: c_void_p, sender: Account, to: Account, text: str) -> None:
    now, content, sealed = int(time.time() * 1000), Buffer(), Buffer()
    check(core.sc_content_write_text(byref(content), Bytes(text.encode()), now))
    check(core.sc_encode_for_contact(byref(sealed), None, byref(sender), to.id, Bytes(content.take()), now, None))
    # Anybody may put a message into somebody's inbox, which is namespace 0: nothing is signed.
    data = base64.b64encode(sealed.take()).decode()
    swarm = ask(host, "store", pubkey=bytes(to.id).hex(), timestamp=now, ttl=14 * 86_400_000, data=data)["swarm"]
    print("stored by", sum("failed" not in node for node in swarm.values()), "of", len(swarm), "nodes")


def fetch(host: c_void_p, me: Account) -> None:
    now, signature = int(time.time() * 1000), (c_uint8 * 64)()
    core.sc_ed25519_sign(signature, byref(me), Bytes(f"retrieve{now}".encode()))
    found = ask(host, "retrieve", pubkey=bytes(me.id).hex(), timestamp=now, pubkey_ed25519=bytes(me.ed_public).hex(),
                signature=base64.b64encode(signature).decode())
    for stored in found["messages"]:
        message, data = c_void_p(), base64.b64decode(stored["data"])
        check(core.sc_decode_from_contact(byref(message), None, me.x_public, 1, bytes(32), Bytes(data)))
        text, sender = core.sc_message_text(message), core.sc_message_sender(message) + 32
        print(f"{ctypes.string_at(text.ptr, text.len).decode()}, from {ctypes.string_at(sender, 33).hex()}")
        core.sc_message_free(message)


check(core.sc_init())
alice, bob, host = Account(), Account(), c_void_p()
core.sc_account_generate(byref(alice), None)
core.sc_account_generate(byref(bob), None)
check(core.sc_network_host_open(byref(host), None, Bytes(open(sys.argv[1], "rb").read()), None))
send(host, alice, bob, "hello from Python")
fetch(host, bob)
core.sc_network_host_free(host)
