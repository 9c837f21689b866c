import { navigate, useSearch } from 'wouter/use-browser-location'

/**
 * One parameter of the address, '' when absent, and its setter, which replaces the history entry. Read from the
 * browser's own query: wouter's `useSearchParams` decodes twice and would change `%2F`.
 */
export function useAddressParam(name: string): [string, (value: string) => void] {
  const value = new URLSearchParams(useSearch()).get(name) ?? ''
  const set = (next: string) => {
    const params = new URLSearchParams(window.location.search)
    if (next === '') params.delete(name)
    else params.set(name, next)
    const query = params.toString()
    const { pathname } = window.location
    navigate(query === '' ? pathname : `${pathname}?${query}`, { replace: true })
  }
  return [value, set]
}
