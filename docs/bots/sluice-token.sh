SLUICE=${SLUICE_URL:-'https://sluice.example'}

# Call it before each request: it gets a new token when the current one has less than a minute left of its 600 seconds.
sluice_token() {
  [ "${TOKEN_ENDS_AT:-0}" -gt "$(($(date +%s) + 60))" ] && return
  response=$(curl -sS --fail-with-body "$SLUICE/auth/token" \
    -H 'Content-Type: application/json' \
    --data @- <<END
{"clientId":"$SLUICE_CLIENT_ID","clientSecret":"$SLUICE_CLIENT_SECRET"}
END
  ) || { echo "$response" >&2; return 1; }
  TOKEN=$(printf '%s' "$response" | sed -n 's/.*"token":"\([^"]*\)".*/\1/p')
  TOKEN_ENDS_AT=$(($(date +%s) + 600))
}

# curl with the token. On 401 it tries once more with a new token.
sluice() {
  sluice_token || return
  response=$(curl -sS -w '\n%{http_code}' -H "Authorization: Bearer $TOKEN" "$@") || return
  case $response in *'
401')
    TOKEN_ENDS_AT=0
    sluice_token || return
    response=$(curl -sS -w '\n%{http_code}' -H "Authorization: Bearer $TOKEN" "$@") || return
  esac
  printf '%s' "${response%???}"
}
