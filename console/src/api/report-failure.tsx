import { toast } from '../components/toast.tsx'
import { ApiError } from './api-error.ts'
import { FailureDetail } from './failure-detail.tsx'

interface Report {
  readonly title?: string
  /** Replaces the error's own words when the server sent no message. */
  readonly fallback?: string
}

/**
 * Tells of a failed change in one toast. Without a fallback the first line is `status: message` and the
 * error's whole text stands folded below; with one it is the server's sentence or the fallback.
 */
export function reportFailure(error: unknown, { title = 'Error', fallback }: Report = {}): void {
  const server = error instanceof ApiError ? error.serverMessage : undefined
  const message = fallback === undefined ? <FailureDetail error={error} /> : (server ?? fallback)
  toast({ title, message, tone: 'failure' })
}
