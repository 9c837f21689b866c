import { Button, Stack } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { authMethods, type ConfirmRequest } from 'schema'
import { sentenceOf } from './api-error.ts'
import { FactorFailure, OWN_ESCAPE } from './factors.tsx'
import {
  makeOpenIdKeys,
  type OpenIdKeys,
  type OpenIdReturn,
  openIdAddress,
  openIdChannel,
  proofOf,
} from './openid.ts'
import * as texts from './openid-texts.ts'
import { useQuery } from './queries.tsx'

interface OpenIdFactorProps {
  /** Whether nothing else can be shown. */
  readonly isOnly: boolean
  readonly show: (shown: ConfirmRequest) => Promise<void>
}

/** Confirms by signing in at the provider again, in a window of its own. */
export default function OpenIdFactor({ isOnly, show }: OpenIdFactorProps) {
  const name = useQuery(authMethods).data?.openid?.name
  const [isWaiting, setWaiting] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [keys, setKeys] = useKeys(() => setFailure(texts.insecure))
  const waiting = useRef<OpenIdKeys | null>(null)
  const latest = useRef(show)
  latest.current = show

  useEffect(() => {
    const channel = openIdChannel()
    channel.onmessage = async ({ data }: MessageEvent<OpenIdReturn>) => {
      const { current } = waiting
      if (current === null || data.challenge !== current.challenge) return
      waiting.current = null
      setWaiting(false)
      if (data.error !== null) return setFailure(texts.messageOf(data.error))
      try {
        await latest.current({ openid: proofOf(data.code, current) })
      } catch (error) {
        setFailure(sentenceOf(error))
      }
    }
    return () => channel.close()
  }, [])

  // Without waiting for anything: a browser opens a window only at once after a press.
  const open = () => {
    if (keys === null) return
    setFailure(null)
    const address = openIdAddress(keys, 'confirm')
    if (window.open(address, '_blank', 'popup,width=520,height=680') === null)
      return setFailure(texts.blocked)
    waiting.current = keys
    setWaiting(true)
    setKeys()
  }
  return (
    <Stack gap="sm">
      <FactorFailure>{failure}</FactorFailure>
      <Button
        fullWidth
        variant={isOnly ? 'filled' : 'default'}
        disabled={keys === null}
        onClick={open}
        autoFocus={isOnly}
        data-autofocus={isOnly ? true : undefined}
        {...OWN_ESCAPE}
      >
        {isWaiting ? texts.againPending : texts.again(name)}
      </Button>
    </Stack>
  )
}

/** Keys for the next window, made before they are needed. */
function useKeys(onInsecure: () => void) {
  const [keys, setKeys] = useState<OpenIdKeys | null>(null)
  const make = () => void makeOpenIdKeys().then(setKeys, onInsecure)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once; the next ones are asked for.
  useEffect(make, [])
  const renew = () => {
    setKeys(null)
    make()
  }
  return [keys, renew] as const
}
