import { type ReactNode, useEffect, useRef } from 'react'

/** The parts of the Operations page that links elsewhere lead to. */
export const PARTS = {
  exchange: (exchange: string) => `exchange-${exchange}`,
  outcomes: 'open-outcomes',
} as const

interface PagePartProps {
  readonly id: string
  readonly children: ReactNode
}

/** A part of a page that an address with a hash leads to. */
export function PagePart({ id, children }: PagePartProps) {
  const box = useRef<HTMLDivElement>(null)
  // The browser looked for it before the page was there.
  useEffect(() => {
    if (window.location.hash === `#${id}`) box.current?.scrollIntoView()
  }, [id])
  return (
    <div id={id} ref={box} style={{ scrollMarginTop: 104 }}>
      {children}
    </div>
  )
}
