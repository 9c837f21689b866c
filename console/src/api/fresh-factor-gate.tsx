import { lazy, Suspense, useEffect } from 'react'
import { loadDialog, useFreshFactor } from './fresh-factor.ts'

const FreshFactorDialog = lazy(loadDialog)

/** The place of the dialog that asks for a factor. */
export function FreshFactorGate() {
  const asked = useFreshFactor((state) => state.asked)
  // The person who signs in next is not asked for what this person wanted.
  useEffect(() => () => useFreshFactor.getState().asked?.answer(false), [])
  if (asked === null) return null
  return (
    <Suspense fallback={null}>
      <FreshFactorDialog {...asked} />
    </Suspense>
  )
}
