import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { httpServer } from '../../gateway/test/support/http-server.ts'
import { auditAdvisories, auditSignatures } from '../src/audit-packages.ts'
import { folderName, productionFolders, readLock } from '../src/sbom.ts'

const lock = readLock()
const manifests = globSync('{.,*,gateway/paper-exchange}/package.json', {
  exclude: ['node_modules'],
})

test.each(manifests)('%s names exact versions', (file) => {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = JSON.parse(
    readFileSync(file, 'utf8'),
  )
  const named = {
    ...{ ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies },
  }
  const ranges = Object.entries<string>(named).filter(
    ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
  )
  expect(ranges).toEqual([])
})

test('each package with an install script is allowed or forbidden by name, and no other', () => {
  const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const named = Object.keys(allowScripts)
  const withScript = new Set(
    Object.entries(lock).flatMap(([path, { hasInstallScript, name }]) =>
      hasInstallScript === true ? [name ?? folderName(path)] : [],
    ),
  )
  expect(withScript.size).toBeGreaterThan(0)
  expect([...withScript].filter((name) => !named.includes(name))).toEqual([])
  // npm compiles a package with such a file unless it is forbidden; the lock file does not say so.
  const compiled = (name: string) => existsSync(`node_modules/${name}/binding.gyp`)
  expect(named.filter((name) => !withScript.has(name) && !compiled(name))).toEqual([])
})

test('each package has an integrity hash, its own or that of the package that it came in', () => {
  const unhashed = Object.entries(lock).filter(
    ([path, { link, inBundle, integrity }]) =>
      path.includes('node_modules/') && !(link || inBundle) && integrity === undefined,
  )
  expect(unhashed.map(([path]) => path)).toEqual([])
})

test('docs/reference/dependencies.md has a reason for each package that a workspace names, and no other', () => {
  const named = manifests.flatMap((file) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
      readFileSync(file, 'utf8'),
    )
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
  })
  const own = new Set(manifests.map((file) => JSON.parse(readFileSync(file, 'utf8')).name))
  const wanted = [...new Set(named)].filter((name) => !own.has(name))
  const page = readFileSync('docs/reference/dependencies.md', 'utf8')
  const rows = [...page.matchAll(/^\| `([^`]+)` \| [^|]{4,} \|/gm)].map(([, name]) => name)
  expect(rows.toSorted()).toEqual(wanted.toSorted())
})

const FREE = [
  'MIT',
  'Apache-2.0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
].concat(['Unlicense', 'CC0-1.0'])
const FOR_TESTS = [...FREE, 'MPL-2.0', 'Python-2.0', 'PSF-2.0']

test('each package has a licence that Sluice may use it by', () => {
  // The console's image holds no package: Vite, which builds it, is for builds alone.
  const running = new Set(productionFolders(lock, 'gateway'))
  const wrong = Object.entries(lock)
    .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
    .filter(([path, { license = '' }]) => {
      const allowed = running.has(path) ? FREE : FOR_TESTS
      return !license.split(/[() ]+OR[() ]+|[()]/).some((one) => allowed.includes(one))
    })
  expect(wrong.map(([path]) => folderName(path))).toEqual(['parse-cache-control'])
})

// The validator of every request was a fork: a tool of the tests wanted it under the name "ajv",
// and npm gave that one folder to everybody.
test.each(['gateway', 'console'])(
  'what the %s runs is what its packages ask for by name',
  (workspace) => {
    const aliases = [...productionFolders(lock, workspace)].filter(
      (path) => path.includes('node_modules/') && lock[path]?.name !== undefined,
    )
    expect(aliases).toEqual([])
  },
)

/** A registry with these keys, and an npm that found this. */
async function audited(keys: object | undefined, found: string) {
  const url = await httpServer((_request, response) =>
    response.writeHead(keys === undefined ? 404 : 200).end(JSON.stringify(keys)),
  )
  return auditSignatures(async ([command]) => (command === 'config' ? `${url}\n` : found))
}

const KEYS = { keys: [{ keyid: 'SHA256:x' }] }
const listOf = (invalid: object[], missing: object[] = []) => JSON.stringify({ invalid, missing })
const NONE = listOf([])

test.each([
  ['a registry without keys', undefined, NONE, null, /not checked: the registry offers no keys/],
  ['an empty list of keys', { keys: [] }, NONE, null, /offers no keys/],
  ['good signatures', KEYS, NONE, true, /signed by the registry/],
  ['a bad one', KEYS, listOf([{ name: 'a', version: '1.0.0' }]), false, /a@1\.0\.0/],
  ['a missing one', KEYS, listOf([], [{ name: 'b', version: '2.0.0' }]), false, /b@2/],
  ['a network that fails', KEYS, '{"error":{"code":"ENOTFOUND"}}', null, /could not finish/],
  ['an npm that says nothing', KEYS, '', null, /could not finish/],
] as const)('signatures: %s', async (_what, keys, found, isGood, text) => {
  expect(await audited(keys, found)).toEqual({ isGood, text: expect.stringMatching(text) })
})

test('signatures: a registry that cannot be reached proves nothing', async () => {
  const found = await auditSignatures(async () => 'http://127.0.0.1:1/')
  expect(found).toEqual({ isGood: null, text: expect.stringContaining('not checked') })
})

/** As npm 11 reports: what needs a vulnerable package names it. */
const ADVISORY = {
  url: 'https://github.com/advisories/GHSA-1111-2222-3333',
  name: 'a',
  title: 'Bad',
}
const reportOf = (...via: object[]) =>
  JSON.stringify({ vulnerabilities: { a: { via }, b: { via: via.length === 0 ? [] : ['a'] } } })

test.each([
  ['no advisory', reportOf(), true, /none of a package that runs/],
  ['a new advisory', reportOf(ADVISORY), false, /a: Bad \(GHSA-1111-2222-3333\)/],
  ['one that was looked at', reportOf({ ...ADVISORY, url: 'x/GHSA-known' }), true, /1 known/],
  ['a registry that has none', '{"message":"405 Method Not Allowed"}', null, /not checked/],
  ['an npm that says nothing', '', null, /not checked/],
] as const)('advisories: %s', async (_what, found, isGood, text) => {
  const known = { 'GHSA-known': 'that function is not called' }
  const audit = await auditAdvisories(async () => found, known)
  expect(audit).toEqual({ isGood, text: expect.stringMatching(text) })
})
