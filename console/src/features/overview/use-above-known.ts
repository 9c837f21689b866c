import { useEffect, useState } from 'react'
import { useOperationsOfStrip } from '../../api/use-operations.ts'
import type { Query } from '../../api/use-query.ts'
import { useKeys } from './use-keys.ts'

/** A slow gateway must not keep from sight what it has sent already. */
const WAIT_MAX_MS = 1500

/**
 * Whether it is known how much needs attention: what is below it would move when it comes. True
 * after a while in any case.
 */
export function useAboveKnown(): boolean {
  const isKnown = [useOperationsOfStrip(), useKeys()].every(hasEnded)
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), WAIT_MAX_MS)
    return () => clearTimeout(timer)
  }, [])
  return isKnown || isLate
}

const hasEnded = ({ data, error }: Pick<Query<unknown>, 'data' | 'error'>) =>
  data !== undefined || error !== undefined
