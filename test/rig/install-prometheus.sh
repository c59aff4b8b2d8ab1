#!/usr/bin/env bash
# install-prometheus.sh [DEST]
#
# Puts Prometheus 3 and promtool into DEST/bin (default: .cache/prometheus of this repository) on a Debian machine whose own suite has
# an older one. debian-packages.sh tells how, and which environment variables it knows. The programs need only a C
# library that Debian 12 has. Safe to run again: a working install is left as it is, without any network use.
set -euo pipefail
NAME=prometheus
RECIPE=2
PACKAGES=(prometheus promtool)
ASSUMED=(adduser debconf libc6)
# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/debian-packages.sh"

begin_install "$@"
fetch_packages
unpack_packages './etc/init.d*' './lib/systemd/*' './usr/lib/systemd/*'
for program in "${PACKAGES[@]}"; do
  ln -sf "../debian-root/usr/bin/$program" "$DEST/bin/$program"
done
finish_install "Prometheus $("$DEST/bin/$NAME" --version 2>&1 | sed -n '1s/.*version \([^ ]*\).*/\1/p'), Debian $SUITE,"
