#!/usr/bin/env bash
# install-faketime.sh [DEST]
#
# Puts libfaketime at DEST/lib/libfaketime.so.1 (default: .cache/faketime of this repository) on a Debian machine: preloaded
# into a program it makes that program's clocks and timers run faster. debian-packages.sh tells how, and which environment
# variables it knows. It comes from the machine's own suite, whose C library it has to fit. Safe to run again: a working
# install is left as it is, without any network use.
set -euo pipefail
NAME=faketime
RECIPE=1
PACKAGES=(faketime)
ASSUMED=(libc6)
# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/debian-packages.sh"
SUITES=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release | tr -d '"')

begin_install "$@"
fetch_packages
unpack_packages '*/libfaketimeMT.so*'
mkdir -p "$DEST/lib"
ln -sf ../debian-root/usr/bin/faketime "$DEST/bin/faketime"
library=$(cd "$DEST" && find debian-root/usr/lib -name libfaketime.so.1)
[ -n "$library" ] || die "no libfaketime.so.1 among the unpacked packages"
ln -sf "../$library" "$DEST/lib/libfaketime.so.1"
finish_install "libfaketime $("$DEST/bin/$NAME" --version 2>&1 | sed -n 's/.*: Version //p'), Debian $SUITE,"
