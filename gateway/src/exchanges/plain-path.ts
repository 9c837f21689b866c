/** Longer than any path of the exchanges; a part is a name, a symbol or an id. */
const PATH_LENGTH_MAX = 500

const PLAIN = /^(?:\/(?!\.+(?:\/|$))(?:[\w.~!$&'()*+,=:@-]|%[89A-Fa-f][\dA-Fa-f])+)+$/

/** Letters, their marks and digits beyond ASCII. What a reader cannot see is not among them. */
const LETTERS = /^(?:(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{Nd}])+$/u

/**
 * Whether a path means the same to everyone who reads it: parts of visible ASCII between single
 * slashes, none of them empty or made of dots, and no ASCII percent-encoded. An exchange that
 * decodes `%73ub-account-assets` would do what the policy forbids, and what the policy knows as an
 * order would go out as something else. Letters beyond ASCII are percent-encoded, as UTF-8: some
 * symbols have them (`币安人生_USDT`). No path that the policy names does, so they pass only where it
 * has a parameter.
 */
export function isPlainPath(path: string): boolean {
  if (path.length > PATH_LENGTH_MAX || !PLAIN.test(path)) return false
  return (path.match(/(?:%..)+/g) ?? []).every(isOfLetters)
}

/** @param encoded percent-encoded bytes from 80 on, which are no valid UTF-8 otherwise */
function isOfLetters(encoded: string): boolean {
  try {
    return LETTERS.test(decodeURIComponent(encoded))
  } catch {
    return false
  }
}
