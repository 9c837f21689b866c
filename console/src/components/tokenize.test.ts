import { expect, test } from 'vitest'
import { tokenize } from './tokenize.ts'

const kinds = (text: string, language: 'json' | 'shell') =>
  tokenize(text, language)
    .filter(({ kind }) => kind !== 'plain')
    .map(({ kind, text: piece }) => [kind, piece])

test('JSON keys, strings, numbers and literals are told apart', () => {
  expect(kinds('{"a": "x\\"y", "b": -1.50, "c": null}', 'json')).toEqual([
    ['key', '"a"'],
    ['string', '"x\\"y"'],
    ['key', '"b"'],
    ['number', '-1.50'],
    ['key', '"c"'],
    ['literal', 'null'],
  ])
})

test('flags and quoted words of a shell command stand out', () => {
  expect(kinds(`curl -X POST 'https://a/b-c' \\\n  -d '{"a":1}'`, 'shell')).toEqual([
    ['key', 'curl'],
    ['flag', '-X'],
    ['string', "'https://a/b-c'"],
    ['flag', '-d'],
    ['string', `'{"a":1}'`],
  ])
})

test('nothing is lost or changed, whatever the text', () => {
  for (const text of ['', '{"a":1253261109769874438}', '<html>"', "it's {", 'curl "\n']) {
    for (const language of ['json', 'shell', 'plain'] as const) {
      const whole = tokenize(text, language).map((token) => token.text)
      expect(whole.join('')).toBe(text)
    }
  }
})
