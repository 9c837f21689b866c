import {
  type ComponentType,
  createElement,
  type ReactNode,
  startTransition,
  useEffect,
  useState,
} from 'react'

let underWay = 0

/**
 * Fetches code that somebody may need soon. A failure is no sign of a new version, and the page
 * must not load anew: nobody has asked for the code yet, and who does fetches it again.
 * @returns whether it was fetched
 */
export async function loadAhead(load: () => Promise<unknown>): Promise<boolean> {
  if (!navigator.onLine) return false
  underWay += 1
  try {
    await load()
    return true
  } catch {
    return false
  } finally {
    underWay -= 1
  }
}

/** Whether what cannot be fetched now may be what nobody has asked for. */
export const isLoadingAhead = () => underWay > 0

/**
 * A page, or a part of one, whose code is loaded when it is first drawn, or before, by `ahead`.
 * Unlike React's `lazy` it is drawn as soon as it is there: React holds back what a `Suspense`
 * reveals for 300 ms.
 * @param loading is shown until then
 */
export function lazyPart<P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
  loading: ReactNode = null,
) {
  let loaded: ComponentType<P> | undefined
  const fetchPart = async () => {
    loaded ??= (await load()).default
    return loaded
  }

  function Part(props: P): ReactNode {
    const [part, setPart] = useState(() => loaded)
    const [failure, setFailure] = useState<{ readonly error: unknown }>()
    useEffect(() => {
      if (part === undefined)
        fetchPart().then(
          // Drawn in steps between which a phone responds.
          (fetched) => startTransition(() => setPart(() => fetched)),
          (error: unknown) => setFailure({ error }),
        )
    }, [part])
    // For the page's boundary, as where `lazy` fails.
    if (failure !== undefined) throw failure.error
    return part === undefined ? loading : createElement(part, props)
  }
  return Object.assign(Part, { ahead: () => loadAhead(fetchPart) })
}
