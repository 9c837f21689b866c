import { create } from 'zustand'
import { useSession } from '../../api/session.ts'
import type { FormValues } from './form-request.ts'

/** A try-it request of this tab, without its token and without secrets. */
export interface PastRequest {
  readonly id: number
  readonly endpointId: string
  /** The page whose form sent it. */
  readonly page: string
  readonly atMs: number
  readonly values: FormValues
  /** The status of its response; null when there was none. */
  readonly status: number | null
}

const KEPT = 10

interface TabHistory {
  /** Newest first. */
  readonly past: readonly PastRequest[]
  /** The one that a form is to be filled with. */
  readonly recalled: PastRequest | null
}

/** The last try-it requests. Memory only: gone with the page or the session. */
export const useTabHistory = create<TabHistory>(() => ({ past: [], recalled: null }))

export function rememberRequest(request: Omit<PastRequest, 'id'>): void {
  useTabHistory.setState(({ past }) => ({
    past: [{ ...request, id: (past[0]?.id ?? 0) + 1 }, ...past].slice(0, KEPT),
  }))
}

export function recallRequest(recalled: PastRequest | null): void {
  useTabHistory.setState({ recalled })
}

useSession.subscribe(({ session }) => {
  if (session === null) useTabHistory.setState({ past: [], recalled: null })
})
