// Everything a person can do, as one table: palette, help, keys, menus, the page's buttons and the tests read it.
//
// A command works on the ViewerModel alone, or (effect kUi) asks the application for what only it can do: save a file,
// open a panel. Keys are written for people ("Shift+Right", "["); the user interface maps its key codes to them.
// Thread rule: constants and functions of the model.
#ifndef PYSOLATE_VIZ_MODEL_COMMANDS_H_
#define PYSOLATE_VIZ_MODEL_COMMANDS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pysolate::viz {

class ViewerModel;

// What the application is asked to do after a command.
enum class UiRequest : uint8_t {
  kNone,
  kFocusSearch,
  kShowHelp,
  kShowPalette,
  kSavePng,
  kSaveSvg,
  kSaveTrace,
  kSaveChromeTrace,
  kSaveDot,
  kCopyLink,
  kCopyEvents,
  kToggleTheme,
  kOpenFile,
  kEditBreakpoints,
};

struct Command {
  std::string_view id;     // "step.forward"; stable, used by tests and the page
  std::string_view title;  // "Step forward"
  std::string_view group;  // "Cursor", for help and menus
  std::string_view key;    // "Right"; "" none
  std::string_view help;   // one sentence
  bool (*enabled)(const ViewerModel&);
  UiRequest (*run)(ViewerModel&);
};

std::span<const Command> Commands();
// nullptr if there is none.
const Command* FindCommand(std::string_view id);
const Command* CommandOfKey(std::string_view key);
// Commands whose title or id has the letters of `typed` in order, best first (prefix, word starts, then scattered).
std::vector<const Command*> MatchCommands(std::string_view typed);

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_COMMANDS_H_
