/* Unsafe public keys, which every call that takes a key must refuse. */
#ifndef SC_TESTS_UNSAFE_KEYS_H
#define SC_TESTS_UNSAFE_KEYS_H

enum { unsafe_x25519_count = 8, unsafe_ed25519_count = 6, small_order_ed25519_count = 7 };

/* Points whose multiple by any X25519 secret is zero, the last with the bit set that X25519 ignores. */
static const char *const unsafe_x25519[unsafe_x25519_count] = {
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0100000000000000000000000000000000000000000000000000000000000080",
};

/* Ed25519 points of order 4, 1, 2 and 8; bytes that are not a point, and a non-canonical encoding. */
static const char *const unsafe_ed25519[unsafe_ed25519_count] = {
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "0200000000000000000000000000000000000000000000000000000000000000",
    "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
};

/* Every encoding of an Ed25519 point of small order, sign bit 0. */
static const char *const small_order_ed25519[small_order_ed25519_count] = {
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
};

#endif
