import { lazy, Suspense } from 'react'
import { useSession } from '../api/session.ts'
import { SignInPage } from '../features/sign-in/sign-in-page.tsx'
import { StartSpinner } from './start-spinner.tsx'
import { useStartCheck } from './use-start-check.ts'

const SignedIn = lazy(() => import('./signed-in.tsx'))

/** Sign-in, a spinner while a stored session is being checked, or everything else. */
export function SessionGate() {
  const session = useSession((state) => state.session)
  const start = useStartCheck(session)

  if (session === null) return <SignInPage />
  if (start.isChecking) return <StartSpinner />
  return (
    <Suspense fallback={<StartSpinner />}>
      <SignedIn key={session.token} start={start} session={session} />
    </Suspense>
  )
}
