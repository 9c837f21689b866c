import { ClientChanges, LoginRequest, NewApiKey, NewClient } from 'schema'
import type { TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import { expect, test } from 'vitest'
import { validateWith } from './form-errors.ts'

// The gateway checks with TypeBox, the console with a small validator of its own, which accepted
// the address `.a@b.co`.

const forms: readonly { name: string; schema: TObject; good: object }[] = [
  {
    name: 'LoginRequest',
    schema: LoginRequest,
    good: { email: 'admin@example.com', password: 'correct horse' },
  },
  { name: 'NewClient', schema: NewClient, good: { clientId: 'grid', permissions: ['market'] } },
  { name: 'ClientChanges', schema: ClientChanges, good: { permissions: ['trade'] } },
  {
    name: 'NewApiKey',
    schema: NewApiKey,
    good: { clientId: 'grid', exchange: 'bg', apiKey: 'k', apiSecret: 's', passphrase: 'p' },
  },
]

/** What people type, and what they paste. */
const texts = [
  '',
  ' ',
  'a',
  'ab cd',
  'tab\t',
  'line\nbreak',
  'nul\u0000',
  'ü',
  '日本',
  '👍',
  'mx',
  'MX',
  'a@b',
  'a@b.c',
  'a@@b.co',
  'a b@c.de',
  'a@b.co.',
  'a@-b.co',
  '.a@b.co',
  'a..b@c.de',
  'ü@b.co',
  `a@${'b'.repeat(64)}.co`,
  '"a b"@c.de',
  'a@[127.0.0.1]',
  `${'a'.repeat(300)}@b.co`,
  ...[5, 6, 50, 51, 128, 129, 255, 256, 257, 1024, 1025].map((length) => 'x'.repeat(length)),
  ...[26, 51, 129, 257].map((length) => '👍'.repeat(length)),
]

function valuesOf(field: string, { type }: { type?: string } = {}): readonly unknown[] {
  if (field === 'permissions') return [[], ['market'], ['market', 'trade']]
  return type === 'boolean' ? [true, false] : texts
}

test.each(forms)('$name: what a form accepts, the gateway accepts', ({ schema, good }) => {
  const problemsOf = validateWith(schema)
  const gateway = Compile(schema)
  expect(problemsOf(good)).toEqual({})
  expect(gateway.Check(good)).toBe(true)
  const wrong: string[] = []
  for (const field of Object.keys(schema.properties)) {
    const values = valuesOf(field, schema.properties[field])
    for (const value of values) {
      const isAccepted = Object.keys(problemsOf({ ...good, [field]: value })).length === 0
      // An optional field that is empty is left out of the body.
      const isLeftOut = value === '' && !schema.required?.includes(field)
      const body = isLeftOut ? good : { ...good, [field]: value }
      if (isAccepted && !gateway.Check(body)) wrong.push(`${field} ${JSON.stringify(value)}`)
    }
  }
  expect(wrong).toEqual([])
})
