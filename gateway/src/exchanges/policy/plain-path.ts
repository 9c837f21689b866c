import { decodeText } from '../query-text.ts'

/** Longer than any path of the exchanges; a part is a name, a symbol or an id. */
const PATH_LENGTH_MAX = 500

/**
 * Whether a path means the same to everyone who reads it: parts of visible ASCII between single
 * slashes, none of them empty or made of dots, and none that decodes to a separator or a control
 * character. What is plain is matched and sent as it is, so that no second reading can lead elsewhere.
 */
export function isPlainPath(path: string): boolean {
  if (path.length > PATH_LENGTH_MAX || !/^(?:\/[\w.~!$&'()*+,=:@%-]+)+$/.test(path)) return false
  return path.split('/').slice(1).every(isPlainPart)
}

function isPlainPart(part: string): boolean {
  if (/%(?![\dA-Fa-f]{2})/.test(part)) return false
  // A reader may take wide forms of letters and marks for the plain ones (Unicode's NFKC).
  const text = decodeText(part).normalize('NFKC')
  return !/^[.\s]*$/.test(text) && !/[\p{C}\p{Zl}\p{Zp}\uFFFD/\\;%?#]/u.test(text)
}
