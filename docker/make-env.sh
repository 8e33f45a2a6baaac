#!/bin/sh
# Makes what a relay on compose needs, once: its secrets, a file each in docker/secrets, and its settings in docker/.env.
# Secrets that an earlier version kept in docker/.env move into files. Needs nothing but a POSIX shell.
set -eu
settings="${1:-$(dirname "$0")/.env}"
secrets="$(dirname "$settings")/secrets"
if [ -e "$secrets" ]; then
  echo "$secrets exists already; new peppers would void every API key, so it stays as it is." >&2
  exit 1
fi
umask 077
[ -e "$settings" ] || cat >"$settings" <<END
# Base of every link the relay hands out: where your teammates reach it.
RELAY_PUBLIC_URL=http://127.0.0.1:8080
END
random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
# A value that stands in the settings, or else a new one.
value() {
  kept=$(sed -n "s/^$1=//p" "$settings")
  echo "${kept:-$2}"
}
made=$(mktemp -d "$secrets.XXXXXX")
password=$(value POSTGRES_PASSWORD "$(random)")
echo "$password" >"$made/database_password"
echo "postgres://agentrelay:$password@database:5432/agentrelay" >"$made/database_url"
value RELAY_ADMIN_TOKEN "$(random)" >"$made/admin_token"
value RELAY_KEY_PEPPERS "p1:$(random)" >"$made/key_peppers"
# The containers' users read the files; on this machine the folder lets nobody else get at them.
chmod 0444 "$made"/*
mv "$made" "$secrets"
sed -E '/^(POSTGRES_PASSWORD|RELAY_ADMIN_TOKEN|RELAY_KEY_PEPPERS)=/d' "$settings" >"$settings.new"
mv "$settings.new" "$settings"
echo "$secrets holds this relay's secrets: keep a copy where you keep passwords." >&2
