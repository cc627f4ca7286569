/* CRC-32 of bytes; private to the layer file and its tests. */
#ifndef PHX_FILE_CRC_H
#define PHX_FILE_CRC_H

#include <stddef.h>

/* CRC-32 (that of zlib and of IEEE 802.3) of the bytes so far, whose own is `sum` (0: none), and of `count` more. */
unsigned long phx_crc32(unsigned long sum, const unsigned char *bytes, size_t count);

#endif
