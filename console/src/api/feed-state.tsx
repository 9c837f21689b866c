import type { ReactNode } from 'react'
import type { FeedNow } from 'schema'
import { type Sign, StateSign } from '../components/signs.tsx'
import * as texts from './exchange-texts.ts'

const SIGNS: Readonly<Record<FeedNow['state'], Sign>> = {
  live: 'good',
  gap: 'bad',
  reconciling: 'waiting',
}

interface FeedStateProps extends Pick<FeedNow, 'state' | 'reason'> {
  /** For how long. */
  readonly children: ReactNode
}

/** How the stream of an account is, since when, and why it is not whole. */
export function FeedState({ state, reason, children }: FeedStateProps) {
  const { name, meaning } = texts.feedStates[state]
  return (
    <>
      <StateSign sign={SIGNS[state]} /> <span>{name}</span> {children}
      {state !== 'live' && <small data-alarming={state === 'gap'}>{reason ?? meaning}</small>}
    </>
  )
}
