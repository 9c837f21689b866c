import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { tempFolder } from '../../gateway/test/support/temp-folder.ts'
import { packDeployments } from '../src/artifacts.ts'
import { FILES_WITH_BASES } from '../src/pin-images.ts'
import { makeRelease, nextVersion, planRelease, readNotes, VERSIONED } from '../src/release.ts'

const manifest = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const { version } = manifest('package.json')
const DAY = '2026-12-01'

/** A repository with the files that have versions; its tests and builds only say that they ran. */
function repository(entries = '### Added\n\n- Orders of a new kind.\n') {
  const folder = tempFolder()
  for (const path of [...VERSIONED, ...FILES_WITH_BASES]) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    cpSync(path, join(folder, path))
  }
  for (const path of FILES_WITH_BASES) {
    const pinned = (text: string) =>
      text.replaceAll(
        /^(ARG \w+_IMAGE=|\s+image: )([\w./-]+:[\w.-]+)(@\S+)?$/gm,
        `$1$2@sha256:${'a'.repeat(64)}`,
      )
    writeFileSync(join(folder, path), pinned(readFileSync(path, 'utf8')))
  }
  const root = { ...manifest('package.json'), scripts: {} as Record<string, string> }
  for (const name of ['test:long', 'artifacts'])
    root.scripts[name] = `>> .git/calls echo $(git log -1 --format=%s), ${name}`
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(root, null, 2)}\n`)
  writeFileSync(
    join(folder, 'CHANGELOG.md'),
    `# Changes\n\n## Unreleased\n\n${entries}\n## 0.9.0 - 2026-01-01\n\n- Old.\n`,
  )
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
  git('init', '--quiet', '--initial-branch=main')
  git('config', 'user.name', 'A person')
  git('config', 'user.email', 'person@example.com')
  const commit = () => {
    git('add', '.')
    git('commit', '--quiet', '--message', 'feat: a change')
  }
  commit()
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  return { folder, git, commit, read }
}

test('the version is the same in every package, the lock file and the chart', () => {
  const { folder } = repository()
  // A release of the version that they have changes the change log and nothing else.
  const { files } = planRelease(folder, version, DAY)
  expect([...files.keys()]).toEqual(['CHANGELOG.md'])
})

test('a release tests, writes version and change log, commits, tags, and then makes the files', () => {
  const { folder, git, read } = repository()
  git('tag', `v${version}`)
  const release = planRelease(folder, '7.0.0', DAY)
  expect(release.problems).toEqual([])
  const said: string[] = []
  makeRelease(folder, release, (line) => said.push(line))

  for (const path of VERSIONED) expect(read(path)).toMatch(/version"?: "?7\.0\.0/)
  expect(read('CHANGELOG.md')).toContain(`## Unreleased\n\n## 7.0.0 - ${DAY}\n\n### Added\n`)
  expect(JSON.parse(read('scripts/package.json'))).toMatchObject({
    ...{ version: '7.0.0', dependencies: { gateway: '7.0.0', schema: '7.0.0' } },
  })
  expect(parse(read('deploy/helm/sluice/Chart.yaml'))).toMatchObject({
    ...{ version: '7.0.0', appVersion: '7.0.0' },
  })
  expect(git('status', '--porcelain')).toBe('')
  expect(git('log', '-1', '--format=%s %D')).toBe('release: 7.0.0 HEAD -> main, tag: v7.0.0')
  expect(git('tag', '--list', '--format=%(contents)', 'v7.0.0')).toContain(
    '- Orders of a new kind.',
  )
  expect(said.join()).toContain('git push --atomic origin main v7.0.0')
  expect(read('.git/calls')).toBe(
    'feat: a change, test:long\nrelease: 7.0.0, artifacts --tag v7.0.0\n',
  )
})

test('a release that ended between its commit and its tag is made by the same command', () => {
  const { folder, git, read } = repository()
  git('tag', `v${version}`)
  const release = planRelease(folder, '7.0.0', DAY)
  // No tag can be below another one of its name.
  git('tag', 'v7.0.0/x')
  expect(() => makeRelease(folder, release, () => {})).toThrow()
  git('tag', '--delete', 'v7.0.0/x')
  const again = planRelease(folder, '7.0.0', '2026-12-02')
  expect(again).toMatchObject({ notes: release.notes, problems: [] })
  makeRelease(folder, again, () => {})
  expect(git('log', '-2', '--format=%s %D')).toMatch(
    /^release: 7\.0\.0 HEAD -> main, tag: v7\.0\.0\nfeat: a change tag/,
  )
  expect(read('CHANGELOG.md')).not.toContain('2026-12-02')
})

