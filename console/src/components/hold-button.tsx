import { Button, type ButtonProps } from '@mantine/core'
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import classes from './hold-button.module.css'
import * as texts from './page-texts.ts'

/** How long the button is held. */
const HOLD_MS = 1000

interface HoldButtonProps extends Pick<ButtonProps, 'leftSection' | 'disabled'> {
  readonly children: ReactNode
  readonly onHeld: () => void
}

/**
 * Acts once it was held for a second, by pointer or by keyboard. Pressed for a shorter time it
 * submits its form, which asks instead: a person who cannot hold a key or a finger, or uses a
 * screen reader, comes this way.
 */
export function HoldButton({ children, onHeld, ...rest }: HoldButtonProps) {
  const [isHolding, setHolding] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** The click that ends a hold asks nothing. */
  const wasHeld = useRef(false)
  /** The key went down here, and not in a dialog that gave the focus back. */
  const isKeyDown = useRef(false)
  const hintId = useId()
  useEffect(() => () => clearTimeout(timer.current), [])
  // A hold that disabled the button got no click.
  useEffect(() => {
    if (rest.disabled !== true) wasHeld.current = false
  }, [rest.disabled])

  const begin = () => {
    wasHeld.current = false
    setHolding(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      wasHeld.current = true
      setHolding(false)
      onHeld()
    }, HOLD_MS)
  }
  const end = () => {
    clearTimeout(timer.current)
    setHolding(false)
  }
  const press = (event: MouseEvent) => {
    end()
    if (wasHeld.current) event.preventDefault()
    wasHeld.current = false
  }
  const isKey = (event: KeyboardEvent) => event.key === 'Enter' || event.key === ' '
  return (
    <>
      <Button
        color="red.9"
        {...rest}
        type="submit"
        className={classes.hold ?? ''}
        data-holding={isHolding}
        aria-describedby={hintId}
        onPointerDown={(event) => event.button === 0 && begin()}
        onPointerLeave={end}
        onPointerCancel={end}
        onBlur={end}
        onContextMenu={(event: MouseEvent) => event.preventDefault()}
        onKeyDown={(event) => {
          if (!isKey(event)) return
          // A key that is held repeats; each repetition would be a click.
          event.preventDefault()
          if (event.repeat) return
          isKeyDown.current = true
          begin()
        }}
        onKeyUp={(event) => {
          if (!isKey(event)) return
          event.preventDefault()
          if (isKeyDown.current) event.currentTarget.click()
          isKeyDown.current = false
        }}
        onClick={press}
      >
        {isHolding ? texts.holdLabel : children}
      </Button>
      <span id={hintId} hidden>
        {texts.holdHint}
      </span>
    </>
  )
}
