import { useRef, useState } from 'react'

/**
 * Rows that keep their places while the pointer or the keyboard is among them: a button must not
 * move away from under a finger. Their values stay current; new rows come last.
 */
export function useHeldOrder<T>(rows: readonly T[], keyOf: (row: T) => number) {
  const [isHeld, setHeld] = useState(false)
  const order = useRef<readonly number[]>([])
  if (!isHeld) order.current = rows.map(keyOf)
  const placeOf = (row: T) => {
    const place = order.current.indexOf(keyOf(row))
    return place === -1 ? rows.length : place
  }
  return {
    rows: isHeld ? rows.toSorted((a, b) => placeOf(a) - placeOf(b)) : rows,
    events: {
      onPointerEnter: () => setHeld(true),
      onPointerLeave: () => setHeld(false),
      onFocus: () => setHeld(true),
      onBlur: () => setHeld(false),
    },
  }
}
