import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPlainPath } from './plain-path.ts'

test.each([
  '/api/v3/order',
  '/api/v1/private/order/external/BTC_USDT/own-1.2:3',
  '/api/v1/private/order/get/101716841474621953',
  '/a/d+e/f@g',
  '/a/..b/.c/d..',
])('%s is plain', (path) => {
  expect(isPlainPath(path)).toBe(true)
})

test.each([
  '',
  'api',
  '/',
  '/a/',
  '//a',
  '/a//b',
  '/a/./b',
  '/a/../b',
  '/a/...',
  '/a/%2e%2E/b',
  '/a/.%2e/b',
  '/a/%20',
  '/a/%20.%20',
  '/api/v2/mix/account/%73ub-account-assets',
  '/api/v2/mix/account/sub%2Daccount-assets',
  '/api/v2/mix/account/sub-account-assets%20',
  '/api/v3/trade/place%2Dorder',
  '/api/v1/contract/depth/%E5%B8%81%E5%AE%89_USDT',
  '/a%2fb',
  '/a%5Cb',
  '/a\\b',
  '/a;b',
  '/a%3Bb',
  '/a%3fb',
  '/a#b',
  '/a%23b',
  '/a%252fb',
  '/a&%2fb',
  '/a=%2e%2e%2fb',
  '/&%2e%2e%2f',
  '/a%00',
  '/a%0d%0ab',
  '/a%7f',
  '/a%e2%80%8bb',
  '/a%e2%80%aeb',
  '/a%ff',
  '/a%c0%ae',
  '/a%zz',
  '/a%2',
  '/a%',
  '/a b',
  '/a\u00e9',
  '/%ef%bc%8e%ef%bc%8e',
  '/a%ef%bc%8fb',
  '/a%e2%84%80b',
  `/${'a'.repeat(500)}`,
])('%s is not plain', (path) => {
  expect(isPlainPath(path)).toBe(false)
})

test('a plain path is the same path to a reader that resolves and decodes it', () => {
  const pieces = fc.constantFrom(
    '/',
    '.',
    '..',
    'a',
    '%2e',
    '%2F',
    '%5c',
    '\\',
    ';',
    '%25',
    '%',
    '+',
    'é',
    '%C3%A9',
    '%00',
    '&',
    '=',
    '?',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const path = `/${parts.join('')}`
      if (!isPlainPath(path)) return
      expect(new URL(path, 'http://x').pathname).toBe(path)
      expect(decodeURIComponent(path).split('/')).toHaveLength(path.split('/').length)
    }),
    { numRuns: 5_000 },
  )
})
