/* CRC-32 of the files: that of zlib, for any number of bytes at any place in memory. */
#include "file/crc.h"
#include "support/testing.h"

#include <zlib.h>

enum { BYTES = 4096 };

static void it_is_that_of_zlib(void **state)
{
    unsigned char bytes[BYTES];
    unsigned number = 1;

    (void)state;
    for (int i = 0; i < BYTES; i++) {
        number = number * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(number >> 24);
    }
    for (size_t first = 0; first < 20; first++)
        for (size_t count = 0; first + count <= BYTES; count += count < 200 ? 1 : 97) {
            const unsigned long start = crc32(0, bytes, (uInt)first);
            assert_int_equal(phx_crc32(0, bytes + first, count), crc32(0, bytes + first, (uInt)count));
            assert_int_equal(phx_crc32(start, bytes + first, count), crc32(0, bytes, (uInt)(first + count)));
        }
    assert_int_equal(phx_crc32(0, (const unsigned char *)"123456789", 9), 0xCBF43926); /* the published check value */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_that_of_zlib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
