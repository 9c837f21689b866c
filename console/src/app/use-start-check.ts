import { useEffect, useState } from 'react'
import { type Client, listClients } from 'schema'
import { ApiError } from '../api/api-error.ts'
import { readAnswer, send } from '../api/client.ts'
import { queryKey } from '../api/query-key.ts'
import { endSession } from '../api/session.ts'
import type { Session } from '../api/session-storage.ts'
import { rememberStartFailure } from '../api/start-failure.ts'

export interface Start {
  readonly isChecking: boolean
  /** The credentials that the check brought along, so that their page does not read them twice. */
  readonly clients: readonly Client[] | null
}

const NO_CHECK: Start = { isChecking: false, clients: null }

/**
 * Asks the gateway, once per page load, whether the stored token still opens anything. 401 and an unreachable
 * gateway end the session without loading the page anew; any other answer keeps it. Whoever signs in later is
 * not checked, and gets nothing of what the check brought.
 */
export function useStartCheck(session: Session | null): Start {
  const [checked] = useState(session)
  const [start, setStart] = useState<Start>({ isChecking: true, clients: null })

  useEffect(() => {
    if (checked === null) return
    const leaving = new AbortController()
    window.addEventListener('pagehide', () => leaving.abort(), { once: true })

    void checkSession(checked.token, leaving.signal).then((outcome) => {
      if (outcome === 'left') return
      if (outcome === 'expired' || outcome === 'unreachable') endSession(outcome)
      setStart({ isChecking: false, clients: Array.isArray(outcome) ? outcome : null })
    })
  }, [checked])
  return checked !== null && session === checked ? start : NO_CHECK
}

async function checkSession(
  token: string,
  signal: AbortSignal,
): Promise<'left' | 'expired' | 'unreachable' | 'kept' | readonly Client[]> {
  try {
    const answer = await send(listClients, {}, { token, signal })
    return readAnswer(listClients, answer)
  } catch (error) {
    if (signal.aborted) return 'left' // The person went elsewhere: that says nothing about the gateway.
    if (error instanceof ApiError && error.status === 401) return 'expired'
    if (error instanceof TypeError) return 'unreachable'
    rememberStartFailure(queryKey(listClients), error)
    return 'kept'
  }
}
