// Colour arithmetic for the palette's tests and for tints: CIELAB, dichromatic vision, contrast.
//
// Sources: CIE 15 (Lab, D65, difference of 1976), Machado, Oliveira and Fernandes 2009 (dichromacies: severity 1),
// WCAG 2 (relative luminance, contrast).
#ifndef PYSOLATE_VIZ_MODEL_COLOUR_H_
#define PYSOLATE_VIZ_MODEL_COLOUR_H_

#include "model/state.h"

namespace pysolate::viz {

enum class Vision : uint8_t { kNormal, kProtan, kDeutan, kTritan };

struct Lab {
  double l, a, b;
};
// Of a colour as seen with one of the visions (not rounded to 8 bits in between).
Lab ToLab(Rgb c, Vision vision = Vision::kNormal);
// CIE76 distance.
double Distance(Lab a, Lab b);
double RelativeLuminance(Rgb c);
double Contrast(Rgb a, Rgb b);

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_COLOUR_H_
