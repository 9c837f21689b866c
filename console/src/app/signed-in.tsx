import { useState } from 'react'
import { listClients } from 'schema'
import { SWRConfig, type SWRConfiguration } from 'swr'
import { useLocation } from 'wouter'
import { FreshFactorGate } from '../api/fresh-factor-gate.tsx'
import { queryKey } from '../api/query-key.ts'
import { noteRead } from '../api/read-times.ts'
import { reportFailure } from '../api/report-failure.tsx'
import type { Session } from '../api/session-storage.ts'
import { ConfirmHost } from '../components/confirm.tsx'
import { Pages } from './pages.tsx'
import { Shell } from './shell/shell.tsx'
import type { Start } from './use-start-check.ts'

const readOnce: SWRConfiguration = {
  shouldRetryOnError: false,
  revalidateOnFocus: false,
  // What is on the screen may have changed in between.
  revalidateOnReconnect: true,
  revalidateIfStale: false,
  refreshInterval: 0,
}

interface SignedInProps {
  readonly session: Session
  readonly start: Start
}

/**
 * Everything behind the sign-in. The cache belongs to one session: the next user starts with an
 * empty one.
 */
export default function SignedIn({ session, start }: SignedInProps) {
  const [config] = useState(() => {
    const cache = new Map()
    if (start.clients !== null) {
      cache.set(queryKey(listClients), { data: start.clients })
      noteRead(queryKey(listClients))
    }
    return { ...readOnce, provider: () => cache }
  })
  const [address] = useLocation()
  return (
    <SWRConfig value={config}>
      <Shell user={session.user}>
        <Pages />
      </Shell>
      <ConfirmHost address={address} onFailure={reportFailure} />
      <FreshFactorGate />
    </SWRConfig>
  )
}
