import { startTransition, useEffect, useState } from 'react'
import { type Client, listClients } from 'schema'
import { ApiError } from '../api/api-error.ts'
import { readResponse, send } from '../api/client.ts'
import { queryKey, readTotal, rememberStartFailure } from '../api/queries.tsx'
import { endSession, type Session } from '../api/session.ts'
import { lazyPart } from '../components/load-ahead.ts'
import { StartSpinner } from './start.tsx'

const SignedIn = lazyPart(() => import('./signed-in.tsx'), <StartSpinner />)

interface CheckedSessionProps {
  readonly session: Session
  /** Whether it was stored before the page loaded; a fresh sign-in needs no check. */
  readonly isStored: boolean
}

/** Everything behind the sign-in, once a stored session has been checked. */
export default function CheckedSession({ session, isStored }: CheckedSessionProps) {
  const start = useStartCheck(session, isStored)
  if (start.isChecking) return <StartSpinner />
  return <SignedIn session={session} clients={start.clients} />
}

interface Start {
  readonly isChecking: boolean
  /** The credentials that the check brought along, so that their page does not read them twice. */
  readonly clients: readonly Client[] | null
}

/**
 * Asks the gateway, once, whether the token of a stored session still opens anything. 401 and an
 * unreachable gateway end the session without loading the page anew; any other response keeps it. A
 * session that has just begun is not checked.
 */
function useStartCheck({ token }: Session, isStored: boolean): Start {
  const [start, setStart] = useState<Start>({ isChecking: isStored, clients: null })

  useEffect(() => {
    if (!isStored) return
    let leaving = new AbortController()
    let isChecked = false
    const check = async () => {
      const outcome = await checkSession(token, leaving.signal)
      if (outcome === 'left') return
      isChecked = true
      if (outcome === 'expired' || outcome === 'unreachable') return endSession(outcome)
      const clients = Array.isArray(outcome) ? outcome : null
      // The first page is drawn in steps between which a phone answers.
      startTransition(() => setStart({ isChecking: false, clients }))
    }
    const leave = () => leaving.abort()
    // The browser may show the page again as it was left, with its check given up.
    const comeBack = ({ persisted }: PageTransitionEvent) => {
      if (!persisted || isChecked) return
      leave()
      leaving = new AbortController()
      void check()
    }
    window.addEventListener('pagehide', leave)
    window.addEventListener('pageshow', comeBack)
    void check()
    return () => {
      leave()
      window.removeEventListener('pagehide', leave)
      window.removeEventListener('pageshow', comeBack)
    }
  }, [token, isStored])
  return start
}

async function checkSession(
  token: string,
  signal: AbortSignal,
): Promise<'left' | 'expired' | 'unreachable' | 'kept' | readonly Client[]> {
  try {
    const response = await send(listClients, {}, { token, signal })
    const clients = readResponse(listClients, response)
    // Of a longer list this is the first page only: its page reads it as a whole.
    const total = readTotal(response.headers)?.count ?? 0
    return total > clients.length ? 'kept' : clients
  } catch (error) {
    if (signal.aborted) return 'left' // The person went elsewhere: that says nothing about the gateway.
    if (error instanceof ApiError && error.status === 401) return 'expired'
    if (error instanceof TypeError) return 'unreachable'
    rememberStartFailure(queryKey(listClients), error)
    return 'kept'
  }
}
