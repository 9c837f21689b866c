import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import * as texts from './texts.ts'
import { useReveal } from './use-reveal.ts'

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
