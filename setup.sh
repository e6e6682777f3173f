#!/usr/bin/env bash
# Brings what a fresh Debian 12 lacks to build, serve and test Pysolate. Idempotent: seconds when all is there.
#
#   ./setup.sh          everything (what ./web/run.sh and ./tests/run.sh call first)
#   ./setup.sh --web    only what building and serving the page needs
#
# What can't be had is named at the end, with how to provide it yourself; the exit code is then 1.
# It writes build/env.sh (environment of the build) and build/deps/ (third-party sources; nothing is committed).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
mkdir -p build/deps

want=all
case "${1:-}" in
  "") ;;
  --web) want=web ;;
  *) echo "usage: ./setup.sh [--web]" >&2; exit 2 ;;
esac

missing=()
say() { printf 'setup: %s\n' "$*"; }
lacks() { missing+=("$1"); printf 'setup: MISSING %s\n' "$1" >&2; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else echo "setup: needs root for: $*" >&2; return 1
  fi
}

# ---------------------------------------------------------------- Debian packages
packages=(g++ cmake ninja-build make git curl ca-certificates unzip dpkg-dev
  doctest-dev rapidjson-dev libcli11-dev libglfw3-dev libgl-dev pybind11-dev python3-dev
  fonts-jetbrains-mono fonts-inter python3-fonttools ccache)
[ "$want" = web ] || packages+=(clang clang-format clang-tidy libclang-rt-14-dev libtbb-dev chromium firefox-esr
  xvfb xauth python3-pytest python3-hypothesis python3-setuptools python3-wheel python3-build python3-venv)
command -v emcc >/dev/null || packages+=(emscripten)
command -v node >/dev/null || packages+=(nodejs)
command -v npm >/dev/null || packages+=(npm)

absent=()
for p in "${packages[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$p" 2>/dev/null | cut -c1-2)" = ii ] || absent+=("$p")
done
if [ ${#absent[@]} -gt 0 ]; then
  say "installing ${absent[*]}"
  log=build/deps/apt.log
  if ! { as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "${absent[@]}"; } >"$log" 2>&1; then
    # One package that can't be had must not hide the others.
    for p in "${absent[@]}"; do
      as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$p" >>"$log" 2>&1 ||
        lacks "Debian package $p (install it, or an equivalent on PATH; see $log)"
    done
  fi
fi

# ---------------------------------------------------------------- Emscripten
em_root=""
if command -v emcc >/dev/null; then
  em_root=$(em-config EMSCRIPTEN_ROOT 2>/dev/null || dirname "$(readlink -f "$(command -v emcc)")")
fi
toolchain="$em_root/cmake/Modules/Platform/Emscripten.cmake"
[ -n "$em_root" ] && [ -f "$toolchain" ] ||
  lacks "Emscripten's CMake toolchain (put an own emcc, 3.1.6 or newer, on PATH)"

# ---------------------------------------------------------------- Dear ImGui (sources, 1.92 or newer)
if [ -x viz/fetch_imgui.sh ]; then
  if [ -n "${PYSOLATE_IMGUI_DIR:-}" ]; then
    [ -f "$PYSOLATE_IMGUI_DIR/imgui.cpp" ] || lacks "Dear ImGui in PYSOLATE_IMGUI_DIR=$PYSOLATE_IMGUI_DIR"
  else
    ./viz/fetch_imgui.sh ||
      lacks "Dear ImGui's sources, 1.92 or newer (unpack them and set PYSOLATE_IMGUI_DIR, or pass -DPYSOLATE_IMGUI_DIR=)"
  fi
fi

# ---------------------------------------------------------------- npm packages, from the lock file
if [ -f web/package-lock.json ]; then
  stamp=build/deps/npm.stamp
  sum=$(cksum web/package-lock.json web/package.json)
  if [ "$(cat "$stamp" 2>/dev/null)" != "$sum" ] || [ ! -d web/node_modules ]; then
    say "installing npm packages"
    if npm ci --prefix web --no-audit --no-fund >build/deps/npm.log 2>&1; then
      printf '%s\n' "$sum" >"$stamp"
    else
      lacks "npm packages of web/package-lock.json (see build/deps/npm.log)"
    fi
  fi
fi

# ---------------------------------------------------------------- environment of the build
{
  echo "# Written by setup.sh: source it before cmake."
  # emcc's own JavaScript needs acorn, which NodeSource's Node doesn't find where Debian keeps it.
  [ -d /usr/share/nodejs ] && echo 'export NODE_PATH=/usr/share/nodejs${NODE_PATH:+:$NODE_PATH}'
  [ -f "$toolchain" ] && echo "export PYSOLATE_EMSCRIPTEN_TOOLCHAIN='$toolchain'"
  command -v ccache >/dev/null && echo 'export PYSOLATE_CCACHE=ccache'
  # Debian's python3-* packages serve Debian's interpreter, whatever python3 comes first on PATH.
  echo "export PYSOLATE_PYTHON='$([ -x /usr/bin/python3 ] && echo /usr/bin/python3 || command -v python3)'"
} >build/env.sh

if [ ${#missing[@]} -gt 0 ]; then
  printf 'setup: could not get:\n' >&2
  printf '  - %s\n' "${missing[@]}" >&2
  exit 1
fi
say "all there"
