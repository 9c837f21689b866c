/**
 * JSON with one value per line, for reading. Works on the text: no number is parsed, so order ids
 * beyond 2^53 and `1.10` keep their digits. A text that is no JSON document comes back as it was.
 */
export function formatJson(text: string): string {
  if (!isJson(text)) return text
  let depth = 0
  let out = ''
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (token === '{' || token === '[') {
      depth += 1
      out += token + lineAt(depth)
    } else if (token === '}' || token === ']') {
      depth -= 1
      // An empty object or list stays on its line.
      out = /[[{]\s*$/.test(out) ? out.trimEnd() + token : out + lineAt(depth) + token
    } else if (token === ',') out += token + lineAt(depth)
    else if (token === ':') out += ': '
    else out += token
  }
  return out
}

export const isJson = (text: string) => parseJson(text) !== undefined

/** The value of a JSON document; undefined for any other text, whatever is wrong with it. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const lineAt = (depth: number) => `\n${'  '.repeat(depth)}`
