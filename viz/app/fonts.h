// The embedded typefaces (subsets made at build time by embed_fonts.py). The bytes live as long as the program.
#ifndef PYSOLATE_VIZ_APP_FONTS_H_
#define PYSOLATE_VIZ_APP_FONTS_H_

#include <span>

namespace pysolate::viz {

std::span<const unsigned char> FontText();    // labels and prose
std::span<const unsigned char> FontStrong();  // headings, the current thing
std::span<const unsigned char> FontMono();    // code, numbers in columns

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_APP_FONTS_H_
