import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPlainPath } from './plain-path.ts'

test.each([
  '/api/v3/order',
  '/api/v1/private/order/external/BTC_USDT/own-1.2:3',
  '/api/v1/private/order/get/101716841474621953',
  '/a/d+e/f@g',
  '/a/..b/.c/d..',
  '/api/v1/contract/depth/%E5%B8%81%E5%AE%89%E4%BA%BA%E7%94%9F_USDT',
  '/a/%e9%be%99%e8%99%bePEPE_USDT',
  '/a/%C3%A9',
  '/a/%F0%A0%80%80_USDT',
  '/a/%E0%A4%B9%E0%A4%BF',
])('%s is plain', (path) => {
  expect(isPlainPath(path)).toBe(true)
})

test.each([
  ...['', 'api', '/', '/a/', '//a', '/a//b', '/a/./b', '/a/../b', '/a/...', '/a/%2e%2E/b'],
  ...['/a/.%2e/b', '/a/%20', '/a/%20.%20', '/api/v2/mix/account/%73ub-account-assets'],
  ...['/api/v2/mix/account/sub%2Daccount-assets'],
  ...['/api/v2/mix/account/sub-account-assets%20', '/api/v3/trade/place%2Dorder'],
  ...['/api/v1/contract/depth/%E5%B8_USDT', '/api/v1/contract/depth/BTC%5FUSDT', '/a%2fb'],
  ...['/a%5Cb', '/a\\b', '/a;b', '/a%3Bb', '/a%3fb', '/a#b', '/a%23b', '/a%252fb', '/a&%2fb'],
  ...['/a=%2e%2e%2fb', '/&%2e%2e%2f', '/a%00', '/a%0d%0ab', '/a%7f', '/a%e2%80%8bb'],
  ...['/a%e2%80%aeb', '/a%ff', '/a%c0%ae', '/a%c1%b3', '/a%e0%80%ae', '/a%e0%81%b3'],
  ...['/a%f0%80%81%b3', '/a%ed%a0%80', '/a%ed%a0%bd%ed%b8%80', '/a%f4%90%80%80', '/a%c2%85'],
  ...['/a%c2%a0', '/a%c2%ad', '/a%e1%85%a0', '/a%e3%85%a4', '/a%ef%b8%8f', '/a%cd%8f'],
  ...['/a%ef%bb%bf', '/a%e2%80%ab', '/a%e2%80%a8', '/a%f3%a0%81%b3', '/a%c2%bd'],
  ...['/a%e2%92%88', '/a%ee%80%80', '/a%zz', '/a%2', '/a%', '/a b', '/a\u00e9'],
  ...['/%ef%bc%8e%ef%bc%8e', '/a%ef%bc%8fb', '/a%e2%84%80b', `/${'a'.repeat(500)}`],
])('%s is not plain', (path) => {
  expect(isPlainPath(path)).toBe(false)
})

test('a plain path is the same path to a reader that resolves and decodes it', () => {
  const pieces = fc.constantFrom(
    ...['/', '.', '..', 'a', '%2e', '%2F', '%5c', '\\', ';', '%25', '%', '+', 'é', '%C3%A9'],
    ...['%00', '&', '=', '?'],
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
