import { resolve } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { readPlaywrightReport, readTimes, readVitestReport } from './test-run.ts'

test.each([
  ['0m0.004s 0m0.001s\n1m2.500s 0m7.495s\n', 70_000],
  ['0m0,00s 0m0,00s\n0m1,25s 0m0,75s\n', 2_000],
  ['', 0],
])('the times that a shell prints as %j are %i ms of CPU', (text, ms) => {
  expect(readTimes(text)).toBeCloseTo(ms)
})

describe('the report of vitest', () => {
  const passed = { status: 'passed', fullName: 'a holds', failureMessages: [] }
  const times = { startTime: 1_000, endTime: 1_250 }
  const file = { name: resolve('gateway/test/a.test.ts'), status: 'passed', message: '', ...times }
  const counts = { numPassedTests: 1, numPendingTests: 2, numTodoTests: 1 }

  it('is counted', () => {
    const report = { ...counts, testResults: [{ ...file, assertionResults: [passed] }] }
    expect(readVitestReport(report)).toEqual({
      ...{ passed: 1, failed: 0, skipped: 3, failures: [] },
      files: [{ file: 'gateway/test/a.test.ts', ms: 250 }],
    })
  })

  it('names each failed test with its file and the reason', () => {
    const failed = {
      ...{ status: 'failed', fullName: 'b holds', failureMessages: ['\u001b[31mno\u001b[39m'] },
    }
    const report = {
      ...counts,
      testResults: [{ ...file, status: 'failed', assertionResults: [passed, failed] }],
    }
    expect(readVitestReport(report)).toMatchObject({
      failed: 1,
      failures: ['gateway/test/a.test.ts > b holds\n  no'],
    })
  })

  it('counts a file that could not be loaded as one failed test', () => {
    const broken = { ...file, status: 'failed', message: 'no such module', assertionResults: [] }
    expect(readVitestReport({ ...counts, testResults: [broken] })).toMatchObject({
      failed: 1,
      failures: ['gateway/test/a.test.ts > the file\n  no such module'],
    })
  })
})

describe('the report of Playwright', () => {
  const stats = { expected: 4, unexpected: 0, flaky: 0, skipped: 1 }
  const spec = (status: string, errors: { message: string }[]) => ({
    ...{ title: 'it shows', file: 'a.spec.ts', line: 7 },
    tests: [{ projectName: 'narrow', status, results: [{ duration: 70, errors }] }],
  })

  it('is counted', () => {
    const report = { stats, errors: [], suites: [{ specs: [spec('expected', [])] }] }
    expect(readPlaywrightReport(report)).toEqual({
      ...{ passed: 4, failed: 0, skipped: 1, failures: [] },
      files: [{ file: 'console/e2e/a.spec.ts', ms: 70 }],
    })
  })

  it('names each failed test, in suites inside suites too, with the width and the reason', () => {
    const failed = spec('unexpected', [{ message: 'not visible' }])
    const report = { stats, errors: [], suites: [{ specs: [], suites: [{ specs: [failed] }] }] }
    expect(readPlaywrightReport(report)).toMatchObject({
      failed: 1,
      failures: ['a.spec.ts:7 [narrow] > it shows\n  not visible'],
    })
  })

  it('counts a test that passed only at a second try as failed', () => {
    const report = {
      ...{ stats, errors: [], suites: [{ specs: [spec('flaky', [{ message: 'late' }])] }] },
    }
    expect(readPlaywrightReport(report).failed).toBe(1)
  })

  it('counts what fails outside any test', () => {
    const report = { stats, errors: [{ message: 'no browser' }], suites: [] }
    expect(readPlaywrightReport(report)).toMatchObject({
      failed: 1,
      failures: ['outside any test > the run\n  no browser'],
    })
  })
})
