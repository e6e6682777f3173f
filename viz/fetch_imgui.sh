#!/bin/sh
# Fetches the sources of Dear ImGui into DIR (default: build/deps/imgui), from Debian's source package.
#
#   viz/fetch_imgui.sh [DIR]
#
# Debian's stable release has only an older ImGui, and its -dev package has no core sources, so the source package of
# a newer suite is taken. The address of the archive is the machine's own: it is read from apt's set-up, and an
# extra list file and apt's state live beside DIR, so that the machine's package lists are left as they are.
# Does nothing if DIR already holds a version that is new enough. Exit code 1: not available; the message says what to do.
set -eu

suite=${PYSOLATE_IMGUI_SUITE:-forky}
wanted=19200 # IMGUI_VERSION_NUM of 1.92.0, the first with fonts that are sharp at every size
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root/build/deps/imgui}

version_of() {
  sed -n 's/^#define IMGUI_VERSION_NUM *\([0-9]*\).*/\1/p' "$1/imgui.h" 2>/dev/null || true
}

give_up() {
  echo "fetch_imgui: $1" >&2
  echo "fetch_imgui: the viewer needs Dear ImGui 1.92 or newer. Unpack its sources anywhere and say so to CMake:" >&2
  echo "fetch_imgui:   cmake -DPYSOLATE_IMGUI_DIR=/path/to/imgui ...    (or PYSOLATE_IMGUI_DIR=... ./setup.sh)" >&2
  exit 1
}

have=$(version_of "$out")
if [ -n "$have" ] && [ "$have" -ge "$wanted" ]; then
  exit 0
fi
command -v apt-get >/dev/null 2>&1 || give_up "no apt-get on this machine"

# Where this machine takes its Debian from: the first archive that carries the machine's own release. Prints
# "URI [signed-by=KEYRING]". Reads the one-line files and the deb822 files.
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
archive=$(
  {
    for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
      [ -f "$f" ] && sed -n 's/^ *deb \(\[[^]]*\] \)\{0,1\} *\([^ ]*\) *\([^ ]*\) .*/\3|\2|\1/p' "$f"
    done
    for f in /etc/apt/sources.list.d/*.sources; do
      [ -f "$f" ] && awk '
        function flush() { if (uri != "") print suites "|" uri "|" (key == "" ? "" : "[signed-by=" key "]"); uri = suites = key = "" }
        /^#/ { next }
        /^[ \t]*$/ { flush(); next }
        tolower($1) == "uris:" { uri = $2 }
        tolower($1) == "suites:" { $1 = ""; suites = $0 }
        tolower($1) == "signed-by:" && $2 ~ /^\// { key = $2 }
        END { flush() }' "$f"
    done
  } | awk -F'|' -v want="$codename" '{
        n = split($1, s, " ")
        for (i = 1; i <= n; i++) if (s[i] == want || s[i] == "stable" || s[i] == "testing" || s[i] == "sid") { print $2 " " $3; exit }
      }'
)
[ -n "$archive" ] || give_up "found no Debian archive in apt's set-up"
uri=${archive%% *}
options=${archive#* }

work=$(dirname "$out")/.apt-imgui
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/download"
echo "deb-src $options $uri $suite main" >"$work/sources.list"
apt() {
  apt-get -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$work/lists" \
    -o Dir::Cache::archives="$work/archives" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
    -o APT::Sandbox::User= -o APT::Get::List-Cleanup=0 "$@"
}
apt update || give_up "could not read the source index of Debian '$suite'"
(cd "$work/download" && apt source --download-only imgui) || give_up "could not download the source package 'imgui'"

tarball=$(ls "$work"/download/imgui_*.orig.tar.* 2>/dev/null | grep -v '\.asc$' | sort | tail -n 1)
[ -n "$tarball" ] || give_up "the source package holds no original sources"
rm -rf "$out.new"
mkdir -p "$out.new"
tar -xf "$tarball" -C "$out.new" --strip-components=1
have=$(version_of "$out.new")
if [ -z "$have" ] || [ "$have" -lt "$wanted" ]; then
  rm -rf "$out.new"
  give_up "Debian '$suite' has version ${have:-unknown}, which is too old"
fi
rm -rf "$out" && mv "$out.new" "$out"
rm -rf "$work"
echo "fetch_imgui: Dear ImGui $have in $out"
