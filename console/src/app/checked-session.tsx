import { lazy, Suspense } from 'react'
import type { Session } from '../api/session-storage.ts'
import { StartSpinner } from './start-spinner.tsx'
import { useStartCheck } from './use-start-check.ts'

// Fetched while the check is under way.
const signedIn = import('./signed-in.tsx')
// A failure before the check is over waits for its turn: `lazy` hands it to the boundary.
signedIn.catch(() => {})
const SignedIn = lazy(() => signedIn)

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
