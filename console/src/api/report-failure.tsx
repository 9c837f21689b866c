import { toast } from '../components/toast.tsx'
import { ApiError, OfflineError } from './api-error.ts'
import { FailureDetail } from './failure-detail.tsx'
import * as texts from './texts.ts'

interface Report {
  readonly title?: string
  /** The whole message when the server sent none. */
  readonly fallback?: string
  /** Always the first line; the error's own words stand below it. */
  readonly headline?: string
}

/**
 * Reports a failed change in one toast. Without a fallback the line is `status: message`, and the
 * error's whole text is folded below; with one it is the server's sentence or the fallback.
 */
export function reportFailure(error: unknown, report: Report = {}): void {
  const { title = texts.error, fallback, headline } = report
  const server = error instanceof ApiError ? error.serverMessage : undefined
  const detail =
    fallback === undefined || error instanceof OfflineError ? (
      <FailureDetail error={error} />
    ) : (
      (server ?? fallback)
    )
  const message =
    headline === undefined ? (
      detail
    ) : (
      <>
        <div>{headline}</div>
        {detail}
      </>
    )
  toast({ title, message, tone: 'failure' })
}
