// Dear ImGui's compile-time settings for the viewer (IMGUI_USER_CONFIG).
#ifndef PYSOLATE_VIZ_APP_IMGUI_CONFIG_H_
#define PYSOLATE_VIZ_APP_IMGUI_CONFIG_H_

// WebGL2 has no base vertex, so a panel with more than 65,536 vertices needs wide indices.
#define ImDrawIdx unsigned int

#define IMGUI_DISABLE_OBSOLETE_FUNCTIONS
#define IMGUI_DISABLE_DEMO_WINDOWS
#define IMGUI_DISABLE_DEBUG_TOOLS
#define IMGUI_DISABLE_DEFAULT_FONT
#define IMGUI_DISABLE_FILE_FUNCTIONS
#define IMGUI_DISABLE_DEFAULT_SHELL_FUNCTIONS
#define IMGUI_DISABLE_WIN32_FUNCTIONS

#endif  // PYSOLATE_VIZ_APP_IMGUI_CONFIG_H_
