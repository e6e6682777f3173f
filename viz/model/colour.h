// Colour arithmetic for the palette's tests and for tints: CIELAB, dichromatic vision, contrast.
//
// Sources: CIE 15 (Lab, D65, difference of 1976), Vienot, Brettel and Mollon 1999 and Brettel, Vienot and Mollon 1997
// in the linear form of Machado, Oliveira and Fernandes 2009 (severity 1), WCAG 2 (relative luminance, contrast).
#ifndef PYSOLATE_VIZ_MODEL_COLOUR_H_
#define PYSOLATE_VIZ_MODEL_COLOUR_H_

#include "model/state.h"

namespace pysolate::viz {

enum class Vision : uint8_t { kNormal, kProtan, kDeutan, kTritan };

struct Lab {
  double l, a, b;
};
Lab ToLab(Rgb c);
// CIE76 distance.
double Distance(Lab a, Lab b);
// As seen with one of the visions.
Rgb SeenBy(Vision vision, Rgb c);
double RelativeLuminance(Rgb c);
double Contrast(Rgb a, Rgb b);

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_COLOUR_H_
