import { expect, test } from 'vitest'
import { rejectionOf } from '../exchanges/protocol/verdict.ts'
import { toLaneVerdict } from './sign-and-send.ts'

const responseOf = (status: number, headers = {}, body = '{}') => ({
  ...{ status, headers, body: Buffer.from(body), upstreamMs: 1 },
})

// The lane once paused whenever Bitget's header said 0. The header counts one endpoint in one
// second: an endpoint of one call per second has 0 left after each call.
test.each(['0', '-1', '19', 'none', ''])(
  'what the exchange says is left (%j) does not pause the lane',
  (left) => {
    const response = responseOf(200, { 'x-mbx-used-remain-limit': left })
    const verdict = { kind: 'ok', data: {} } as const
    expect(toLaneVerdict({ response: { response, verdict } })).toEqual({ kind: 'ok' })
  },
)

test.each([
  [429, false],
  [418, true],
])('a rejection with HTTP %i is sure to meet every call: %s', (status, isCertain) => {
  const rejection = rejectionOf('rate', status, { code: undefined, message: '' })
  const verdict = { kind: 'rate-limited', rejection } as const
  const response = { response: responseOf(status), verdict }
  expect(toLaneVerdict({ response })).toMatchObject({ isCertain })
})

test('a response that counts the exchange as down says what was wrong with it', () => {
  const why = 'It responded with HTTP 503'
  const whyOf = (exchangeMessage?: string) => {
    const verdict = { kind: 'unknown', why, ...(exchangeMessage && { exchangeMessage }) } as const
    return toLaneVerdict({ response: { response: responseOf(503, {}, '<html>'), verdict } })
  }
  expect(whyOf()).toEqual({ kind: 'down', why })
  const inWords = { kind: 'down', why: `${why}: Under maintenance` }
  expect(whyOf('Under maintenance')).toEqual(inWords)
})
