#include "model/colour.h"

#include <algorithm>
#include <cmath>

namespace pysolate::viz {
namespace {

struct Linear {
  double r, g, b;
};

double Decode(uint8_t v) {
  const double c = v / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

Linear ToLinear(Rgb c) { return {Decode(c.r), Decode(c.g), Decode(c.b)}; }

Linear SeenBy(Vision vision, Linear v) {
  // Machado, Oliveira and Fernandes 2009, table of severity 1, on linear RGB.
  constexpr double kMatrix[4][9] = {
      {1, 0, 0, 0, 1, 0, 0, 0, 1},
      {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
      {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
      {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
  };
  const double* m = kMatrix[static_cast<int>(vision)];
  const auto row = [&](int i) {
    return std::clamp(m[3 * i] * v.r + m[3 * i + 1] * v.g + m[3 * i + 2] * v.b, 0.0, 1.0);
  };
  return {row(0), row(1), row(2)};
}

}  // namespace

Lab ToLab(Rgb c, Vision vision) {
  const Linear v = SeenBy(vision, ToLinear(c));
  // sRGB to XYZ, relative to D65.
  const double x = (0.4124564 * v.r + 0.3575761 * v.g + 0.1804375 * v.b) / 0.95047;
  const double y = 0.2126729 * v.r + 0.7151522 * v.g + 0.0721750 * v.b;
  const double z = (0.0193339 * v.r + 0.1191920 * v.g + 0.9503041 * v.b) / 1.08883;
  const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
  return {116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))};
}

double Distance(Lab a, Lab b) {
  return std::sqrt((a.l - b.l) * (a.l - b.l) + (a.a - b.a) * (a.a - b.a) + (a.b - b.b) * (a.b - b.b));
}

double RelativeLuminance(Rgb c) {
  const Linear v = ToLinear(c);
  return 0.2126 * v.r + 0.7152 * v.g + 0.0722 * v.b;
}

double Contrast(Rgb a, Rgb b) {
  const double x = RelativeLuminance(a) + 0.05, y = RelativeLuminance(b) + 0.05;
  return x > y ? x / y : y / x;
}

}  // namespace pysolate::viz
