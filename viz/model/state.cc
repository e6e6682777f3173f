#include "model/state.h"

namespace pysolate::viz {
namespace {

// look, word, ink, glyph, pattern, open right edge, terminal
constexpr LookStyle kStyles[kLooks] = {
    {Look::kAbsent, "absent", Ink::kWaiting, Glyph::kNone, Pattern::kOutline, false, false},
    {Look::kWaiting, "waiting", Ink::kWaiting, Glyph::kRing, Pattern::kOutline, false, false},
    {Look::kReady, "ready", Ink::kReady, Glyph::kDiamond, Pattern::kSolid, false, false},
    {Look::kDispatched, "dispatched", Ink::kDispatched, Glyph::kTriangle, Pattern::kHatch, true, false},
    {Look::kSettled, "settled", Ink::kSucceeded, Glyph::kTickHollow, Pattern::kSolid, false, false},
    {Look::kSettledFailed, "settled_failed", Ink::kFailed, Glyph::kCrossHollow, Pattern::kThickBorder, false, false},
    {Look::kConsumed, "consumed", Ink::kSucceeded, Glyph::kTick, Pattern::kSolid, false, true},
    {Look::kConsumedFailed, "failed", Ink::kFailed, Glyph::kCross, Pattern::kThickBorder, false, true},
    {Look::kDiscarded, "discarded", Ink::kSucceeded, Glyph::kTickDash, Pattern::kSolid, false, true},
    {Look::kCancelled, "cancelled", Ink::kWaiting, Glyph::kSlashedRing, Pattern::kOutline, false, true},
    {Look::kSkipped, "skipped", Ink::kWaiting, Glyph::kSlashedRing, Pattern::kOutline, false, true},
    {Look::kOrphaned, "orphaned", Ink::kOrphaned, Glyph::kBarredCircle, Pattern::kDashedBorder, true, false},
    {Look::kLateOk, "late", Ink::kOrphaned, Glyph::kBarredCircleTick, Pattern::kDashedBorder, false, true},
    {Look::kLateFailed, "late_failed", Ink::kOrphaned, Glyph::kBarredCircleCross, Pattern::kDashedBorder, false, true},
    {Look::kLost, "lost", Ink::kOrphaned, Glyph::kBarredCircleCross, Pattern::kDashedBorder, false, true},
};

constexpr Rgb Hex(uint32_t v) {
  return {static_cast<uint8_t>(v >> 16), static_cast<uint8_t>(v >> 8), static_cast<uint8_t>(v)};
}
constexpr Rgb kDark[kInks] = {Hex(0x727794), Hex(0xF6A209), Hex(0x6DBCFC), Hex(0x16855A), Hex(0xCD440D), Hex(0xE5C7D6)};
constexpr Rgb kLight[kInks] = {Hex(0x8A8C8F), Hex(0xC38A06), Hex(0x0D8BE7),
                               Hex(0x0D3D30), Hex(0xA51C0A), Hex(0x883283)};

}  // namespace

const LookStyle& StyleOf(Look look) { return kStyles[static_cast<size_t>(look)]; }
std::string_view Name(Look look) { return StyleOf(look).word; }

std::string_view Name(Fate fate) {
  constexpr std::string_view kWords[kFates] = {"none",    "running", "consumed", "discarded",
                                               "retried", "late",    "lost",     "cancelled"};
  return kWords[static_cast<size_t>(fate)];
}

std::string_view Name(Gate gate) {
  constexpr std::string_view kWords[kGates] = {"none", "arguments", "control path", "contract", "budget"};
  return kWords[static_cast<size_t>(gate)];
}

bool LookFromName(std::string_view word, Look* look) {
  for (const LookStyle& style : kStyles) {
    if (style.word == word) {
      *look = style.look;
      return true;
    }
  }
  return false;
}

Rgb InkColour(Ink ink, bool dark) { return (dark ? kDark : kLight)[static_cast<size_t>(ink)]; }
Rgb BackgroundColour(bool dark) { return dark ? Hex(0x14171C) : Hex(0xFFFFFF); }

}  // namespace pysolate::viz
