import { test, expect } from './support/test.ts'
import { settle } from './support/stub-gateway.ts'
for (const address of ['/', '/logs', '/operations', '/client-credentials'])
test(`load ${address}`, async ({ page, signedIn: _ }) => {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable')
  const get = async () => Object.fromEntries((await cdp.send('Performance.getMetrics')).metrics.map((m) => [m.name, m.value]))
  for (let i = 0; i < 4; i++) {
    const a = await get(); const t = Date.now()
    await page.goto(address)
    await settle(page)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const b = await get()
    console.log(address, i, Date.now() - t, ['TaskDuration', 'ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration', 'V8CompileDuration','ProcessTime'].map((k) => `${k} ${((b[k]??0) - (i === 0 || (b[k]??0) >= (a[k]??0) ? (a[k]??0) : 0)).toFixed(2)}`).join(' '))
  }
})
