import { lazy, Suspense, useState } from 'react'
import { useSession } from '../api/session.ts'
import { forgetToasts } from '../components/toast-record.ts'
import { SignInPage } from '../features/sign-in/sign-in-page.tsx'
import { StartBoundary } from './start-boundary.tsx'
import { loadCheckedSession } from './start-loading.ts'
import { StartSpinner } from './start-spinner.tsx'

useSession.subscribe(({ session }, before) => {
  if (session === null && before.session !== null) forgetToasts()
})

// The sign-in screen is usable without anything behind it.
const CheckedSession = lazy(loadCheckedSession)
const OpenIdPage = lazy(async () => ({
  default: (await import('../features/sign-in/openid.tsx')).OpenIdPage,
}))

/** Sign-in, or everything else. */
export function SessionGate() {
  const session = useSession((state) => state.session)
  // By its token: another tab's change makes a new object of the same session.
  const [storedToken] = useState(session?.token)
  const [isReturning, setReturning] = useState(() => window.location.pathname === '/openid')
  const [failure, setFailure] = useState<string | null>(null)
  const [done] = useState(() => (reason: string | null) => {
    setFailure(reason)
    setReturning(false)
  })

  if (isReturning)
    return (
      <StartBoundary>
        <Suspense fallback={<StartSpinner />}>
          <OpenIdPage onDone={done} />
        </Suspense>
      </StartBoundary>
    )
  if (session === null) return <SignInPage failure={failure} />
  return (
    <StartBoundary>
      <Suspense fallback={<StartSpinner />}>
        <CheckedSession
          key={session.token}
          session={session}
          isStored={session.token === storedToken}
        />
      </Suspense>
    </StartBoundary>
  )
}
