import { expect, test } from 'vitest'
import { callerAddress } from './request-origin.ts'

const PROXY = '127.0.0.1'

test.each([
  ['203.0.113.8', '203.0.113.8'],
  ['203.0.113.8:41234', '203.0.113.8'],
  ['::ffff:203.0.113.8', '203.0.113.8'],
  ['2001:db8:1:1::7', '2001:db8:1:1::'],
  ['2001:DB8:1:1:ffff::1', '2001:db8:1:1::'],
  ['[2001:db8:1:1::7]:41234', '2001:db8:1:1::'],
  ['[2001:db8:1:1::7]', '2001:db8:1:1::'],
  ['unknown', PROXY],
  ['not-an-ip-7', PROXY],
  ['', PROXY],
])('"%s" counts as %s', (ip, expected) => {
  const socket = { remoteAddress: PROXY }
  expect(callerAddress({ ip, socket } as Parameters<typeof callerAddress>[0])).toBe(expected)
})
