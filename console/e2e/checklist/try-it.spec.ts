import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import {
  bgFuturesPlaceOrder,
  bgGetAccountInfo,
  bgSpotPlaceOrder,
  getToken,
  mxSubmitOrder,
} from 'schema'
import { expectAccessible, expectAccessibleAtBothWidths } from '../support/axe.ts'
import { openFrozen, passMs, stepUntilVisible } from '../support/freeze-clock.ts'
import { type Call, GATEWAY_URL } from '../support/stub-gateway.ts'
import { clipboardOf, expect, goWithin, SESSION, storedKeys, test } from '../support/test.ts'
import {
  CLIENT_TOKEN,
  choose,
  curlOf,
  fieldOf,
  fill,
  formOf,
  press,
  responseOf,
  sendButtonOf,
  statusOf,
  tokenUntil,
} from '../support/try-it.ts'

test.beforeEach(({ signedIn }) => void signedIn)

const PAGES = {
  mexc: { address: '/mexc/trading/place-order', endpoint: mxSubmitOrder },
  spot: { address: '/bitget/trading/spot', endpoint: bgSpotPlaceOrder },
  futures: { address: '/bitget/trading/futures', endpoint: bgFuturesPlaceOrder },
  account: { address: '/bitget/account/info', endpoint: bgGetAccountInfo },
  token: { address: '/mexc/auth/token', endpoint: getToken },
} as const

/** Goes to a form from another one. */
const open = async (page: Page, { address, endpoint }: (typeof PAGES)[keyof typeof PAGES]) => {
  await goWithin(page, address)
  await expect(curlOf(page)).toContainText(endpoint.path)
}
const optionsOf = async (page: Page, name: string) => {
  await fieldOf(page, name).click()
  const options = await page.getByRole('option').allTextContents()
  await page.keyboard.press('Escape')
  return options
}
const bodyOf = (call: Call | undefined): unknown => call?.postDataJSON()

test('204. 206. without a token or a price an order is not sent', async ({ page, gateway }) => {
  await page.goto(PAGES.account.address)
  for (const name of ['account', 'mexc', 'spot', 'futures'] as const)
    await test.step(`204. ${name} sends nothing without a token`, async () => {
      await open(page, PAGES[name])
      await press(page)
      await expect(page.getByText('JWT token is required')).toBeVisible()
      await expect(fieldOf(page, 'JWT token')).toBeFocused()
      expect(gateway.calls(PAGES[name].endpoint)).toHaveLength(0)
      // The errors of all forms look alike.
      if (name === 'spot') await expectAccessibleAtBothWidths(page)
    })
  for (const [name, typeField, limit, market] of [
    ['mexc', 'type', 'LIMIT', 'MARKET'],
    ['futures', 'orderType', 'limit', 'market'],
    ['spot', 'orderType', 'limit', 'market'],
  ] as const)
    await test.step(`206. a limit order of ${name} needs a price, a market order does not`, async () => {
      const { endpoint } = PAGES[name]
      await open(page, PAGES[name])
      await fill(page, { 'JWT token': CLIENT_TOKEN })
      await choose(page, typeField, limit)
      await fill(page, { price: '' })
      await press(page)
      await expect(
        page.getByText('Price is required for limit orders', { exact: true }),
      ).toBeVisible()
      await expect(fieldOf(page, 'price')).toBeFocused()
      expect(gateway.calls(endpoint)).toHaveLength(0)
      await choose(page, typeField, market)
      await press(page)
      await expect.poll(() => gateway.calls(endpoint).length).toBe(1)
      expect(bodyOf(gateway.calls(endpoint)[0])).not.toHaveProperty('price')
    })
  await test.step('a field that was corrected loses its message', async () => {
    const problem = formOf(page).getByText('size is required', { exact: true })
    await fill(page, { size: '' })
    await press(page)
    await expect(problem).toBeVisible()
    await fill(page, { size: '1' })
    await expect(problem).toHaveCount(0)
  })
})

