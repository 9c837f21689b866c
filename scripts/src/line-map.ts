import { readFileSync, writeFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/**
 * Rewrites the source map of a file so that it has one entry for each line instead of one for each
 * word. Node keeps the whole map in memory once an error was logged: a fifth of it is enough to
 * name files and lines.
 */
export function keepLinesOf(file: string): void {
  const path = `${file}.map`
  const payload = JSON.parse(readFileSync(path, 'utf8')) as SourceMapPayload
  const lines = readFileSync(file, 'utf8').split('\n')
  writeFileSync(path, JSON.stringify({ ...payload, names: [], mappings: toLines(payload, lines) }))
}

function toLines(payload: SourceMapPayload, lines: readonly string[]): string {
  const map = new SourceMap(payload)
  const last = { source: 0, line: 0 }
  return lines
    .map((text, index) => {
      const found = map.findEntry(index, Math.max(0, text.search(/\S/)))
      if (!('originalSource' in found) || found.generatedLine !== index) return ''
      const source = payload.sources.indexOf(found.originalSource)
      const steps = [0, source - last.source, found.originalLine - last.line, 0]
      Object.assign(last, { source, line: found.originalLine })
      return steps.map(toDigits).join('')
    })
    .join(';')
}

/**
 * A number as source maps write it: base 64, five bits a digit, the lowest first, then the sign.
 */
function toDigits(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1
  let text = ''
  do {
    const digit = rest & 31
    rest >>>= 5
    text += DIGITS[rest > 0 ? digit | 32 : digit]
  } while (rest > 0)
  return text
}
