SLUICE=${SLUICE_URL:-'https://sluice.example'}

# Call it before each request: it asks again when less than a minute is left of the 600 seconds.
sluice_token() {
  [ "${TOKEN_ENDS_AT:-0}" -gt "$(($(date +%s) + 60))" ] && return
  answer=$(curl -sS --fail-with-body "$SLUICE/auth/token" \
    -H 'Content-Type: application/json' \
    --data @- <<END
{"clientId":"$SLUICE_CLIENT_ID","clientSecret":"$SLUICE_CLIENT_SECRET"}
END
  ) || { echo "$answer" >&2; return 1; }
  TOKEN=$(printf '%s' "$answer" | sed -n 's/.*"token":"\([^"]*\)".*/\1/p')
  TOKEN_ENDS_AT=$(($(date +%s) + 600))
}

# curl with the token; when it is refused before its time, once more with a new one, all else the same.
sluice() {
  sluice_token || return
  answer=$(curl -sS -w '\n%{http_code}' -H "Authorization: Bearer $TOKEN" "$@") || return
  case $answer in *'
401')
    TOKEN_ENDS_AT=0
    sluice_token || return
    answer=$(curl -sS -w '\n%{http_code}' -H "Authorization: Bearer $TOKEN" "$@") || return
  esac
  printf '%s' "${answer%???}"
}
