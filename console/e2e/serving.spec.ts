import { GATEWAY_URL } from './support/stub-gateway.ts'
import { expect, test } from './support/test.ts'

test('the server of the built console', async ({ request }) => {
  await test.step('unknown paths response the start page, which is not cached', async () => {
    const response = await request.get('/bitget/trading/spot')
    expect(response.status()).toBe(200)
    expect(await response.text()).toContain('<div id="root">')
    expect(response.headers()['cache-control']).toBe('no-store')
  })

  await test.step('329. A missing script gets a 404', async () => {
    expect((await request.get('/assets/index-old.js')).status()).toBe(404)
  })

  await test.step('hashed assets are cached for a year and sent compressed', async () => {
    const start = await (await request.get('/')).text()
    const [script = ''] = start.match(/\/assets\/index-[^"]+\.js/) ?? []
    const response = await request.get(script, { headers: { 'accept-encoding': 'br' } })
    expect(response.headers()['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(response.headers()['content-encoding']).toBe('br')
    expect(response.headers()['content-type']).toContain('javascript')
  })

  await test.step('the runtime setting names the gateway and is not cached', async () => {
    const response = await request.get('/config.json')
    expect(await response.json()).toEqual({ gatewayUrl: GATEWAY_URL })
    expect(response.headers()['cache-control']).toBe('no-store')
  })

  await test.step('331. scripts come from the console itself, calls go to itself and the gateway', async () => {
    const { headers } = { headers: (await request.get('/')).headers() }
    const policy = headers['content-security-policy'] ?? ''
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain(`connect-src 'self' ${GATEWAY_URL}`)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
  })
})
