import { TextInput, type TextInputProps } from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'

/** How long a person pauses between two keys at most. */
const PAUSE_MS = 400

interface TypedInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  readonly value: string
  readonly onApply: (text: string) => void
}

/**
 * A field that is applied when the person pauses, presses Enter or leaves it: for a filter by which
 * the gateway searches.
 */
export function TypedInput({ value, onApply, ...rest }: TypedInputProps) {
  const [typed, setTyped] = useState(value)
  const [applied, setApplied] = useState(value)
  // Changed elsewhere: a link, "Clear filters", Back.
  if (value !== applied) {
    setApplied(value)
    setTyped(value)
  }
  const apply = useEffectEvent(() => {
    if (typed === value) return
    setApplied(typed)
    onApply(typed)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each key begins a new pause.
  useEffect(() => {
    const timer = setTimeout(() => apply(), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <TextInput
      {...rest}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={() => apply()}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
    />
  )
}
