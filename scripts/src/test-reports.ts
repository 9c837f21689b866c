import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** What one runner's report says of its tests. */
export interface Report {
  passed: number
  failed: number
  skipped: number
  /** A line or two for each failed test: where it is, its name, and the first line of why. */
  failures: string[]
  /** How long each file ran. */
  files: FileTime[]
}

export interface FileTime {
  readonly file: string
  readonly ms: number
}

/** A test runner's JSON report, already parsed. */
export type ReadReport = (report: unknown) => Report

interface VitestReport {
  numPassedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: {
    name: string
    status: string
    message: string
    startTime: number
    endTime: number
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

/**
 * Reads the report of vitest's `json` reporter. A file that could not be loaded counts as one
 * failed test.
 */
export function readVitestReport(report: unknown): Report {
  const { numPassedTests, numPendingTests, numTodoTests, testResults } = report as VitestReport
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (failed.length === 0 && status === 'failed') return [describe(file, 'the file', message)]
    return failed.map((test) => describe(file, test.fullName, test.failureMessages[0]))
  })
  return {
    passed: numPassedTests,
    failed: failures.length,
    skipped: numPendingTests + numTodoTests,
    failures,
    files: testResults.map(({ name, startTime, endTime }) => ({
      file: relative(process.cwd(), name),
      ms: endTime - startTime,
    })),
  }
}

interface PlaywrightSuite {
  suites?: PlaywrightSuite[]
  specs: {
    title: string
    file: string
    line: number
    tests: {
      projectName: string
      status: string
      results: { duration: number; errors: { message?: string }[] }[]
    }[]
  }[]
}

interface PlaywrightReport {
  suites: PlaywrightSuite[]
  errors: { message?: string }[]
  stats: { expected: number; unexpected: number; flaky: number; skipped: number }
}

/**
 * Reads the report of Playwright's `json` reporter. What failed outside any test counts as one
 * failed test each.
 */
export function readPlaywrightReport(report: unknown): Report {
  const { suites, errors, stats } = report as PlaywrightReport
  const specs = (suite: PlaywrightSuite): PlaywrightSuite['specs'] => [
    ...suite.specs,
    ...(suite.suites ?? []).flatMap(specs),
  ]
  const all = suites.flatMap(specs)
  const failures = all.flatMap(({ title, file, line, tests }) =>
    tests
      .filter(({ status }) => status === 'unexpected' || status === 'flaky')
      .map(({ projectName, results }) => {
        const why = results.find((result) => result.errors.length > 0)?.errors[0]?.message
        return describe(`${file}:${line} [${projectName}]`, title, why)
      }),
  )
  failures.push(...errors.map(({ message }) => describe('outside any test', 'the run', message)))
  return {
    passed: stats.expected,
    failed: failures.length,
    skipped: stats.skipped,
    failures,
    files: browserFiles(all),
  }
}

/** Its tests run in several workers at once: a file's time is the sum of theirs. */
function browserFiles(specs: PlaywrightSuite['specs']): FileTime[] {
  const times = new Map<string, number>()
  for (const { file, tests } of specs)
    for (const { duration } of tests.flatMap(({ results }) => results))
      times.set(file, (times.get(file) ?? 0) + duration)
  return [...times].map(([file, ms]) => ({ file: `console/e2e/${file}`, ms }))
}

const WHY_CHARS = 300

function describe(place: string, name: string, why = 'no reason given'): string {
  const text = stripVTControlCharacters(why).trim().split('\n').slice(0, 4).join(' / ')
  return `${place} > ${name}\n  ${text.slice(0, WHY_CHARS)}`
}
