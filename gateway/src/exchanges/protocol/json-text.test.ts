import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  fillJsonField,
  type JsonText,
  mapJsonField,
  mapJsonList,
  readJson,
  withoutJsonFields,
} from './json-text.ts'

type Change = (value: string, index: number) => string | undefined

const fill = (text: string) => {
  const json = readJson(text)
  return json && fillJsonField(json, 'id', 'x')
}
const without = (text: string, name: string) => {
  const json = readJson(text)
  return json === undefined ? text : withoutJsonFields(json, (each) => each === name).text
}
const mapList = (text: string, change: Change) => {
  const json = readJson(text)
  return json && mapJsonList(json, (value, index) => change(agreed(value).text, index))
}
const mapField = (text: string, change: (value: string) => string) => {
  const json = readJson(text)
  return json && mapJsonField(json, 'a', (value) => change(agreed(value).text))
}
/** The value that is returned with a text equals the parsed text. */
function agreed(json: JsonText): JsonText {
  expect(json).toEqual(readJson(json.text))
  return json
}

test.each([
  ['{}', '{"id":"x"}'],
  [' {\n} ', ' {"id":"x"\n} '],
  ['{"a":1}', '{"id":"x","a":1}'],
  ['{"b": {"id": "inner"}, "c": ["id"]}', '{"id":"x","b": {"id": "inner"}, "c": ["id"]}'],
  ['{"a":"{\\"id\\":\\"\\"}"}', '{"id":"x","a":"{\\"id\\":\\"\\"}"}'],
  ['{"a":1, "id": "" }', '{"a":1, "id": "x" }'],
  ['{"id":null,"a":0.10}', '{"id":"x","a":0.10}'],
  ['{"id":"","id":null}', '{"id":"","id":"x"}'],
  ['{"\\u0069d":""}', '{"\\u0069d":"x"}'],
  ['{"a":"\u2028\\\\","id":""}', '{"a":"\u2028\\\\","id":"x"}'],
  ['\ufeff{"a":1}', '\ufeff{"id":"x","a":1}'],
  ['\ufeff{"id":""}', '\ufeff{"id":"x"}'],
])('%s becomes %s', (text, filled) => {
  expect(agreed(fill(text) ?? { text: '', value: '' }).text).toBe(filled)
})

test.each([
  ...[
    '',
    '[]',
    '"{}"',
    'null',
    '{"a":1',
    '\ufeff\ufeff{}',
    '{"id":"own"}',
    '{"id":7}',
    '{"id":{}}',
  ],
  ...['{"id":[]}', '{"id":false}', '{"id":null,"id":"own"}'],
  `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`,
])('%s is left alone', (text) => {
  expect(fill(text)).toBeUndefined()
})

test('a megabyte of text is filled as fast as it is read', () => {
  const text = JSON.stringify({ note: '\\"{'.repeat(250_000), id: null })
  expect(fill(text)?.text).toBe(text.replace('null}', '"x"}'))
})

const wildObject = fc.dictionary(fc.string(), fc.jsonValue())
test('whatever the object: the field is filled in and every other value stays', () => {
  fc.assert(
    fc.property(wildObject, fc.constantFrom(0, 2), (rest, indent) => {
      const object: Record<string, unknown> = { ...rest }
      const text = JSON.stringify(object, null, indent)
      const filled = fill(text)?.text
      const isNone = [undefined, null, ''].some((none) => object.id === none)
      if (!isNone) return expect(filled).toBeUndefined()
      expect(JSON.parse(filled ?? '')).toEqual({ ...JSON.parse(text), id: 'x' })
    }),
  )
})

test.each([
  ['{"a":1, "sign":"x" ,"b" : 0.10 }', '{"a":1,"b" : 0.10 }'],
  ['{ "a":1 ,\n"b":[{},{}] ,"sign":"x"}', '{ "a":1 ,\n"b":[{},{}] }'],
  ['{ "sign":"x","a":1 }', '{"a":1 }'],
  ['{"a":1,"sign":{"a":[1,2]}}', '{"a":1}'],
  ['{"sign":1}', '{}'],
  ['{"s\\u0069gn":1,"sign":2,"a":"\\"sign\\":1"}', '{"a":"\\"sign\\":1"}'],
  ['{"a": {"sign": 1}, "b":[{"sign":2}]}', '{"a": {"sign": 1}, "b":[{"sign":2}]}'],
  ['["sign"]', '["sign"]'],
  ['{"sign":1', '{"sign":1'],
  ['', ''],
])('%s without a field is %s', (text, rest) => {
  expect(without(text, 'sign')).toBe(rest)
  const json = readJson(text)
  if (json !== undefined) agreed(withoutJsonFields(json, (name) => name === 'sign'))
})

test.each([
  ['[]', '[]'],
  [' [ ] ', ' [ ] '],
  ['[1, "a,]" ,{"b":[1,2]} ]', '[<1>, <"a,]"> ,<{"b":[1,2]}> ]'],
  ['[[[]],[{}],null]', '[<[[]]>,<[{}]>,<null>]'],
  ['["[",",",{},"\\""]', '[<"[">,<",">,<{}>,<"\\"">]'],
  ['\ufeff[1]', '\ufeff[<1>]'],
])('the list %s, value by value, is %s', (text, marked) => {
  expect(mapList(text, (value) => `<${value}>`)).toBe(marked)
  expect(mapList(text, () => undefined)).toBe(text)
})

test.each(['', '{}', '"[]"', '[1', '\ufeff\ufeff[]', '[1,]'])('%s is no list', (text) => {
  expect(mapList(text, (value) => value)).toBeUndefined()
})

test('whatever the list: each value is handed over with its place, and no other byte is touched', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(0, 2), (list, indent) => {
      const seen: unknown[] = []
      const text = JSON.stringify(list, null, indent)
      const same = mapList(text, (value, at) => {
        seen[at] = JSON.parse(value)
        return value
      })
      expect(same).toBe(text)
      expect(seen).toEqual(JSON.parse(text))
    }),
  )
})

test.each([
  ['{"a": [1] ,"b":2}', '{"a": <[1]> ,"b":2}'],
  ['{"a":1,"\\u0061":2}', '{"a":1,"\\u0061":<2>}'],
  ['{"b":{"a":1}}', undefined],
  ['["a"]', undefined],
  ['{"a":', undefined],
])('the field of %s becomes %s', (text, changed) => {
  expect(mapField(text, (value) => `<${value}>`)).toBe(changed)
})
