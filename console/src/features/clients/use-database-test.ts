import { useCallback, useEffect, useState } from 'react'
import type { Client } from 'schema'
import { switchId } from './active-switch.tsx'

/** From the response to the switch until the dialog opens (docs/console-checklist.md, 115). */
const DELAY_MS = 500

/** Which client the Database Test shows. A later switch replaces an earlier one's dialog. */
export function useDatabaseTest() {
  const [awaited, setAwaited] = useState<{ readonly id: number } | null>(null)
  const [openId, setOpenId] = useState<number | null>(null)

  useEffect(() => {
    if (awaited === null) return
    const timer = setTimeout(() => setOpenId(awaited.id), DELAY_MS)
    return () => clearTimeout(timer)
  }, [awaited])

  // The same at each render: the rows of a long list depend on it.
  const openSoon = useCallback(({ id }: Pick<Client, 'id'>) => setAwaited({ id }), [])
  return {
    openId,
    openSoon,
    close: () => {
      setOpenId(null)
      // The switch was disabled in between, so the dialog could not know where the keyboard came
      // from.
      if (openId !== null) document.getElementById(switchId(openId))?.focus()
    },
  }
}
