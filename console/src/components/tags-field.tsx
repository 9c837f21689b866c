import { Group, TextInput, type TextInputProps, UnstyledButton } from '@mantine/core'
import {
  type ClipboardEvent,
  type FocusEvent,
  type KeyboardEvent,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import { Icon } from './icons.tsx'
import * as texts from './page-texts.ts'
import classes from './tags-field.module.css'

type InputProps = 'description' | 'error' | 'placeholder' | 'onBlur'

const INPUT_METHOD = 229

interface TagsFieldProps extends Pick<TextInputProps, InputProps> {
  readonly label: string
  readonly value?: readonly string[]
  readonly onChange: (value: readonly string[]) => void
  /** How a typed entry is written; as typed when absent. */
  readonly normalize?: (text: string) => string
}

/**
 * A list of short texts. Enter, a comma, a blank and leaving the field add what was typed; each
 * entry is a button that removes it.
 */
export function TagsField({ label, value = [], onChange, normalize, ...rest }: TagsFieldProps) {
  const [typed, setTyped] = useState('')
  // A button was pressed: a new row of entries would move it away before the click is complete.
  const [isLeaving, setLeaving] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const add = (text: string) => {
    const entries = text.split(/[\s,;]+/).map((entry) => normalize?.(entry) ?? entry)
    const next = new Set([...value, ...entries.filter((entry) => entry !== '')])
    if (next.size > value.length) onChange([...next])
    setTyped('')
  }
  const remove = (entry: string) => onChange(value.filter((each) => each !== entry))
  const press = (event: KeyboardEvent) => {
    // An input method uses the same keys to choose a character. To the one that ends it, some
    // browsers give this code alone.
    if (event.nativeEvent.isComposing || event.keyCode === INPUT_METHOD) return
    if (typed !== '' && [' ', ',', ';', 'Enter'].includes(event.key)) {
      event.preventDefault()
      add(typed)
    }
    const last = value.at(-1)
    if (event.key === 'Backspace' && typed === '' && last !== undefined) remove(last)
  }
  const leave = (event: FocusEvent<HTMLInputElement>) => {
    if (event.relatedTarget instanceof HTMLButtonElement) setLeaving(true)
    else add(typed)
    rest.onBlur?.(event)
  }
  const addLate = useEffectEvent(() => {
    add(typed)
    setLeaving(false)
  })
  useEffect(() => {
    if (!isLeaving) return
    const onClick = () => addLate()
    window.addEventListener('click', onClick, { capture: true })
    return () => window.removeEventListener('click', onClick, { capture: true })
  }, [isLeaving])
  const paste = (event: ClipboardEvent) => {
    event.preventDefault()
    add(typed + event.clipboardData.getData('text'))
  }
  return (
    <div>
      <TextInput
        {...rest}
        ref={input}
        label={label}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={press}
        onPaste={paste}
        onFocus={() => setLeaving(false)}
        onBlur={leave}
      />
      {value.length > 0 && (
        <Group component="ul" gap={6} mt={8} mb={0} p={0} aria-label={label}>
          {value.map((entry) => (
            <Group key={entry} component="li" maw="100%">
              <UnstyledButton
                className={classes.tag}
                aria-label={texts.remove(entry)}
                onClick={() => {
                  remove(entry)
                  input.current?.focus()
                }}
              >
                <span>{entry}</span>
                <Icon name="close" size={12} />
              </UnstyledButton>
            </Group>
          ))}
        </Group>
      )}
    </div>
  )
}
