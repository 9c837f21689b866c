import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fillJsonField, mapJsonField, mapJsonList, withoutJsonFields } from './json-text.ts'

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
])('%s becomes %s', (text, filled) => {
  expect(fillJsonField(text, 'id', 'x')).toBe(filled)
})

test.each([
  '',
  '[]',
  '"{}"',
  'null',
  '{"a":1',
  '\ufeff{}',
  '{"id":"own"}',
  '{"id":7}',
  '{"id":{}}',
  '{"id":[]}',
  '{"id":false}',
  '{"id":null,"id":"own"}',
  `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`,
])('%s is left alone', (text) => {
  expect(fillJsonField(text, 'id', 'x')).toBeUndefined()
})

test('a megabyte of text is filled as fast as it is read', () => {
  const text = JSON.stringify({ note: '\\"{'.repeat(250_000), id: null })
  expect(fillJsonField(text, 'id', 'x')).toBe(text.replace('null}', '"x"}'))
})

test('whatever the object: the field is filled in and every other value stays', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.constantFrom(0, 2),
      (rest, indent) => {
        const object: Record<string, unknown> = { ...rest }
        const text = JSON.stringify(object, null, indent)
        const filled = fillJsonField(text, 'id', 'x')
        const isNone = [undefined, null, ''].some((none) => object.id === none)
        if (!isNone) return expect(filled).toBeUndefined()
        expect(JSON.parse(filled ?? '')).toEqual({ ...JSON.parse(text), id: 'x' })
      },
    ),
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
  expect(withoutJsonFields(text, (name) => name === 'sign')).toBe(rest)
})

test.each([
  ['[]', '[]'],
  [' [ ] ', ' [ ] '],
  ['[1, "a,]" ,{"b":[1,2]} ]', '[<1>, <"a,]"> ,<{"b":[1,2]}> ]'],
  ['[[[]],[{}],null]', '[<[[]]>,<[{}]>,<null>]'],
  ['["[",",",{},"\\""]', '[<"[">,<",">,<{}>,<"\\"">]'],
])('the list %s, value by value, is %s', (text, marked) => {
  expect(mapJsonList(text, (value) => `<${value}>`)).toBe(marked)
  expect(mapJsonList(text, () => undefined)).toBe(text)
})

test.each(['', '{}', '"[]"', '[1', '\ufeff[]', '[1,]'])('%s is no list', (text) => {
  expect(mapJsonList(text, (value) => value)).toBeUndefined()
})

test('whatever the list: each value is handed over with its place, and no other byte is touched', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(0, 2), (list, indent) => {
      const seen: unknown[] = []
      const text = JSON.stringify(list, null, indent)
      const same = mapJsonList(text, (value, at) => {
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
  expect(mapJsonField(text, 'a', (value) => `<${value}>`)).toBe(changed)
})
