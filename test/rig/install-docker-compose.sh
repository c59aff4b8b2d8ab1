#!/usr/bin/env bash
# install-docker-compose.sh [DEST]
#
# Puts docker-compose 2, which checks compose files without a Docker engine, into DEST/bin (default:
# .cache/docker-compose of this repository) on a Debian machine whose own suite has an older one. debian-packages.sh
# tells how, and which environment variables it knows. Safe to run again: a working install is left as it is, without
# any network use.
set -euo pipefail
NAME=docker-compose
RECIPE=1
PACKAGES=(docker-compose)
# The client and the builder, which it would call, are not needed to read a file.
ASSUMED=(docker-cli docker-buildx docker.io libc6)
# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/debian-packages.sh"

begin_install "$@"
fetch_packages
unpack_packages
ln -sf ../debian-root/usr/libexec/docker/cli-plugins/docker-compose "$DEST/bin/$NAME"
finish_install "$("$DEST/bin/$NAME" version), Debian $SUITE,"
