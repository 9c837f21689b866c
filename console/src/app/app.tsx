import './mantine-styles.ts'
import './app.css'
import { MantineProvider } from '@mantine/core'
import { useState } from 'react'
import { keepUnsentForms, useSession } from '../api/session.ts'
import { tabStorage } from '../components/browser-storage.ts'
import { isLoadingAhead, lazyPart } from '../components/load-ahead.ts'
import { forgetToasts, ToastRegion } from '../components/toast.tsx'
import { SignInPage } from '../features/sign-in/sign-in-page.tsx'
import { loaderOf } from './addresses.ts'
import { StartBoundary, StartSpinner } from './start.tsx'
import { cssVariables, theme } from './theme.ts'

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      deduplicateCssVariables={false}
    >
      <SessionGate />
      <ToastRegion />
    </MantineProvider>
  )
}

const loadCheckedSession = () => import('./checked-session.tsx')
// The sign-in screen is usable without anything behind it.
const CheckedSession = lazyPart(loadCheckedSession, <StartSpinner />)
const OpenIdPage = lazyPart(
  async () => ({ default: (await import('../features/sign-in/openid.tsx')).OpenIdPage }),
  <StartSpinner />,
)

/** Sign-in, or everything else. */
function SessionGate() {
  const session = useSession((state) => state.session)
  // By its token: another tab's change makes a new object of the same session.
  const [storedToken] = useState(session?.token)
  const [isReturning, setReturning] = useState(() => window.location.pathname === '/openid')
  const [failure, setFailure] = useState<string | null>(null)
  const [done] = useState(() => (reason: string | null) => {
    setFailure(reason)
    setReturning(false)
  })

  if (session === null && !isReturning) return <SignInPage failure={failure} />
  return (
    <StartBoundary>
      {isReturning || session === null ? (
        <OpenIdPage onDone={done} />
      ) : (
        <CheckedSession
          key={session.token}
          session={session}
          isStored={session.token === storedToken}
        />
      )}
    </StartBoundary>
  )
}

/**
 * Fetches everything behind the sign-in at once. Left to itself, each piece would ask for the next
 * one only when it has run.
 */
function startLoading(): void {
  const loadSignedIn = () => import('./signed-in.tsx')
  // What is rendered asks for them again, and says so when they cannot be fetched.
  for (const load of [loadCheckedSession, loadSignedIn, loaderOf(window.location.pathname)])
    load?.().catch(() => {})
}

if (useSession.getState().session !== null) startLoading()
useSession.subscribe(({ session }, { session: before }) => {
  if (session !== null && before === null) startLoading()
  if (session === null && before !== null) forgetToasts()
})

const RELOADED = 'sluice.reloaded-at'
const AGAIN_MS = 60_000

/**
 * A piece of the console that cannot be fetched was replaced by a newer deployment: the page loads
 * anew, at most once a minute. Otherwise, and without a network, the failure reaches the boundary
 * above it.
 */
export function reloadForNewVersion(event: Event): void {
  if (isLoadingAhead() || !navigator.onLine || !tabStorage.isKept) return
  if (Date.now() - Number(tabStorage.getItem(RELOADED) ?? 0) < AGAIN_MS) return
  event.preventDefault()
  tabStorage.setItem(RELOADED, `${Date.now()}`)
  keepUnsentForms()
  window.location.reload()
}

/**
 * A browser or an extension that translates the page moves texts into elements of its own, and
 * React then removes a text from where it is not: the whole page broke. What was put around a node
 * goes with it, and a place beside it is the place beside what is around it.
 */
export function surviveTranslation(): void {
  const { insertBefore, removeChild } = Node.prototype
  /** The child of the parent that is, or holds, the node; null when the node is elsewhere. */
  const childWith = (parent: Node, node: Node | null): Node | null => {
    let at = node
    while (at !== null && at.parentNode !== parent) at = at.parentNode
    return at
  }
  Node.prototype.removeChild = function remove<T extends Node>(this: Node, node: T): T {
    const child = childWith(this, node)
    if (child !== null) removeChild.call(this, child)
    return node
  }
  Node.prototype.insertBefore = function insert<T extends Node>(
    this: Node,
    node: T,
    place: Node | null,
  ): T {
    insertBefore.call(this, node, childWith(this, place))
    return node
  }
}
