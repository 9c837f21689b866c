/** Longer than any path of the exchanges; a part is a name, a symbol or an id. */
const PATH_LENGTH_MAX = 500

/**
 * Whether a path means the same to everyone who reads it: parts of visible ASCII between single
 * slashes, none of them empty or made of dots, and nothing percent-encoded. An exchange that
 * decodes `%73ub-account-assets` would do what the policy forbids, and what the policy knows as an
 * order would go out as something else. No documented path parameter needs encoding
 * (docs/exchanges/mexc.md, 4; docs/exchanges/bitget.md, 3 and 4).
 */
export function isPlainPath(path: string): boolean {
  if (path.length > PATH_LENGTH_MAX) return false
  return /^(?:\/(?!\.+(?:\/|$))[\w.~!$&'()*+,=:@-]+)+$/.test(path)
}
