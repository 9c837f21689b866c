import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expectAccessibleAtBothWidths } from './support/axe.ts'
import { expect, expectNoExcess, test } from './support/test.ts'

const BASE = '/docs/guide/'
const folder = process.env.SITE_DIST ?? ''
const read = (path: string) => readFileSync(join(folder, path), 'utf8')

test('the documentation in a browser', async ({ page, baseURL }) => {
  const elsewhere: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(`${baseURL}/`)) elsewhere.push(request.url())
  })
  await test.step('its short address leads to the map of all pages', async () => {
    await page.goto('/docs')
    await expect(page).toHaveURL(new RegExp(`${BASE}$`))
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    // Only now does anything listen to keys.
    await page.waitForFunction(() => '__vue_app__' in (document.querySelector('#app') ?? {}))
  })
  await test.step('the first key leads past the navigation', async () => {
    await page.keyboard.press('Tab')
    await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  })
  await test.step('a group of the sidebar opens by key', async () => {
    const group = page.getByRole('button', { name: 'Connect a bot' })
    await group.press('Enter')
    await expect(group).toHaveAttribute('aria-expanded', 'true')
    await expect(
      page.locator('#VPSidebarNav').getByRole('link', { name: 'freqtrade' }),
    ).toBeVisible()
  })
  await test.step('the search needs no server, and a key opens what it finds', async () => {
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('searchbox').fill('idempotency')
    await expect(dialog.getByRole('link', { name: /Idempotency-Key/ }).first()).toBeVisible()
    await expectAccessibleAtBothWidths(page)
    await dialog.getByRole('searchbox').press('Enter')
    await expect(page).toHaveURL(/outcomes\.html#/)
    await expect(page.getByRole('heading', { level: 1, name: /outcome/i })).toBeVisible()
  })
  await test.step('the chosen colours are those of the console too', async () => {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.getByRole('switch').click()
    await expect(page.locator('html.dark')).toBeAttached()
    await page.goto('/')
    await expect(page.locator('html[data-mantine-color-scheme=dark]')).toBeAttached()
    await page.evaluate(() => localStorage.clear())
  })
  await test.step('a page with code and tables', async () => {
    await page.goto(`${BASE}operations/containers.html`)
    await expectAccessibleAtBothWidths(page)
    await expectNoExcess(page, 320)
  })
  expect(elsewhere).toEqual([])
})

test('the documentation as text', async ({ request }) => {
  await test.step('each page is at its address as Markdown too', async () => {
    const page = await (await request.get(`${BASE}limits.html`)).text()
    const [, address = ''] = /type="text\/markdown" href="([^"]+)"/.exec(page) ?? []
    const response = await request.get(address)
    expect(response.headers()['content-type']).toMatch(/^text\/markdown; *charset=utf-8$/i)
    expect(await response.text()).toMatch(/^# Limits: what a client may trade\n/)
  })
  await test.step('what it does not have is its own page', async () => {
    const response = await request.get(`${BASE}gone.html`)
    expect(response.status()).toBe(404)
    expect(await response.text()).toContain('<div id="app">')
  })
  await test.step('the list for language models has each page of the map', async () => {
    const links = [...read('llms.txt').matchAll(/^- \[.+\]\((.+)\): .+$/gm)].map(
      ([, to = '']) => to,
    )
    const items = readFileSync('docs/README.md', 'utf8').match(/^- \[/gm) ?? []
    expect(links).toHaveLength(items.length)
    expect(links.filter((to) => !existsSync(join(folder, to.slice(BASE.length))))).toEqual([])
    expect(read('llms-full.txt')).toContain(read('outcomes.md'))
  })
})

test('each link of the documentation leads to a file and a heading, and no script is inline', () => {
  const pages = globSync('**/*.html', { cwd: folder })
  const anchors = new Map(
    pages.map((page) => [
      page,
      new Set([...read(page).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
    ]),
  )
  const isThere = (from: string, to: string) => {
    const { pathname, hash } = new URL(to, `http://site${BASE}${from}`)
    if (!pathname.startsWith(BASE)) return false
    const path = decodeURI(pathname.slice(BASE.length)).replace(/(^|\/)$/, '$1index.html')
    const anchor = decodeURIComponent(hash.slice(1))
    if (!existsSync(join(folder, path))) return false
    return anchor === '' || anchors.get(path.replace(/\.md$/, '.html'))?.has(anchor) === true
  }
  const isOurs = (to: string) => !/^[a-z]+:/.test(to)
  const broken = pages.flatMap((page) => {
    const linked = [...read(page).matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, to = '']) => to)
    return linked.filter((to) => isOurs(to) && !isThere(page, to)).map((to) => `${page}: ${to}`)
  })
  const brokenInText = globSync('**/*.md', { cwd: folder }).flatMap((page) => {
    const prose = read(page)
      .replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
      .replaceAll(/`[^`\n]*`/g, '')
    const linked = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = '']) => to)
    return linked.filter((to) => isOurs(to) && !isThere(page, to)).map((to) => `${page}: ${to}`)
  })
  expect([...broken, ...brokenInText]).toEqual([])
  expect(pages.length).toBeGreaterThan(40)
  expect(pages.filter((page) => /<script(?![^>]* src=)/.test(read(page)))).toEqual([])
  // What a rule of the generator returned for no text.
  expect(pages.filter((page) => />undefined|undefined</.test(read(page)))).toEqual([])
})
