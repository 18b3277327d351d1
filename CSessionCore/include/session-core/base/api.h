/* Macros of the public headers. */
#ifndef SC_BASE_API_H
#define SC_BASE_API_H

#ifdef __cplusplus
#define SC_API_BEGIN extern "C" {
#define SC_API_END }
#else
#define SC_API_BEGIN
#define SC_API_END
#endif

/* Declares "an array of at least n elements". C compilers check it; for C++ it is a plain pointer. */
#ifdef __cplusplus
#define SC_AT_LEAST(n) n
#else
#define SC_AT_LEAST(n) static n
#endif

#define SC_API __attribute__((visibility("default")))
#define SC_NODISCARD __attribute__((warn_unused_result))

#endif
