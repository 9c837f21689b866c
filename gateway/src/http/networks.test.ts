import { expect, test } from 'vitest'
import { isInNetworks } from './networks.ts'

test.each([
  ['203.0.113.7', ['203.0.113.7'], true],
  ['203.0.113.8', ['203.0.113.7'], false],
  ['203.0.113.255', ['198.51.100.7', '203.0.113.0/24'], true],
  ['203.0.114.0', ['203.0.113.0/24'], false],
  ['::ffff:203.0.113.7', ['203.0.113.0/24'], true],
  ['::ffff:cb00:7107', ['203.0.113.7'], true],
  ['0:0::ffff:cb00:7107', ['203.0.113.7'], true],
  ['0:0::ffff:cb00:7107', ['::/0'], false],
  ['::ffff:203.0.114.7', ['203.0.113.0/24'], false],
  ['2001:db8:ffff::1', ['2001:db8::/32'], true],
  ['2001:0DB8:0::1', ['2001:db8::1'], true],
  ['2001:db9::1', ['2001:db8::/32'], false],
  ['fe80::1%eth0', ['fe80::/10'], true],
  ['203.0.113.7', ['0.0.0.0/0'], true],
  ['203.0.113.7', ['::/0'], false],
  ['2001:db8::ffff:1', ['2001:db8::/32'], true],
  ['2001:db8::1', ['::/0'], true],
  ['2001:db8::1', ['0.0.0.0/0'], false],
  ['unknown', ['0.0.0.0/0', '::/0'], false],
  ['', ['0.0.0.0/0', '::/0'], false],
])('that %j is in %j is %s', (address, networks, isIn) => {
  expect(isInNetworks(address, networks)).toBe(isIn)
})
