#!/bin/sh
# Makes the secrets of a relay on compose, once: docker/.env, readable by you only. Needs nothing but a POSIX shell.
set -eu
target="${1:-$(dirname "$0")/.env}"
if [ -e "$target" ]; then
  echo "$target exists already; new peppers would void every API key, so it stays as it is." >&2
  exit 1
fi
secret() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
umask 077
cat >"$target" <<END
POSTGRES_PASSWORD=$(secret)
RELAY_ADMIN_TOKEN=$(secret)
RELAY_KEY_PEPPERS=p1:$(secret)
# Base of every link the relay hands out: where your teammates reach it.
RELAY_PUBLIC_URL=http://127.0.0.1:8080
END
echo "$target holds this relay's secrets: keep a copy where you keep passwords." >&2
