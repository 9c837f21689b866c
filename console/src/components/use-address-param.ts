import { navigate, useSearch } from 'wouter/use-browser-location'

/**
 * One parameter of the address, '' when absent, and its setter, which replaces the history entry.
 * Read from the browser's own query: wouter's `useSearchParams` decodes twice and would change
 * `%2F`.
 */
export function useAddressParam(name: string): [string, (value: string) => void] {
  const [values, change] = useAddressParams([name])
  return [values[name] ?? '', (next) => change({ [name]: next })]
}

/** Several parameters of the address, '' where absent, and what changes some of them at once. */
export function useAddressParams<Name extends string>(
  names: readonly Name[],
): [Readonly<Record<Name, string>>, (changes: Partial<Readonly<Record<Name, string>>>) => void] {
  const params = new URLSearchParams(useSearch())
  const values = Object.fromEntries(names.map((name) => [name, params.get(name) ?? '']))
  return [values as Record<Name, string>, changeAddress]
}

/** Changes parameters of the address; '' takes one away. Replaces the history entry. */
export function changeAddress(changes: Readonly<Record<string, string | undefined>>): void {
  const params = new URLSearchParams(window.location.search)
  for (const [name, next] of Object.entries(changes)) {
    if (next === undefined || next === '') params.delete(name)
    else params.set(name, next)
  }
  const query = params.toString()
  const { pathname } = window.location
  navigate(query === '' ? pathname : `${pathname}?${query}`, { replace: true })
}
