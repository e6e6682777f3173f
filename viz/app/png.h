// Encodes a picture as PNG.
#ifndef PYSOLATE_VIZ_APP_PNG_H_
#define PYSOLATE_VIZ_APP_PNG_H_

#include <cstdint>
#include <span>
#include <string>

namespace pysolate::viz {

// `rgba`: 4 bytes a pixel, rows from top to bottom, width*height*4 bytes; alpha is dropped (screenshots are opaque).
// Returns the bytes of the file. Deterministic. Compression: rows filtered by "up", LZ77 with a hash of the last
// place of each 4 bytes, fixed Huffman codes (RFC 1951, 3.2.6): plain surfaces become small, and it needs no library.
std::string EncodePng(std::span<const uint8_t> rgba, int width, int height);

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_APP_PNG_H_
