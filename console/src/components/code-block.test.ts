import { expect, test } from 'vitest'
import { type Language, tokenize } from './code-block.tsx'

const kinds = (text: string, language: Language) =>
  tokenize(text, language)
    .filter(({ kind }) => kind !== 'plain')
    .map(({ kind, text: piece }) => [kind, piece])

test('JSON keys, strings, numbers and literals are distinguished', () => {
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

test('words, strings and comments of programs are distinguished', () => {
  expect(kinds("await call(`/x/`, 'y', 200_000) // https", 'javascript')).toEqual([
    ['key', 'await'],
    ['string', '`/x/`'],
    ['string', "'y'"],
    ['number', '200_000'],
    ['comment', '// https'],
  ])
  expect(kinds('def f(a=None):\n    """A "word"."""\n    return f"{a}"  # same', 'python')).toEqual(
    [
      ['key', 'def'],
      ['literal', 'None'],
      ['string', '"""A "word"."""'],
      ['key', 'return'],
      ['string', 'f"{a}"'],
      ['comment', '# same'],
    ],
  )
})

test('nothing is lost or changed, whatever the text', () => {
  for (const text of ['', '{"a":1253261109769874438}', '<html>"', "it's {", 'curl "\n']) {
    for (const language of ['json', 'shell', 'javascript', 'python', 'plain'] as const) {
      const whole = tokenize(text, language).map((token) => token.text)
      expect(whole.join('')).toBe(text)
    }
  }
})
