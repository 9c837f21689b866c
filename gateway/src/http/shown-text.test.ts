import { expect, test } from 'vitest'
import { withoutSecrets } from './shown-text.ts'

const SECRET = `sls_${'aB3-_'.repeat(9).slice(0, 43)}`
const TOKEN = `eyJhbGciOiJIUzI1NiJ9.${'eyJqdGkiOiJ4In0'.repeat(3)}.${'c2lnbmF0dXJl'.repeat(3)}`

test.each([
  [`/auth/token/${SECRET}`, '/auth/token/[redacted]'],
  [`/api/requests/Bearer%20${TOKEN}/x`, '/api/requests/Bearer%20[redacted]/x'],
  [
    `${SECRET}: is not a known field; ${TOKEN}: is not`,
    '[redacted]: is not a known field; [redacted]: is not',
  ],
  [`/mx/ws/${'0a'.repeat(32)}?`, '/mx/ws/[redacted]?'],
  ['/api/admin/client-credentials/7', '/api/admin/client-credentials/7'],
  ['the preview sls_aB3-...xYz1 stays', 'the preview sls_aB3-...xYz1 stays'],
])('of %s, %s is repeated', (text, shown) => {
  expect(withoutSecrets(text)).toBe(shown)
})
