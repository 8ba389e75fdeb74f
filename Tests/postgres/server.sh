#!/usr/bin/env bash
# A PostgreSQL server for tests, in a temporary folder. Prints its folder, where its socket is, when
# it is ready. Commands on standard input: `crash` ends it without a shutdown, `start` starts it
# again; `copy` copies its data, as a standby has them that receives nothing more; `promote` ends it
# without a shutdown and starts that standby, or one that has received everything, as the primary.
# Each prints `done`. The server and the folder are removed when standard input is closed, also if
# the test process was killed.
set -eu
bin=${PICKERD_TEST_POSTGRES:-/usr/lib/postgresql/15/bin}
user=${PICKERD_TEST_POSTGRES_USER:-pickerd}
root=$(cd "$(dirname "$0")/../.." && pwd)
# In memory if that has space: a database is 300 files, and its kill is not that of a machine. The
# folder is not in TMPDIR: a socket's path has at most 107 bytes.
parent=${PICKERD_TEST_POSTGRES_IN:-/dev/shm}
free=$(df --output=avail --block-size=1M "$parent" 2>/dev/null | tail -n 1)
if [ "${free:-0}" -lt 2000 ] || [ ! -w "$parent" ]; then parent=/tmp; fi
folder=$(TMPDIR=$parent mktemp -d)
as=()
if [ "$(id -u)" = 0 ]; then
  chown postgres "$folder"
  as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
fi
read -ra variables <<<"${PICKERD_TEST_POSTGRES_VARIABLES:-}"
run() {
  "${as[@]}" env -i PATH="$PATH" HOME="$folder" LC_ALL=C "${variables[@]}" "$@" >>"$folder.log" 2>&1
}
control() { run "$bin/pg_ctl" -D "$folder/data" -w -t 300 "$@"; }
end() {
  trap '' INT TERM HUP
  control stop -m immediate || true
  rm -rf "$folder" "$folder.log"
}
trap end EXIT
trap 'exit 1' INT TERM HUP
cd "$folder"
# What initdb has made is copied by later servers: a tenth of its CPU time.
made_by=$(cat "$root/Tests/postgres/server.sh" "$bin/initdb" | sha256sum)
template=$root/.build/postgres/${made_by:0:16}-$user
if ! cp -a "$template" "$folder/data" 2>/dev/null; then
  rm -rf "$folder/data"
  run "$bin/initdb" -D "$folder/data" -U "$user" -A trust -E UTF8 --locale=C -N
  mkdir -p "${template%/*}"
  cp -a "$folder/data" "$template.$$" && mv -T "$template.$$" "$template" 2>/dev/null ||
    rm -rf "$template.$$"
fi
cat >>"$folder/data/postgresql.conf" <<END
listen_addresses = ''
unix_socket_directories = '$folder'
shared_buffers = 32MB
max_connections = 600
# A connection is not given up because other processes need the processor.
authentication_timeout = 600s
fsync = on
# For databases with synchronous_commit = on: commits wait for a standby of this name.
synchronous_standby_names = 'standby'
synchronous_commit = local
END
control start || { cat "$folder.log" >&2; exit 1; }
echo "$folder"
while read -r command; do
  case $command in
    crash) control stop -m immediate ;;
    start) control start ;;
    copy)
      control stop -m fast
      run cp -a "$folder/data" "$folder/standby"
      control start
      ;;
    promote)
      control stop -m immediate
      if [ -d "$folder/standby" ]; then
        rm -rf "$folder/data"
        mv "$folder/standby" "$folder/data"
      fi
      run touch "$folder/data/standby.signal"
      control start
      control promote
      ;;
  esac
  echo "done"
done
