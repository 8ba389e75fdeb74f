#!/bin/sh
# boot.sh ROOT CGROUPS : boots systemd in the chroot ROOT, in namespaces of its own. Needs root.
# CGROUPS is where this machine has mounted cgroup2; the system gets a subtree of it.
set -e
root=$1
own=$2/pickerd-check-$$
mkdir "$own"
echo $$ >"$own/cgroup.procs"
# The folder of the cgroup, for the caller to remove.
echo "$own"
exec >&2
exec unshare --pid --fork --kill-child --mount --net --cgroup --uts --ipc sh -ec '
  root=$1
  mount --make-rprivate /
  mount --bind "$root" "$root"
  cd "$root"
  mount -t proc proc proc
  mount -t sysfs -o ro sysfs sys
  mount -t cgroup2 cgroup2 sys/fs/cgroup
  mount -t tmpfs -o mode=755 tmpfs dev
  for name in null zero full random urandom tty; do
    touch dev/$name
    mount --bind /dev/$name dev/$name
  done
  mkdir dev/pts dev/shm
  mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
  ln -s pts/ptmx dev/ptmx
  ln -s /proc/self/fd dev/fd
  mount -t tmpfs tmpfs dev/shm
  mount -t tmpfs -o mode=755 tmpfs run
  mount -t tmpfs -o mode=1777 tmpfs tmp
  ip link set lo up
  hostname pickerd-check
  pivot_root . mnt
  umount -l mnt
  exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd
' sh "$root"
