/* The cost of UDP alone between two threads on the two processors that a client and a server would have:
 * ping-pong and a stream, with datagrams and batches of any size. Optionally the sender seals and the
 * receiver opens every datagram of the stream.
 *
 * The near end is the caller; the far end is a thread of its own that sleeps when there is nothing to do. */
#ifndef SC_BENCH_UDP_FLOOR_H
#define SC_BENCH_UDP_FLOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Processors: servers and far ends on the first, clients and near ends on the second. */
enum { far_processor = 0, near_processor = 1 };

/* A datagram of a full QUIC packet, once the path is measured, and what is left of it for the application. */
enum { floor_datagram_bytes = 1444, floor_payload_bytes = floor_datagram_bytes - 16 - 12 };

/* Keeps the calling thread on a processor, if the machine has so many. */
void udp_floor_pin(int processor);

typedef struct udp_floor udp_floor;

/* Ends the program when there is no socket or thread to be had. */
udp_floor *udp_floor_new(void);
void udp_floor_free(udp_floor *floor);

/* Sends `len` bytes in segments of `segment`, waits for all of them to come back, and does so `times`. */
void udp_floor_ping(udp_floor *floor, size_t len, size_t segment, size_t times);

/* Streams datagrams that carry `len` bytes of payload, and waits until the far end has them all. */
void udp_floor_stream(udp_floor *floor, size_t len, bool sealed);

/* Seals, or opens, datagrams that carry `len` bytes of payload, without sending them. */
void udp_floor_seal(udp_floor *floor, size_t len);
void udp_floor_open(udp_floor *floor, size_t len);

#endif
