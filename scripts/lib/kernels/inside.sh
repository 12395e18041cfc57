# shellcheck shell=sh
# Runs as the first process of an emulated machine, on the host's files: prepares the system, does the jobs, powers off.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
out=/run/out
person=person
{ read -r checkout && read -r node; } <"$out/settings"

hostname kernels
ip link set lo up
ln -s /proc/self/fd /dev/fd
ln -s fd/0 /dev/stdin
ln -s fd/1 /dev/stdout
ln -s fd/2 /dev/stderr
# The host may be a container; this machine is none.
rm -f /.dockerenv /run/.containerenv
echo "+memory +pids" >/sys/fs/cgroup/cgroup.subtree_control

# The checkout and Node may lie where only their owner can go, or below /tmp.
mkdir -p /srv/checkout /srv/node
mount --bind "$checkout" /srv/checkout
mount --bind "$node" /srv/node
mount -t tmpfs -o mode=1777 tmp /tmp
# The state of the host's root user does not apply here.
mount -t tmpfs -o mode=700 home /root

uid=1000
while getent passwd "$uid" >/dev/null || getent group "$uid" >/dev/null; do uid=$((uid + 1)); done
echo "$person:x:$uid:$uid::/home/$person:/bin/bash" >>/etc/passwd
echo "$person:x:$uid:" >>/etc/group
mkdir -p "/home/$person"
chown "$uid:$uid" "/home/$person"
# Folders that the tests write to before they start.
for name in dist node_modules/.cache node_modules/.vite node_modules/.vite-temp; do
  mkdir -p "/srv/checkout/$name"
  chown -R "$uid:$uid" "/srv/checkout/$name"
done

# be USER: sets `words`, which begin a command that is to run as that user, without anything of this process's environment.
be() {
  if [ "$1" = root ]; then home=/root who=; else home=/home/$1 who="setpriv --reuid=$uid --regid=$uid --init-groups"; fi
  words="$who env -i PATH=/srv/node/bin:$PATH HOME=$home USER=$1 LANG=C.UTF-8 NO_COLOR=1"
}

# job NAME USER PLACE SECONDS COMMAND…: in a cgroup that is the user's own, as systemd gives one with `Delegate=yes`: alone,
# in a project, or beside others, in the checkout. Leaves NAME.stdout, NAME.stderr, NAME.report where the command wrote
# /tmp/report, and at last NAME.status: the exit status, how long it took, and how many cgroups of calls are left.
job() {
  name=$1 user=$2 place=$3 seconds=$4 cgroup=/sys/fs/cgroup/$1
  shift 4
  be "$user"
  if [ "$place" = project ]; then
    folder=$home/project seat=$cgroup
    mkdir -p "$folder"
  else
    folder=/srv/checkout seat=$cgroup/cofferdam
  fi
  mkdir -p "$seat"
  if [ "$user" != root ]; then
    [ "$place" != project ] || chown "$uid:$uid" "$folder"
    for one in "$cgroup" "$seat"; do
      chown "$uid:$uid" "$one" "$one/cgroup.procs" "$one/cgroup.threads" "$one/cgroup.subtree_control"
    done
  fi
  began=$(cut -d. -f1 /proc/uptime)
  # shellcheck disable=SC2016,SC2086 # of the inner shell; words
  timeout -k 20 "$seconds" sh -c 'echo $$ >"$1/cgroup.procs" && cd "$2" && shift 2 && exec "$@"' sh "$seat" "$folder" \
    $words "$@" </dev/null >"$out/$name.stdout" 2>"$out/$name.stderr"
  status=$?
  [ ! -e /tmp/report ] || mv /tmp/report "$out/$name.report"
  left=$(find "$cgroup" -type d -name 'cofferdam-*' | wc -l)
  find "$cgroup" -depth -type d -exec rmdir {} +
  echo "$status $(($(cut -d. -f1 /proc/uptime) - began)) $left" >"$out/$name.new"
  mv "$out/$name.new" "$out/$name.status"
}

value() { echo "$1=$2" >>"$out/facts.new"; }
value release "$(uname -r)"
value modules "$(cat /sys/kernel/security/lsm)"
# landlock_create_ruleset(2) with LANDLOCK_CREATE_RULESET_VERSION: 444 on every processor.
value landlock "$(perl -e 'print syscall 444, 0, 0, 1')"
value cgroup "$(cat /sys/fs/cgroup/cgroup.controllers)"
for setting in kernel/unprivileged_userns_clone user/max_user_namespaces kernel/apparmor_restrict_unprivileged_userns; do
  [ ! -e "/proc/sys/$setting" ] || value "$setting" "$(cat "/proc/sys/$setting")"
done
be "$person"
# shellcheck disable=SC2016,SC2086 # of the inner shell; words
value overlay "$($words unshare -Urm sh -c 'cd $(mktemp -d) && mkdir l u w m && mount -t overlay -o lowerdir=l,upperdir=u,workdir=w o m && echo works' 2>&1 | tail -1)"
mv "$out/facts.new" "$out/facts"

# A file for each job, a line for each word.
for file in "$out"/jobs/*; do
  set --
  while IFS= read -r word; do set -- "$@" "$word"; done <"$file"
  job "$@"
done
: >"$out/done"
echo o >/proc/sysrq-trigger
sleep 60
