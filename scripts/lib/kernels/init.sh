#!/bin/sh
# The first program of an emulated machine, from its initial memory disk: puts the host's files, read-only, below a layer
# in memory, and continues there. Everything that the machine writes is lost, except for the folder `out`.
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
for module in virtio_pci 9pnet_virtio 9p overlay; do modprobe "$module" || echo "missing: $module"; done

share() { mount -t 9p -o "trans=virtio,version=9p2000.L,msize=512000,$3" "$1" "$2"; }

mkdir -p /low /upper /root
share host /low ro,cache=loose || poweroff -f
mount -t tmpfs -o size=75% upper /upper
mkdir /upper/files /upper/work
# Inode numbers of both layers then belong to one device, as in a container whose layers lie on one disk.
mount -t overlay -o xino=on,lowerdir=/low,upperdir=/upper/files,workdir=/upper/work root /root || poweroff -f

cd /root || poweroff -f
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t securityfs securityfs sys/kernel/security
mount -t devtmpfs devtmpfs dev
mkdir dev/pts dev/shm
mount -t devpts -o ptmxmode=666 devpts dev/pts
mount -t tmpfs shm dev/shm
mount -t tmpfs -o mode=755 run run
mkdir run/out
share out run/out cache=none || poweroff -f
exec switch_root /root /bin/sh /run/out/inside.sh
