#!/bin/sh
# What the service "backup" of the compose files runs. docs/operations/backup.md describes it.
#   backup.sh         makes a backup now and every BACKUP_EVERY_HOURS, until it is stopped
#   backup.sh once    makes one backup
#   backup.sh check   ends with 0 when there is one of the last 26 hours
# With PGDATABASE it dumps that database of PostgreSQL (PGHOST, PGPORT, PGUSER, PGPASSWORD, PGSSLMODE), otherwise it copies
# the file of DATABASE_URL.
set -eu
umask 077
folder=${BACKUP_FOLDER:-/backups}
keep_days=${BACKUP_KEEP_DAYS:-14}
pause=$((${BACKUP_EVERY_HOURS:-6} * 3600))

# The dump gets its name once all of it was read back. Then the gateway learns of it.
dump_server() {
  at_ms=$(date +%s)000 &&
    pg_dump -Fc -f "$1.part" &&
    pg_restore -f /dev/null "$1.part" &&
    mv "$1.part" "$1" &&
    psql -qX -v ON_ERROR_STOP=1 -c "insert into settings (name, value) values ('last_backup_ms', '$at_ms')
      on conflict (name) do update set value = excluded.value"
}

# The command reads the copy back, gives it its name, and tells the gateway.
copy_file() {
  npm run --silent backup -- "$1"
}

once() {
  rm -f "$folder"/*.part
  target=$folder/sluice-$(date -u +%Y-%m-%dT%H%M%SZ)
  if [ -n "${PGDATABASE:-}" ]; then
    target=$target.dump
    dump_server "$target" || return 1
  else
    target=$target.db
    copy_file "$target" || return 1
  fi
  echo "Backed up to $target"
  # Old ones go only after a new one was made.
  find "$folder" -maxdepth 1 -type f -name 'sluice-*' -mtime "+$keep_days" -delete
}

case ${1:-} in
once) once ;;
check) [ -n "$(find "$folder" -maxdepth 1 -type f -name 'sluice-*' ! -name '*.part' -mmin -1560)" ] ;;
'')
  # A shell that is the first process of a container ignores the signal otherwise.
  trap 'exit 0' TERM INT
  # At first the gateway has no tables yet. What fails again is tried less often, at least every ten minutes.
  after_failure=10
  while :; do
    if once; then
      seconds=$pause
      after_failure=10
    else
      seconds=$after_failure
      after_failure=$((after_failure < 300 ? after_failure * 2 : 600))
      echo "The backup failed. The next attempt is in $seconds s." >&2
    fi
    sleep "$seconds" &
    wait $!
  done
  ;;
*) echo 'Usage: backup.sh [once|check]' >&2 && exit 2 ;;
esac
