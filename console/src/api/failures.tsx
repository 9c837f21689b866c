import { Text } from '@mantine/core'
import type { MouseEvent } from 'react'
import { toast } from '../components/toast.tsx'
import { ApiError, OfflineError, WaitsForApprovalError, wordsOf } from './api-error.ts'
import * as texts from './texts.ts'

/** The readable first line of a failure, and its whole text folded below when that says more. */
export function FailureDetail({ error }: { error: unknown }) {
  const { line, whole } = wordsOf(error)
  return (
    <>
      <span style={{ overflowWrap: 'anywhere' }}>{line}</span>
      {whole !== undefined && (
        <details>
          <summary>{texts.details}</summary>
          <Text ff="monospace" fz="xs" style={{ overflowWrap: 'anywhere' }}>
            {whole}
          </Text>
        </details>
      )}
    </>
  )
}

interface Report {
  readonly title?: string
  /** The whole message when the server sent none. */
  readonly fallback?: string
  /** Always the first line; the error's own words stand below it. */
  readonly headline?: string
}

/**
 * Reports in one toast that a change failed, or that it waits for another admin. Without a fallback
 * the line is `status: message`, and the error's whole text is folded below; with one it is the
 * server's sentence or the fallback.
 */
export function reportFailure(error: unknown, report: Report = {}): void {
  if (error instanceof WaitsForApprovalError) {
    showWaiting(error)
    return
  }
  const { title = texts.error, fallback, headline } = report
  const server = error instanceof ApiError ? error.serverMessage : undefined
  const detail =
    fallback === undefined || error instanceof OfflineError ? (
      <FailureDetail error={error} />
    ) : (
      (server ?? fallback)
    )
  const message = (
    <>
      {headline && <div>{headline}</div>}
      {detail}
    </>
  )
  toast({ title, message, tone: 'failure' })
}

/** Carries it out, and reports its failure. @returns whether it was carried out */
export async function attempt(act: () => Promise<unknown>, report?: Report): Promise<boolean> {
  try {
    await act()
    return true
  } catch (error) {
    reportFailure(error, report)
    return false
  }
}

/** Nothing has failed: it waits for another admin. */
function showWaiting({ message }: WaitsForApprovalError): void {
  toast({
    title: texts.waits,
    message: (
      <>
        {message}{' '}
        <a
          href="/approvals"
          style={{ color: 'var(--mantine-color-anchor)' }}
          onClick={showApprovals}
        >
          {texts.showApprovals}
        </a>
      </>
    ),
    tone: 'info',
  })
}

/**
 * Goes to the page without loading the console anew: the router, which the sign-in does without,
 * notices the new address.
 */
function showApprovals(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  history.pushState(null, '', event.currentTarget.href)
}