/** Runs a command in a POSIX shell against a server that returns what it received. */
async function receivedBy(
  command: string,
): Promise<{ method: string; url: string; body: string; authorization: string; type: string }> {
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof receivedBy>>>()
  const server = createServer(async (request, reply) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { authorization = '', 'content-type': type = '' } = request.headers
    resolve({ method: request.method ?? '', url: request.url ?? '', body, authorization, type })
    reply.end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  try {
    const local = command.replace(GATEWAY_URL, `http://127.0.0.1:${port}`)
    await promisify(execFile)('sh', ['-c', local], { env: { ...process.env, TOKEN: 'from-env' } })
    return await promise
  } finally {
    server.close()
  }
}

test('198. 199. 201. 211. 290. forms send by their names, and the command does the same', async ({
  page,
  gateway,
}) => {
  await page.goto(PAGES.mexc.address)
  await test.step('198. the MEXC form sends the order by its names', async () => {
    await expect(fieldOf(page, 'symbol')).toHaveValue('BTC_USDT')
    expect(await optionsOf(page, 'side')).toEqual(['BUY', 'SELL'])
    expect(await optionsOf(page, 'type')).toEqual(['LIMIT', 'MARKET'])
    await fill(page, { 'JWT token': CLIENT_TOKEN })
    await choose(page, 'side', 'SELL')
    await fill(page, { quantity: '0.010', price: '60000.10' })
    await press(page)
    await expect.poll(() => gateway.calls(mxSubmitOrder).length).toBe(1)
    expect(bodyOf(gateway.calls(mxSubmitOrder)[0])).toEqual({
      ...{ symbol: 'BTC_USDT', side: 'SELL', type: 'LIMIT' },
      ...{ quantity: '0.010', price: '60000.10' },
    })
  })
  await test.step('211. the cURL command follows the form and does in a shell what the form does', async () => {
    await fill(page, { price: '60000' })
    await expect(curlOf(page)).toContainText('"price": "60000"')
    await fill(page, { clientOrderId: `it's "$HOME" \`id\` \\ !!` })
    await press(page)
    await expect.poll(() => gateway.calls(mxSubmitOrder).length).toBe(2)

    const withVariable = await receivedBy((await curlOf(page).textContent()) ?? '')
    expect(withVariable.authorization).toBe('Bearer from-env')
    await page.getByLabel('Include the token').check()
    const received = await receivedBy((await curlOf(page).textContent()) ?? '')
    const [, request] = gateway.calls(mxSubmitOrder)
    expect(received).toMatchObject({
      method: request?.method(),
      url: mxSubmitOrder.path,
      authorization: await request?.headerValue('authorization'),
      type: 'application/json',
    })
    expect(JSON.parse(received.body)).toEqual(bodyOf(request))
  })
  await test.step('199. the Bitget spot form sends the order by its names', async () => {
    await open(page, PAGES.spot)
    expect(await optionsOf(page, 'side')).toEqual(['buy', 'sell'])
    expect(await optionsOf(page, 'orderType')).toEqual(['limit', 'market'])
    expect(await optionsOf(page, 'force')).toEqual(['gtc', 'ioc', 'fok', 'post_only'])
    await fill(page, { 'JWT token': CLIENT_TOKEN, symbol: 'ETHUSDT', size: '0.5', price: '3000' })
    await choose(page, 'force', 'post_only')
    await press(page)
    await expect.poll(() => gateway.calls(bgSpotPlaceOrder).length).toBe(1)
    expect(bodyOf(gateway.calls(bgSpotPlaceOrder)[0])).toEqual({
      ...{ symbol: 'ETHUSDT', side: 'buy', orderType: 'limit' },
      ...{ size: '0.5', price: '3000', force: 'post_only' },
    })
  })
  await test.step('201. presets of a futures order are sent only when they are filled in', async () => {
    const presets = {
      presetStopSurplusPrice: '70000',
      stopSurplusTriggerPrice: '69000',
      presetStopLossPrice: '50000',
      stopLossTriggerPrice: '51000',
    }
    await open(page, PAGES.futures)
    await fill(page, { 'JWT token': CLIENT_TOKEN, price: '60000' })
    for (const name of ['stopSurplusTriggerType', 'stopLossTriggerType'])
      expect(await optionsOf(page, name)).toContain('mark_price')
    await press(page)
    await expect.poll(() => gateway.calls(bgFuturesPlaceOrder).length).toBe(1)
    for (const name of [...Object.keys(presets), 'stopSurplusTriggerType', 'stopLossTriggerType'])
      expect(bodyOf(gateway.calls(bgFuturesPlaceOrder)[0])).not.toHaveProperty(name)

    await fill(page, presets)
    await choose(page, 'stopSurplusTriggerType', 'mark_price')
    await choose(page, 'stopLossTriggerType', 'mark_price')
    await press(page)
    await expect.poll(() => gateway.calls(bgFuturesPlaceOrder).length).toBe(2)
    expect(bodyOf(gateway.calls(bgFuturesPlaceOrder)[1])).toMatchObject({
      ...presets,
      stopSurplusTriggerType: 'mark_price',
      stopLossTriggerType: 'mark_price',
    })
  })
  await test.step('211. the cURL command of a read has the query and no body', async () => {
    await open(page, PAGES.account)
    await choose(page, 'accountType', 'futures')
    const received = await receivedBy((await curlOf(page).textContent()) ?? '')
    expect(received).toMatchObject({
      method: 'GET',
      url: `${bgGetAccountInfo.path}?accountType=futures`,
      body: '',
    })
  })
  await test.step('290. a command holds variables in place of token and secret', async () => {
    await open(page, PAGES.token)
    await fill(page, { clientId: 'grid-bot', clientSecret: 'sls_secret' })
    await expect(curlOf(page)).toContainText('$CLIENT_SECRET')
    await expect(curlOf(page)).not.toContainText('sls_secret')
    await page.getByLabel('Include the client secret').check()
    await expect(curlOf(page)).toContainText('sls_secret')
  })
})

test('200. 203. 279. 283. the futures form, a token page, and an order that is not waited for', {
  tag: '@both',
}, async ({ page, gateway }) => {
  await page.goto(PAGES.futures.address)
  await test.step('200. the futures form has its fixed values and choices', async () => {
    for (const [name, value] of [
      ['productType', 'USDT-FUTURES'],
      ['marginCoin', 'USDT'],
      ['force', 'gtc'],
    ] as const) {
      await expect(fieldOf(page, name)).toHaveValue(value)
      await expect(fieldOf(page, name)).not.toBeEditable()
    }
    expect(await optionsOf(page, 'marginMode')).toEqual(['crossed', 'isolated'])
    expect(await optionsOf(page, 'leverage')).toEqual(['1', '2', '5', '10', '20', '50'])
    await fill(page, { 'JWT token': CLIENT_TOKEN })
    await choose(page, 'leverage', '20')
    await fill(page, { size: '0.01', price: '60000' })
    await press(page)
    await expect.poll(() => gateway.calls(bgFuturesPlaceOrder).length).toBe(1)
    expect(bodyOf(gateway.calls(bgFuturesPlaceOrder)[0])).toEqual({
      ...{ symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginMode: 'crossed' },
      ...{ marginCoin: 'USDT', size: '0.01', price: '60000', side: 'buy', orderType: 'limit' },
      ...{ force: 'gtc', leverage: 20 },
    })
  })
  await test.step('283. waiting for an order can be stopped, and says that the order is not', async () => {
    await open(page, PAGES.spot)
    await fill(page, { 'JWT token': CLIENT_TOKEN, price: '60000' })
    const release = gateway.hold(bgSpotPlaceOrder)
    await press(page)
    await expect(responseOf(page)).toContainText('60 to 180 seconds')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Stop waiting' }).click()
    await expect(responseOf(page)).toContainText('This does not cancel the order')
    await expect(sendButtonOf(page)).toBeEnabled()
    release()
  })
  await test.step('279. what the gateway reports of a response is shown with it', async () => {
    gateway.respond(getToken, {
      body: '{"success":true}',
      headers: {
        ...{ 'x-request-id': 'req-7', 'x-queue-wait-ms': '1250' },
        ...{ ratelimit: '"bg";r=1;t=0', 'ratelimit-policy': '"bg";q=2;w=1' },
      },
    })
    await open(page, PAGES.token)
    await fill(page, { clientId: 'grid-bot', clientSecret: 'sls_secret' })
    await press(page)
    for (const text of ['1,250 ms', 'req-7', '"bg";r=1;t=0', '"bg";q=2;w=1', '16 bytes'])
      await expect(responseOf(page)).toContainText(text.replace(' ', '\u202f'))
    const took = responseOf(page).getByRole('definition').first()
    await expect(took).toHaveText(/^\d[\d,.]*\u202fm?s$/)
  })
  await test.step('203. a token page sends the request and shows the response', async () => {
    gateway.respond(getToken, { body: { ...getToken.sample.response, token: CLIENT_TOKEN } })
    await fill(page, { expiresIn: '3600' })
    await press(page)
    await expect(responseOf(page)).toContainText(CLIENT_TOKEN)
    expect(bodyOf(gateway.calls(getToken).at(-1))).toEqual({
      clientId: 'grid-bot',
      clientSecret: 'sls_secret',
      expiresIn: 3600,
    })
    expect(await gateway.calls(getToken)[0]?.headerValue('authorization')).toBeNull()
    await expect(fieldOf(page, 'JWT token')).toHaveValue(CLIENT_TOKEN)
  })
})

test('202. 205. 276. 281. a read is sent with the token that is pasted, and its long response cut', async ({
  page,
  gateway,
}) => {
  await page.goto(PAGES.account.address)
  await test.step('202. account info is asked without body and Content-Type', async () => {
    await fill(page, { 'JWT token': CLIENT_TOKEN })
    await press(page)
    await expect.poll(() => gateway.calls(bgGetAccountInfo).length).toBe(1)
    const request = gateway.calls(bgGetAccountInfo).at(-1)
    expect(request?.postData()).toBeNull()
    expect(await request?.headerValue('content-type')).toBeNull()
  })
  await test.step('205. a try-it call carries the pasted token', async () => {
    await fill(page, { 'JWT token': `  Bearer ${CLIENT_TOKEN} ` })
    await press(page)
    await expect.poll(() => gateway.calls(bgGetAccountInfo).length).toBe(2)
    const sent = await gateway.calls(bgGetAccountInfo)[1]?.headerValue('authorization')
    expect(sent).toBe(`Bearer ${CLIENT_TOKEN}`)
  })
  await test.step('276. a token that is no JWT is reported and can be sent', async () => {
    await fill(page, { 'JWT token': 'nonsense' })
    await expect(page.getByText('This does not look like a JWT')).toBeVisible()
    await fill(page, { 'JWT token': tokenUntil(1) })
    await expect(page.getByText('This token has expired')).toBeVisible()
    await press(page)
    await expect.poll(() => gateway.calls(bgGetAccountInfo).length).toBe(3)
  })
  await test.step('281. a response of 5 MB is cut on screen and whole in the download', async () => {
    gateway.respond(bgGetAccountInfo, { body: `"${'x'.repeat(5_000_000)}"` })
    await press(page)
    await expect(responseOf(page)).toContainText('are shown')
    const downloading = page.waitForEvent('download')
    await responseOf(page).getByRole('button', { name: 'Download' }).click()
    const { size } = await stat(await (await downloading).path())
    expect(size).toBe(5_000_002)
  })
})

test('207. to 209. 280. each kind of response and failure is shown, and keeps the session', async ({
  page,
  gateway,
}) => {
  let loads = 0
  page.on('load', () => {
    loads += 1
  })
  await page.goto(PAGES.account.address)
  await test.step('208. 400, 401, 429 and 500 show status and body and keep the session', async () => {
    await fill(page, { 'JWT token': CLIENT_TOKEN })
    for (const status of [400, 401, 429, 500])
      await test.step(`${status}`, async () => {
        gateway.respond(bgGetAccountInfo, { status, body: { message: `because of ${status}` } })
        await press(page)
        await expect(statusOf(page)).toHaveText(new RegExp(`^${status} `))
        await expect(responseOf(page).locator('pre')).toHaveText(
          `{"message":"because of ${status}"}`,
        )
        // The errors look alike.
        if (status === 400) await expectAccessible(page)
        expect.soft(loads).toBe(1)
        expect.soft((await storedKeys(page)).authToken).toBe(SESSION.token)
      })
  })
  await test.step('207. 280. each kind of response is shown as received', async () => {
    for (const [kind, body] of [
      ['plain text', 'Service <b>says</b> hello'],
      ['JSON', '{"orderId":1253261109769874438,"price":1.10}'],
    ] as const)
      await test.step(`207. ${kind} is shown as received`, async () => {
        gateway.respond(bgGetAccountInfo, { body })
        await press(page)
        await expect(responseOf(page).locator('pre')).toHaveText(body)
        await expect(statusOf(page)).toHaveText('200 OK')
        expect(await responseOf(page).locator('pre').textContent()).toBe(body)
      })
    await test.step('280. formatted, a response keeps every digit', async () => {
      const body = responseOf(page).locator('pre')
      const lines = '{\n"orderId":1253261109769874438,\n"price":1.10\n}'
      expect(await body.innerText()).toBe(lines)
      await page.getByRole('button', { name: 'Format JSON' }).click()
      expect(await body.innerText()).toBe(lines.replaceAll('\n', ''))
    })
    gateway.respond(bgGetAccountInfo, { status: 200 })
    await press(page)
    await expect(responseOf(page), '207. empty').toContainText('The body is empty.')
    await expect(statusOf(page), '207. empty').toHaveText('200 OK')
  })
  await test.step('209. a network failure shows its message and what to check', async () => {
    gateway.respond(bgGetAccountInfo, 'offline')
    await press(page)
    await expect(responseOf(page).getByRole('alert')).toContainText('Failed to fetch')
    await expect(responseOf(page)).toContainText(GATEWAY_URL)
    await expectAccessible(page)
  })
})

test('210. 212. 275. 284. times of a token, of calls and of a copied command', async ({
  page,
  gateway,
  sidebar,
}) => {
  await test.step('275. a token that was got is offered to the other forms of the tab, with its life', async () => {
    const token = tokenUntil(1_772_717_422 + 600)
    gateway.respond(getToken, { body: { ...getToken.sample.response, token } })
    await openFrozen(page, PAGES.token.address, sendButtonOf(page))
    await fill(page, { clientId: 'grid-bot', clientSecret: 'sls_secret' })
    await press(page)
    await expect(fieldOf(page, 'JWT token')).toHaveValue(token)
    const navigation = await sidebar()
    for (const name of ['Bitget', 'Account APIs'])
      await navigation.getByRole('button', { name, exact: true }).click()
    await navigation.getByRole('link', { name: 'Account Info' }).click()
    await stepUntilVisible(page, page.getByRole('heading', { level: 1, name: 'Account Info' }))
    await expect(fieldOf(page, 'JWT token')).toHaveValue(token)
    await expect(formOf(page)).toContainText(/Expires in \d+:\d\d/)
    const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))
    expect(stored).not.toContain(token)
  })
  await test.step('210. a pending call is visible, sent once, and its response arrives after 180 s', async () => {
    await fill(page, { 'JWT token': CLIENT_TOKEN })
    const release = gateway.hold(bgGetAccountInfo)
    await sendButtonOf(page).dblclick()
    const sending = page.getByRole('button', { name: 'Sending...' })
    await expect(sending).toBeDisabled()
    await passMs(page, 180_000)
    await expect(responseOf(page)).toContainText('Waiting for the response: 180 s')
    await page.keyboard.press('Enter')
    gateway.respond(bgGetAccountInfo, { body: '{"late":true}' })
    release()
    await expect(responseOf(page).locator('pre')).toHaveText('{"late":true}')
    await expect(sendButtonOf(page)).toBeEnabled()
    expect(gateway.calls(bgGetAccountInfo)).toHaveLength(1)
  })
  await test.step('212. copying the cURL command shows a check mark for 2 s', async () => {
    await goWithin(page, PAGES.mexc.address)
    await stepUntilVisible(page, curlOf(page).filter({ hasText: mxSubmitOrder.path }))
    const button = page.getByRole('button', { name: 'Copy cURL command' })
    await button.click()
    await expect(button.locator('[data-icon="check"]')).toBeVisible()
    expect(await clipboardOf(page)).toBe(await curlOf(page).textContent())
    await passMs(page, 1850)
    await expect(button.locator('[data-icon="check"]')).toBeVisible()
    await passMs(page, 300)
    await expect(button.locator('[data-icon="copy"]')).toBeVisible()
  })
  await goWithin(page, PAGES.spot.address)
  await stepUntilVisible(page, curlOf(page).filter({ hasText: bgSpotPlaceOrder.path }))
  await fill(page, { 'JWT token': CLIENT_TOKEN, price: '60000' })
  for (const status of [429, 503])
    await test.step(`284. after ${status} the wait counts down`, async () => {
      const [body, headers] = [{ outcome: 'not-sent' }, { 'retry-after': '3' }]
      gateway.respond(bgSpotPlaceOrder, { status, body, headers })
      await press(page)
      await expect(statusOf(page)).toHaveText(new RegExp(`^${status} `))
      const wait = responseOf(page).getByRole('definition').last()
      await expect(wait).toHaveText('3 s')
      await passMs(page, 2000)
      await expect(wait).toHaveText('1 s')
      await passMs(page, 2000)
      await expect(wait).toHaveText('now')
    })
})
