import { useState } from 'react'
import { ActionDialog, type AskedAction } from './action-dialog.tsx'
import { PaletteDialog } from './palette-dialog.tsx'
import { ShortcutsDialog } from './shortcuts-dialog.tsx'
import type { Opened } from './use-palette-keys.ts'

interface PaletteProps {
  readonly opened: Opened | null
  readonly onOpen: (what: Opened | null) => void
}

/** The palette, the question that a command asks before it does anything, and the shortcuts. */
export default function Palette({ opened, onOpen }: PaletteProps) {
  const [asked, setAsked] = useState<AskedAction | null>(null)
  return (
    <>
      {opened === 'palette' && (
        <PaletteDialog
          onAsk={setAsked}
          onShortcuts={() => onOpen('shortcuts')}
          onClose={() => onOpen(null)}
        />
      )}
      {opened === 'shortcuts' && <ShortcutsDialog onClose={() => onOpen(null)} />}
      {asked !== null && <ActionDialog asked={asked} onClose={() => setAsked(null)} />}
    </>
  )
}
