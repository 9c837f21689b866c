import { useEffect } from 'react'
import type { Factor } from 'schema'
import { create } from 'zustand'
import { lazyPart } from '../components/load-ahead.ts'

interface Asked {
  readonly factors: readonly Factor[]
  readonly answer: (isConfirmed: boolean) => void
}

/** What the dialog asks for now; null: it is closed. */
const useFreshFactor = create<{ readonly asked: Asked | null }>(() => ({ asked: null }))

const loadDialog = () => import('./factors.tsx')
let answered: Promise<boolean> | undefined

/**
 * Asks the person to show a factor, in one dialog however many calls need it.
 * @returns false when the person cancels it, or when the dialog cannot be fetched
 */
export function showFreshFactor(factors: readonly Factor[]): Promise<boolean> {
  answered ??= ask(factors).finally(() => {
    answered = undefined
    useFreshFactor.setState({ asked: null })
  })
  return answered
}

async function ask(factors: readonly Factor[]): Promise<boolean> {
  try {
    await loadDialog()
  } catch {
    return false // The call then fails with what the gateway said.
  }
  return new Promise((answer) => useFreshFactor.setState({ asked: { factors, answer } }))
}

const FreshFactorDialog = lazyPart(loadDialog)

/** The place of the dialog that asks for a factor. */
export function FreshFactorGate() {
  const asked = useFreshFactor((state) => state.asked)
  // The person who signs in next is not asked for what this person wanted.
  useEffect(() => () => useFreshFactor.getState().asked?.answer(false), [])
  return asked && <FreshFactorDialog {...asked} />
}
