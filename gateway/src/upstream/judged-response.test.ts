import { expect, test } from 'vitest'
import { rejectionOf } from '../exchanges/protocol/verdict.ts'
import { toLaneVerdict } from './judged-response.ts'

// The lane once paused whenever Bitget's header said 0. The header counts one endpoint in one
// second: an endpoint of one call per second has 0 left after each call.
test.each(['0', '-1', '19', 'none', ''])(
  'what the exchange says is left (%j) does not pause the lane',
  (left) => {
    const response = {
      ...{ status: 200, headers: { 'x-mbx-used-remain-limit': left }, body: Buffer.from('{}') },
      upstreamMs: 1,
    }
    const verdict = { kind: 'ok', data: {} } as const
    expect(toLaneVerdict({ response: { response, verdict } })).toEqual({ kind: 'ok' })
  },
)

test.each([
  [429, false],
  [418, true],
])('a rejection with HTTP %i is sure to meet every call: %s', (status, isCertain) => {
  const response = { status, headers: {}, body: Buffer.from('{}'), upstreamMs: 1 }
  const verdict = {
    kind: 'rate-limited',
    rejection: rejectionOf('rate', status, { code: undefined, message: '' }),
  } as const
  expect(toLaneVerdict({ response: { response, verdict } })).toMatchObject({ isCertain })
})

test('a response that counts the exchange as down says what was wrong with it', () => {
  const response = { status: 503, headers: {}, body: Buffer.from('<html>'), upstreamMs: 1 }
  const verdict = { kind: 'unknown', why: 'It responded with HTTP 503' } as const
  const why = 'It responded with HTTP 503'
  expect(toLaneVerdict({ response: { response, verdict } })).toEqual({ kind: 'down', why })
  const inWords = { ...verdict, exchangeMessage: 'Under maintenance' }
  expect(toLaneVerdict({ response: { response, verdict: inWords } })).toEqual({
    kind: 'down',
    why: `${why}: Under maintenance`,
  })
})
