import { lazy, Suspense } from 'react'
import type { Session } from '../api/session-storage.ts'
import { loadSignedIn } from './start-loading.ts'
import { StartSpinner } from './start-spinner.tsx'
import { useStartCheck } from './use-start-check.ts'

const SignedIn = lazy(loadSignedIn)

interface CheckedSessionProps {
  readonly session: Session
  /** Whether it was stored before the page loaded; a fresh sign-in needs no check. */
  readonly isStored: boolean
}

/** Everything behind the sign-in, once a stored session has been checked. */
export default function CheckedSession({ session, isStored }: CheckedSessionProps) {
  const start = useStartCheck(session, isStored)
  if (start.isChecking) return <StartSpinner />
  return (
    <Suspense fallback={<StartSpinner />}>
      <SignedIn session={session} start={start} />
    </Suspense>
  )
}
