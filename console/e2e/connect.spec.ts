import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { botErrors, botHeaders, createClient } from 'schema'
import { expectAccessible, expectAccessibleAtBothWidths } from './support/axe.ts'
import { clientOf } from './support/samples.ts'
import { GATEWAY_URL } from './support/stub-gateway.ts'
import { clipboardOf, expect, expectNoExcess, goWithin, test } from './support/test.ts'

const choose = (page: Page, group: string, option: string) =>
  page.getByRole('radiogroup', { name: group }).getByText(option, { exact: true }).click()
/** The programs of `docs/bots` that the page shows; programs.test.ts has their titles. */
const PROGRAMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  curl: { both: ['sluice-token.sh'], MEXC: ['mexc.sh'], Bitget: ['bitget.sh'] },
  JavaScript: {
    both: ['sluice-token.mjs', 'sluice-ccxt.mjs', 'sluice-door.mjs', 'streams-events.mjs'],
    MEXC: ['mexc-fetch.mjs', 'mexc-ccxt.mjs', 'mexc-api-sdk.mjs'],
    Bitget: [
      ...['bitget-fetch.mjs', 'sluice-bitget.mjs', 'bitget-api.mjs', 'streams-bitget-api.mjs'],
      ...['bitget-ccxt.mjs', 'streams-ccxt.mjs', 'bitget-ccxt-plain.mjs'],
    ],
  },
  Python: {
    both: ['sluice.py', 'streams_events.py'],
    MEXC: ['mexc_requests.py', 'mexc_ccxt.py', 'freqtrade-mexc.json'],
    Bitget: [
      ...['bitget_requests.py', 'bitget_ccxt.py', 'bitget_ccxt_plain.py'],
      'freqtrade-bitget.json',
    ],
  },
}
const codeOf = (file: string) =>
  readFileSync(new URL(`../../docs/bots/${file}`, import.meta.url), 'utf8')
    .replaceAll('https://sluice.example', GATEWAY_URL)
    .trimEnd()
const programsOf = (page: Page) => page.getByRole('figure', { name: /[.](sh|mjs|py|json)$/ })

test.beforeEach(({ signedIn: _ }) => {})

test('the programs and the width of the page', { tag: '@both' }, async ({ page }) => {
  await page.goto('/connect')
  await test.step('exchange and language choose the programs, which are those of the documentation', async () => {
    for (const language of ['Python', 'JavaScript', 'curl']) {
      await choose(page, 'Language', language)
      for (const exchange of ['Bitget', 'MEXC']) {
        await choose(page, 'Exchange', exchange)
        const wanted = ['both', exchange].flatMap((group) => PROGRAMS[language]?.[group] ?? [])
        await expect(programsOf(page).locator('pre')).toHaveText(wanted.map(codeOf))
        for (const file of wanted)
          await expect(programsOf(page).filter({ hasText: `: ${file}` })).toHaveCount(1)
      }
    }
  })
  await test.step('310. at 320 px the page does not scroll sideways', async () => {
    await choose(page, 'Language', 'JavaScript')
    await expectNoExcess(page, 320)
  })
})

test('the way from a credential to a bot', async ({ page, gateway, sidebar }) => {
  await test.step('the sidebar leads to the page, and its entry is marked there', async () => {
    await page.goto('/')
    await (await sidebar()).getByRole('link', { name: 'Connect' }).click()
    await expect(page).toHaveURL('/connect')
    await expect(page.getByRole('heading', { level: 1, name: 'Connect a bot' })).toBeVisible()
    const entry = (await sidebar()).getByRole('link', { name: 'Connect' })
    await expect(entry).toHaveAttribute('aria-current', 'page')
  })
  await test.step('after a credential was created the dialog leads here, and Back leads to the clients', async () => {
    gateway.respond(createClient, {
      status: 201,
      body: clientOf({ id: 10, clientSecret: 'sls_x' }),
    })
    await goWithin(page, '/client-credentials')
    await page.getByRole('button', { name: 'Generate' }).click()
    await page.getByRole('button', { name: 'Create Client Credentials' }).click()
    const offer = page.getByRole('dialog').getByRole('button', { name: 'Connect a bot' })
    await expect(offer).toBeDisabled()
    await page.getByRole('dialog').getByLabel('I have stored this secret').check()
    await offer.click()
    await expect(page).toHaveURL('/connect')
    await expect(page.getByRole('heading', { level: 1, name: 'Connect a bot' })).toBeVisible()
    await page.goBack()
    await expect(page).toHaveURL('/client-credentials')
  })
  await test.step('what to set in the bot has the gateway of this console filled in', async () => {
    await goWithin(page, '/connect?exchange=bg')
    const card = page.getByRole('region', { name: 'What to set in the bot' })
    await expect(card).toContainText(`${GATEWAY_URL}/bg`)
    await expect(card).toContainText(`POST ${GATEWAY_URL}/auth/token`)
    await expect(card).toContainText('Authorization: Bearer')
    await expect(card).toContainText('/api/bg/v1 serves both')
    await card.getByRole('button', { name: 'Copy Base URL' }).click()
    await expect.poll(() => clipboardOf(page)).toBe(`${GATEWAY_URL}/bg`)
  })
  await test.step('headers and errors are explained', async () => {
    for (const { name, line } of botHeaders)
      await expect(page.getByRole('figure', { name, exact: true }).locator('pre')).toHaveText(line)
    await expect(page.getByRole('row')).toHaveCount(botErrors.length + 1)
  })
  for (const language of ['curl', 'JavaScript', 'Python'])
    await test.step(`axe finds nothing: connecting a bot, in ${language}`, async () => {
      await choose(page, 'Language', language)
      // The pages differ by their programs alone.
      if (language === 'curl') await expectAccessibleAtBothWidths(page)
      else await expectAccessible(page)
    })
  await test.step('the exchange is in the address; the language is remembered', async () => {
    await goWithin(page, '/connect')
    await choose(page, 'Exchange', 'Bitget')
    await choose(page, 'Language', 'Python')
    await expect(page).toHaveURL('/connect?exchange=bg')
    await page.reload()
    await expect(page.getByRole('figure', { name: 'ccxt: bitget_ccxt.py' })).toBeVisible()
  })
})