test('a tag that exists, and a file that the tests change, are in the way before anything is written', () => {
  const { folder, git, read } = repository()
  for (const tag of [`v${version}`, 'v7.0.0']) git('tag', tag)
  expect(planRelease(folder, '7.0.0', DAY).problems).toEqual(['the tag v7.0.0 exists'])
  const release = planRelease(folder, '7.1.0', DAY)
  writeFileSync(join(folder, 'LICENSE'), '')
  expect(() => makeRelease(folder, release, () => {})).toThrow(
    /changed during the tests:\n.*LICENSE/,
  )
  expect(read('CHANGELOG.md')).not.toContain(DAY)
})

test('what stands in the way is said, all of it, before anything is changed', () => {
  const { folder, git, read } = repository('Nothing yet.\n')
  git('checkout', '--quiet', '-b', 'feature')
  writeFileSync(join(folder, 'new.txt'), '')
  cpSync('Dockerfile.gateway', join(folder, 'Dockerfile.gateway'))
  const { problems } = planRelease(folder, version, DAY)
  expect(problems).toEqual([
    expect.stringContaining('the branch is feature'),
    expect.stringMatching(/not committed:\n.*Dockerfile.gateway\n.*new\.txt/),
    expect.stringMatching(/no digest: node:24\S+\. Run "npm run pin-images"/),
    expect.stringContaining('no entry under Unreleased'),
  ])
  expect(read('CHANGELOG.md')).not.toContain(DAY)
})

test.each([
  ['1.2.3', 'patch', true, '1.2.4'],
  ['1.2.3', 'minor', true, '1.3.0'],
  ['1.2.3', 'major', true, '2.0.0'],
  ['1.2.3', '1.10.0', true, '1.10.0'],
  ['1.0.0', '1.0.0', false, '1.0.0'],
])('from %s, "%s" (its tag is there: %s) leads to %s', (current, step, isReleased, expected) => {
  expect(nextVersion(current, step, isReleased)).toBe(expected)
})

test.each([
  ['1.0.0', 'minor', false, /1\.0\.0 has no tag: .*release -- 1\.0\.0/],
  ['1.0.0', '1.0.0', true, /not above 1\.0\.0, which is released/],
  ['1.10.0', '1.9.0', true, /not above/],
  ['1.0.0', '01.1.0', true, /"01\.1\.0" is no version/],
  ['1.0.0', 'v1.1.0', true, /is no version/],
])('from %s, "%s" (its tag is there: %s) is refused', (current, step, isReleased, why) => {
  expect(() => nextVersion(current, step, isReleased)).toThrow(why)
})

test('the notes of a version are its part of the change log', () => {
  const changes =
    '# Changes\n\n## Unreleased\n\n- Three.\n\n## 1.1.0 - 2026-12-01\n\n- Two.\n\n## 1.1.0-x\n'
  expect(readNotes(changes, '1.1.0')).toBe('- Two.\n')
  expect(readNotes(changes, 'Unreleased')).toBe('- Three.\n')
  expect(readNotes(changes, '2.0.0')).toBe('')
})

test('the chart and the compose files of a release take its images from the registry, and build none', async () => {
  const folder = tempFolder()
  await packDeployments(folder, 'ghcr.io/example')
  const names = [`sluice-chart-${version}.tgz`, `sluice-${version}-compose.tar.gz`]
  for (const name of names)
    execFileSync('tar', ['--extract', '--file', join(folder, name), '--directory', folder])
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  const { image } = parse(read('sluice/values.yaml'))
  expect(image).toMatchObject({
    gateway: { repository: 'ghcr.io/example/sluice-gateway', tag: version },
    console: { repository: 'ghcr.io/example/sluice-console', tag: version },
  })
  const compose = `sluice-${version}-compose`
  const { services } = parse(read(`${compose}/compose.yaml`))
  expect(services.gateway).toMatchObject({ image: `ghcr.io/example/sluice-gateway:${version}` })
  for (const file of [
    'compose.yaml',
    'compose.demo.yaml',
    'compose.ha.yaml',
    'compose.paper.yaml',
  ]) {
    const text = read(`${compose}/${file}`)
    expect(text).not.toMatch(/build:|pull_policy|image: sluice-/)
    for (const [, mounted = ''] of text.matchAll(/\.\/(deploy\/[\w.]+):/g))
      expect(existsSync(join(folder, compose, mounted)), mounted).toBe(true)
  }
})
