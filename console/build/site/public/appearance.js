// Runs before the first paint, as a file of its own so that the policy can refuse inline scripts.
;(() => {
  let chosen = null
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value')
  } catch {
    // Storage is blocked: the scheme of the system applies.
  }
  const dark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.classList.toggle('dark', dark)
  // Which key the button of the search names.
  document.documentElement.classList.toggle('mac', /Mac|iPhone|iPad/.test(navigator.platform))
})()
