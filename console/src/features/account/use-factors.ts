import { useState } from 'react'
import {
  createPasskey,
  createRecoveryCodes,
  createTotp,
  getAccount,
  passkeyOptions,
  removeFactor,
  renameFactor,
} from 'schema'
import { makePasskey, PasskeyError } from '../../api/passkey.ts'
import { reportFailure } from '../../api/report-failure.tsx'
import { useAction } from '../../api/use-action.ts'
import { toast } from '../../components/toast.tsx'
import * as texts from './texts.ts'

const CHANGED = { readAgain: [getAccount] }

/** What can be done with the second factors of the person who is signed in. */
export function useFactors() {
  const [isPending, setPending] = useState(false)
  const totp = useAction(createTotp)
  const options = useAction(passkeyOptions)
  const passkey = useAction(createPasskey, CHANGED)
  const renaming = useAction(renameFactor, CHANGED)
  const removal = useAction(removeFactor, CHANGED)
  const codes = useAction(createRecoveryCodes, CHANGED)

  /** Runs one of them, and reports its failure. */
  const attempt = async (run: () => Promise<void>): Promise<void> => {
    if (isPending) return
    setPending(true)
    try {
      await run()
    } catch (error) {
      reportFailure(error, error instanceof PasskeyError ? { fallback: error.message } : {})
    }
    setPending(false)
  }
  return {
    isPending,
    attempt,
    startTotp: (name: string) => totp.trigger({ body: { name } }),
    addPasskey: async (name: string) => {
      const response = await makePasskey(await options.trigger({}))
      return passkey.trigger({ body: { name, response } })
    },
    rename: async (id: number, name: string) => {
      await renaming.trigger({ params: { id }, body: { name } })
      toast({ title: texts.saved, message: texts.renamed })
    },
    remove: async (id: number) => {
      await removal.trigger({ params: { id } })
      toast({ title: texts.saved, message: texts.removed })
    },
    newCodes: async () => (await codes.trigger({})).recoveryCodes,
  }
}
