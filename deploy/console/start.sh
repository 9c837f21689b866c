#!/bin/sh
# Writes what depends on the environment, then becomes the web server.
# GATEWAY_URL: the gateway's base URL as browsers reach it; empty: the console's own origin.
# OIDC_ISSUER: as for the gateway. Only whether it is set counts: the sign-in page then asks the gateway.
set -eu

refuse() {
  echo "GATEWAY_URL is not usable; it should look like https://api.example.com" >&2
  exit 1
}

url=${GATEWAY_URL:-}
openid=''
[ -z "${OIDC_ISSUER:-}" ] || openid='"openId":true'
config="{$openid}"
origin=''
if [ -n "$url" ]; then
  # It becomes a part of the web server's configuration: no other character may come in.
  case $url in *[!]A-Za-z0-9:/._~[-]*) refuse ;; esac
  printf '%s\n' "$url" |
    grep -Eq '^https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?$' || refuse
  config="{\"gatewayUrl\":\"$url\"${openid:+,$openid}}"
  origin=$(printf '%s\n' "$url" | sed -E 's,^(https?://[^/]+).*,\1,')
fi

cat >/tmp/gateway.conf <<CONF
map '' \$console_config { default '$config'; }
map '' \$gateway_origin { default '$origin'; }
CONF
exec nginx -g 'daemon off;'
