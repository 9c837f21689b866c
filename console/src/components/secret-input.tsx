import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useDocumentVisibility } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import * as texts from './texts.ts'

/** A field for a secret; what its eye reveals is masked again by itself. */
export function SecretInput(props: PasswordInputProps) {
  const [isRevealed, setRevealed] = useReveal()
  return (
    <PasswordInput
      // Mantine says it of all its fields but this one.
      aria-invalid={Boolean(props.error) || undefined}
      visibilityToggleButtonProps={{ 'aria-label': texts.toggleSecret }}
      {...props}
      visible={isRevealed}
      onVisibilityChange={setRevealed}
    />
  )
}

/** How long a secret stays readable on a screen that somebody may have left. */
const REVEALED_MS = 60_000

/**
 * Whether a secret is shown, and the setter: it is masked again after a minute, and when the tab is
 * hidden.
 */
export function useReveal(): [isRevealed: boolean, setRevealed: (isRevealed: boolean) => void] {
  const [isRevealed, setRevealed] = useState(false)
  const isHidden = useDocumentVisibility() === 'hidden'

  useEffect(() => {
    if (!isRevealed) return
    if (isHidden) return setRevealed(false)
    const timer = setTimeout(() => setRevealed(false), REVEALED_MS)
    return () => clearTimeout(timer)
  }, [isRevealed, isHidden])

  return [isRevealed, setRevealed]
}
