import { GATEWAY_URL } from './support/stub-gateway.ts'
import { expect, test } from './support/test.ts'

test.describe('the server of the built console', { tag: '@wide' }, () => {
  test('unknown paths answer the start page, which is not cached', async ({ request }) => {
    const answer = await request.get('/bitget/trading/spot')
    expect(answer.status()).toBe(200)
    expect(await answer.text()).toContain('<div id="root">')
    expect(answer.headers()['cache-control']).toBe('no-store')
  })

  test('329. a missing script answers 404', async ({ request }) => {
    expect((await request.get('/assets/index-old.js')).status()).toBe(404)
  })

  test('hashed assets are cached for a year and sent compressed', async ({ request }) => {
    const start = await (await request.get('/')).text()
    const [script = ''] = start.match(/\/assets\/index-[^"]+\.js/) ?? []
    const answer = await request.get(script, { headers: { 'accept-encoding': 'br' } })
    expect(answer.headers()['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(answer.headers()['content-encoding']).toBe('br')
    expect(answer.headers()['content-type']).toContain('javascript')
  })

  test('the runtime setting names the gateway and is not cached', async ({ request }) => {
    const answer = await request.get('/config.json')
    expect(await answer.json()).toEqual({ gatewayUrl: GATEWAY_URL })
    expect(answer.headers()['cache-control']).toBe('no-store')
  })

  test('331. scripts come from the console itself, calls go to itself and the gateway', async ({
    request,
  }) => {
    const { headers } = { headers: (await request.get('/')).headers() }
    const policy = headers['content-security-policy'] ?? ''
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain(`connect-src 'self' ${GATEWAY_URL}`)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
  })
})
