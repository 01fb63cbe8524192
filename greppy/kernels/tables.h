/* The lengths of the prefix codes; reference/tables.py says what they are and where they come from. */

#ifndef GREPPY_TABLES_H
#define GREPPY_TABLES_H

#include <stdint.h>

static const char *const WIDTHS[] = {
    "2344444545555566778aaaaaaaaaaaa",
    "133445567788899aaaaaaaaaaaaaaaa",
    "223344556777899aaaaaaaaaaaaaaaa",
    "22334455677888999aaaaaaaaaaaaaa",
    "23333445567778999aaaaaaaaaaaaaa",
    "23333445567778999aaaaaaaaaaaaaa",
    "33433334556777889aaaaaaaaaaaaaa",
    "34444333445566779aaaaaaaaaaaaaa",
    "34444444334555779aaaaaaaaaaaaaa",
    "3444445444444455778aaaaaaaaaaaa",
};

static const char *const FIRSTS[] = {
    "aaa998898776544354422aaaaaaaaaaa",
    "145666566686666655545aaaaaaaaaa9",
    "224455566666556666656aaaaaa99999",
    "333344556666556655556aaaaaa99999",
    "343244556666556666658aaaaaaaaaa9",
    "344424456665456666668aaaaaaaaaa9",
    "344443345666555656656aaaaaa99999",
    "345554433555555556656aaaaaa99999",
    "355555555334444556668aaaaaaaaaa9",
    "355666666655444444434aaaaaa99999",
};

static const uint8_t POSTING_CODES[63] = {
    0x01, 0x02, 0x10, 0x40, 0x80, 0x03, 0x04, 0x20, 0x06, 0x41, 0x05, 0x81, 0xC0, 0x07, 0x11, 0x42,
    0x30, 0x82, 0x09, 0x08, 0x43, 0x12, 0x90, 0x0A, 0x44, 0x21, 0x83, 0xC1, 0x50, 0x46, 0xC2, 0x0C,
    0x84, 0x13, 0x22, 0x45, 0x0B, 0x86, 0xA0, 0x14, 0xC3, 0x91, 0x85, 0x47, 0x0D, 0x51, 0x16, 0xC4,
    0xC6, 0x23, 0x60, 0x15, 0x87, 0xD0, 0x48, 0x49, 0x92, 0xC5, 0x52, 0x24, 0xA1, 0x31, 0x17,
};

static const char *const CODES[] = {
    "1455266788878989a9aaaa7aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "24443567777448789589986999669a7a799aa78a788aaaa88aaa88aa98aa9aa5",
    "35516677747878859999699a6aa8779aaaa7aaaaaaa8a8aaaa8aaa88aa9aaaa6",
    "35155673889889695aaaa88aa8aa9aaaaa9aaa9aaaaaaaaaaaaaaaaaaaaaaaa7",
    "233655556767874878889589a69aaaaaa66aaa97a9aaaa8aa7a8aaaaaaa8a884",
    "13455456676787789899988aa99aaaaaa99aaaaaaaaaaaaaaaaaaaaaaaaaaaa7",
    "12566458787898899999a9aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa8",
    "2257624858689789a988a9a9aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa8",
    "2256633757588688997799a89aaaaaaaa9aa9aa9aaaaaaaaaaaaaaaaaaaaaaa7",
    "2357644838489498a95599a6aaaaaaa6aaaa6aaaaaaa7aaaaaaaaaaaaaaaaaa6",
};

static const uint8_t TERM_BYTES[63] = {
    0x65, 0x74, 0x61, 0x69, 0x72, 0x73, 0x63, 0x6F, 0x6E, 0x30, 0x6C, 0x64, 0x70, 0x6D, 0x75, 0x31,
    0x32, 0x66, 0x34, 0x33, 0x62, 0x67, 0x38, 0x36, 0x35, 0x68, 0x39, 0x37, 0x6B, 0x76, 0x78, 0x77,
    0x79, 0xE0, 0xD0, 0x71, 0x7A, 0xD1, 0x6A, 0xB8, 0xB0, 0xE1, 0xD8, 0xA4, 0xB5, 0x83, 0xD9, 0xB4,
    0xC3, 0x80, 0xBE, 0x81, 0xB2, 0x82, 0x8D, 0xBD, 0xAF, 0xB1, 0x95, 0xB3, 0xA8, 0xA7, 0xCE,
};

static const char *const TERMS[] = {
    "674333334555666677889999aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "a2333445555666777899999aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "544554466464455665665577767766679778888aa98aaa9a9aaaaaaaaaaaaaa5",
    "68688769a2867774464469444944998aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "645534453744456775886599989976668aa88a9aaaaaaaaaaaaaaaaaaaaaaaaa",
    "3444555467555557758766888598677766788898888889999999999999999994",
};

static const uint8_t SYMBOL_BYTES[63] = {
    0x65, 0x5F, 0x74, 0x73, 0x61, 0x72, 0x69, 0x6E, 0x6F, 0x63, 0x6C, 0x64, 0x70, 0x6D, 0x75, 0x67,
    0x66, 0x68, 0x62, 0x6B, 0x76, 0x79, 0x78, 0x54, 0x77, 0x2E, 0x20, 0x53, 0x45, 0x43, 0x41, 0x52,
    0x49, 0x4D, 0x44, 0x50, 0x32, 0x71, 0x4C, 0x4F, 0x4E, 0x60, 0x30, 0x46, 0x31, 0x55, 0x33, 0x34,
    0x42, 0x47, 0x7A, 0x36, 0x48, 0x35, 0x38, 0x56, 0x6A, 0x57, 0x58, 0x4B, 0x3E, 0x37, 0x39,
};

static const char *const SYMBOLS[] = {
    "1787566656656666666666667777778888888889999999aaa9aaaaaaaaaaaaa7",
    "2676554554555555555566667777888889999aaaaaaaaaaaaaaaaaaaaaaaaaa9",
    "645445566465456556666a857aa575666666a8777aa6a7aa67aa7aa79898aaa8",
    "82977878a69787aa9a789a58a669989a99994aaaa83a4a54aaa5a45aaa8aa556",
    "6434637364445566696868677888a8a8a98898898aa9aaaaa98aaaaaaaaaaaa9",
    "3344454645555656667676877778788888889888a899989a9aaa9aaa9aaaaaa9",
};

#endif
