#!/usr/bin/env bash
# install-llama-server.sh [DEST]
#
# Puts a real llama.cpp llama-server at DEST/bin/llama-server (default: .cache/llama-server of this repository) on a Debian machine whose
# own suite has none. debian-packages.sh tells how, and which environment variables it knows. The programs are re-linked
# to the libraries of the unpacked packages, C library included, and then run as any program does. Safe to run again: a
# working install is left as it is, without any network use.
set -euo pipefail
NAME=llama-server
RECIPE=2
PACKAGES=(llama.cpp-tools patchelf) # patchelf is only used during the install
ASSUMED=(wget debconf)
# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/debian-packages.sh"

begin_install "$@"
fetch_packages
unpack_packages '*/gconv/*' '*/llama.cpp-tools/conversion/*'

PROGRAMS=$ROOT/usr/bin
LIBRARIES=$(dirname "$(find "$ROOT/usr/lib" -name libc.so.6 | head -n1)")
LINKER=$(find "$LIBRARIES" -maxdepth 1 -name 'ld-linux*.so.*' | head -n1)
[ -n "$LINKER" ] || die "no dynamic linker among the unpacked packages"
patch() { "$LINKER" --library-path "$LIBRARIES" "$PROGRAMS/patchelf" "$@"; }

for library in "$LIBRARIES"/libllama*.so* "$LIBRARIES"/libmtmd*.so* "$LIBRARIES"/libggml*.so* "$LIBRARIES"/llama/*.so; do
  [ -L "$library" ] || patch --force-rpath --set-rpath "$LIBRARIES:$LIBRARIES/llama" "$library"
done
for program in "$PROGRAMS"/llama-*; do
  patch --set-interpreter "$LINKER" --force-rpath --set-rpath "$LIBRARIES:$LIBRARIES/llama" "$program"
  ln -sf "../debian-root/usr/bin/${program##*/}" "$DEST/bin/${program##*/}"
done
# ggml looks for its CPU backends in a folder of the system's and beside the running program: put them there.
ln -s "$LIBRARIES"/ggml/backends*/libggml-*.so "$PROGRAMS/"

finish_install "llama.cpp $("$DEST/bin/$NAME" --version 2>&1 | sed -n 's/^version: //p'), Debian $SUITE,"
