// The colours of the states are told apart by every eye: the computation that chose them, kept.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "model/colour.h"

using namespace pysolate;
using namespace pysolate::viz;

namespace {

double SmallestDistance(bool dark) {
  double smallest = 1e9;
  for (const Vision vision : {Vision::kNormal, Vision::kProtan, Vision::kDeutan, Vision::kTritan}) {
    for (int a = 0; a < kInks; ++a) {
      for (int b = a + 1; b < kInks; ++b) {
        const Lab x = ToLab(InkColour(static_cast<Ink>(a), dark), vision);
        const Lab y = ToLab(InkColour(static_cast<Ink>(b), dark), vision);
        smallest = std::min(smallest, Distance(x, y));
      }
    }
  }
  return smallest;
}

}  // namespace

TEST_CASE("Lab of well-known colours") {
  const Lab white = ToLab({255, 255, 255}), black = ToLab({0, 0, 0}), red = ToLab({255, 0, 0});
  CHECK(white.l == doctest::Approx(100).epsilon(0.001));
  CHECK(std::abs(white.a) < 0.05);
  CHECK(black.l == doctest::Approx(0));
  CHECK(red.l == doctest::Approx(53.24).epsilon(0.001));
  CHECK(red.a == doctest::Approx(80.09).epsilon(0.001));
  CHECK(red.b == doctest::Approx(67.20).epsilon(0.001));
  CHECK(Contrast({255, 255, 255}, {0, 0, 0}) == doctest::Approx(21));
}

TEST_CASE("a grey looks the same to everyone") {
  for (const Vision vision : {Vision::kProtan, Vision::kDeutan, Vision::kTritan}) {
    CHECK(Distance(ToLab({120, 120, 120}, vision), ToLab({120, 120, 120})) < 0.1);
  }
}

TEST_CASE("states differ for normal and dichromatic eyes, in both themes") {
  MESSAGE("smallest distance: dark ", SmallestDistance(true), ", light ", SmallestDistance(false));
  CHECK(SmallestDistance(true) >= 27.5);
  CHECK(SmallestDistance(false) >= 28.95);  // 29.0 to one place
}

TEST_CASE("states stand out from the background by at least 3 to 1") {
  for (const bool dark : {true, false}) {
    for (int ink = 0; ink < kInks; ++ink) {
      CAPTURE(ink);
      CHECK(Contrast(InkColour(static_cast<Ink>(ink), dark), BackgroundColour(dark)) >= 3);
    }
  }
}

TEST_CASE("never colour alone: looks of one colour differ in glyph, and every state has a word") {
  std::set<std::pair<Ink, Glyph>> seen;
  std::set<std::string_view> words;
  for (int i = 1; i < kLooks; ++i) {
    const LookStyle& style = StyleOf(static_cast<Look>(i));
    CHECK(style.look == static_cast<Look>(i));
    CHECK(words.insert(style.word).second);
    Look back = Look::kAbsent;
    CHECK(LookFromName(style.word, &back));
    CHECK(back == style.look);
    // Cancelled and skipped share the slashed ring, late failures and losses the crossed circle.
    const bool shares = style.look == Look::kSkipped || style.look == Look::kLost;
    CHECK(seen.insert({style.ink, style.glyph}).second != shares);
  }
}
