import { useEffect, useRef } from 'react'

/**
 * The action as long as the caller is on the page, nothing afterwards. For what follows the
 * response to a call: a dialog that was closed in between must not act on the one that replaced it.
 */
export function useWhileMounted<A extends readonly unknown[]>(
  action: (...args: A) => void,
): (...args: A) => void {
  const isMounted = useRef(false)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  return (...args) => {
    if (isMounted.current) action(...args)
  }
}
