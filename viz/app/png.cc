#include "app/png.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace pysolate::viz {
namespace {

// Bits go out least significant first; Huffman codes are given most significant bit first, hence the reversal.
class BitWriter {
 public:
  explicit BitWriter(std::string* out) : out_(out) {}
  void Bits(uint32_t value, int count) {
    held_ |= static_cast<uint64_t>(value) << used_;
    used_ += count;
    while (used_ >= 8) {
      out_->push_back(static_cast<char>(held_ & 0xff));
      held_ >>= 8;
      used_ -= 8;
    }
  }
  void Code(uint32_t code, int count) {
    uint32_t reversed = 0;
    for (int i = 0; i < count; ++i) reversed |= ((code >> i) & 1u) << (count - 1 - i);
    Bits(reversed, count);
  }
  void Flush() {
    if (used_ > 0) Bits(0, 8 - used_);
  }

 private:
  std::string* out_;
  uint64_t held_ = 0;
  int used_ = 0;
};

// The fixed code of a literal or a length symbol (RFC 1951, 3.2.6).
void Symbol(BitWriter& out, uint32_t s) {
  if (s < 144) {
    out.Code(0x30 + s, 8);
  } else if (s < 256) {
    out.Code(0x190 + s - 144, 9);
  } else if (s < 280) {
    out.Code(s - 256, 7);
  } else {
    out.Code(0xc0 + s - 280, 8);
  }
}

constexpr std::array<uint16_t, 29> kLengthBase = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                  31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<uint8_t, 29> kLengthExtra = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                  2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::array<uint16_t, 30> kDistanceBase = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                                    33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                                    1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
constexpr std::array<uint8_t, 30> kDistanceExtra = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                                    6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

void Match(BitWriter& out, uint32_t length, uint32_t distance) {
  size_t l = kLengthBase.size() - 1;
  while (kLengthBase[l] > length) --l;
  Symbol(out, static_cast<uint32_t>(257 + l));
  out.Bits(length - kLengthBase[l], kLengthExtra[l]);
  size_t d = kDistanceBase.size() - 1;
  while (kDistanceBase[d] > distance) --d;
  out.Code(static_cast<uint32_t>(d), 5);
  out.Bits(distance - kDistanceBase[d], kDistanceExtra[d]);
}

void Deflate(const std::vector<uint8_t>& data, std::string* out) {
  constexpr uint32_t kWindow = 32768, kMaxLength = 258, kHashBits = 15;
  std::vector<uint32_t> last(1u << kHashBits, UINT32_MAX);
  BitWriter bits(out);
  bits.Bits(1, 1);  // last block
  bits.Bits(1, 2);  // fixed codes
  const uint32_t size = static_cast<uint32_t>(data.size());
  auto hash = [&](uint32_t i) {
    const uint32_t v = data[i] | data[i + 1] << 8 | data[i + 2] << 16 | static_cast<uint32_t>(data[i + 3]) << 24;
    return (v * 2654435761u) >> (32 - kHashBits);
  };
  for (uint32_t i = 0; i < size;) {
    uint32_t length = 0, from = UINT32_MAX;
    if (i + 4 <= size) {
      uint32_t& slot = last[hash(i)];
      from = slot;
      slot = i;
      if (from != UINT32_MAX && i - from <= kWindow) {
        const uint32_t limit = std::min(kMaxLength, size - i);
        while (length < limit && data[from + length] == data[i + length]) ++length;
      }
    }
    if (length >= 4) {
      Match(bits, length, i - from);
      i += length;
    } else {
      Symbol(bits, data[i]);
      ++i;
    }
  }
  Symbol(bits, 256);
  bits.Flush();
}

void BigEndian(std::string* out, uint32_t v) {
  for (int shift = 24; shift >= 0; shift -= 8) out->push_back(static_cast<char>((v >> shift) & 0xff));
}

uint32_t Crc(std::string_view bytes) {
  uint32_t crc = 0xffffffffu;
  for (char c : bytes) {
    crc ^= static_cast<uint8_t>(c);
    for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
  }
  return ~crc;
}

void Chunk(std::string* out, std::string_view type, std::string_view data) {
  BigEndian(out, static_cast<uint32_t>(data.size()));
  const std::string body = std::string(type) + std::string(data);
  *out += body;
  BigEndian(out, Crc(body));
}

}  // namespace

std::string EncodePng(std::span<const uint8_t> rgba, int width, int height) {
  const size_t row = static_cast<size_t>(width) * 3;
  std::vector<uint8_t> filtered;
  filtered.reserve((row + 1) * static_cast<size_t>(height));
  for (int y = 0; y < height; ++y) {
    filtered.push_back(2);  // "up": the difference from the row above
    const uint8_t* here = rgba.data() + static_cast<size_t>(y) * static_cast<size_t>(width) * 4;
    const uint8_t* above = y > 0 ? here - static_cast<size_t>(width) * 4 : nullptr;
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < 3; ++c) {
        const int at = x * 4 + c;
        filtered.push_back(static_cast<uint8_t>(here[at] - (above != nullptr ? above[at] : 0)));
      }
    }
  }
  std::string packed = "\x78\x01";
  Deflate(filtered, &packed);
  uint32_t a = 1, b = 0;  // Adler-32
  for (uint8_t v : filtered) {
    a = (a + v) % 65521;
    b = (b + a) % 65521;
  }
  BigEndian(&packed, b << 16 | a);

  std::string header;
  BigEndian(&header, static_cast<uint32_t>(width));
  BigEndian(&header, static_cast<uint32_t>(height));
  header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, RGB
  std::string png = "\x89PNG\r\n\x1a\n";
  Chunk(&png, "IHDR", header);
  Chunk(&png, "IDAT", packed);
  Chunk(&png, "IEND", {});
  return png;
}

}  // namespace pysolate::viz
