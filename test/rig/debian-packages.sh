# Sourced by the install-*.sh scripts: programs from a newer Debian than this machine's, without touching the system.
#
# The packages come from a newer suite of the mirror that this machine's apt already uses, are checked by apt against
# the archive's signature and hashes, and are unpacked into DEST/debian-root. A script that sources this file sets
#   NAME      the program that is to end up at DEST/bin/NAME
#   RECIPE    a number, raised when its steps change: older installs are then built again
#   PACKAGES  the packages it wants; what they depend on comes along
#   ASSUMED   packages that the machine has, or that the program never uses: not fetched
# and calls begin_install, fetch_packages, unpack_packages and finish_install, in this order.
#
# Environment:
#   JANO_DEB_CACHE   where apt's lists and the fetched packages are kept (default: .cache/debian-packages of this repository)
#   JANO_DEB_SUITES  suites to try, in order (default: "forky sid")
#   JANO_REFRESH=1   install again even when a working install is there
# shellcheck shell=bash disable=SC2154
set -euo pipefail
export LC_ALL=C

REPOSITORY=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
CACHE=${JANO_DEB_CACHE:-$REPOSITORY/.cache/debian-packages}
SUITES=${JANO_DEB_SUITES:-forky sid}

die() {
  echo "install of $NAME: $*" >&2
  exit 1
}

works() { "$DEST/bin/$NAME" --version >/dev/null 2>&1; }

# begin_install [DEST]: waits for other installs to the same place, and ends the script if a working one is there.
begin_install() {
  [ $# -le 1 ] || die "usage: $0 [DEST]"
  for tool in apt-get dpkg-deb flock; do
    command -v $tool >/dev/null || die "needs Debian: this machine has no $tool"
  done
  DEST=${1:-$REPOSITORY/.cache/$NAME}
  mkdir -p "$DEST"
  DEST=$(cd "$DEST" && pwd -P)
  STAMP=$DEST/.installed
  STAMP_TEXT="recipe $RECIPE at $DEST"
  exec 9>"$DEST/.lock"
  flock 9
  if [ "${JANO_REFRESH:-0}" != 1 ] && [ "$(head -n1 "$STAMP" 2>/dev/null)" = "$STAMP_TEXT" ] && works; then
    echo "$(sed -n 2p "$STAMP") is already at $DEST/bin/$NAME"
    exit 0
  fi
}

# fetch_packages: leaves the packages and all they need in apt's cache; sets SUITE and FILES.
fetch_packages() {
  mkdir -p "$CACHE"/{etc,state/lists/partial,cache/archives/partial}
  CACHE=$(cd "$CACHE" && pwd -P)
  exec 8>"$CACHE/.lock"
  flock 8
  local own_suite mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  # The mirror is asked of this machine's apt itself, which needs no lists and no network for that.
  own_suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release | tr -d '"')
  mirror=$(apt-get update --print-uris | sed -n "s|^'\(.*\)/dists/$own_suite/InRelease'.*|\1|p" | head -n1)
  [ -n "$own_suite" ] && [ -n "$mirror" ] || die "this machine's apt has no source for its own Debian suite"
  [ -r "$keyring" ] || die "no $keyring"
  write_apt_settings
  SUITE=
  for suite in $SUITES; do
    echo "deb [signed-by=$keyring] $mirror $suite main" >"$CACHE/etc/$NAME.list"
    if own_apt -qq update && own_apt -qq install --download-only "${PACKAGES[@]}" >/dev/null; then
      SUITE=$suite
      break
    fi
  done
  [ -n "$SUITE" ] || die "none of these suites could be fetched: $SUITES"
  # The names of the files, as apt keeps them: package_version_architecture.deb, a colon written %3a.
  mapfile -t FILES < <(own_apt install --simulate "${PACKAGES[@]}" |
    sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) [^[]*\[\([^]]*\)\]).*/\1_\2_\3.deb/p' | sed 's/:/%3a/g')
  [ "${#FILES[@]}" -ge "${#PACKAGES[@]}" ] || die "apt resolved to too few packages: ${FILES[*]}"
}

# unpack_packages PATTERN...: the fetched packages without the files that match; sets ROOT. Ends the lock of the cache.
unpack_packages() {
  ROOT=$DEST/debian-root
  rm -rf "$ROOT" "$STAMP"
  mkdir -p "$ROOT" "$DEST/bin"
  for file in "${FILES[@]}"; do
    [ -f "$CACHE/cache/archives/$file" ] || die "apt did not fetch $file"
    dpkg-deb --fsys-tarfile "$CACHE/cache/archives/$file" |
      tar -x -C "$ROOT" --no-same-owner --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' "${@/#/--exclude=}"
  done
  flock -u 8
}

# finish_install TEXT: tries the program and writes down what it is.
finish_install() {
  works || { "$DEST/bin/$NAME" --version || true; die "the unpacked program does not run"; }
  printf '%s\n' "$STAMP_TEXT" "$1" "${FILES[@]}" >"$STAMP"
  echo "$1 is at $DEST/bin/$NAME"
}

# An apt with its own lists, cache and idea of what is installed: nothing but the assumed packages. So what it wants to
# install is the whole closure, the C library included.
write_apt_settings() {
  for package in "${ASSUMED[@]}"; do
    printf '%s\n' "Package: $package" 'Status: install ok installed' 'Architecture: all' 'Multi-Arch: foreign' \
      'Version: 99:0' 'Maintainer: -' 'Description: assumed' ''
  done >"$CACHE/state/status.$NAME"
  cat >"$CACHE/etc/$NAME.conf" <<SETTINGS
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
Dir::Etc::sourcelist "$CACHE/etc/$NAME.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "$CACHE/state";
Dir::State::status "$CACHE/state/status.$NAME";
Dir::Cache "$CACHE/cache";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
APT::Sandbox::User "root";
APT::Get::Assume-Yes "true";
APT::Get::AllowUnauthenticated "false";
APT::Install-Recommends "false";
APT::Keep-Downloaded-Packages "true";
Acquire::AllowInsecureRepositories "false";
Acquire::Languages "none";
Acquire::Retries "3";
SETTINGS
}

own_apt() { apt-get -q -c "$CACHE/etc/$NAME.conf" "$@" 8>&- 9>&-; }
