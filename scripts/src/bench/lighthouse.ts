import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const PACKAGE = 'lighthouse@13.5.0'
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024
const CATEGORIES = 'performance,accessibility,best-practices'

/** What Lighthouse says of a page: scores from 0 to 1, and times on a simulated phone. */
export interface Audit {
  readonly performance: number
  readonly accessibility: number
  readonly bestPractices: number
  readonly blockedMs: number
  readonly paintMs: number
  readonly shift: number
}

/**
 * Audits a page as a phone on a slow network, in a browser that runs. npm fetches Lighthouse the
 * first time: it is too large (176 MB) to be installed for everybody.
 * @param port where the browser takes commands
 */
export async function audit(url: string, port: number): Promise<Audit> {
  const { stdout } = await promisify(execFile)(
    'npm',
    [
      ...['exec', '--yes', `--package=${PACKAGE}`, '--', 'lighthouse', url, `--port=${port}`],
      ...['--output=json', '--quiet', '--disable-storage-reset', '--disable-full-page-screenshot'],
      ...[`--only-categories=${CATEGORIES}`, '--throttling-method=simulate'],
    ],
    { maxBuffer: OUTPUT_BYTES_MAX },
  )
  const { categories, audits, runtimeError } = JSON.parse(stdout)
  if (runtimeError !== undefined) throw new Error(`Lighthouse at ${url}: ${runtimeError.message}`)
  return {
    performance: categories.performance.score,
    accessibility: categories.accessibility.score,
    bestPractices: categories['best-practices'].score,
    blockedMs: audits['total-blocking-time'].numericValue,
    paintMs: audits['largest-contentful-paint'].numericValue,
    shift: audits['cumulative-layout-shift'].numericValue,
  }
}
