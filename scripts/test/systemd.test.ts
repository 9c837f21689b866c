import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readConfig } from 'gateway/config.ts'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../gateway/test/support/eventually.ts'
import { freePort } from '../../gateway/test/support/free-port.ts'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'
import { caddyfileFor } from '../src/up.ts'
import { headersOf, SITE_PATHS, servedConsole } from './support/served-console.ts'

const FOLDER = 'deploy/systemd'
const unit = readFileSync(`${FOLDER}/sluice.service`, 'utf8')
const caddyfile = readFileSync(`${FOLDER}/Caddyfile`, 'utf8')
const imagesCaddyfile = readFileSync('deploy/Caddyfile', 'utf8')
const defaults = readConfig({})

const has = (program: string) => spawnSync(program, ['--version']).error === undefined
const hasSystemd = has('systemd-analyze')
const hasCaddy = has('caddy')

const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''

test('the unit starts the gateway as npm start does', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const [, ...withNpm] = String(scripts.start).replace('exec ', '').split(' ')
  const [, ...withUnit] = settingOf('ExecStart').split(' ')
  const isSettings = (argument: string) => argument.startsWith('--env-file')
  expect(withUnit.filter((argument) => !isSettings(argument))).toEqual(
    withNpm.filter((argument) => !isSettings(argument)),
  )
})

test('the gateway may open a file for each of its connections', () => {
  expect(Number(settingOf('LimitNOFILE'))).toBeGreaterThan(3 * defaults.connections.inAll)
})

test('the proxy without containers has the timeouts of the one with them', () => {
  const times = (text: string) =>
    [...text.matchAll(/(response_header_timeout|keepalive|read_header|idle) (\w+)/g)].map(
      ([, name, time]) => `${name} ${time}`,
    )
  expect(new Set(times(caddyfile))).toEqual(new Set(times(imagesCaddyfile)))
  expect(caddyfile).toMatch(/@metrics path \/metrics \/metrics\/\*\n\trespond @metrics 404/)
})

const SERVICES = readdirSync(FOLDER).filter((name) => name.endsWith('.service'))

/** Runs `systemd-analyze` on a unit beside the others, with the paths of this folder. */
function analyze(service: string, ...args: string[]) {
  const folder = tempFolder()
  for (const name of readdirSync(FOLDER).filter((each) => /\.(service|timer)$/.test(each))) {
    const text = readFileSync(join(FOLDER, name), 'utf8')
    writeFileSync(join(folder, name), text.replaceAll('/opt/sluice/current', resolve('.')))
  }
  const path = join(folder, service.replace('@', '@example'))
  if (service.includes('@')) renameSync(join(folder, service), path)
  return spawnSync('systemd-analyze', [...args, path], { encoding: 'utf8' })
}

test.skipIf(!hasSystemd).each(SERVICES)('systemd understands every line of %s', (service) => {
  const { stdout, stderr } = analyze(service, 'verify', '--man=no')
  expect(`${stdout}${stderr}`).toBe('')
})

test.skipIf(!hasSystemd).each([
  ['sluice.service', 15],
  ['sluice-backup.service', 18],
  ['sluice-backup-check.service', 18],
])('systemd rates the exposure of %s as at most %d of 100', (service, tenths) => {
  const { status, stdout } = analyze(service, 'security', '--offline=true', `--threshold=${tenths}`)
  expect(status, stdout).toBe(0)
})

/** The console's part of the Caddyfile, without TLS, in a process that the test ends. */
async function startCaddy(dist: string): Promise<string> {
  const url = `http://127.0.0.1:${await freePort()}`
  const site = caddyfile.slice(caddyfile.indexOf('console.example.com {'))
  const home = tempFolder()
  const path = join(home, 'Caddyfile')
  const text = site
    .replace('console.example.com {', `${url} {`)
    .replace('/opt/sluice/current/console/dist', dist)
  writeFileSync(path, `{\n\tadmin off\n}\n${text}`)
  const caddy = spawn('caddy', ['run', '--config', path, '--adapter', 'caddyfile'], {
    stdio: 'ignore',
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home },
  })
  onTestFinished(() => void caddy.kill())
  await eventually(async () => expect((await fetch(url)).ok).toBe(true))
  return url
}

/** A browser runs no script and applies no style of another type; machines name one of two. */
const typeOf = ({ headers }: Response) =>
  headers.get('content-type')?.replace(/;.*/, '').replace('application/java', 'text/java')

test.skipIf(!hasCaddy)('Caddy serves the console with types and headers of the demo', async () => {
  const demo = await servedConsole()
  const caddyUrl = await startCaddy(demo.dist)
  const paths = ['/', '/clients', '/index.html', '/assets/index-abc.js', '/assets/gone.js']
  const ofSite = ['/docs', '/docs/', '/docs/guide', ...SITE_PATHS.map(({ path }) => path)]
  for (const path of [...paths, ...ofSite, '/scheme.js', '/favicon.svg', '/config.json']) {
    const [expected, found] = await Promise.all(
      [demo.url, caddyUrl].map(async (url) => {
        const response = await fetch(`${url}${path}`, { redirect: 'manual' })
        const headers = headersOf(response)
        const type = typeOf(response)
        return { path, status: response.status, type, headers, text: await response.text() }
      }),
    )
    const transport = { 'strict-transport-security': 'max-age=31536000' }
    expect(found).toEqual({ ...expected, headers: { ...expected?.headers, ...transport } })
  }
})

test('no other user of the machine administers Caddy', () => {
  expect(caddyfile.match(/^\tadmin .*$/gm)).toEqual(['\tadmin unix//var/lib/caddy/admin.sock'])
})

test('"up" gives Caddy this file, for its own domain, port and folder', () => {
  const text = caddyfileFor('sluice.test', 8090, '/srv/a release/console/dist')
  expect(text).not.toMatch(/example\.com|\/opt\/sluice|:8080/)
  expect(text.match(/^\S*sluice\.test \{$/gm)).toEqual([
    ...['api.sluice.test {', 'console.sluice.test {'],
  ])
  const config = (file: string) => JSON.parse(/respond `(\{.*\})`/.exec(file)?.[1] ?? '')
  expect(config(text)).toEqual({ gatewayUrl: 'https://api.sluice.test' })
  expect(config(caddyfileFor('sluice.test', 8090, '/srv', true)).openId).toBe(true)
  if (!hasCaddy) return
  const file = join(tempFolder(), 'Caddyfile')
  writeFileSync(file, text)
  const args = ['adapt', '--adapter', 'caddyfile', '--config', file]
  const { status, stdout, stderr } = spawnSync('caddy', args, { encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  const { admin } = JSON.parse(stdout)
  expect(admin, 'every user of the machine could read what Caddy reads').toEqual({ disabled: true })
  expect(stdout).toContain('"root":"/srv/a release/console/dist"')
  expect(stdout).toContain('"dial":"127.0.0.1:8090"')
})
