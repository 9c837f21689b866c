import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { reloadForNewVersion } from './app/reload-for-new-version.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element with the id "root"')

window.addEventListener('vite:preloadError', reloadForNewVersion)
createRoot(root).render(<App />)
