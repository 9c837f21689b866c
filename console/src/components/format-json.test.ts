import { expect, test } from 'vitest'
import { formatJson } from './format-json.ts'

test('numbers keep every digit, and strings their brackets and commas', () => {
  const text =
    '{"orderId":1253261109769874438,"price":1.10,"note":"a, {b}: \\"c\\"","list":[1,{"x":[]}],"e":{}}'
  expect(formatJson(text)).toBe(`{
  "orderId": 1253261109769874438,
  "price": 1.10,
  "note": "a, {b}: \\"c\\"",
  "list": [
    1,
    {
      "x": []
    }
  ],
  "e": {}
}`)
})

test('what is not JSON stays as it was', () => {
  for (const text of ['', 'Service Unavailable', '<html>{"a":1}</html>', '{"a":1'])
    expect(formatJson(text)).toBe(text)
})
